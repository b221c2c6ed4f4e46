// SPDX-License-Identifier: Apache-2.0
#include "cli/outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <iterator>
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

/// What is left of a line if its numbers and blanks may be any.
std::string form_of(const std::string& line) {
  std::string form;
  for (std::size_t i = 0; i < line.size();) {
    const auto c = static_cast<unsigned char>(line[i]);
    if (std::isdigit(c)) {
      // One number: digits, points, exponents.
      while (i < line.size()) {
        const auto d = static_cast<unsigned char>(line[i]);
        const bool exponent = (d == 'e' || d == 'E') && i + 1 < line.size() &&
                              (std::isdigit(static_cast<unsigned char>(line[i + 1])) || line[i + 1] == '-' ||
                               line[i + 1] == '+');
        if (exponent) {
          i += 2;
        } else if (std::isdigit(d) || d == '.') {
          ++i;
        } else {
          break;
        }
      }
      form += '#';
    } else if (std::isspace(c) || c == '-' || c == '+') {
      ++i;  // widths and signs go with the numbers
    } else {
      form += line[i++];
    }
  }
  return form;
}

Lines only_in(const Lines& a, const Lines& b) {
  Lines difference;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(difference));
  return difference;
}

/// The same lines, those of a varying form reduced to that form.
Lines masked(const Lines& lines, const std::set<std::string>& forms, std::size_t* count) {
  Lines out;
  *count = 0;
  for (const auto& line : lines) {
    std::string form = form_of(line);
    const bool varies = forms.contains(form);
    *count += varies ? 1 : 0;
    out.push_back(varies ? std::move(form) : line);
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

  std::set<std::string> forms;
  for (const Lines& other : plain) {
    for (const Lines& difference : {only_in(plain.front(), other), only_in(other, plain.front())}) {
      for (const auto& line : difference) {
        if (verdict.example.empty()) verdict.example = line;
        forms.insert(form_of(line));
      }
    }
  }
  verdict.sameness = forms.empty() ? Sameness::reordered : Sameness::varying;
  const Lines first = masked(plain.front(), forms, &verdict.varying);
  for (const Lines& lines : lapwing) {
    std::size_t count = 0;
    const Lines other = masked(lines, forms, &count);
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
