// SPDX-License-Identifier: Apache-2.0
// What the four applications share: options, the clock, the report. What is
// about tasks is here, the rest in application.cpp, which is compiled once.
#pragma once

#include <lapwing/tasks.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace example {

namespace tasks = lapwing::tasks;

/// A checksum of bits, not of values: equal only if everything is.
class Checksum {
 public:
  template <class T>
  void add(const std::vector<T>& values) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(values.data());
    for (std::size_t i = 0; i < values.size() * sizeof(T); ++i) hash_ = (hash_ ^ bytes[i]) * 1099511628211ULL;
  }
  std::string text() const;

 private:
  std::uint64_t hash_ = 1469598103934665603ULL;
};

class Application {
 public:
  Application(const std::string& name, const std::string& what);
  ~Application();

  void option(const std::string& name, int& value, const std::string& what, double least, double most);
  void option(const std::string& name, double& value, const std::string& what, double least, double most);
  void flag(const std::string& name, bool& value, const std::string& what);
  void file(const std::string& name, std::string& value, const std::string& what);

  /// Reads the options, then runs `program` as the main program. The exit status
  /// is 1 if a check has failed.
  int main(int argc, char** argv, const std::function<void(Application&)>& program) {
    if (const int status = parse(argc, argv); status >= 0) return status;
    try {
      tasks::Options options;
      options.workers = workers_;
      tasks::run(options, [&] {
        program(*this);
        print();
      });
    } catch (const std::exception& error) {
      std::fprintf(stderr, "%s: %s\n", name_.c_str(), error.what());
      return 1;
    }
    return verified_ ? 0 : 1;
  }

  /// The part of the program between these is what is measured.
  void begin() {
    tasks::finish();
    before_ = counts();
    start_ = now();
  }
  void end() {
    tasks::finish();
    const double seconds = now() - start_;
    const Counts after = counts();
    say("workers", tasks::workers());
    say("seconds", seconds);
    say("tasks", after.tasks - before_.tasks);
    say("targeted", after.targeted - before_.targeted);
    say("on_target", after.on_target - before_.on_target);
    say("stolen", after.stolen - before_.stolen);
  }

  void say(const std::string& what, const std::string& text);
  void say(const std::string& what, double value);
  template <class T, class = std::enable_if_t<std::is_integral_v<T>>>
  void say(const std::string& what, T value) {
    fields_.emplace_back(what, std::to_string(value));
  }
  /// A check of the result; one that fails is named.
  void check(const std::string& what, bool good);

  bool work_free = false;

 private:
  struct Counts {
    std::uint64_t tasks = 0, targeted = 0, on_target = 0, stolen = 0;
  };
  static Counts counts() {
#ifdef LAPWING_SERIAL
    return {};
#else
    const auto all = tasks::statistics();
    return {all.tasks, all.targeted, all.on_target, all.stolen};
#endif
  }
  static double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
  int parse(int argc, char** argv);  // an exit status, or -1
  void print() const;

  std::unique_ptr<CLI::App> app_;
  std::string name_;
  int workers_ = 0;
  bool json_ = false, verified_ = true;
  double start_ = 0;
  Counts before_;
  std::vector<std::pair<std::string, std::string>> fields_;
};

/// Adds replicated arrays up into the first of them, as a tree of tasks.
inline void reduce_replicas(const std::vector<tasks::shared<std::vector<double>>>& replica) {
  for (std::size_t stride = 1; stride < replica.size(); stride *= 2) {
    for (std::size_t i = 0; i + stride < replica.size(); i += 2 * stride) {
      tasks::spawn(
          [](std::vector<double>& into, const std::vector<double>& from) {
            for (std::size_t k = 0; k < from.size(); ++k) into[k] += from[k];
          },
          tasks::read_write(replica[i]), tasks::read(replica[i + stride]),
          tasks::named("add", static_cast<std::int64_t>(i)));
    }
  }
}

}  // namespace example
