// SPDX-License-Identifier: Apache-2.0
// Values one after another in a message.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

namespace lapwing::sets {

/// Written by one process, read in the same order by another of the same program.
class PackedValues {
 public:
  PackedValues() = default;
  PackedValues(const char* data, std::size_t size) : bytes_(data, data + size) {}

  template <typename T>
  void put(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    const char* from = reinterpret_cast<const char*>(&value);
    bytes_.insert(bytes_.end(), from, from + sizeof value);
  }
  template <typename T>
  T get() {
    T value{};
    if (at_ + sizeof value <= bytes_.size()) std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  template <typename T>
  void put_all(const std::vector<T>& values) {
    put<std::uint32_t>(static_cast<std::uint32_t>(values.size()));
    for (const T& value : values) put(value);
  }
  template <typename T>
  std::vector<T> get_all() {
    const auto count = get<std::uint32_t>();
    std::vector<T> values;
    for (std::uint32_t i = 0; i < count && at_ < bytes_.size(); ++i) values.push_back(get<T>());
    return values;
  }
  void put_text(const std::string& text) { put_all(std::vector<char>(text.begin(), text.end())); }
  std::string get_text() {
    const std::vector<char> text = get_all<char>();
    return {text.begin(), text.end()};
  }

  const char* data() const { return bytes_.data(); }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::vector<char> bytes_;
  std::size_t at_ = 0;
};

}  // namespace lapwing::sets
