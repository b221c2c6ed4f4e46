// SPDX-License-Identifier: Apache-2.0
// Accesses of parts of objects, one promise a test.
#include <gtest/gtest.h>
#include <lapwing/tasks.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "tasks/workers.hpp"

using namespace lapwing::tasks;

namespace {

using Numbers = std::vector<double>;

void wait_for(const std::atomic<int>& counter, int value) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (counter.load() < value && std::chrono::steady_clock::now() < end) std::this_thread::yield();
}

template <class F>
std::string message_of(F&& f) {
  try {
    f();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "nothing was thrown";
}

class Parts : public testing::TestWithParam<int> {
 protected:
  Options options() const { return with_workers(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Workers, Parts, testing::Values(1, 2, 4));

TEST(PartsTogether, DisjointWritersOfOneVectorRunSideBySide) {
  static constexpr int writers = 8;
  run(with_workers(writers), [] {
    const auto x = create<Numbers>(writers * 10, 0.0);
    std::atomic<int> inside{0};
    for (int i = 0; i < writers; ++i) {
      spawn(
          [&inside, i](std::span<double> mine) {
            ++inside;
            wait_for(inside, writers);  // no one gets out before all are in
            for (double& each : mine) each = i;
          },
          write(part(x, static_cast<std::size_t>(i) * 10, 10)));
    }
    finish();
    EXPECT_EQ(inside.load(), writers);
    for (int i = 0; i < writers * 10; ++i) EXPECT_EQ(read(x)[i], i / 10);
  });
}

TEST(PartsTogether, FieldsAreApart) {
  struct Two {
    int a = 0;
    double b = 0;
  };
  run(with_workers(2), [] {
    const auto x = create<Two>();
    std::atomic<int> inside{0};
    const auto body = [&inside](auto& field) {
      ++inside;
      wait_for(inside, 2);
      field = 7;
    };
    spawn(body, write(field(x, &Two::a)));
    spawn(body, write(field(x, &Two::b)));
    EXPECT_EQ(read(x)->a, 7);
    EXPECT_EQ(*read(field(x, &Two::b)), 7.0);
    EXPECT_EQ(inside.load(), 2);
  });
}

TEST_P(Parts, OverlappingOnesKeepTheirOrder) {
  run(options(), [] {
    const auto x = create<std::vector<std::vector<int>>>(12);
    for (int i = 0; i < 2000; ++i) {
      const auto first = static_cast<std::size_t>(i * 7 % 9), stride = static_cast<std::size_t>(1 + i % 3);
      const std::size_t count = (12 - first + stride - 1) / stride;
      spawn(
          [i](strided<std::vector<int>> mine) {
            for (auto& each : mine) each.push_back(i);
          },
          read_write(part(x, first, count, stride)));
    }
    const auto& all = *read(x);
    for (std::size_t cell = 0; cell < all.size(); ++cell) {
      std::vector<int> expected;
      for (int i = 0; i < 2000; ++i) {
        const auto first = static_cast<std::size_t>(i * 7 % 9), stride = static_cast<std::size_t>(1 + i % 3);
        if (cell >= first && (cell - first) % stride == 0) expected.push_back(i);
      }
      ASSERT_EQ(all[cell], expected) << cell;
    }
  });
}

TEST_P(Parts, WholeAccessesWaitForPartsAndPartsForThem) {
  run(options(), [] {
    const auto x = create<Numbers>(8, 1.0);
    double expected = 8;
    for (int round = 0; round < 30; ++round) {  // powers of 1.5 that are exact
      for (std::size_t i = 0; i < 8; i += 2) {
        spawn([](std::span<double> mine) { mine[0] += mine[1]; }, read_write(part(x, i, 2)));
      }
      spawn([](Numbers& all) { all.assign(8, std::accumulate(all.begin(), all.end(), 0.0) / 8); },
            read_write(x));
      expected *= 1.5;
    }
    EXPECT_DOUBLE_EQ(read(x)[3] * 8, expected);
  });
}

TEST_P(Parts, BlocksOfAMatrix) {
  constexpr std::size_t n = 12, b = 4;
  run(options(), [] {
    const auto m = create<Numbers>(n * n, 0.0);
    for (std::size_t i = 0; i < n; i += b) {
      for (std::size_t j = 0; j < n; j += b) {
        spawn(
            [i, j](rows<double> mine) {
              for (std::size_t r = 0; r < mine.size(); ++r) {
                for (double& each : mine[r]) each += static_cast<double>(i * 100 + j);
              }
            },
            read_write(block(m, i * n + j, b, b, n)));
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        EXPECT_EQ(read(m)[i * n + j], static_cast<double>(i / b * b * 100 + j / b * b));
      }
    }
  });
}

TEST_P(Parts, ChildrenComeBeforeTheirParentsRest) {
  run(options(), [] {
    const auto x = create<Numbers>(10, 0.0);
    withonly([&](Access& a) { a.rd_wr(part(x, 0, 5)), a.rd_wr(part(x, 5, 5)); },
             [=] {
               // A child may have something of both.
               spawn([](std::span<double> some) { some[0] = some[5] = 3; }, write(part(x, 2, 6)));
               EXPECT_EQ(read(part(x, 2, 6))[5], 3.0);
               (*read_write(part(x, 7, 1)))[0] += 1;
             });
    withonly([&](Access& a) { a.rd_wr(x); },
             [=] {
               for (std::size_t i = 0; i < 10; ++i) {
                 spawn([](std::span<double> one) { one[0] += 1; }, read_write(part(x, i, 1)));
               }
               EXPECT_EQ(read(x)[7], 5.0);
             });
    EXPECT_EQ(read(part(x, 2, 1))[0], 4.0);
  });
}

TEST_P(Parts, DeferredOnesAreAcquiredAndGivenUp) {
  run(options(), [] {
    const auto x = create<Numbers>(4, 1.0);
    std::atomic<int> seen{0};
    withonly([&](Access& a) { a.rd_wr(part(x, 0, 2)), a.df_wr(part(x, 2, 2)); },
             [&seen, x] {
               (*read_write(part(x, 0, 1)))[0] = 5;
               with_cont([&](Continue& c) { c.no_more(part(x, 0, 2)), c.wr(part(x, 2, 2)); });
               if (workers() > 1) wait_for(seen, 1);  // who wants the first part need not wait for the end
               (*write(part(x, 3, 1)))[0] = 6;
             });
    spawn([&seen](std::span<const double> first) { seen = static_cast<int>(first[0]); }, read(part(x, 0, 1)));
    EXPECT_EQ(read(x)[3], 6.0);
    finish();
    EXPECT_EQ(seen.load(), 5);
  });
}

TEST_P(Parts, ManyPartsOfOneTask) {
  run(options(), [] {
    const auto x = create<Numbers>(100, 1.0);
    const auto odd = [&](Access& a) {
      for (std::size_t i = 1; i < 100; i += 2) a.rd_wr(part(x, i, 1));
    };
    withonly(odd, [=] {
      for (std::size_t i = 1; i < 100; i += 2) (*read_write(part(x, i, 1)))[0] = 2;
    });
    // All of it, which takes the parts in.
    withonly([&](Access& a) { odd(a), a.rd_wr(x), a.rd(part(x, 0, 2)); },
             [=] {
               for (double& each : *read_write(x)) each *= 3;
             });
    EXPECT_EQ(read(x)[0], 3.0);
    EXPECT_EQ(read(x)[99], 6.0);
  });
}

TEST_P(Parts, MistakesAreSaid) {
  run(options(), [] {
    const auto x = create_named<Numbers>("x", 10U, 1.0);
    const auto told = [&](auto&& declare, auto&& body) {
      return message_of([&] {
        withonly([&](Access& a) { a.name("T"), declare(a); }, body);
        finish();
      });
    };
    const auto first = [&](Access& a) { a.wr(part(x, 0, 4)); };
    EXPECT_NE(told(first, [=] { (*write(part(x, 3, 2)))[0] = 1; }).find("did not declare every byte"),
              std::string::npos);
    EXPECT_NE(told(first, [=] { (*read_write(part(x, 3, 1)))[0] = 1; }).find("read and write"),
              std::string::npos);
    EXPECT_NE(told(first, [=] { (*write(x))[0] = 1; }).find("'x' (object"), std::string::npos);
    EXPECT_NE(told(first, [=] { (*write(x))[0] = 1; }).find("declared only parts"), std::string::npos);
    EXPECT_NE(told(first, [=] { spawn([](Numbers&) {}, write(x)); }).find("parent"), std::string::npos);
    EXPECT_NE(told([&](Access& a) { a.df_wr(part(x, 0, 4)); }, [=] { (*write(part(x, 0, 1)))[0] = 1; })
                  .find("deferred"),
              std::string::npos);
    const std::string beyond = message_of([&] {
      spawn([](std::span<double>) {}, write(part(x, 8, 3)), named("far"));
      finish();
    });
    EXPECT_NE(beyond.find("ends at element 11, but there are 10"), std::string::npos) << beyond;
    EXPECT_NE(beyond.find("'far'"), std::string::npos) << beyond;
  });
}

}  // namespace
