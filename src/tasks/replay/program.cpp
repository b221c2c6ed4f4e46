// SPDX-License-Identifier: Apache-2.0
#include "tasks/replay/program.hpp"

#include <fmt/format.h>
#include <lapwing/tasks/abi.hpp>

#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>

namespace lapwing::tasks::replay {

namespace {

int index_of(const std::string& name) {
  const auto last = name.find_last_not_of("0123456789");
  const std::string digits = last == std::string::npos ? name : name.substr(last + 1);
  return digits.empty() || digits.size() > 9 ? 0 : std::stoi(digits);
}

class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file), in_(file) {}

  Program read() {
    std::string line;
    if (!std::getline(in_, line) || line != "lapwing-recording 1") wrong("is no recording of tasks");
    double before = 0;
    bool initial = true;
    while (std::getline(in_, line)) {
      ++line_;
      words_ = std::istringstream(line);
      const auto kind = next<std::string>();
      if (kind == "object") {
        object();
      } else if (kind == "main") {
        before = 1e-6 * next<double>();
      } else if (kind == "task") {
        program_.events.push_back({Event::task, before, task(initial), 0});
        before = 0;
      } else if (kind == "use") {
        const int object = known(next<long>());
        program_.events.push_back({Event::use, before, object, static_cast<std::uint8_t>(next<int>())});
        before = 0;
      } else if (kind == "finish") {
        program_.events.push_back({Event::finish, before, 0, 0});
        before = 0;
        initial = false;
      } else {
        wrong(fmt::format("line {} says '{}', which cannot be replayed", line_, line));
      }
    }
    return std::move(program_);
  }

 private:
  [[noreturn]] void wrong(const std::string& what) const { throw std::runtime_error(file_ + ": " + what); }
  template <class T>
  T next() {
    T value{};
    if (!(words_ >> value)) wrong(fmt::format("line {} ends too early", line_));
    return value;
  }
  int known(long number) const {
    const auto found = numbers_.find(number);
    if (found == numbers_.end()) wrong(fmt::format("line {} names the unknown object {}", line_, number));
    return found->second;
  }
  void object() {
    const long number = next<long>();
    RecordedObject made;
    made.bytes = next<double>();
    std::getline(words_, made.name);
    made.index = index_of(made.name);
    numbers_[number] = static_cast<int>(program_.objects.size());
    program_.objects.push_back(std::move(made));
  }
  int task(bool initial) {
    RecordedTask made;
    made.initial = initial;
    for (int left = next<int>(); left > 0; --left) {
      const int object = known(next<long>());
      const int rights = next<int>(), deferred = next<int>();
      if ((rights & ~(detail::reads | detail::writes)) != 0)
        wrong(fmt::format("line {} has a commuting update or a reduction, which cannot be replayed", line_));
      made.uses.push_back({object, static_cast<std::uint8_t>(rights), static_cast<std::uint8_t>(deferred)});
    }
    for (int left = next<int>(); left > 0; --left) {
      const double seconds = 1e-6 * next<double>();
      const int object = known(next<long>());
      const int acquired = next<int>(), released = next<int>();
      made.steps.push_back(
          {seconds, object, static_cast<std::uint8_t>(acquired), static_cast<std::uint8_t>(released)});
    }
    made.seconds = 1e-6 * next<double>();
    program_.tasks.push_back(std::move(made));
    return static_cast<int>(program_.tasks.size()) - 1;
  }

  std::string file_;
  std::ifstream in_;
  std::istringstream words_;
  long line_ = 1;
  std::map<long, int> numbers_;
  Program program_;
};

}  // namespace

double Program::measured_seconds() const {
  double sum = 0;
  int finishes = 0;
  for (const Event& event : events) {
    if (finishes == 1) {
      sum += event.before;
      if (event.kind == Event::task) {
        const RecordedTask& task = tasks[static_cast<std::size_t>(event.what)];
        sum += task.seconds;
        for (const Step& step : task.steps) sum += step.seconds;
      }
    }
    if (event.kind == Event::finish) ++finishes;
  }
  return sum;
}

Program read_program(const std::string& file) { return Reader(file).read(); }

}  // namespace lapwing::tasks::replay
