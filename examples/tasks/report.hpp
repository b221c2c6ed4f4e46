// SPDX-License-Identifier: Apache-2.0
// The options of a program, and what it reports. Knows nothing of tasks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace example {

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

class Report {
 public:
  Report(const std::string& name, const std::string& what);
  ~Report();

  void option(const std::string& name, int& value, const std::string& what, double least, double most);
  void option(const std::string& name, double& value, const std::string& what, double least, double most);
  void flag(const std::string& name, bool& value, const std::string& what);
  void file(const std::string& name, std::string& value, const std::string& what);
  /// Reads the options: an exit status if the program is to end, or -1.
  int parse(int argc, char** argv);

  void say(const std::string& what, const std::string& text);
  void say(const std::string& what, double value);
  template <class T, class = std::enable_if_t<std::is_integral_v<T>>>
  void say(const std::string& what, T value) {
    fields_.emplace_back(what, std::to_string(value));
  }
  /// A check of the result; one that fails is named.
  void check(const std::string& what, bool good);
  void complain(const std::string& what) const;
  void print() const;

  bool verified() const { return verified_; }
  int workers() const { return workers_; }
  bool work_free = false;

 private:
  std::unique_ptr<CLI::App> app_;
  std::string name_;
  int workers_ = 0;
  bool json_ = false, verified_ = true;
  std::vector<std::pair<std::string, std::string>> fields_;
};

}  // namespace example
