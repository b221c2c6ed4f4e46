// SPDX-License-Identifier: Apache-2.0
// Memory that only a device reaches is refused on all processes, with the place and what to do. The driver is
// a library of the right name, the memory pages that the processor cannot read.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <mpi.h>
#include <sys/mman.h>

#include <cstdlib>
#include <string>

#include "arrays/arrays_support.hpp"

namespace lapwing::arrays::testing {
namespace {

class DeviceBuffers : public TwoTasks {
 protected:
  void SetUp() override {
    TwoTasks::SetUp();
    ASSERT_NE(dlopen(LAPWING_FAKE_DRIVER, RTLD_NOW), nullptr) << dlerror();
    memory_ = mmap(nullptr, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory_, MAP_FAILED);
  }
  void TearDown() override { munmap(memory_, room); }

  // The device's on the first process of task 0, and ordinary memory elsewhere.
  void* memory_of(Array& array) const { return task_ == 0 && rank_ == 0 ? memory_ : array.local.data(); }
  // Of the process that made the mistake, in a call that ends on this line or a little before it.
  static void says(int line) {
    const std::string sentence = lapwing_array_error_string();
    for (const char* part : {"is a device's, which the processor cannot read", "copy it to host memory"})
      EXPECT_NE(sentence.find(part), std::string::npos) << sentence;
    const std::string place = "task 0, rank 0: at test_devices.cpp:";
    const auto at = sentence.find(place);
    ASSERT_NE(at, std::string::npos) << sentence;
    const int said = std::atoi(sentence.c_str() + at + place.size());
    EXPECT_TRUE(said <= line && said > line - 5) << sentence << " against " << line;
  }

  static constexpr std::size_t room = std::size_t{1} << 20;
  void* memory_ = nullptr;
};

TEST_F(DeviceBuffers, AreRefusedInTransfers) {
  if (lapwing_tasks_size(tasks_) < 2) return;
  Array a({lapwing_block(40, mine_, 0)}, {mine_}, tasks_);
  for (const bool sends : {true, false}) {
    void* const local = memory_of(a);
    const int code = (task_ == 0) == sends
                         ? lapwing_array_send(local, a.size(), a.distribution, 1 - task_, 7, tasks_)
                         : lapwing_array_recv(local, a.size(), a.distribution, 1 - task_, 7, tasks_, nullptr);
    EXPECT_EQ(LAPWING_ARRAY_ERR_BUFFER, code);
    if (task_ == 0 && rank_ == 0) says(__LINE__ - 1);
  }
}

TEST_F(DeviceBuffers, AreRefusedWithinATask) {
  if (task_ != 0) return;
  Array a({lapwing_block(40, mine_, 0)}, {mine_}, tasks_), b({lapwing_cyclic(40, 2, 0)}, {mine_}, tasks_);
  EXPECT_EQ(LAPWING_ARRAY_ERR_BUFFER,
            lapwing_array_redistribute(a.local.data(), a.size(), a.distribution, memory_of(b), b.size(),
                                       b.distribution, tasks_));
  says(__LINE__ - 1);
  EXPECT_EQ(LAPWING_ARRAY_ERR_BUFFER, lapwing_array_update_ghosts(memory_of(a), a.size(), a.distribution,
                                                                  LAPWING_GHOSTS_FACES, nullptr, tasks_));
  says(__LINE__ - 1);
}

TEST_F(DeviceBuffers, AreRefusedInCollectives) {
  Array a({lapwing_block(40, mine_, 0)}, {mine_}, tasks_), b({lapwing_block(40, mine_, 0)}, {mine_}, tasks_);
  EXPECT_EQ(LAPWING_ARRAY_ERR_BUFFER, lapwing_array_bcast(memory_of(a), a.size(), a.distribution, 0, tasks_));
  EXPECT_EQ(LAPWING_ARRAY_ERR_BUFFER,
            lapwing_array_allreduce(a.local.data(), memory_of(b), a.size(), a.distribution, MPI_SUM, tasks_));
}

TEST_F(DeviceBuffers, AreNotAttachedForBufferedSends) {
  EXPECT_EQ(LAPWING_ARRAY_ERR_BUFFER, lapwing_array_buffer_attach(memory_, room));
}

TEST_F(DeviceBuffers, HostMemoryIsTakenAsBefore) {
  if (task_ != 0) return;
  Array a({lapwing_block(40, mine_, 0)}, {mine_}, tasks_), b({lapwing_cyclic(40, 2, 0)}, {mine_}, tasks_);
  a.fill(1);
  EXPECT_EQ(0, lapwing_array_redistribute(a.local.data(), a.size(), a.distribution, b.local.data(), b.size(),
                                          b.distribution, tasks_));
  EXPECT_EQ(0, b.wrong(1));
}

}  // namespace
}  // namespace lapwing::arrays::testing
