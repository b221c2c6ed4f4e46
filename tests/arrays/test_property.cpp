// SPDX-License-Identifier: Apache-2.0
// Random transfers between two tasks and within one, by random calls and
// strategies, element by element against maps that count (random_case.hpp).
// ARRAYS_CASES and ARRAYS_SEED say how many and which.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <random>

#include "arrays/property_support.hpp"
#include "arrays/random_case.hpp"
#include "arrays/schedules/local.hpp"
#include "arrays/transfers/index_lists.hpp"
#include "entry/arrays/arrays.hpp"

namespace lapwing::arrays::testing {
namespace {

class Transfer {
 public:
  Transfer(const Case& c, bool sends, bool receives, int rank)
      : case_(c), sends_(sends), receives_(receives), rank_(rank) {
    bound_ = 1 << 24;
    for (const ElementType type : {c.source.type, c.destination.type}) {
      if (type == ElementType::int8) bound_ = std::min<std::int64_t>(bound_, 127);
      if (type == ElementType::int16) bound_ = std::min<std::int64_t>(bound_, 32767);
    }
    from_.view = std::make_shared<View>(View{c.source, c.from, false});
    to_.view = std::make_shared<View>(View{c.destination, c.to, true});
    out_.resize(bytes(c.source) + 1, 0x55);
    in_.resize(bytes(c.destination) + 1, 0x2A);
    untouched_ = expected_ = in_;
  }

  void fill(std::int64_t turn) {
    turn_ = turn;
    in_ = expected_ = untouched_;
    if (sends_) {
      Index extents;
      for (const Dimension& d : case_.source.dimensions) extents.push_back(d.extent);
      const OwnerMap map(case_.source, rank_, case_.source_lists);
      each_index(extents, [&](const Index& index) {
        if (const std::int64_t offset = map.offset(index); offset >= 0)
          put(&out_, case_.source, offset, value_at(index));
      });
    }
    if (receives_) expect();
  }

  // The calls of one side; `how` is the same on all.
  void call(unsigned how, lapwing_tasks* tasks) {
    lapwing_array_request* requests[2] = {nullptr, nullptr};
    int count = 0;
    const std::int64_t have = elements(case_.source), want = elements(case_.destination);
    const bool persistent = how % 3 == 2;
    if (sends_ && receives_) {
      const auto begin = persistent ? lapwing_array_redistribute_init : lapwing_array_iredistribute;
      fill(1);
      ASSERT_EQ(0, begin(out_.data(), have, &from_, in_.data(), want, &to_, tasks, &requests[count++]));
    } else if (sends_) {
      const auto begin = persistent ? lapwing_array_send_init : lapwing_array_isend;
      fill(1);
      if (how % 3 == 0) {
        ASSERT_EQ(0, lapwing_array_send(out_.data(), have, &from_, 1, 3, tasks));
        return;
      }
      ASSERT_EQ(0, begin(out_.data(), have, &from_, 1, 3, tasks, &requests[count++]));
    } else {
      const auto begin = persistent ? lapwing_array_recv_init : lapwing_array_irecv;
      fill(1);
      if (how % 3 == 0) {
        lapwing_array_status status;
        const int source = how % 2 ? 0 : LAPWING_ANY_TASK;
        ASSERT_EQ(0, lapwing_array_recv(in_.data(), want, &to_, source, 3, tasks, &status));
        return check();
      }
      ASSERT_EQ(0, begin(in_.data(), want, &to_, 0, 3, tasks, &requests[count++]));
    }
    for (int turn = 1; turn <= (persistent ? 3 : 1); ++turn) {
      if (persistent) {
        fill(turn);
        ASSERT_EQ(0, lapwing_array_startall(count, requests));
      }
      if (receives_ && how / 3 % 2) use_a_part(how, requests[0]);
      ASSERT_EQ(0, lapwing_array_waitall(count, requests, nullptr));
      check();
    }
    for (lapwing_array_request*& request : requests) lapwing_array_request_free(&request);
  }

 private:
  std::size_t bytes(const Distribution& d) const {
    return static_cast<std::size_t>(elements(d) * d.element_bytes());
  }
  std::int64_t elements(const Distribution& d) const { return local_part(d, rank_).allocated; }
  std::int64_t value_at(const Index& index) const {
    std::int64_t id = 7 * turn_;
    for (std::size_t d = 0; d < index.size(); ++d) id = id * case_.source.dimensions[d].extent + index[d];
    return 1 + id % (bound_ - 1);
  }
  static void put(std::vector<char>* buffer, const Distribution& d, std::int64_t offset, std::int64_t value) {
    if (d.type == ElementType::opaque) {  // every byte counts
      for (std::int64_t k = 0; k < d.element_bytes(); ++k)
        (*buffer)[static_cast<std::size_t>(offset * d.element_bytes() + k)] =
            static_cast<char>((value >> (k % 3 * 8)) + k);
      return;
    }
    convert(ElementType::int64, &value, d.type, buffer->data() + offset * d.element_bytes(), 1);
  }

  void expect() {
    const Section from = filled(case_.from, case_.source), to = filled(case_.to, case_.destination);
    Index counts;
    for (const auto& d : to.dimensions) counts.push_back(d.count);
    const OwnerMap map(case_.destination, rank_, case_.destination_lists);
    each_index(counts, [&](const Index& index) {
      Index there(index.size()), here(from.dimensions.size());
      for (std::size_t s = 0; s < here.size(); ++s) here[s] = from.dimensions[s].first;
      for (std::size_t d = 0; d < index.size(); ++d) {
        there[d] = to.dimensions[d].first + index[d] * to.dimensions[d].stride;
        const int s = to.permutation.empty() ? static_cast<int>(d) : to.permutation[d];
        if (s >= 0)
          here[static_cast<std::size_t>(s)] += index[d] * from.dimensions[static_cast<std::size_t>(s)].stride;
      }
      if (const std::int64_t offset = map.offset(there); offset >= 0)
        put(&expected_, case_.destination, offset, value_at(here));
    });
  }
  // A random box, as soon as it has landed; each process its own.
  void use_a_part(unsigned how, lapwing_array_request* request) {
    std::mt19937 random(how + 100u * static_cast<unsigned>(rank_));
    Index first(1), count(1);
    for (const Dimension& d : case_.destination.dimensions) {
      first.push_back(static_cast<std::int64_t>(random()) % std::max<std::int64_t>(1, d.extent));
      count.push_back(static_cast<std::int64_t>(random()) % (d.extent - first.back() + 1));
    }
    if (random() % 2) {
      for (int landed = 0; !landed;)
        ASSERT_EQ(0, lapwing_array_test_section(request, first.data() + 1, count.data() + 1, &landed));
    } else {
      ASSERT_EQ(0, lapwing_array_wait_section(request, first.data() + 1, count.data() + 1));
    }
    const OwnerMap map(case_.destination, rank_, case_.destination_lists);
    const auto bytes = static_cast<std::size_t>(case_.destination.element_bytes());
    each_index({count.begin() + 1, count.end()}, [&](Index index) {
      for (std::size_t d = 0; d < index.size(); ++d) index[d] += first[d + 1];
      const std::int64_t offset = map.offset(index);
      if (offset < 0) return;
      const std::size_t at = static_cast<std::size_t>(offset) * bytes;
      EXPECT_EQ(0, std::memcmp(&in_[at], &expected_[at], bytes)) << "too early, on rank " << rank_;
    });
  }
  void check() {
    if (!receives_) return;
    EXPECT_TRUE(in_ == expected_) << "on rank " << rank_ << ", turn " << turn_;
  }

  const Case& case_;
  bool sends_, receives_;
  int rank_;
  std::int64_t bound_, turn_ = 0;
  std::vector<char> out_, in_, untouched_, expected_;
  lapwing_distribution from_, to_;
};

TEST(Property, RandomTransfersArrive) {
  const std::int64_t cases = from_environment("ARRAYS_CASES", 300), seed = from_environment("ARRAYS_SEED", 1);
  int size = 0, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  // By the size of the first task; all of it: one task.
  std::map<int, lapwing_tasks*> tasks;
  for (int split = 1; split <= size; ++split)
    ASSERT_EQ(0, lapwing_tasks_create(MPI_COMM_WORLD, rank < split ? 0 : 1, &tasks[split]));
  for (std::int64_t i = 0; i < cases; ++i) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed + i));
    const int split = 1 + static_cast<int>(random() % static_cast<unsigned>(size));
    const bool same = split == size;
    Case drawn = random_case(random, split, same ? size : size - split, same);
    if (random() % 5 < 2) {
      add_lists(random, drawn);
      const int here = rank < split ? 0 : 1;
      if (here == 0) make_lists(tasks[split], drawn.source, drawn.source_lists);
      if (same || here == 1) make_lists(tasks[split], drawn.destination, drawn.destination_lists);
    }
    const auto how = static_cast<unsigned>(random() % 60);
    lapwing_tasks* const here = tasks[split];
    lapwing_tasks_strategy(here, static_cast<int>(random() % 5));
    draw_sizes(random);
    const int task = lapwing_tasks_rank(here);
    Transfer transfer(drawn, task == 0, same || task == 1, lapwing_tasks_process_rank(here));
    transfer.call(how, here);
    if (::testing::Test::HasFailure()) {
      ADD_FAILURE() << "case " << seed + i << ": how " << how << ", split " << split << ", "
                    << drawn.describe();
      break;
    }
  }
  for (auto& [split, each] : tasks) lapwing_tasks_free(&each);
}

}  // namespace
}  // namespace lapwing::arrays::testing
