// SPDX-License-Identifier: Apache-2.0
#include "cli/outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "cli/say.hpp"

namespace lapwing::cli {

namespace {

using Lines = std::vector<std::string>;  // sorted

Lines sorted_lines(const std::string& text, const std::vector<std::regex>& ignored) {
  Lines lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    const bool skip = std::any_of(ignored.begin(), ignored.end(),
                                  [&](const std::regex& rule) { return std::regex_search(line, rule); });
    if (!skip) lines.push_back(line);
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

/// A line taken apart: its form, in which each number is a '#' and blanks and
/// signs count for nothing, and those numbers.
struct Parts {
  std::string form;
  std::vector<std::string> numbers;
};

Parts parts_of(const std::string& line) {
  const auto at = [&](std::size_t i) { return i < line.size() ? static_cast<unsigned char>(line[i]) : 0; };
  Parts parts;
  for (std::size_t i = 0; i < line.size();) {
    if (std::isspace(at(i)) || at(i) == '-' || at(i) == '+') {
      ++i;  // widths and signs go with the numbers
      continue;
    }
    if (!std::isdigit(at(i))) {
      parts.form += line[i++];
      continue;
    }
    const std::size_t begin = i > 0 && (at(i - 1) == '-' || at(i - 1) == '+') ? i - 1 : i;
    while (std::isdigit(at(i)) || at(i) == '.') ++i;
    const bool signed_exponent = (at(i + 1) == '-' || at(i + 1) == '+') && std::isdigit(at(i + 2));
    if ((at(i) == 'e' || at(i) == 'E') && (std::isdigit(at(i + 1)) || signed_exponent)) {
      i += signed_exponent ? 2 : 1;
      while (std::isdigit(at(i))) ++i;
    }
    parts.form += '#';
    parts.numbers.push_back(line.substr(begin, i - begin));
  }
  return parts;
}

/// Which numbers, by the form of their line and their place in it, differ
/// between runs without Lapwing. Only those may differ with it: a checksum
/// beside a time still counts.
using Varying = std::map<std::string, std::set<std::size_t>>;

Lines only_in(const Lines& a, const Lines& b) {
  Lines difference;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(difference));
  return difference;
}

/// The numbers at each place of each form, in one run.
std::map<std::string, std::vector<Lines>> numbers_by_place(const Lines& lines) {
  std::map<std::string, std::vector<Lines>> places;
  for (const auto& line : lines) {
    const Parts parts = parts_of(line);
    auto& columns = places[parts.form];
    columns.resize(parts.numbers.size());
    for (std::size_t i = 0; i < parts.numbers.size(); ++i) columns[i].push_back(parts.numbers[i]);
  }
  for (auto& [form, columns] : places) {
    for (Lines& column : columns) std::sort(column.begin(), column.end());
  }
  return places;
}

Varying varying_numbers(const std::vector<Lines>& runs) {
  Varying varying;
  const auto first = numbers_by_place(runs.front());
  for (const Lines& run : runs) {
    for (const auto& [form, columns] : numbers_by_place(run)) {
      const auto before = first.find(form);
      if (before == first.end()) continue;
      for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i] != before->second[i]) varying[form].insert(i);
      }
    }
  }
  return varying;
}

/// The same lines without the numbers that vary; `count` is how many have some.
Lines masked(const Lines& lines, const Varying& varying, std::size_t* count) {
  Lines out;
  *count = 0;
  for (const auto& line : lines) {
    const Parts parts = parts_of(line);
    const auto places = varying.find(parts.form);
    if (places == varying.end()) {
      out.push_back(line);
      continue;
    }
    ++*count;
    std::string kept;
    std::size_t number = 0;
    for (const char c : parts.form) {
      const bool here = c == '#' && number < parts.numbers.size();
      kept += !here                             ? std::string(1, c)
              : places->second.contains(number) ? " #"
                                                : " " + parts.numbers[number];
      number += here ? 1 : 0;
    }
    out.push_back(kept);
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

Verdict compare_outputs(const std::vector<std::string>& off, const std::vector<std::string>& on,
                        const std::vector<std::string>& ignored) {
  Verdict verdict;
  if (off.empty() || on.empty()) return verdict;
  const auto same_as_first = [&](const std::string& text) { return text == off.front(); };
  if (std::all_of(off.begin(), off.end(), same_as_first) &&
      std::all_of(on.begin(), on.end(), same_as_first)) {
    return verdict;
  }
  std::vector<std::regex> rules;
  for (const auto& rule : ignored) {
    try {
      rules.emplace_back(rule);
    } catch (const std::regex_error& error) {
      throw Failure(kUsage, fmt::format("--ignore {}: {}", rule, error.what()));
    }
  }
  std::vector<Lines> plain, lapwing;
  for (const auto& text : off) plain.push_back(sorted_lines(text, rules));
  for (const auto& text : on) lapwing.push_back(sorted_lines(text, rules));

  const Varying varying = varying_numbers(plain);
  for (const Lines& other : plain) {
    const Lines difference = only_in(plain.front(), other);
    if (!difference.empty() && verdict.example.empty()) verdict.example = difference.front();
  }
  verdict.sameness = varying.empty() ? Sameness::reordered : Sameness::varying;
  const Lines first = masked(plain.front(), varying, &verdict.varying);
  for (const Lines& lines : lapwing) {
    std::size_t count = 0;
    const Lines other = masked(lines, varying, &count);
    if (other == first) continue;
    verdict.sameness = Sameness::different;
    verdict.missing = only_in(first, other);
    verdict.added = only_in(other, first);
    break;
  }
  return verdict;
}

std::string short_diff(const Verdict& verdict, std::size_t limit) {
  std::string text = "--- without Lapwing\n+++ with Lapwing\n";
  const auto side = [&](const std::vector<std::string>& lines, char mark) {
    for (std::size_t i = 0; i < lines.size() && i < limit / 2; ++i) {
      text += fmt::format("{}{}\n", mark, lines[i].size() > 160 ? lines[i].substr(0, 157) + "..." : lines[i]);
    }
    if (lines.size() > limit / 2)
      text += fmt::format("{}... and {} more lines\n", mark, lines.size() - limit / 2);
  };
  side(verdict.missing, '-');
  side(verdict.added, '+');
  return text;
}

}  // namespace lapwing::cli
