// SPDX-License-Identifier: Apache-2.0
// Writers wait until bytes have left, readers never; and what the table of
// regions promises: kinds of memory, overlaps, counters, limits.
#include <fcntl.h>

#include <cstring>

#include "guard/host.hpp"

namespace lapwing::guard::test {
namespace {

using Outgoing = GuardTest;
LAPWING_BOTH_BACK_ENDS(Outgoing);
using Table = GuardTest;
LAPWING_BOTH_BACK_ENDS(Table);

char data_array[8 * page] = {1};  // .data: a private view of the program's file

TEST_P(Outgoing, ReadersPassAndAWriterWaits) {
  Mapping m(8 * page);
  Message message(host(), m.get() + 10, m.size() - 20, 1);
  ASSERT_TRUE(message.close_outgoing());
  EXPECT_TRUE(message.complete());
  EXPECT_EQ(message.region().faults.load(), 0u);
  std::atomic<bool> written{false};
  std::thread writer([&] {
    static_cast<volatile char*>(m.get())[3 * page + 5] = 'w';
    written = true;
  });
  EXPECT_TRUE(eventually([&] { return message.region().waiting.load() == 1; }));
  message.land(0, 1);
  EXPECT_TRUE(message.complete());
  EXPECT_FALSE(written.load());
  message.land(1, message.pages());
  writer.join();
  EXPECT_EQ(m.get()[3 * page + 5], 'w');
  message.drop_region();
}

TEST_P(Outgoing, MemoryNeverTouchedIsGuardedToo) {
  Mapping m(8 * page, false);
  auto region = close_outgoing(m.get(), m.get() + m.size());
  ASSERT_TRUE(region);
  std::atomic<bool> written{false};
  std::thread writer([&] {
    static_cast<volatile char*>(m.get())[page] = 'w';
    written = true;
  });
  EXPECT_TRUE(eventually([&] { return region->waiting.load() == 1; }));
  EXPECT_FALSE(written.load());
  host().run([&] { region->open(m.get(), m.get() + m.size()); });
  writer.join();
  EXPECT_EQ(m.get()[page], 'w');
  host().run([&] { region.reset(); });
}

TEST_P(Outgoing, PagesOfSeveralSendsOpenWithTheLast) {
  Mapping m(12 * page);
  auto first = close_outgoing(m.get(), m.get() + 8 * page);
  auto second = close_outgoing(m.get() + 4 * page, m.get() + 12 * page);
  ASSERT_TRUE(first);
  ASSERT_TRUE(second);
  host().run([&] {
    first->open(m.get(), m.get() + 8 * page);
    first.reset();
  });
  m.get()[page] = 'a';  // of the first alone: must not wait
  std::atomic<bool> written{false};
  std::thread writer([&] {
    static_cast<volatile char*>(m.get())[6 * page] = 'b';
    written = true;
  });
  EXPECT_TRUE(eventually([&] { return second->waiting.load() == 1; }));
  EXPECT_FALSE(written.load());
  host().run([&] {
    second->open(m.get() + 4 * page, m.get() + 12 * page);
    second.reset();
  });
  writer.join();
  EXPECT_EQ(m.get()[6 * page], 'b');
  EXPECT_EQ(m.get()[page], 'a');
}

TEST_P(Outgoing, InitialisedDataIsGuardedOrRefused) {
  auto up = reinterpret_cast<char*>((reinterpret_cast<std::uintptr_t>(data_array) + page - 1) & ~(page - 1));
  std::memset(up, 'd', 4 * page);
  auto region = close_outgoing(up, up + 4 * page);
  ASSERT_EQ(region != nullptr, by_signals());
  if (!region) return;
  std::thread writer([&] { static_cast<volatile char*>(up)[2 * page] = 'w'; });
  EXPECT_TRUE(eventually([&] { return region->waiting.load() == 1; }));
  EXPECT_EQ(up[2 * page], 'd');
  host().run([&] { region->open(up, up + 4 * page); });
  writer.join();
  host().run([&] { region.reset(); });
  Message message(host(), up, 4 * page, 4);
  ASSERT_TRUE(message.close_incoming());
  message.land_all();
  EXPECT_TRUE(message.complete());
  message.drop_region();
}

TEST_P(Table, RefusesMemoryThatCannotBeGuarded) {
  auto both = [](char* p, std::size_t n) {
    return close_incoming(p, p + n) != nullptr || close_outgoing(p, p + n) != nullptr;
  };
  auto map = [](int protection, int flags, int fd) {
    return static_cast<char*>(mmap(nullptr, 4 * page, protection, flags, fd, 0));
  };
  char* shared = map(PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1);
  EXPECT_FALSE(both(shared, 4 * page)) << "shared memory";
  int file = memfd_create("file", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(file, 4 * page), 0);
  char* shared_file = map(PROT_READ | PROT_WRITE, MAP_SHARED, file);
  EXPECT_FALSE(both(shared_file, 4 * page)) << "a shared file";
  char* constant = map(PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  EXPECT_FALSE(both(constant, 4 * page)) << "memory that may not be written";
  char* code = map(PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  EXPECT_FALSE(both(code, 4 * page)) << "memory that may be executed";
  char* gap = map(PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
  munmap(gap + page, page);
  EXPECT_FALSE(both(gap, 4 * page)) << "a range with a hole";
  EXPECT_FALSE(both(gap + 2 * page, 0)) << "an empty range";
  EXPECT_FALSE(both(gap + 2 * page + 8, page)) << "an unaligned range";
  EXPECT_EQ(closed_regions.load(), 0);
  for (char* p : {shared, shared_file, constant, code, gap}) munmap(p, 4 * page);
  close(file);
}

TEST_P(Table, RefusesWhatOverlapsAnIncomingRegion) {
  Mapping m(8 * page);
  Message message(host(), m.get(), 4 * page, 1);
  ASSERT_TRUE(message.close_incoming());
  EXPECT_FALSE(close_incoming(m.get() + 3 * page, m.get() + 6 * page));
  EXPECT_FALSE(close_outgoing(m.get() + 3 * page, m.get() + 6 * page));
  Message beside(host(), m.get() + 4 * page, 4 * page, 2);
  ASSERT_TRUE(beside.close_incoming());
  message.land_all();
  EXPECT_TRUE(meets_closed(m.get() + 4 * page, 1));
  EXPECT_TRUE(message.complete());
  beside.land_all();
  EXPECT_TRUE(beside.complete());
  message.drop_region();
  beside.drop_region();
}

TEST_P(Table, AdjacentRegionsOfBothKindsStayIndependent) {
  Mapping m(12 * page);
  Message in(host(), m.get() + 4 * page, 4 * page, 1);
  Message left(host(), m.get(), 4 * page, 2), right(host(), m.get() + 8 * page, 4 * page, 3);
  ASSERT_TRUE(left.close_outgoing());
  ASSERT_TRUE(in.close_incoming());
  ASSERT_TRUE(right.close_outgoing());
  in.land_all();
  EXPECT_TRUE(in.complete());
  in.drop_region();
  for (Message* out : {&left, &right}) {
    std::atomic<bool> written{false};
    char* at = out->from() + page;
    std::thread writer([&] {
      *static_cast<volatile char*>(at) = 'w';
      written = true;
    });
    EXPECT_TRUE(eventually([&] { return out->region().waiting.load() == 1; }));
    EXPECT_FALSE(written.load());
    out->land_all();
    writer.join();
    EXPECT_EQ(*at, 'w');
    out->drop_region();
  }
}

TEST_P(Table, SpansSeveralMappings) {
  Mapping m(12 * page);
  // A different protection and back leaves mappings that may stay apart.
  char* apart = static_cast<char*>(mmap(m.get() + 4 * page, 4 * page, PROT_READ | PROT_WRITE,
                                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0));
  ASSERT_EQ(apart, m.get() + 4 * page);
  for (int round = 0; round < 3; ++round) {
    Message message(host(), m.get(), 12 * page, 30 + static_cast<std::uint32_t>(round));
    ASSERT_TRUE(message.close_incoming());
    for (std::size_t i = 0; i < 12; i += 3) message.land(i, i + 3);
    EXPECT_TRUE(message.complete());
    message.drop_region();
    ASSERT_TRUE(message.close_outgoing());
    message.land_all();
    m.get()[5 * page] = 'w';
    message.drop_region();
  }
}

TEST_P(Table, HoldsManyRegionsAndRefusesTheNext) {
  constexpr std::size_t most = 1024;
  Mapping m((most + 1) * 2 * page);
  std::vector<std::unique_ptr<Region>> regions;
  for (std::size_t i = 0; i < most; ++i) {
    char* p = m.get() + i * 2 * page;
    regions.push_back(i % 2 ? close_outgoing(p, p + page) : close_incoming(p, p + page));
    ASSERT_TRUE(regions.back()) << i;
  }
  EXPECT_EQ(closed_regions.load(), static_cast<int>(most));
  EXPECT_FALSE(close_incoming(m.get() + most * 2 * page, m.get() + most * 2 * page + page));
  std::thread reader([&] { EXPECT_EQ(static_cast<volatile char*>(m.get())[1000 * 2 * page], 'r'); });
  EXPECT_TRUE(eventually([&] { return regions[1000]->waiting.load() == 1; }));
  host().run([&] {
    *regions[1000]->landing(m.get() + 1000 * 2 * page) = 'r';
    for (auto& r : regions) r->open(r->begin(), r->end());
    regions.clear();
  });
  reader.join();
  EXPECT_EQ(closed_regions.load(), 0);
}

TEST_P(Table, LeavesNoMappingsBehind) {
  Mapping m(256 * page);
  auto pass = [&](std::uint32_t seed) {
    for (std::size_t i = 0; i < 40; ++i) {
      Message message(host(), m.get() + (1 + i * 5) * page, 3 * page + 5 * i, seed);
      ASSERT_TRUE(i % 2 ? message.close_incoming() : message.close_outgoing());
      message.land_all();
      message.drop_region();
    }
  };
  int untouched = mappings();
  pass(1);
  int before = mappings();
  EXPECT_LE(before, untouched + 8);  // an alternate stack, the allocator's own
  pass(2);
  EXPECT_LE(mappings(), before);
}

TEST_P(Table, CountsTouches) {
  Mapping m(16 * page);
  Message message(host(), m.get(), m.size(), 1);
  ASSERT_TRUE(message.close_incoming());
  auto address = [&](std::size_t i) { return reinterpret_cast<std::uintptr_t>(m.get() + i); };
  auto touch = [&](std::size_t at) {
    return std::thread([&, at] { (void)*static_cast<volatile char*>(m.get() + at); });
  };
  EXPECT_EQ(message.region().first_fault.load(), 0u);
  auto a = touch(5 * page + 77);
  EXPECT_TRUE(eventually([&] { return message.region().waiting.load() == 1; }));
  auto b = touch(9 * page + 8);
  EXPECT_TRUE(eventually([&] { return message.region().faults.load() == 2; }));  // is set last
  EXPECT_EQ(message.region().waiting.load(), 2u);
  EXPECT_EQ(message.region().first_fault.load(), address(5 * page + 77));
  EXPECT_EQ(message.region().last_fault.load(), address(9 * page + 8));
  EXPECT_EQ(message.region().wanted_from.load(), address(9 * page));
  EXPECT_EQ(message.region().wanted_to.load(), address(10 * page));
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  message.land(5, 6);
  a.join();
  EXPECT_EQ(message.region().waiting.load(), 1u);
  EXPECT_GE(message.region().waited_ns.load(), 15000000u);
  message.land_all();
  b.join();
  EXPECT_EQ(message.region().waiting.load(), 0u);
  EXPECT_EQ(message.region().faults.load(), 2u);
  EXPECT_GE(message.region().waited_ns.load(), 35000000u);
  EXPECT_EQ(host().demands(), 2);
  message.drop_region();
}

TEST_P(Table, AwaitWaitsForTheWholeRange) {
  Mapping m(8 * page);
  Message message(host(), m.get(), m.size(), 1);
  ASSERT_TRUE(message.close_incoming());
  EXPECT_TRUE(meets_closed(m.get() + 8 * page - 1, 1));
  EXPECT_FALSE(meets_closed(m.get() + 8 * page, 100));
  EXPECT_FALSE(meets_closed(m.get(), 0));
  std::atomic<bool> passed{false};
  std::thread waiter([&] {
    await(m.get() + 2 * page + 5, 3 * page);
    passed = true;
  });
  EXPECT_TRUE(eventually([&] { return message.region().waiting.load() == 1; }));
  message.land(2, 5);
  EXPECT_TRUE(eventually(
      [&] { return message.region().waiting.load() == 1 && message.region().faults.load() == 2; }));
  EXPECT_FALSE(passed.load());
  message.land(5, 6);
  waiter.join();
  EXPECT_TRUE(meets_closed(m.get(), 1));
  std::thread all([&] { await_all(); });
  EXPECT_TRUE(eventually([&] { return message.region().waiting.load() == 1; }));
  message.land_all();
  all.join();
  message.drop_region();
}

}  // namespace
}  // namespace lapwing::guard::test
