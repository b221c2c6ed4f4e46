// SPDX-License-Identifier: Apache-2.0
// What the language promises, one promise a test.
#include <gtest/gtest.h>
#include <lapwing/tasks.hpp>

#include <atomic>
#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "tasks/workers.hpp"

using namespace lapwing::tasks;

namespace {

void spin(double microseconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double, std::micro>(microseconds);
  while (std::chrono::steady_clock::now() < end) {
  }
}

class Language : public testing::TestWithParam<int> {
 protected:
  Options options() const { return with_workers(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Workers, Language, testing::Values(1, 2, 4));

TEST_P(Language, ShortFormPassesValuesAndParameters) {
  run(options(), [] {
    auto a = create<int>(3);
    auto b = create<std::vector<int>>(4, 1);
    spawn([](const int& x, std::vector<int>& v, int k,
             std::string s) { v[1] = x + k + static_cast<int>(s.size()); },
          read(a), read_write(b), 10, std::string("four"), named("mix", 1));
    EXPECT_EQ((*read(b))[1], 17);
    EXPECT_EQ(read(b)[0], 1);
  });
}

TEST_P(Language, ConflictsRunInSerialOrder) {
  run(options(), [] {
    auto x = create<std::vector<int>>();
    for (int i = 0; i < 5000; ++i) {
      spawn([](std::vector<int>& v, int k) { v.push_back(k); }, read_write(x), i);
    }
    const std::vector<int>& seen = read(x);
    ASSERT_EQ(seen.size(), 5000U);
    for (int i = 0; i < 5000; ++i) ASSERT_EQ(seen[static_cast<std::size_t>(i)], i);
  });
}

TEST_P(Language, WithonlyLoopsOverObjects) {
  run(options(), [] {
    std::vector<shared<long>> parts;
    for (int i = 0; i < 40; ++i) parts.push_back(create<long>(i));
    auto total = create<long>(0);
    withonly(
        [&](Access& a) {
          a.wr(total);
          for (auto& part : parts) a.rd(part);
        },
        [=] {
          long sum = 0;
          for (auto& part : parts) sum += *read(part);
          *write(total) = sum;
        });
    EXPECT_EQ(*read(total), 780);
  });
}

TEST_P(Language, ChildrenComeBeforeTheRestOfTheirParent) {
  run(options(), [] {
    auto x = create<std::string>("");
    spawn(
        [x](std::string& s) {
          s += "a";
          spawn(
              [](std::string& t) {
                spin(200);
                t += "b";
              },
              read_write(x));
          *read_write(x) += "c";  // waits for the child
          spawn([](std::string& t) { t += "d"; }, read_write(x));
        },
        read_write(x));
    spawn([](std::string& s) { s += "e"; }, read_write(x));
    EXPECT_EQ(*read(x), "abcde");
  });
}

TEST_P(Language, DeferredAccessKeepsItsPlace) {
  run(options(), [] {
    auto x = create<int>(1);
    auto y = create<int>(0);
    std::atomic<bool> started{false};
    spawn(
        [&](int& v) {
          if (workers() > 1)
            while (!started) std::this_thread::yield();
          v = 2;
        },
        write(x));
    spawn(
        [&](int& out, auto& later) {
          started = true;
          with_cont([&](Continue& c) { c.rd(later.object()); });
          out = *later;
        },
        write(y), deferred_read(x));
    spawn([](int& v) { v = 3; }, write(x));
    EXPECT_EQ(*read(y), 2);
    EXPECT_EQ(*read(x), 3);
  });
}

TEST_P(Language, EarlyReleaseLetsLaterTasksGo) {
  run(options(), [] {
    auto x = create<int>(0);
    auto y = create<int>(0);
    std::atomic<bool> seen{false};
    withonly(
        [&](Access& a) {
          a.rd_wr(x);
          a.rd_wr(y);
        },
        [&seen, x, y] {
          *write(x) = 5;
          with_cont([&](Continue& c) { c.no_more(x); });
          if (workers() > 1)
            while (!seen) std::this_thread::yield();
          *write(y) = 1;
        });
    spawn(
        [&seen](const int& v) {
          EXPECT_EQ(v, 5);
          seen = true;
        },
        read(x));
    EXPECT_EQ(*read(y), 1);
    finish();
    EXPECT_TRUE(seen);
  });
}

TEST_P(Language, GivingUpTheWriteLetsReadersIn) {
  run(options(), [] {
    auto x = create<int>(0);
    std::atomic<bool> seen{false};
    withonly([&](Access& a) { a.rd_wr(x); },
             [&seen, x] {
               *write(x) = 7;
               with_cont([&](Continue& c) { c.no_wr(x); });
               if (workers() > 1)
                 while (!seen) std::this_thread::yield();
               EXPECT_EQ(*read(x), 7);
               EXPECT_THROW(*write(x) = 1, Error);
             });
    spawn(
        [&seen](const int& v) {
          EXPECT_EQ(v, 7);
          seen = true;
        },
        read(x));
    finish();
  });
}

TEST_P(Language, CommutingUpdatesExcludeEachOther) {
  run(options(), [] {
    auto x = create<long>(0);
    auto y = create<long>(0);
    for (int i = 0; i < 2000; ++i) {
      if (i % 2 == 0) {
        spawn(
            [](long& a, long& b) {
              ++a;
              b += 2;
            },
            commute(x), commute(y));
      } else {
        spawn(
            [](long& b, long& a) {
              ++a;
              b += 2;
            },
            commute(y), commute(x));
      }
    }
    EXPECT_EQ(*read(x), 2000);
    EXPECT_EQ(*read(y), 4000);
  });
}

TEST_P(Language, ChildrenOfACommutingUpdateAreInsideIt) {
  run(options(), [] {
    auto x = create<std::vector<int>>();
    for (int i = 0; i < 200; ++i) {
      spawn(
          [x](std::vector<int>& v, int k) {
            v.push_back(k);
            spawn([](std::vector<int>& w, int j) { w.push_back(j); }, commute(x), k);
            spawn([](std::vector<int>& w, int j) { w.push_back(j); }, read_write(x), k);
            read_write(x)->push_back(k);
          },
          commute(x), i);
    }
    const auto& all = *read(x);
    ASSERT_EQ(all.size(), 800U);
    for (std::size_t i = 0; i < all.size(); i += 4) {
      EXPECT_EQ(all[i], all[i + 1]);
      EXPECT_EQ(all[i], all[i + 3]);
    }
  });
}

TEST_P(Language, ReductionsKeepTheirBits) {
  double serial = 0;
  for (int i = 0; i < 3000; ++i) serial += std::sin(i) * std::pow(10, i % 30);
  run(options(), [&] {
    auto sum = create<double>(0.0);
    auto any = create<double>(0.0);
    for (int i = 0; i < 3000; ++i) {
      spawn(
          [](double& part, double& other, int k) {
            part += std::sin(k) * std::pow(10, k % 30);
            other += 1;
          },
          reduce(sum), reduce(any, plus{}, any_order), i);
    }
    EXPECT_EQ(*read(sum), serial);
    EXPECT_EQ(*read(any), 3000);
  });
}

TEST_P(Language, NestingDeepAndWide) {
  run(options(), [] {
    struct Tree {
      static void grow(shared<long> x, int depth) {
        spawn(
            [x, depth](long& v) {
              ++v;
              if (depth > 0) {
                grow(x, depth - 1);
                grow(x, depth - 1);
              }
            },
            read_write(x));
      }
    };
    auto x = create<long>(0);
    Tree::grow(x, 9);
    EXPECT_EQ(*read(x), 1023);
  });
}

TEST_P(Language, TasksMakeObjectsOfTheirOwn) {
  run(options(), [] {
    auto out = create<int>(0);
    spawn(
        [](int& o) {
          auto mine = create<int>(1);
          for (int i = 0; i < 5; ++i) spawn([](int& m) { m *= 2; }, read_write(mine));
          o = *read(mine);
          destroy(mine);
        },
        write(out));
    EXPECT_EQ(*read(out), 32);
  });
}

TEST_P(Language, WhatWasGivenUpIsNotTakenForALaterObject) {
  if (GetParam() < 3) GTEST_SKIP() << "needs three workers at once";
  run(options(), [] {
    auto x = create<int>(1);
    auto go = std::make_shared<std::atomic<bool>>(false);
    withonly([&](Access& a) { a.rd_wr(x); },
             [x, go] {
               with_cont([&](Continue& c) { c.no_more(x); });
               while (!*go) std::this_thread::yield();
               auto y = create<int>(2);  // in the block that x has left
               EXPECT_EQ(*read_write(y), 2);
               EXPECT_THROW((void)*read(x), Error);
             });
    destroy(x);
    while (statistics().tasks == 0) std::this_thread::yield();
    *go = true;
  });
}

TEST_P(Language, PlacementIsObeyed) {
  run(options(), [] {
    for (int i = 0; i < 400; ++i) {
      spawn([](int target) { EXPECT_EQ(worker(), target); }, i % workers(), on(i % workers()));
    }
    finish();
    EXPECT_EQ(statistics().targeted, 400U);
    EXPECT_EQ(statistics().on_target, 400U);
    EXPECT_THROW(spawn([](int) {}, 0, on(workers())), Error);
  });
}

TEST_P(Language, TheWindowBoundsWhatIsUnrolled) {
  Options options = this->options();
  options.window = 64;
  run(options, [] {
    auto x = create<long>(0);
    for (int i = 0; i < 20000; ++i) spawn([](long& v) { ++v; }, read_write(x));
    EXPECT_EQ(*read(x), 20000);
    EXPECT_LE(statistics().most_unfinished, 64U + 64U);
    // A creator among the tasks, whose children others wait for.
    for (int i = 0; i < 3; ++i) {
      spawn(
          [x](long&) {
            for (int k = 0; k < 1000; ++k) spawn([](long& v) { ++v; }, read_write(x));
          },
          read_write(x));
    }
    EXPECT_EQ(*read(x), 23000);
  });
}

TEST_P(Language, SuspendedTasksDoNotPileUpOnAStack) {
  Options options = this->options();
  options.stack = 64;
  run(options, [] {
    // Each waits inside for the one before: on one stack they could not all be under way.
    std::vector<shared<int>> x;
    for (int i = 0; i < 300; ++i) x.push_back(create<int>(0));
    for (std::size_t i = 299; i > 0; --i) {
      spawn(
          [](int& out, auto& in) {
            with_cont([&](Continue& c) { c.rd(in.object()); });
            out = *in + 1;
          },
          write(x[i]), deferred_read(x[i - 1]));
    }
    finish();
    for (std::size_t i = 1; i < 300; ++i) {
      spawn(
          [x, i](int& out) {
            spawn([](int& o) { o = 1; }, read_write(x[i]));
            out = *read(x[i]) + 1;
          },
          read_write(x[i]));
    }
    finish();
    EXPECT_EQ(*read(x[7]), 2);
  });
}

}  // namespace
