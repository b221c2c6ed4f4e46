// SPDX-License-Identifier: Apache-2.0
// Arrays in files: under one distribution and back under another, on other numbers of processes, and
// what is said where a file cannot be used.
#include <dirent.h>
#include <gtest/gtest.h>
#include <mpi.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "arrays/files/array_file.hpp"
#include "arrays/files/hdf5_library.hpp"
#include "arrays/property_support.hpp"
#include "arrays/random_case.hpp"
#include "arrays/schedules/local.hpp"

namespace lapwing::arrays::testing {
namespace {

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    lapwing_array_errors_return(1);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    ASSERT_EQ(0, lapwing_tasks_create(MPI_COMM_WORLD, 0, &tasks_));
    char name[64] = "/tmp/lapwing-array-XXXXXX";
    if (rank_ == 0) ASSERT_NE(mkdtemp(name), nullptr);
    MPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
    folder_ = name;
    path_ = folder_ + "/array";
  }
  void TearDown() override {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_ == 0) {
      unlink(path_.c_str());
      unlink((path_ + ".h5").c_str());
      rmdir(folder_.c_str());
    }
    EXPECT_EQ(0, lapwing_tasks_free(&tasks_));
    lapwing_array_errors_return(0);
    FileSizes::most_bytes = 16 << 20;
    FileSizes::least_bytes = 1 << 20;
  }

  // The value of an element of a section, by its number in the file.
  static double value_at(std::int64_t number) { return 1.5 * static_cast<double>(number) + 0.25; }
  // Calls visit(number, place) for the elements of the section that this process has.
  template <typename Visit>
  static void each(const View& view, const ListsByDimension& lists, int rank, Visit visit) {
    const Section section = filled(view.section, view.distribution);
    Index counts;
    for (const auto& d : section.dimensions) counts.push_back(d.count);
    const OwnerMap map(view.distribution, rank, lists);
    each_index(counts, [&](const Index& index) {
      std::int64_t number = 0;
      for (std::size_t k = 0; k < index.size(); ++k) {
        const std::size_t d = view.distribution.order == Order::row_major ? k : index.size() - 1 - k;
        number = number * counts[d] + index[d];
      }
      Index there(index.size());
      for (std::size_t d = 0; d < index.size(); ++d)
        there[d] = section.dimensions[d].first + index[d] * section.dimensions[d].stride;
      if (const std::int64_t at = map.offset(there); at >= 0) visit(number, at);
    });
  }
  static void says(const std::vector<std::string>& words) {
    const std::string sentence = lapwing_array_error_string();
    for (const std::string& word : words)
      EXPECT_NE(sentence.find(word), std::string::npos) << word << " in: " << sentence;
  }
  // Debian's libhdf5-103-1, which tools/install-deps installs for the tests.
  static bool has_hdf5() { return hdf5::library().why.empty(); }
  lapwing_distribution* rows(std::int64_t n, int order = LAPWING_ROW_MAJOR) const {
    const lapwing_dimension dimensions[2] = {lapwing_block(n, size_, 0), lapwing_collapsed(7)};
    const lapwing_grid grid{1, &size_, LAPWING_ROW_MAJOR, nullptr};
    lapwing_distribution* made = nullptr;
    EXPECT_EQ(0, lapwing_distribution_create(LAPWING_FLOAT64, 2, dimensions, &grid, order, nullptr, &made));
    return made;
  }
  std::int64_t room(const lapwing_distribution* array) const {
    lapwing_local_part part;
    lapwing_distribution_local(array, rank_, &part, nullptr, nullptr, nullptr);
    return part.allocated;
  }

  int size_ = 0, rank_ = 0;
  lapwing_tasks* tasks_ = nullptr;
  std::string folder_, path_;
};

// In the file the elements are in the array's order, and what is around them stays.
TEST_F(Files, HaveTheElementsInTheArraysOrder) {
  for (const int order : {LAPWING_ROW_MAJOR, LAPWING_COLUMN_MAJOR}) {
    lapwing_distribution* array = rows(10, order);
    std::vector<double> local(static_cast<std::size_t>(room(array)) + 1);
    std::int64_t index[2];
    for (std::int64_t p = 0; p < room(array); ++p)
      if (lapwing_distribution_index(array, rank_, p, index) == 0)
        local[static_cast<std::size_t>(p)] = static_cast<double>(100 * index[0] + index[1]);
    if (rank_ == 0) {
      std::FILE* file = std::fopen(path_.c_str(), "wb");
      const std::vector<double> around(80, -1);
      ASSERT_EQ(80u, std::fwrite(around.data(), 8, 80, file));
      std::fclose(file);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    ASSERT_EQ(0, lapwing_array_write(path_.c_str(), 24, local.data(), room(array), array, tasks_))
        << lapwing_array_error_string();
    if (rank_ == 0) {
      std::vector<double> found(80);
      std::FILE* file = std::fopen(path_.c_str(), "rb");
      ASSERT_EQ(80u, std::fread(found.data(), 8, 80, file));
      std::fclose(file);
      for (int k = 0; k < 80; ++k) {
        const int n = k - 3, i = order == LAPWING_ROW_MAJOR ? n / 7 : n % 10,
                  j = order == LAPWING_ROW_MAJOR ? n % 7 : n / 10;
        EXPECT_EQ(found[static_cast<std::size_t>(k)], n < 0 || n >= 70 ? -1 : 100 * i + j) << k;
      }
    }
    lapwing_distribution_free(&array);
  }
}

// Written under one random distribution, read under another of the same order and shape, by the first few
// processes alone or by all.
TEST_F(Files, RandomArraysComeBack) {
  const std::int64_t cases = from_environment("ARRAYS_CASES", 40), seed = from_environment("ARRAYS_SEED", 1);
  for (std::int64_t i = 0; i < cases; ++i) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed + i) * 17 + 3);
    Case drawn = random_case(random, size_, size_, true);
    if (drawn.from.dimensions.size() != drawn.to.dimensions.size()) continue;
    drawn.source.type = drawn.destination.type = ElementType::float64;
    drawn.source.opaque_bytes = drawn.destination.opaque_bytes = 0;
    drawn.destination.order = drawn.source.order;
    if (random() % 5 < 2) {
      add_lists(random, drawn);
      make_lists(tasks_, drawn.source, drawn.source_lists);
      make_lists(tasks_, drawn.destination, drawn.destination_lists);
    }
    // Read is the shape that was written: the sender's section, without a permutation.
    const std::vector<int> permutation = drawn.to.permutation;
    drawn.to.permutation.clear();
    Section from = filled(drawn.from, drawn.source);
    bool same = true;
    const Section to = filled(drawn.to, drawn.destination);
    for (std::size_t d = 0; d < to.dimensions.size(); ++d)
      same &= to.dimensions[d].count == from.dimensions[d].count;
    if (!same) continue;
    FileSizes::most_bytes = random() % 2 ? 16 << 20 : 8 + static_cast<std::int64_t>(random() % 600);
    FileSizes::least_bytes = random() % 2 ? 1 << 20 : 1 + static_cast<std::int64_t>(random() % 100);
    draw_sizes(random);
    const auto offset = static_cast<std::int64_t>(random() % 3 * 13);
    lapwing_distribution out{std::make_shared<View>(View{drawn.source, drawn.from, false})},
        in{std::make_shared<View>(View{drawn.destination, drawn.to, false})};
    std::vector<double> a(static_cast<std::size_t>(room(&out)) + 1, -7),
        b(static_cast<std::size_t>(room(&in)) + 1, -9);
    each(*out.view, drawn.source_lists, rank_,
         [&](std::int64_t n, std::int64_t at) { a[static_cast<std::size_t>(at)] = value_at(n); });
    std::vector<double> right = b;
    each(*in.view, drawn.destination_lists, rank_,
         [&](std::int64_t n, std::int64_t at) { right[static_cast<std::size_t>(at)] = value_at(n); });
    ASSERT_EQ(0, lapwing_array_write(path_.c_str(), offset, a.data(), room(&out), &out, tasks_))
        << lapwing_array_error_string();
    ASSERT_EQ(0, lapwing_array_read(path_.c_str(), offset, b.data(), room(&in), &in, tasks_))
        << lapwing_array_error_string();
    ASSERT_TRUE(b == right) << "case " << seed + i << " on rank " << rank_ << ": " << drawn.describe();
    if (!has_hdf5()) continue;
    // As a dataset, in one run of bytes; and with other elements, which one process reads and converts.
    const std::string file = path_ + ".h5", name = "cases/" + std::to_string(i);
    ASSERT_EQ(0, lapwing_array_write_hdf5(file.c_str(), name.c_str(), a.data(), room(&out), &out, tasks_))
        << lapwing_array_error_string();
    b.assign(b.size(), -9);
    ASSERT_EQ(0, lapwing_array_read_hdf5(file.c_str(), name.c_str(), b.data(), room(&in), &in, tasks_))
        << lapwing_array_error_string();
    ASSERT_TRUE(b == right) << "dataset " << seed + i << " on rank " << rank_ << ": " << drawn.describe();
    drawn.destination.type = ElementType::float32;
    lapwing_distribution other{std::make_shared<View>(View{drawn.destination, drawn.to, false})};
    std::vector<float> converted(b.size(), -9);
    ASSERT_EQ(0, lapwing_array_read_hdf5(file.c_str(), name.c_str(), converted.data(), room(&other), &other,
                                         tasks_))
        << lapwing_array_error_string();
    ASSERT_TRUE(std::equal(right.begin(), right.end(), converted.begin()))
        << "converted " << seed + i << " on rank " << rank_ << ": " << drawn.describe();
  }
}

TEST_F(Files, OfOtherNumbersOfProcesses) {
  lapwing_distribution* all = rows(23);
  std::vector<double> local(static_cast<std::size_t>(room(all)) + 1);
  std::int64_t index[2];
  for (std::int64_t p = 0; p < room(all); ++p)
    if (lapwing_distribution_index(all, rank_, p, index) == 0)
      local[static_cast<std::size_t>(p)] = value_at(7 * index[0] + index[1]);
  ASSERT_EQ(0, lapwing_array_write(path_.c_str(), 0, local.data(), room(all), all, tasks_));
  lapwing_distribution_free(&all);
  // The first half of the processes, by columns.
  const int fewer = (size_ + 1) / 2;
  lapwing_tasks* halves = nullptr;
  ASSERT_EQ(0, lapwing_tasks_create(MPI_COMM_WORLD, rank_ < fewer ? 0 : 1, &halves));
  if (rank_ < fewer) {
    const lapwing_dimension dimensions[2] = {lapwing_collapsed(23), lapwing_cyclic(7, 2, 0)};
    const lapwing_grid grid{1, &fewer, LAPWING_ROW_MAJOR, nullptr};
    lapwing_distribution* columns = nullptr;
    ASSERT_EQ(0, lapwing_distribution_create(LAPWING_FLOAT64, 2, dimensions, &grid, LAPWING_ROW_MAJOR,
                                             nullptr, &columns));
    std::vector<double> back(static_cast<std::size_t>(room(columns)) + 1);
    ASSERT_EQ(0, lapwing_array_read(path_.c_str(), 0, back.data(), room(columns), columns, halves));
    for (std::int64_t p = 0; p < room(columns); ++p)
      if (lapwing_distribution_index(columns, rank_, p, index) == 0)
        EXPECT_EQ(back[static_cast<std::size_t>(p)], value_at(7 * index[0] + index[1]));
    lapwing_distribution_free(&columns);
  }
  EXPECT_EQ(0, lapwing_tasks_free(&halves));
}

TEST_F(Files, ThatCannotBeUsed) {
  lapwing_distribution* array = rows(10);
  std::vector<double> local(static_cast<std::size_t>(room(array)) + 1, 1);
  const auto write = [&](const std::string& path) {
    return lapwing_array_write(path.c_str(), 0, local.data(), room(array), array, tasks_);
  };
  const auto read = [&](const std::string& path, std::int64_t offset) {
    return lapwing_array_read(path.c_str(), offset, local.data(), room(array), array, tasks_);
  };
  EXPECT_EQ(LAPWING_ARRAY_ERR_FILE, write(folder_ + "/none/array"));
  says({"task 0, rank 0", folder_ + "/none/array cannot be opened for writing", "No such file or directory"});
  EXPECT_EQ(LAPWING_ARRAY_ERR_FILE, write(folder_));
  says({"cannot be opened for writing", "it is a directory"});
  EXPECT_EQ(LAPWING_ARRAY_ERR_FILE, read(folder_ + "/none", 0));
  says({"cannot be opened for reading", "No such file or directory"});
  EXPECT_EQ(LAPWING_ARRAY_ERR_ARGUMENT, write(""));
  EXPECT_EQ(LAPWING_ARRAY_ERR_ARGUMENT, read(path_, -1));
  says({"offset is -1"});
  if (size_ > 1) {
    EXPECT_EQ(LAPWING_ARRAY_ERR_DIFFERS, write(rank_ == 0 ? path_ : path_ + "x"));
    says({"different files, offsets or arrays"});
  }
  ASSERT_EQ(0, write(path_));
  EXPECT_EQ(LAPWING_ARRAY_ERR_FILE, read(path_, 8));
  says({"has 560 bytes", "from byte 8 on takes 560"});
  ASSERT_EQ(0, read(path_, 0));
  if (geteuid() != 0) {
    if (rank_ == 0) ASSERT_EQ(0, chmod(path_.c_str(), 0400));
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(LAPWING_ARRAY_ERR_FILE, write(path_));
    says({"Permission denied"});
  }
  lapwing_distribution_free(&array);
}

TEST_F(Files, OfHdf5ThatCannotBeUsed) {
  if (!has_hdf5()) GTEST_SKIP() << hdf5::library().why;
  lapwing_distribution *array = rows(10), *other = rows(11);
  std::vector<double> local(static_cast<std::size_t>(room(other)) + 1, 1);
  const auto write = [&](const std::string& path, const char* dataset, const lapwing_distribution* which) {
    return lapwing_array_write_hdf5(path.c_str(), dataset, local.data(), room(which), which, tasks_);
  };
  const auto read = [&](const std::string& path, const char* dataset, const lapwing_distribution* which) {
    return lapwing_array_read_hdf5(path.c_str(), dataset, local.data(), room(which), which, tasks_);
  };
  const std::string file = path_ + ".h5";
  EXPECT_EQ(LAPWING_ARRAY_ERR_FILE, read(file, "a", array));
  says({"task 0, rank 0", file + " cannot be opened for reading", "No such file or directory"});
  EXPECT_EQ(LAPWING_ARRAY_ERR_FILE, write(folder_ + "/none/x.h5", "a", array));
  says({"cannot be opened for writing"});
  EXPECT_EQ(LAPWING_ARRAY_ERR_ARGUMENT, write(file, "", array));
  says({"the dataset has no name"});
  ASSERT_EQ(0, lapwing_array_write(path_.c_str(), 0, local.data(), room(array), array, tasks_));
  EXPECT_EQ(LAPWING_ARRAY_ERR_FILE, write(path_, "a", array));
  says({"it is no file of HDF5's"});
  EXPECT_EQ(LAPWING_ARRAY_ERR_FILE, read(path_, "a", array));
  says({"it is no file of HDF5's"});
  ASSERT_EQ(0, write(file, "a", array)) << lapwing_array_error_string();
  ASSERT_EQ(0, write(file, "group/b", other)) << lapwing_array_error_string();
  EXPECT_EQ(LAPWING_ARRAY_ERR_FILE, read(file, "none", array));
  says({"has no dataset none"});
  EXPECT_EQ(LAPWING_ARRAY_ERR_FILE, read(file, "group/b", array));
  says({"the dataset group/b of the file " + file + " has the shape (11, 7), and the array (10, 7)"});
  EXPECT_EQ(LAPWING_ARRAY_ERR_FILE, write(file, "a", other));
  says({"has the shape (10, 7), and the array (11, 7)"});
  EXPECT_EQ(LAPWING_ARRAY_ERR_FILE, write(file, "a/inside", array));
  says({"cannot be made"});
  if (size_ > 1) {
    EXPECT_EQ(LAPWING_ARRAY_ERR_DIFFERS, write(file, rank_ == 0 ? "a" : "c", array));
  }
  EXPECT_EQ(0, write(file, "a", array)) << lapwing_array_error_string();
  EXPECT_EQ(0, read(file, "a", array)) << lapwing_array_error_string();
  lapwing_distribution_free(&array);
  lapwing_distribution_free(&other);
}

// A limit on the size of files stands for a device that is full.
TEST_F(Files, WithoutRoom) {
  lapwing_distribution* array = rows(4000);
  std::vector<double> local(static_cast<std::size_t>(room(array)) + 1, 1);
  struct rlimit before {};
  getrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_IGN);
  const struct rlimit small { 100000, before.rlim_max };
  ASSERT_EQ(0, setrlimit(RLIMIT_FSIZE, &small));
  EXPECT_EQ(LAPWING_ARRAY_ERR_FILE,
            lapwing_array_write(path_.c_str(), 0, local.data(), room(array), array, tasks_));
  says({"cannot be written to the file " + path_, "may not write files of more than 100000 bytes"});
  ASSERT_EQ(0, setrlimit(RLIMIT_FSIZE, &before));
  EXPECT_EQ(0, lapwing_array_write(path_.c_str(), 0, local.data(), room(array), array, tasks_))
      << lapwing_array_error_string();
  lapwing_distribution_free(&array);
}

}  // namespace
}  // namespace lapwing::arrays::testing
