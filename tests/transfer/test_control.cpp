// SPDX-License-Identifier: Apache-2.0
// Control messages: from everybody to everybody, in order, handlers on arrival.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "transfer/wire/control.hpp"

namespace lapwing::transfer {
namespace {

class ControlTest : public testing::Test {
 protected:
  ControlTest() {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &size_);
  }
  ~ControlTest() override {
    MPI_Barrier(comm_);
    MPI_Comm_free(&comm_);
  }
  MPI_Comm comm_;
  int rank_ = 0, size_ = 1;
};

TEST_F(ControlTest, ArriveInOrderWhateverTheirKind) {
  Control control(comm_, size_);
  std::map<int, std::vector<int>> seen;
  for (int kind = 0; kind < 4; ++kind) {
    control.on(kind, [&seen, kind](int source, const char* data, std::size_t size) {
      ASSERT_GE(size, sizeof(int));
      int number;
      std::memcpy(&number, data, sizeof number);
      EXPECT_EQ(number % 4, kind);
      EXPECT_EQ(size, sizeof number + static_cast<std::size_t>(number % 257));
      seen[source].push_back(number);
    });
  }
  constexpr int messages = 400;
  std::string bytes(1024, 'x');
  for (int i = 0; i < messages; ++i) {
    std::memcpy(bytes.data(), &i, sizeof i);
    for (int to = 0; to < size_; ++to)
      control.send(to, i % 4, bytes.data(), sizeof i + static_cast<std::size_t>(i % 257));
    control.progress();
  }
  while (control.handled() < static_cast<std::uint64_t>(messages * size_) || control.sending())
    control.progress();
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(size_));
  for (const auto& [source, numbers] : seen) {
    ASSERT_EQ(numbers.size(), static_cast<std::size_t>(messages));
    for (int i = 0; i < messages; ++i)
      ASSERT_EQ(numbers[static_cast<std::size_t>(i)], i) << "from rank " << source;
  }
  EXPECT_EQ(control.sent_to()[0], static_cast<std::uint64_t>(messages));
}

TEST_F(ControlTest, HandlersMaySend) {
  Control control(comm_, size_);
  int answers = 0;
  control.on(1, [&](int source, const char* data, std::size_t size) { control.send(source, 2, data, size); });
  control.on(2, [&](int, const char* data, std::size_t size) {
    EXPECT_EQ(std::string(data, size), "ask");
    ++answers;
  });
  for (int to = 0; to < size_; ++to) control.send(to, 1, "ask", 3);
  while (control.handled() < static_cast<std::uint64_t>(2 * size_) || control.sending()) control.progress();
  EXPECT_EQ(answers, size_);
}

}  // namespace
}  // namespace lapwing::transfer
