// SPDX-License-Identifier: Apache-2.0
// Where a process drives an accelerator no page closes, and memory that only a
// device reaches is told from the processor's. The driver is a library of the
// right name; tests/programs/accelerator.c shows what closed pages would do.
#include "guard/devices.hpp"

#include <dlfcn.h>
#include <sys/mman.h>

#include "guard/host.hpp"

namespace lapwing::guard::test {
namespace {

class Devices : public GuardTest {
 protected:
  void SetUp() override {
    ASSERT_NE(dlopen(LAPWING_FAKE_DRIVER, RTLD_NOW), nullptr) << dlerror();
    ASSERT_TRUE(accelerators());
    GuardTest::SetUp();
  }
};
LAPWING_BOTH_BACK_ENDS(Devices);

TEST_P(Devices, NoPageCloses) {
  Mapping m(8 * page);
  EXPECT_EQ(close_incoming(m.get(), m.get() + m.size()), nullptr);
  EXPECT_EQ(close_outgoing(m.get(), m.get() + m.size()), nullptr);
  EXPECT_EQ(closed_regions.load(), 0);
  EXPECT_TRUE(accelerators_mattered());
}

TEST_P(Devices, OnlyWhatTheProcessorReachesIsReachable) {
  std::vector<char> heap(100000);
  EXPECT_TRUE(reachable(heap.data(), heap.size()));
  static char bss[3 * page];
  EXPECT_TRUE(reachable(bss, sizeof bss));
  EXPECT_TRUE(reachable("text", 4));
  Mapping reserved(4 * page);
  mprotect(reserved.get(), reserved.size(), PROT_NONE);
  EXPECT_FALSE(reachable(reserved.get() + 100, page));
  char* gone = reserved.get();
  munmap(gone, reserved.size());
  EXPECT_FALSE(reachable(gone, page));
  EXPECT_TRUE(reachable(gone, 0));
  char* shared =
      static_cast<char*>(mmap(nullptr, 4 * page, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  EXPECT_TRUE(reachable(shared, 4 * page));  // /dev/zero, to the kernel
  munmap(shared, 4 * page);
}

// Runs before the driver is loaded: plain tests come before parametrised ones.
TEST(DevicesAbsent, NothingIsAsked) {
  if (accelerators()) GTEST_SKIP() << "a driver is loaded already";
  Mapping reserved(page);
  mprotect(reserved.get(), page, PROT_NONE);
  EXPECT_TRUE(reachable(reserved.get(), page));
}

// In a child: it cannot be taken back.
TEST(DevicesIgnored, ChangeNothing) {
  EXPECT_EQ(in_child([] {
              ignore_accelerators();
              dlopen(LAPWING_FAKE_DRIVER, RTLD_NOW);
              Mapping reserved(page);
              mprotect(reserved.get(), page, PROT_NONE);
              return int{accelerators() || !reachable(reserved.get(), page)};
            }),
            0);
}

}  // namespace
}  // namespace lapwing::guard::test
