// SPDX-License-Identifier: Apache-2.0
#include "overlap_options.hpp"

#include <array>
#include <utility>

#include "support/option_words.hpp"
#include "support/texts.hpp"

namespace lapwing::bench {

namespace {

constexpr std::array<std::pair<const char*, Case>, 5> case_names{{
    {"scan_up", Case::scan_up},
    {"scan_down", Case::scan_down},
    {"memcpy", Case::copy},
    {"independent", Case::independent},
    {"independent_memcpy", Case::independent_copy},
}};

Case parse_case(const std::string& text) {
  for (const auto& [name, value] : case_names)
    if (text == name) return value;
  throw BadOption("there is no case '" + text +
                  "'; choose from scan_up, scan_down, memcpy, independent and independent_memcpy");
}

std::size_t parse_size(const std::string& text) {
  const std::size_t bytes = parse_bytes(text);
  if (bytes == 0 || bytes % 4096 != 0 || bytes > (std::size_t{1} << 30))
    throw BadOption("the size " + text + " is not a multiple of 4K between 4K and 1G");
  return bytes;
}

int parse_defer(const std::string& text) {
  if (text == "on") return LAPWING_DEFER_ON;
  if (text == "auto") return LAPWING_DEFER_AUTO;
  throw BadOption("--defer takes on or auto, not '" + text + "'");
}

}  // namespace

const char* name_of(Case c) {
  for (const auto& [name, value] : case_names)
    if (value == c) return name;
  return "?";
}

const char* overlap_usage() {
  return "usage: mpiexec -n 2 overlap [--quick] [--cases LIST] [--sizes LIST] [--ratios LIST] [--pairs N]\n"
         "         [--budget SECONDS] [--first-strip BYTES] [--defer on|auto] [--no-hand] [--transport "
         "NAME]\n"
         "  cases: scan_up, scan_down, memcpy, independent, independent_memcpy\n"
         "  Run under Lapwing, all variants are measured; without, only the plain and the hand-written "
         "one.\n";
}

OverlapOptions parse_overlap_options(int argc, char** argv) {
  OverlapOptions options;
  bool quick = false;
  for (OptionWords words(argc, argv); words.next();) {
    if (words.is("--quick")) {
      quick = true;
    } else if (words.is("--cases")) {
      options.cases.clear();
      for (const auto& item : split_list(words.value())) options.cases.push_back(parse_case(item));
    } else if (words.is("--sizes")) {
      options.sizes.clear();
      for (const auto& item : split_list(words.value())) options.sizes.push_back(parse_size(item));
    } else if (words.is("--ratios")) {
      options.ratios.clear();
      for (const auto& item : split_list(words.value())) options.ratios.push_back(parse_positive(item));
    } else if (words.is("--pairs")) {
      options.pairs = static_cast<int>(parse_bytes(words.value()));
    } else if (words.is("--budget")) {
      options.budget_s = parse_positive(words.value());
    } else if (words.is("--first-strip")) {
      options.first_strip = parse_size(words.value());
    } else if (words.is("--defer")) {
      options.defer_mode = parse_defer(words.value());
    } else if (words.is("--no-hand")) {
      options.hand = false;
    } else if (words.is("--transport")) {
      options.transport = words.value();
    } else {
      words.refuse();
    }
  }
  if (quick) {
    options.thorough = false;
    if (options.sizes.empty()) options.sizes = {1 << 20, 4 << 20, 16 << 20};
    if (options.ratios.size() == 3) options.ratios = {1};
    if (options.budget_s == 0) options.budget_s = 35;
  }
  if (options.sizes.empty())
    for (std::size_t bytes = 64 << 10; bytes <= (16 << 20); bytes *= 2) options.sizes.push_back(bytes);
  if (options.cases.empty() || options.ratios.empty() || options.pairs < 2)
    throw BadOption("at least one case, one size, one ratio and two pairs are needed");
  return options;
}

}  // namespace lapwing::bench
