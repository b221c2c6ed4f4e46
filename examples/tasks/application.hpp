// SPDX-License-Identifier: Apache-2.0
// What the four applications share: options, the clock, the report. Nothing
// about tasks is hidden here.
#pragma once

#include <CLI/CLI.hpp>
#include <lapwing/tasks.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

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
  std::string text() const {
    char out[17];
    std::snprintf(out, sizeof out, "%016llx", static_cast<unsigned long long>(hash_));
    return out;
  }

 private:
  std::uint64_t hash_ = 1469598103934665603ULL;
};

class Application {
 public:
  Application(std::string name, const std::string& what) : app_(what, name), name_(std::move(name)) {
    app_.add_option("--workers", workers_, "Threads; what LAPWING_TASKS_WORKERS says, or one for each core");
    app_.add_flag("--json", json_, "The report as one JSON object");
    app_.add_flag("--work-free", work_free,
                  "The same tasks, which compute nothing with objects without contents: what is left is the "
                  "management of tasks");
  }

  template <class T>
  void option(const std::string& name, T& value, const std::string& what, double least, double most) {
    app_.add_option(name, value, what)->check(CLI::Range(least, most))->capture_default_str();
  }
  void flag(const std::string& name, bool& value, const std::string& what) {
    app_.add_flag(name, value, what);
  }
  void file(const std::string& name, std::string& value, const std::string& what) {
    app_.add_option(name, value, what)->check(CLI::ExistingFile);
  }

  /// Reads the options, then runs `program` as the main program. The exit status
  /// is 1 if a check has failed.
  int main(int argc, char** argv, const std::function<void(Application&)>& program) {
    try {
      app_.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      return app_.exit(error) == 0 ? 0 : 2;
    }
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
    seconds_ = now() - start_;
    const Counts after = counts();
    say("workers", tasks::workers());
    say("seconds", seconds_);
    say("tasks", after.tasks - before_.tasks);
    say("targeted", after.targeted - before_.targeted);
    say("on_target", after.on_target - before_.on_target);
    say("stolen", after.stolen - before_.stolen);
  }

  template <class T>
  void say(const std::string& what, const T& value) {
    std::string text;
    if constexpr (std::is_floating_point_v<T>) {
      char out[40];
      std::snprintf(out, sizeof out, "%.9g", static_cast<double>(value));
      text = out;
    } else if constexpr (std::is_arithmetic_v<T>) {
      text = std::to_string(value);
    } else {
      text = "\"" + std::string(value) + "\"";
    }
    fields_.emplace_back(what, text);
  }
  /// A check of the result; one that fails is named.
  void check(const std::string& what, bool good) {
    if (!good) std::fprintf(stderr, "%s: wrong: %s\n", name_.c_str(), what.c_str());
    verified_ = verified_ && good;
  }

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
  void print() const {
    std::string line = json_ ? "{\"application\":\"" + name_ + "\"" : name_ + ":";
    for (const auto& [what, value] : fields_) {
      line += json_ ? ",\"" + what + "\":" + value : " " + what + " " + value + ",";
    }
    const char* const good = work_free ? "null" : verified_ ? "true" : "false";
    line += json_       ? ",\"verified\":" + std::string(good) + "}"
            : work_free ? " nothing computed"
            : verified_ ? " verified"
                        : " WRONG";
    std::printf("%s\n", line.c_str());
    std::fflush(stdout);
  }

  CLI::App app_;
  std::string name_;
  int workers_ = 0;
  bool json_ = false, verified_ = true;
  double start_ = 0, seconds_ = 0;
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
