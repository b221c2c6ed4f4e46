// SPDX-License-Identifier: Apache-2.0
// Index lists that make no sense, or cannot be sent: all processes get a sentence, and none hangs.
#include <numeric>
#include <string>

#include "arrays/arrays_support.hpp"

namespace lapwing::arrays::testing {
namespace {

using List = std::vector<std::int64_t>;

class IndexErrors : public TwoTasks {
 protected:
  // After any error these lists are made, and travel.
  void TearDown() override { EXPECT_EQ(0, transfer(blocks(9), 9)); }

  /// The list of this process: blocks of `extent` indices.
  List blocks(std::int64_t extent) const {
    const std::int64_t low = extent * rank_ / mine_, high = extent * (rank_ + 1) / mine_;
    List list(static_cast<std::size_t>(high - low));
    std::iota(list.begin(), list.end(), low);
    return list;
  }
  static int make(const List& list, std::int64_t extent, lapwing_index_lists** lists) {
    return lapwing_index_lists_create(extent, list.data(), static_cast<std::int64_t>(list.size()), nullptr, 0,
                                      tasks_, lists);
  }
  int refuse(const List& list, std::int64_t extent) {
    lapwing_index_lists* lists = nullptr;
    const int code = make(list, extent, &lists);
    EXPECT_EQ(nullptr, lists);
    return code;
  }
  int transfer(const List& list, std::int64_t extent) {
    lapwing_index_lists* lists = nullptr;
    EXPECT_EQ(0, make(list, extent, &lists));
    if (!lists) return -1;
    Array a({lapwing_indexed(lists, 0)}, {mine_}, tasks_);
    EXPECT_EQ(0, lapwing_index_lists_free(&lists));
    int code = 0;
    if (task_ == 0) {
      a.fill(1);
      code = lapwing_array_send(a.local.data(), a.size(), a.distribution, 1, 5, tasks_);
    } else {
      code = lapwing_array_recv(a.local.data(), a.size(), a.distribution, 0, 5, tasks_, nullptr);
      if (code == 0) {
        EXPECT_EQ(0, a.wrong(1));
      }
    }
    return code;
  }
  static void says(const std::vector<std::string>& words) {
    const std::string sentence = lapwing_array_error_string();
    for (const std::string& word : words)
      EXPECT_NE(std::string::npos, sentence.find(word)) << word << " in: " << sentence;
  }
  std::string here() const { return "task " + std::to_string(task_); }
  std::string last() const { return here() + ", rank " + std::to_string(mine_ - 1); }
};

TEST_F(IndexErrors, IndicesOutsideOrTwice) {
  const bool wrong = rank_ == mine_ - 1;
  EXPECT_EQ(LAPWING_ARRAY_ERR_ARGUMENT, refuse(wrong ? List{0, 10} : List{1}, 10));
  says({last(), "position 1", "is 10", "0 to 9"});
  EXPECT_EQ(LAPWING_ARRAY_ERR_ARGUMENT, refuse(wrong ? List{-2} : List{1}, 10));
  says({last(), "position 0", "is -2", "negative"});
  EXPECT_EQ(LAPWING_ARRAY_ERR_ARGUMENT, refuse(wrong ? List{3, 1, 4, 1} : List{1}, 10));
  says({last(), "positions 1 and 3", "both 1"});
  EXPECT_EQ(LAPWING_ARRAY_ERR_ARGUMENT, refuse({}, -1));
  says({here(), "extent of -1"});
}

TEST_F(IndexErrors, ProcessesThatDiffer) {
  if (mine_ == 1) return;
  EXPECT_EQ(LAPWING_ARRAY_ERR_DIFFERS, refuse({}, rank_ == 0 ? 10 : 11));
  says({here(), "10", "11"});
  // Two processes at one place of the grid.
  const int extents[2] = {1, mine_};
  const lapwing_grid grid{2, extents, LAPWING_ROW_MAJOR, nullptr};
  const List list{rank_};
  lapwing_index_lists* lists = nullptr;
  EXPECT_EQ(LAPWING_ARRAY_ERR_DIFFERS,
            lapwing_index_lists_create(10, list.data(), 1, &grid, 0, tasks_, &lists));
  says({here(), "ranks 0 and 1", "place 0"});
}

TEST_F(IndexErrors, AGridThatTheTaskDoesNotHave) {
  const int extents = mine_ + 1;
  const lapwing_grid grid{1, &extents, LAPWING_ROW_MAJOR, nullptr};
  lapwing_index_lists* lists = nullptr;
  EXPECT_EQ(LAPWING_ARRAY_ERR_GRID, lapwing_index_lists_create(10, nullptr, 0, &grid, 0, tasks_, &lists));
  EXPECT_EQ(LAPWING_ARRAY_ERR_ARGUMENT,
            lapwing_index_lists_create(10, nullptr, 0, nullptr, 1, tasks_, &lists));
  says({"grid dimension 1"});
}

TEST_F(IndexErrors, ASenderThatLacksAnIndexOrHasItTwice) {
  List list = blocks(9);
  if (task_ == 0 && rank_ == 0) list.erase(list.begin() + 1);
  EXPECT_EQ(LAPWING_ARRAY_ERR_ARGUMENT, transfer(list, 9));
  says({"task 0", "index 1 of dimension 0 is in no list"});
  if (lapwing_tasks_processes(tasks_, 0) == 1) return;
  list = blocks(9);
  if (task_ == 0 && rank_ == 1) list.push_back(0);
  EXPECT_EQ(LAPWING_ARRAY_ERR_ARGUMENT, transfer(list, 9));
  says({"task 0", "index 0 of dimension 0", "ranks 0 and 1"});
}

TEST_F(IndexErrors, ReceiversMayHaveCopiesAndGaps) {
  List list = blocks(9);
  if (task_ == 1) list = rank_ == 0 ? List{8, 0, 3} : List{3, 1};
  EXPECT_EQ(0, transfer(list, 9));
}

TEST_F(IndexErrors, NoScheduleCanBeShownAndThereAreNoGhosts) {
  lapwing_index_lists* lists = nullptr;
  ASSERT_EQ(0, make(blocks(9), 9, &lists));
  Array a({lapwing_indexed(lists, 0)}, {mine_}, tasks_);
  char text[16];
  EXPECT_EQ(-1, lapwing_array_schedule(a.distribution, a.distribution, 0, LAPWING_SCHEDULE_TEXT, text, 16));
  says({"index lists"});
  EXPECT_EQ(LAPWING_ARRAY_ERR_ARGUMENT, lapwing_array_update_ghosts(a.local.data(), a.size(), a.distribution,
                                                                    LAPWING_GHOSTS_FACES, nullptr, tasks_));
  lapwing_dimension dimension = lapwing_indexed(lists, 0);
  dimension.ghost_below = 1;
  const lapwing_grid grid{1, &mine_, LAPWING_ROW_MAJOR, nullptr};
  lapwing_distribution* made = nullptr;
  EXPECT_EQ(LAPWING_ARRAY_ERR_ARGUMENT, lapwing_distribution_create(LAPWING_FLOAT64, 1, &dimension, &grid,
                                                                    LAPWING_ROW_MAJOR, nullptr, &made));
  says({"ghost"});
  lapwing_index_lists_free(&lists);
  dimension = lapwing_indexed(nullptr, 0);
  EXPECT_EQ(LAPWING_ARRAY_ERR_ARGUMENT, lapwing_distribution_create(LAPWING_FLOAT64, 1, &dimension, &grid,
                                                                    LAPWING_ROW_MAJOR, nullptr, &made));
}

}  // namespace
}  // namespace lapwing::arrays::testing
