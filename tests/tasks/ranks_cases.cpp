// SPDX-License-Identifier: Apache-2.0
// What a program with tasks does on ranks, one case a run: ranks_cases CASE.
// Ends with 0 if all is as it should be; test_ranks.py knows what is to be said.
#include <dlfcn.h>
#include <unistd.h>
#include <lapwing/tasks.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>

using namespace lapwing::tasks;

namespace {

int wrong = 0;
void check(bool holds, const char* what) {
  if (holds) return;
  std::printf("wrong: %s\n", what);
  ++wrong;
}

int rank() {
  for (const char* const variable : {"OMPI_COMM_WORLD_RANK", "PMI_RANK"}) {
    if (const char* const text = std::getenv(variable)) return std::atoi(text);
  }
  return 0;
}

void add(const long& from, long& to, int by) { to += from + by; }
void where(int& here) { here = worker(); }
void name_it(std::string& text, const std::vector<std::string>& words) {
  for (const auto& word : words) text += word;
}

struct Huge {
  std::size_t size = 0;
  template <class Archive>
  void serialize(Archive& archive) {
    archive& size;
    if (size == 1 && rank() != 0) throw std::bad_alloc();
  }
};

void plain() {
  run([] {
    const int n = 8;
    std::vector<shared<long>> x;
    for (int i = 0; i < n; ++i) x.push_back(create<long>(i));
    for (int step = 0; step < 20; ++step) {
      for (int i = 1; i < n; ++i) spawn(add, read(x[i - 1]), read_write(x[i]), step);
    }
    std::vector<long> y(n);
    for (int i = 0; i < n; ++i) y[i] = i;
    for (int step = 0; step < 20; ++step) {
      for (int i = 1; i < n; ++i) y[i] += y[i - 1] + step;
    }
    for (int i = 0; i < n; ++i) check(*read(x[i]) == y[i], "a value of the chain");
    finish();
    const Statistics s = statistics();
    check(s.tasks == 20 * (n - 1), "the number of tasks");
    check(s.messages > 0 && s.bytes > 0 && s.moved > 0 && s.most_messages <= s.messages,
          "the counts of messages");
  });
}

// Every worker is there, and a name, a string, a vector and a nested task travel.
void language() {
  run([] {
    std::vector<shared<int>> x;
    for (int i = 0; i < workers(); ++i) x.push_back(create<int>(-1));
    for (int i = 0; i < workers(); ++i) spawn(where, write(x[i]), on(i));
    for (int i = 0; i < workers(); ++i) check(*read(x[i]) == i, "a task is where the program wants it");
    const auto text = create_named<std::string>("text", "a");
    spawn(name_it, read_write(text), std::vector<std::string>{"b", "c"}, on(workers() - 1));
    check(*read(text) == "abc", "strings and vectors travel");
    // Handles in values: what a task makes elsewhere, the main program uses.
    const auto made = create<shared<long>>();
    withonly([&](Access& a) { a.wr(made), a.on(workers() - 1); },
             [=] {
               const auto inner = create<long>(40);
               withonly([&](Access& a) { a.rd_wr(inner); }, [=] { *read_write(inner) += 2; });
               *write(made) = inner;
             });
    const shared<long> inner = *read(made);
    check(*read(inner) == 42, "an object that a task made elsewhere");
    spawn([](long& value) { value += 1; }, read_write(inner), on(0));
    check(*read(inner) == 43, "it is used by another rank");
    destroy(inner);
    // A reference to something of this rank: the task stays.
    int local = 0;
    const auto object = create<int>(5);
    withonly([&](Access& a) { a.rd(object), a.on(workers() - 1); },
             [&local, object] { local = *read(object); });
    finish();
    check(local == 5, "a task that refers to this rank's memory stays here");
    // A type that cannot be sent stays, and its tasks with it.
    const auto kept = create<std::shared_ptr<int>>(std::make_shared<int>(-1));
    spawn([](std::shared_ptr<int>& value) { *value = worker(); }, read_write(kept), on(workers() - 1));
    check(**read(kept) == 0, "what cannot be sent stays");
    const auto sum = create<double>(1.0);
    for (int i = 0; i < 20; ++i)
      spawn([](double& part, int k) { part += 0.1 * k; }, reduce(sum), i, on(i % workers()));
    double expected = 1.0;
    for (int i = 0; i < 20; ++i) expected += 0.1 * i;
    check(*read(sum) == expected, "a reduction keeps its bits");
  });
}

void throws() {
  bool caught = false;
  run([&] {
    const auto x = create<int>(0);
    spawn([](int& value) { value = 1; }, read_write(x), on(workers() - 1));
    spawn([](int&) { throw std::runtime_error("no more"); }, read_write(x), named("thrower", 7),
          on(workers() - 1));
    spawn([](int&) { std::printf("wrong: a task behind the failure ran\n"); }, read_write(x), on(0));
    try {
      finish();
    } catch (const TaskError& error) {
      caught = true;
      std::printf("caught: %s | %s | line %d\n", error.what(), error.task().c_str(),
                  static_cast<int>(error.where().line() > 0));
      try {
        error.rethrow_cause();
      } catch (const std::exception& cause) {
        check(std::string(cause.what()) == "no more", "the cause");
      }
    }
    spawn([](int& value) { value = 3; }, read_write(x), on(workers() - 1));
    check(*read(x) == 3, "the program goes on after a failure");
  });
  check(caught || rank() != 0, "the exception came");
}

void dies() {
  run([] { spawn([] { _exit(3); }, on(workers() - 1)); });
}

void too_large() {
  run([] {
    const auto x = create_named<Huge>("the big one");
    write(x)->size = 1;
    spawn([](Huge&) {}, read_write(x), on(workers() - 1));
    finish();
  });
}

// A task begins on the first elements of a long vector while the others are
// coming: in one of some rounds, as nobody can make the task late or the rest.
void early() {
  run([] {
    const std::size_t length = std::size_t{1} << 20;
    const auto n = static_cast<long>(length);
    const auto x = create<std::vector<long>>(length);
    const auto sum = create<long>(0), uses = create<long>(0), last = create<long>(0);
    for (long round = 0; round < 20 && *read(uses) == 0; ++round) {
      for (std::size_t i = 0; i < length; ++i) (*write(x))[i] = static_cast<long>(i) + round;
      withonly([&](Access& a) { a.rd(x), a.wr(sum), a.wr(uses), a.on(workers() - 1); },
               [=] {
                 long all = 0;
                 for (std::size_t at = 0; at < length; at += length / 64) {
                   for (const long each : read(x).part(at, length / 64)) all += each;
                 }
                 *write(sum) = all;
                 *write(uses) = static_cast<long>(statistics().early);
               });
      // Who uses it whole waits for all of it.
      spawn([](const std::vector<long>& all, long& value) { value = all.back(); }, read(x), write(last),
            on(workers() - 1));
      check(*read(sum) == n * (n - 1) / 2 + n * round, "the sum of what came in parts");
      check(*read(last) == n - 1 + round, "the last of what came");
    }
    std::printf("early uses: %s\n", *read(uses) > 0 ? "some" : "none");
  });
}

void wait_and_double(long& value) {
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
  value *= 2;
}

// What a task spawns runs where it is placed, on any rank, and where nothing else is to do.
void nested() {
  const bool lends = std::getenv("LAPWING_TASKS_LEND") == nullptr;
  run([=] {
    const int last = workers() - 1;
    const auto first = create<int>(-1), second = create<int>(-1);
    withonly([&](Access& a) { a.wr(first), a.wr(second), a.on(last); },
             [=] {
               spawn(where, write(first), on(0));
               spawn(where, write(second), on(last));
             });
    check(*read(first) == (lends ? 0 : last), "a task of a task is where it shall be");
    check(*read(second) == last, "or where its parent is");
    // Deeper, and with an object that is made on the way.
    const auto made = create<shared<long>>();
    const auto value = create<long>(1);
    withonly([&](Access& a) { a.wr(made), a.rd_wr(value), a.on(last); },
             [=] {
               withonly([&](Access& a) { a.wr(made), a.rd_wr(value), a.on(0); },
                        [=] {
                          const auto inner = create<long>(40);
                          withonly([&](Access& a) { a.rd_wr(inner), a.rd_wr(value), a.on(last); },
                                   [=] { *read_write(inner) += ++*read_write(value); });
                          *write(made) = inner;
                        });
               *read_write(value) *= 10;
             });
    check(*read(value) == 20, "the order of tasks within tasks");
    const shared<long> inner = *read(made);
    check(*read(inner) == 42, "an object that a lent task has made");
    long lent = 0;
    for (int round = 0; round < 50 && lent == 0; ++round) {
      const auto sum = create<long>(0), count = create<long>(0);
      withonly([&](Access& a) { a.wr(sum), a.wr(count), a.on(last); },
               [=] {
                 std::vector<shared<long>> parts;
                 for (long i = 0; i < 20; ++i) parts.push_back(create<long>(i));
                 for (const auto& part : parts) spawn(wait_and_double, read_write(part));
                 long all = 0;
                 for (const auto& part : parts) all += *read(part);
                 *write(sum) = all;
                 *write(count) = static_cast<long>(statistics().lent);
               });
      check(*read(sum) == 380, "what the tasks of a task have made");
      lent = lends ? *read(count) : 1 - *read(count);
    }
    std::printf("lent: %ld\n", lent);
    check(lent > 0, lends ? "a rank with nothing to do asks for tasks" : "no task is lent");
    spawn([last] { spawn([] { throw std::runtime_error("deep inside"); }, named("inner", 3), on(0)); },
          on(last));
    try {
      finish();
    } catch (const TaskError& error) {
      std::printf("caught: %s\n", error.what());
    }
    spawn([](long& v) { v = 5; }, read_write(value), on(last));
    check(*read(value) == 5, "the program goes on after a lent task's failure");
  });
}

void undeclared() {
  try {
    run([] {
      const auto x = create_named<int>("x", 1);
      const auto y = create_named<int>("y", 1);
      withonly([&](Access& a) { a.rd(x), a.name("curious"), a.on(workers() - 1); }, [=] { (void)*read(y); });
    });
  } catch (const TaskError& error) {
    std::printf("caught: %s\n", error.what());
  }
}

void destroyed() {
  try {
    run([] {
      const auto x = create_named<int>("x", 1);
      spawn([](int& value) { ++value; }, read_write(x), on(workers() - 1));
      destroy(x);
      spawn([](int&) { std::printf("wrong: it ran\n"); }, read_write(x), named("late"), on(workers() - 1));
    });
  } catch (const std::exception& error) {
    std::printf("caught: %s\n", error.what());
  }
}

// What it costs: ranks_cases costs
double microseconds() {
  using namespace std::chrono;
  return duration<double, std::micro>(steady_clock::now().time_since_epoch()).count();
}
void costs() {
  run([] {
    const int count = 20000;
    const auto here = create<int>(0);
    spawn([](int&) {}, read_write(here), on(0));
    finish();
    double begin = microseconds();
    for (int i = 0; i < count; ++i) spawn([](int& value) { ++value; }, read_write(here), on(0));
    finish();
    std::printf("local: %.2f us a task\n", (microseconds() - begin) / count);
    const auto there = create<int>(0);
    begin = microseconds();
    for (int i = 0; i < count; ++i) spawn([](int& value) { ++value; }, read_write(there), on(workers() - 1));
    finish();
    std::printf("sent ahead: %.2f us a task\n", (microseconds() - begin) / count);
    for (const std::size_t size : {std::size_t{8}, std::size_t{65536}, std::size_t{4} << 20}) {
      const auto data = create<std::vector<char>>(size);
      const int rounds = size > 1000000 ? 50 : 500;
      begin = microseconds();
      for (int i = 0; i < rounds; ++i) {
        spawn([](std::vector<char>& bytes) { ++bytes[0]; }, read_write(data), on(workers() - 1));
        ++(*read_write(data))[0];
      }
      std::printf("there and back with %zu bytes: %.1f us\n", size, (microseconds() - begin) / rounds);
    }
    const Statistics s = statistics();
    std::printf("%llu messages, %llu bytes, %llu moved\n", static_cast<unsigned long long>(s.messages),
                static_cast<unsigned long long>(s.bytes), static_cast<unsigned long long>(s.moved));
  });
}

// The library's containers travel, in the order of the original.
void containers() {
  using Words = std::unordered_map<std::string, std::vector<int>>;
  run([] {
    const auto counts = create<std::map<std::string, int>>();
    const auto bits = create<std::vector<bool>>(100);
    const auto words = create<Words>();
    const auto order = create<std::string>();
    for (int i = 0; i < 100; ++i) {
      spawn(
          [](std::map<std::string, int>& all, std::vector<bool>& bit, Words& word, int n) {
            all["number " + std::to_string(n % 7)] += n;
            bit[static_cast<std::size_t>(n)] = n % 3 == 0;
            word[std::to_string(n)].push_back(n);
          },
          read_write(counts), read_write(bits), read_write(words), i, on(i % workers()));
    }
    spawn(
        [](const Words& all, std::string& text) {
          for (const auto& [word, numbers] : all) text += word + ",";
        },
        read(words), write(order), on(workers() - 1));
    std::map<std::string, int> expected;
    for (int i = 0; i < 100; ++i) expected["number " + std::to_string(i % 7)] += i;
    check(*read(counts) == expected, "a map comes back");
    bool same = true;
    for (std::size_t i = 0; i < 100; ++i) same = same && (*read(bits))[i] == (i % 3 == 0);
    check(same, "a vector of bits comes back");
    Words serial;
    for (int i = 0; i < 100; ++i) serial[std::to_string(i)].push_back(i);
    std::string text;
    for (const auto& [word, numbers] : serial) text += word + ",";
    check(*read(order) == text, "a hash table keeps its order");
    check(statistics().moved > 0, "they moved");
  });
}

// What cannot travel says so, once.
void stays() {
  struct Closed {
    std::shared_ptr<int> value = std::make_shared<int>(0);
  };
  run([] {
    const auto one = create_named<Closed>("one"), other = create_named<Closed>("other");
    for (int i = 0; i < 3; ++i) {
      spawn([](Closed& it) { ++*it.value; }, read_write(one), on(workers() - 1));
      spawn([](Closed& it) { ++*it.value; }, read_write(other), on(workers() - 1));
    }
    check(*(*read(one)).value == 3, "the tasks have run");
  });
}

// A library that only rank 0 has loaded.
void stranger() {
  const char* const path = std::getenv("STRANGER");
  void* const library = rank() == 0 ? dlopen(path, RTLD_NOW) : nullptr;
  run([&] {
    const auto x = create_named<int>("x", 1);
    auto* const spawn_it = reinterpret_cast<void (*)(const shared<int>&)>(dlsym(library, "spawn_stranger"));
    try {
      spawn_it(x);
      check(false, "an unknown function is an error");
    } catch (const Error& error) {
      std::printf("told: %s\n", error.what());
    }
    spawn([](int& value) { ++value; }, read_write(x), on(workers() - 1));
    check(*read(x) == 2, "the program goes on without it");
  });
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  const std::map<std::string, void (*)()> cases{
      {"plain", plain},         {"language", language},   {"throws", throws},
      {"dies", dies},           {"too_large", too_large}, {"undeclared", undeclared},
      {"destroyed", destroyed}, {"early", early},         {"nested", nested},
      {"costs", costs},         {"stranger", stranger},   {"containers", containers},
      {"stays", stays}};
  const auto found = cases.find(name);
  if (found == cases.end()) return 2;
  try {
    found->second();
  } catch (const std::exception& error) {
    std::printf("error on rank %d: %s\n", rank(), error.what());
    return 4;
  }
  return wrong == 0 ? 0 : 1;
}
