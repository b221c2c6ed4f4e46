// SPDX-License-Identifier: Apache-2.0
// Random gets and puts of all processes, beside a serial program that has all their memory.
#include <gtest/gtest.h>
#include <mpi.h>

#include <random>
#include <vector>

// Most calls are several of MPI's then.
#define LAPWING_MEMORY_PIECE 40'000
#include "lapwing/memory.h"

namespace {

using Bytes = std::vector<unsigned char>;
constexpr std::size_t bytes = 300'000;

// Every process draws the same numbers, so each knows what the others do.
class RandomAccesses {
 public:
  explicit RandomAccesses(unsigned seed) : random_(seed) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    lapwing_memory_allocate(bytes, MPI_COMM_WORLD, &mine_, &window_);
    all_.resize(static_cast<std::size_t>(size_), Bytes(bytes));
    for (Bytes& memory : all_)
      for (unsigned char& byte : memory) byte = static_cast<unsigned char>(random_());
    std::copy(all_[me()].begin(), all_[me()].end(), mine_);
    barrier();
  }
  ~RandomAccesses() { lapwing_memory_free(&window_); }
  RandomAccesses(const RandomAccesses&) = delete;
  RandomAccesses& operator=(const RandomAccesses&) = delete;

  /// Each process writes to a part of one other's memory that is its own, several times, and reads it again.
  void write() {
    const std::size_t part = bytes / static_cast<std::size_t>(size_);
    for (int origin = 0; origin < size_; ++origin) {
      for (int times = 0; times < 3; ++times) {
        const std::size_t target = below(static_cast<std::size_t>(size_)), length = below(part),
                          first = part * static_cast<std::size_t>(origin) + below(part - length);
        const bool starts = below(2) != 0, rereads = below(2) != 0;
        Bytes given(length);
        for (unsigned char& byte : given) byte = static_cast<unsigned char>(random_());
        std::copy(given.begin(), given.end(), all_[target].begin() + static_cast<std::ptrdiff_t>(first));
        if (origin != rank_) continue;
        const Bytes sent = given;
        put(given, first, static_cast<int>(target), starts);
        if (rereads) {
          Bytes again(length);
          lapwing_memget(again.data(), static_cast<MPI_Aint>(first), static_cast<int>(target), length,
                         window_);
          EXPECT_EQ(again, sent);
        }
      }
    }
    barrier();
  }

  /// Each process reads as it likes, into several places at a time.
  void read() {
    std::mt19937 own(random_() + static_cast<unsigned>(rank_));
    constexpr int count = 4;
    Bytes got[count];
    lapwing_memory_handle handles[count];
    std::size_t first[count], target[count];
    for (int i = 0; i < count; ++i) {
      got[i].assign(own() % bytes, 0);
      first[i] = own() % (bytes - got[i].size());
      target[i] = own() % static_cast<std::size_t>(size_);
      handles[i] = LAPWING_MEMORY_HANDLE_NULL;
      const auto from = static_cast<MPI_Aint>(first[i]);
      if (own() % 3 == 0)
        lapwing_memget_nb(got[i].data(), from, static_cast<int>(target[i]), got[i].size(), window_,
                          &handles[i]);
      else
        lapwing_memget(got[i].data(), from, static_cast<int>(target[i]), got[i].size(), window_);
    }
    for (int i = count - 1; i >= 0; --i) {
      lapwing_memory_wait(&handles[i]);
      const auto begin = all_[target[i]].begin() + static_cast<std::ptrdiff_t>(first[i]);
      ASSERT_TRUE(std::equal(got[i].begin(), got[i].end(), begin)) << "get " << i;
    }
    EXPECT_TRUE(std::equal(all_[me()].begin(), all_[me()].end(), mine_));
    barrier();
  }

 private:
  std::size_t me() const { return static_cast<std::size_t>(rank_); }
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }
  void barrier() { lapwing_memory_barrier(window_, MPI_COMM_WORLD); }

  void put(Bytes& given, std::size_t first, int target, bool starts) {
    const auto at = static_cast<MPI_Aint>(first);
    if (starts) {
      lapwing_memory_handle handle;
      lapwing_memput_nb(at, target, given.data(), given.size(), window_, &handle);
      lapwing_memory_wait(&handle);
    } else {
      lapwing_memput(at, target, given.data(), given.size(), window_);
    }
    std::fill(given.begin(), given.end(), static_cast<unsigned char>(0));
  }

  std::mt19937 random_;
  int rank_ = 0, size_ = 1;
  unsigned char* mine_ = nullptr;
  MPI_Win window_ = MPI_WIN_NULL;
  std::vector<Bytes> all_;
};

TEST(MemoryAtRandom, IsThatOfASerialProgram) {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    SCOPED_TRACE(seed);
    RandomAccesses accesses(seed);
    for (int round = 0; round < 3; ++round) {
      accesses.write();
      accesses.read();
    }
  }
}

}  // namespace
