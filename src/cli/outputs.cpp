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

// "ms" at `from`, if that is a unit in which programs print times and rates: the
// same time may come in another one, so the unit belongs to the number.
std::size_t unit_length(const std::string& line, std::size_t from) {
  static const std::set<std::string> units{"ns",   "us",   "ms",   "s",    "sec",   "secs",  "min",  "B/s",
                                           "KB/s", "kB/s", "MB/s", "GB/s", "KiB/s", "MiB/s", "GiB/s"};
  std::size_t begin = from;
  while (begin < line.size() && line[begin] == ' ') ++begin;
  std::size_t end = begin;
  while (end < line.size() && (std::isalpha(static_cast<unsigned char>(line[end])) || line[end] == '/'))
    ++end;
  return units.contains(line.substr(begin, end - begin)) ? end - from : 0;
}

// "0x7ffe12" at `from`: an address.
std::size_t address_length(const std::string& line, std::size_t from) {
  if (line.compare(from, 2, "0x") != 0) return 0;
  std::size_t end = from + 2;
  while (end < line.size() && std::isxdigit(static_cast<unsigned char>(line[end]))) ++end;
  return end > from + 2 ? end - from : 0;
}

/// A line taken apart: its form, in which each number with its unit is a '#' and
/// blanks and signs count for nothing, and those numbers.
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
    if (const std::size_t length = address_length(line, i); length > 0) {
      i += length;
      parts.form += '#';
      parts.numbers.push_back(line.substr(begin, i - begin));
      continue;
    }
    while (std::isdigit(at(i)) || at(i) == '.') ++i;
    const bool signed_exponent = (at(i + 1) == '-' || at(i + 1) == '+') && std::isdigit(at(i + 2));
    if ((at(i) == 'e' || at(i) == 'E') && (std::isdigit(at(i + 1)) || signed_exponent)) {
      i += signed_exponent ? 2 : 1;
      while (std::isdigit(at(i))) ++i;
    }
    i += unit_length(line, i);
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

/// Forms of which runs without Lapwing print more lines or fewer.
std::set<std::string> varying_counts(const std::vector<Lines>& runs) {
  std::set<std::string> out;
  std::map<std::string, std::size_t> first;
  for (const Lines& run : runs) {
    std::map<std::string, std::size_t> counts;
    for (const auto& line : run) ++counts[parts_of(line).form];
    if (&run == &runs.front()) first = counts;
    for (const auto& [form, count] : counts)
      if (const auto before = first.find(form); before == first.end() || before->second != count)
        out.insert(form);
    for (const auto& [form, count] : first)
      if (!counts.contains(form)) out.insert(form);
  }
  return out;
}

using Words = std::vector<std::string>;

Words words_of(const std::string& line) {
  std::istringstream stream(line);
  return {std::istream_iterator<std::string>(stream), {}};
}

/// A line that one run without Lapwing prints and another prints with other words
/// in its place; those words are empty here.
struct Pattern {
  Words words;
  std::size_t most = 0;  ///< such lines in one run
};

bool fits(const Words& words, const Pattern& pattern) {
  return words.size() == pattern.words.size() &&
         std::equal(words.begin(), words.end(), pattern.words.begin(),
                    [](const std::string& word, const std::string& wanted) {
                      return wanted.empty() || word == wanted;
                    });
}

/// From lines whose form not every run has: pairs with most words in common.
std::vector<Pattern> patterns_of(const std::vector<Lines>& runs, const std::set<std::string>& forms) {
  std::vector<Pattern> patterns;
  for (const auto& line : runs.front()) {
    if (!forms.contains(parts_of(line).form)) continue;
    const Words words = words_of(line);
    Pattern best;
    std::size_t best_common = 0;
    for (std::size_t run = 1; run < runs.size(); ++run) {
      for (const auto& candidate : runs[run]) {
        const Words other = words_of(candidate);
        if (other.size() != words.size() || !forms.contains(parts_of(candidate).form)) continue;
        Pattern pattern{words, 0};
        std::size_t common = 0;
        for (std::size_t i = 0; i < words.size(); ++i) {
          if (words[i] == other[i])
            ++common;
          else
            pattern.words[i].clear();
        }
        if (common > best_common) {
          best = pattern;
          best_common = common;
        }
      }
    }
    if (best_common == 0) continue;
    for (const Lines& run : runs) {
      const auto such = [&](const std::string& other) { return fits(words_of(other), best); };
      best.most = std::max(best.most, static_cast<std::size_t>(std::count_if(run.begin(), run.end(), such)));
    }
    patterns.push_back(best);
  }
  return patterns;
}

/// Lines that no pattern explains, or more of them than any plain run has.
Lines unexplained(const Lines& lines, const std::vector<Pattern>& patterns) {
  Lines out;
  std::vector<std::size_t> used(patterns.size(), 0);
  for (const auto& line : lines) {
    const Words words = words_of(line);
    std::size_t p = 0;
    while (p < patterns.size() && !(fits(words, patterns[p]) && used[p] < patterns[p].most)) ++p;
    if (p < patterns.size())
      ++used[p];
    else
      out.push_back(line);
  }
  return out;
}

/// The same lines without the numbers that vary, and without those whose count
/// does; `count` is how many are such.
Lines masked(const Lines& lines, const Varying& varying, const std::set<std::string>& uncounted,
             std::size_t* count) {
  Lines out;
  *count = 0;
  for (const auto& line : lines) {
    const Parts parts = parts_of(line);
    if (uncounted.contains(parts.form)) {
      ++*count;
      continue;
    }
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
  const std::set<std::string> uncounted = varying_counts(plain);
  const std::vector<Pattern> patterns = patterns_of(plain, uncounted);
  for (const Lines& other : plain) {
    Lines difference = only_in(plain.front(), other);
    if (difference.empty()) difference = only_in(other, plain.front());
    if (!difference.empty() && verdict.example.empty()) verdict.example = difference.front();
  }
  verdict.sameness = varying.empty() && uncounted.empty() ? Sameness::reordered : Sameness::varying;
  const Lines first = masked(plain.front(), varying, uncounted, &verdict.varying);
  for (const Lines& run : plain) {
    std::size_t count = 0;
    masked(run, varying, uncounted, &count);
    verdict.varying = std::max(verdict.varying, count);
  }
  for (const Lines& lines : lapwing) {
    std::size_t count = 0;
    const Lines other = masked(lines, varying, uncounted, &count);
    const Lines added = unexplained(only_in(other, first), patterns);
    const Lines missing = only_in(first, other);
    if (added.empty() && missing.empty()) continue;
    verdict.sameness = Sameness::different;
    verdict.missing = missing;
    verdict.added = added;
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
