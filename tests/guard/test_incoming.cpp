// SPDX-License-Identifier: Apache-2.0
// No byte of an incoming message is seen too early, and all are right then.
#include <algorithm>
#include <cstring>
#include <random>

#include "guard/host.hpp"
#include "support/case_counts.hpp"

namespace lapwing::guard::test {
namespace {

using Incoming = GuardTest;
LAPWING_BOTH_BACK_ENDS(Incoming);

alignas(4096) char bss_array[16 * page];

// A reader from another thread waits until the last page has landed.
void check_reader_waits(Host& host, char* buffer, std::size_t length) {
  Message m(host, buffer, length, 1);
  ASSERT_TRUE(m.close_incoming());
  std::atomic<bool> finished{false}, right{false};
  std::thread reader([&] {
    right = m.complete();
    finished = true;
  });
  EXPECT_TRUE(eventually([&] { return m.region().waiting.load() == 1; }));
  for (std::size_t i = 0; i + 1 < m.pages(); ++i) m.land(i, i + 1);
  EXPECT_TRUE(eventually([&] { return m.region().waiting.load() == 1; }));
  EXPECT_FALSE(finished.load());
  m.land(m.pages() - 1, m.pages());
  reader.join();
  EXPECT_TRUE(right.load());
  EXPECT_EQ(closed_regions.load(), 0);
  m.drop_region();
}

// Pages that have landed keep their bytes, or are not closed.
void check_landed_bytes_stay(Host& host, char* begin, std::size_t pages, bool must_close) {
  for (std::size_t i = 0; i < pages * page; ++i) begin[i] = Message::value(3, static_cast<std::ptrdiff_t>(i));
  std::unique_ptr<Region> region;
  host.run([&] { region = close_landed(begin, begin + pages * page); });
  if (must_close) {
    ASSERT_TRUE(region);
  }
  if (region) {
    region->asks_place.store(true);
    host.when_wanted([&] {
      char* const wanted = reinterpret_cast<char*>(region->wanted_from.load());
      if (wanted) region->open(wanted, wanted + page);
    });
  }
  int wrong = 0;
  const volatile char* const seen = begin;
  for (std::size_t i = pages * page; i > 0; --i)
    wrong += seen[i - 1] != Message::value(3, static_cast<std::ptrdiff_t>(i - 1));
  EXPECT_EQ(wrong, 0);
  if (!region) return;
  EXPECT_EQ(region->faults.load(), pages);
  EXPECT_NE(region->first_place.load(), 0u);
  EXPECT_GT(region->wanted_since.load(), 0u);
  host.when_wanted([] {});
  host.run([&] { region.reset(); });
}

TEST_P(Incoming, LandedBytesStay) {
  Mapping m(16 * page);
  check_landed_bytes_stay(host(), m.get(), 16, true);
}

TEST_P(Incoming, LandedBytesInTwoMappingsStay) {
  Mapping m(16 * page);
  ASSERT_EQ(madvise(m.get() + 8 * page, 8 * page, MADV_DONTFORK), 0);
  check_landed_bytes_stay(host(), m.get(), 16, by_signals());
}

// Memory that is given back has not been used.
TEST_P(Incoming, ReleaseIsToldBeforeItIsWaitedFor) {
  Mapping m(8 * page);
  std::unique_ptr<Region> region;
  host().run([&] { region = close_landed(m.get(), m.get() + m.size()); });
  ASSERT_TRUE(region);
  bool told = false;
  host().when_wanted([&] {
    told = region->release_wanted.load();
    region->open(region->begin(), region->end());
    region.reset();
  });
  await_release(m.get(), m.size());
  EXPECT_TRUE(told);
  host().when_wanted([] {});
}

TEST_P(Incoming, HeapStopsItsReader) {
  std::vector<char> heap(9 * page + 100);
  check_reader_waits(host(), heap.data() + 17, 8 * page + 60);
}

TEST_P(Incoming, BssStopsItsReader) { check_reader_waits(host(), bss_array + 300, 15 * page); }

TEST_P(Incoming, MappedMemoryStopsItsReader) {
  Mapping m(64 * page);
  check_reader_waits(host(), m.get(), m.size());
}

TEST_P(Incoming, UntouchedMemoryStopsItsReader) {
  Mapping m(64 * page, false);
  check_reader_waits(host(), m.get() + 7, m.size() - 9);
}

TEST_P(Incoming, StackStopsItsReader) {
  char local[10 * page];
  check_reader_waits(host(), local, sizeof local);
}

TEST_P(Incoming, StackOfAnotherThreadStopsItsReader) {
  // Without the preload's hooks nothing may close while a thread is being created:
  // its creator has all signals blocked.
  std::atomic<bool> created{false};
  std::thread other([&] {
    while (!created) std::this_thread::yield();
    char local[10 * page];
    check_reader_waits(host(), local, sizeof local);
  });
  created = true;
  other.join();
}

TEST_P(Incoming, HugePagesStopTheirReader) {
  constexpr std::size_t huge = 2 << 20;
  Mapping m(4 * huge, false);
  auto up = (reinterpret_cast<std::uintptr_t>(m.get()) + huge - 1) & ~(huge - 1);
  char* aligned = reinterpret_cast<char*>(up);
  madvise(aligned, 2 * huge, MADV_HUGEPAGE);
  std::memset(aligned, 1, 2 * huge);
  Message message(host(), aligned + 100, 2 * huge - 5 * page, 3);
  ASSERT_TRUE(message.close_incoming());
  bool right = false;
  std::thread reader([&] { right = message.complete(); });
  EXPECT_TRUE(eventually([&] { return message.region().waiting.load() == 1; }));
  for (std::size_t i = 0; i < message.pages(); i += 37) message.land(i, std::min(i + 37, message.pages()));
  reader.join();
  EXPECT_TRUE(right);
  message.drop_region();
}

TEST_P(Incoming, AReaderOnTheClosingThreadIsServedOnDemand) {
  Mapping m(32 * page);
  Message message(host(), m.get(), m.size(), 5);
  ASSERT_TRUE(message.close_incoming());
  host().when_wanted([&] {
    Region& r = message.region();
    if (std::size_t at = (r.wanted_from.load() - reinterpret_cast<std::uintptr_t>(m.get())) / page; at < 32)
      message.land_here(at, at + 1);
  });
  EXPECT_TRUE(message.complete());
  EXPECT_EQ(message.region().faults.load(), 32u);
  host().when_wanted(nullptr);
  message.drop_region();
}

TEST_P(Incoming, SeveralThreadsWaitForPagesOfTheirOwn) {
  constexpr int readers = 6;
  Mapping m(readers * 4 * page);
  Message message(host(), m.get(), m.size(), 7);
  ASSERT_TRUE(message.close_incoming());
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < readers; ++t)
    threads.emplace_back([&, t] {
      const volatile char* p = m.get() + t * 4 * page;
      bool ok = true;
      for (std::size_t i = 0; i < 4 * page; ++i) ok &= p[i] == message.expected(m.get() + t * 4 * page + i);
      right += ok;
    });
  EXPECT_TRUE(eventually([&] { return message.region().waiting.load() == readers; }));
  EXPECT_EQ(right.load(), 0);
  for (std::size_t i = message.pages(); i-- > 0;) message.land(i, i + 1);
  for (auto& t : threads) t.join();
  EXPECT_EQ(right.load(), readers);
  message.drop_region();
}

TEST_P(Incoming, AWriterWaitsAndItsBytesStay) {
  Mapping m(4 * page);
  Message message(host(), m.get(), m.size(), 8);
  ASSERT_TRUE(message.close_incoming());
  std::thread writer([&] { static_cast<volatile char*>(m.get())[2 * page + 9] = 'w'; });
  EXPECT_TRUE(eventually([&] { return message.region().waiting.load() == 1; }));
  message.land_all();
  writer.join();
  EXPECT_EQ(m.get()[2 * page + 9], 'w');
  EXPECT_EQ(m.get()[2 * page + 8], message.expected(m.get() + 2 * page + 8));
  message.drop_region();
}

// The engine receives the first and last bytes before it closes anything: they
// may fill part of the first and the last page of a region.
TEST_P(Incoming, WhatHadLandedInTheEdgePagesStays) {
  Mapping m(8 * page);
  char* a = m.get() + page;
  char* b = m.get() + 7 * page;
  for (std::size_t i = 0; i < 1000; ++i)
    a[i] = static_cast<char>(i), b[-1 - static_cast<long>(i)] = static_cast<char>(i * 3);
  auto region = close_incoming(a, b);
  ASSERT_TRUE(region);
  host().run([&] {
    std::memset(region->landing(a + 1000), 'm', static_cast<std::size_t>(b - a) - 2000);
    region->open(a, b);
  });
  for (std::size_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(a[i], static_cast<char>(i));
    ASSERT_EQ(b[-1 - static_cast<long>(i)], static_cast<char>(i * 3));
  }
  EXPECT_EQ(a[1000], 'm');
  EXPECT_EQ(b[-1001], 'm');
  EXPECT_EQ(m.get()[page - 1], 0x5a);
  EXPECT_EQ(b[0], 0x5a);
  host().run([&] { region.reset(); });
}

// A message of another size than the one before spans memory that is locked and memory that is not any more.
TEST_P(Incoming, WhatHadLandedInMemoryThatIsLockedInPartStays) {
  Mapping m(8 * page);
  if (mlock(m.get() + 4 * page, 4 * page) != 0) GTEST_SKIP() << "no memory may be locked";
  char* const a = m.get() + page;
  char* const b = m.get() + 7 * page;
  a[0] = 'a', b[-1] = 'b';
  auto region = close_incoming(a, b);
  if (region) {
    host().run([&] {
      std::memset(region->landing(a + 1), 'm', static_cast<std::size_t>(b - a) - 2);
      region->open(a, b);
    });
  }
  EXPECT_EQ(a[0], 'a');
  EXPECT_EQ(b[-1], 'b');
  if (region) {
    EXPECT_EQ(a[1], 'm');
    EXPECT_EQ(b[-2], 'm');
    host().run([&] { region.reset(); });
  }
}

TEST_P(Incoming, AnyOrderOfOpeningGivesTheMessage) {
  std::mt19937 random(17);
  Mapping m(128 * page);
  for (int round = 0; round < random_cases(60); ++round) {
    std::size_t first = random() % 64, n = 1 + random() % 64;
    std::memset(m.get(), 0x5a, m.size());
    Message message(host(), m.get() + first * page + random() % 5, n * page + random() % 300, random());
    if (message.pages() == 0) continue;
    ASSERT_TRUE(message.close_incoming());
    std::vector<std::size_t> order(message.pages());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    for (std::size_t i : order) {
      message.land(i, i + 1);
      ASSERT_FALSE(meets_closed(message.from() + i * page, page));
      for (std::size_t k = 0; k < page; k += 97)
        ASSERT_EQ(message.from()[i * page + k], message.expected(message.from() + i * page + k));
    }
    ASSERT_TRUE(message.complete());
    ASSERT_EQ(message.region().faults.load(), 0u);
    message.drop_region();
  }
}

TEST_P(Incoming, OpeningTwiceOrInPiecesIsHarmless) {
  Mapping m(16 * page);
  Message message(host(), m.get(), m.size(), 21);
  ASSERT_TRUE(message.close_incoming());
  message.land(3, 5);
  m.get()[3 * page] = 'x';
  host().run([&] {
    Region& r = message.region();
    for (char* p = m.get(); p < m.get() + m.size(); ++p)
      if (p < m.get() + 3 * page || p >= m.get() + 5 * page) *r.landing(p) = message.expected(p);
    r.open(m.get(), m.get() + m.size());
    r.open(m.get() + 2 * page, m.get() + 6 * page);
  });
  EXPECT_EQ(m.get()[3 * page], 'x');
  m.get()[3 * page] = message.expected(m.get() + 3 * page);
  EXPECT_TRUE(message.complete());
  message.drop_region();
}

TEST_P(Incoming, ReadersRacingWithOpeningSeeOnlyTheMessage) {
  Mapping m(256 * page);
  for (std::uint32_t round = 0; round < random_cases(20); ++round) {
    std::memset(m.get(), 0x5a, m.size());
    Message message(host(), m.get(), m.size(), 100 + round);
    ASSERT_TRUE(message.close_incoming());
    std::atomic<bool> wrong{false};
    std::vector<std::thread> readers;
    for (int t = 0; t < 3; ++t)
      readers.emplace_back([&, t] {
        for (std::size_t i = 0; i < m.size(); i += 1 + static_cast<std::size_t>(t) * 311) {
          const char* p = m.get() + (t == 1 ? m.size() - 1 - i : i);
          if (*static_cast<const volatile char*>(p) != message.expected(p)) wrong = true;
        }
      });
    for (std::size_t i = 0; i < message.pages(); i += 8) message.land(i, i + 8);
    for (auto& t : readers) t.join();
    ASSERT_FALSE(wrong.load());
    message.drop_region();
  }
}

}  // namespace
}  // namespace lapwing::guard::test
