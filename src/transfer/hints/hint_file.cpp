// SPDX-License-Identifier: Apache-2.0
#include "transfer/hints/hint_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>

#include "options/nearest.hpp"
#include "options/table.hpp"

namespace lapwing::transfer {
namespace {

// Takes one "key=value"; otherwise says why not.
std::string take(const std::string& word, Hints& hints) {
  static const std::vector<std::string> keys{"order", "first", "max", "train"};
  const std::size_t equals = word.find('=');
  const std::string key = word.substr(0, equals);
  const std::string value = equals == std::string::npos ? "" : word.substr(equals + 1);
  if (key == "order") {
    if (value != "up" && value != "down") return fmt::format("{} is neither order=up nor order=down", word);
    hints.order = value == "up" ? Direction::up : Direction::down;
    return {};
  }
  if (key == "first" || key == "max") {
    std::size_t bytes = 0;
    if (!options::parse_bytes(value, &bytes) || bytes == 0 || bytes > Hints::most_bytes)
      return fmt::format("{} gives no size such as 64K", word);
    (key == "first" ? hints.first : hints.largest) = static_cast<std::uint32_t>(bytes);
    return {};
  }
  if (key == "train") {
    std::uint32_t count = 0;
    const auto [rest, error] = std::from_chars(value.data(), value.data() + value.size(), count);
    if (error != std::errc() || rest != value.data() + value.size() || count == 0 ||
        count > Hints::most_train)
      return fmt::format("{} gives no number of messages from 1 to {}", word, Hints::most_train);
    hints.train = count;
    return {};
  }
  return fmt::format("{} is no hint{}", word,
                     options::did_you_mean(key, keys, ": there are order, first, max and train"));
}

bool names(const std::string& place, const Place& site) {
  // A function as a report shows it, or without its parameters.
  return place == site.function || place == site.function.substr(0, site.function.find('('));
}

}  // namespace

void HintFile::read(const std::string& path, std::string* complaint) {
  std::ifstream file(path);
  if (!file) {
    *complaint = fmt::format("the hints in {} cannot be read: {}", path, std::strerror(errno));
    return;
  }
  std::string line, first;
  int wrong = 0;
  for (int number = 1; std::getline(file, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    Entry entry;
    if (!(words >> entry.place)) continue;
    std::string why;
    for (std::string word; why.empty() && words >> word;) why = take(word, entry.hints);
    if (why.empty() && !entry.hints.any()) why = fmt::format("{} has no hint behind it", entry.place);
    if (why.empty()) {
      entries_.push_back(std::move(entry));
    } else if (wrong++ == 0) {
      first = fmt::format("{}, line {}: {}", path, number, why);
    }
  }
  if (wrong > 0)
    *complaint =
        first + (wrong > 1 ? fmt::format("; {} lines are left out", wrong) : "; the line is left out");
}

Hints HintFile::find(const Place& place) {
  Hints of_line, of_function;
  for (Entry& entry : entries_) {
    const bool line = entry.place == place.site, function = !line && names(entry.place, place);
    if (!line && !function) continue;
    entry.used = true;
    Hints& hints = line ? of_line : of_function;
    hints = entry.hints.over(hints);  // of two lines about one place the later one counts
  }
  return of_line.over(of_function);
}

}  // namespace lapwing::transfer
