// SPDX-License-Identifier: Apache-2.0
#include "sets/exported/process_sets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

namespace lapwing::sets {
namespace {

constexpr std::string_view scheme = "lapwing://";

bool may_be_in_a_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
         c == '-';
}

std::uint64_t hash(const std::vector<int>& ranks) {
  std::uint64_t h = 0x9e3779b97f4a7c15u;
  for (const int r : ranks) {
    h = (h ^ static_cast<unsigned>(r)) * 0xff51afd7ed558ccdu;
    h ^= h >> 32;
  }
  return h;
}

}  // namespace

std::string ProcessSets::full_name(std::string_view name) {
  if (name.empty() || scheme.size() + name.size() > most_letters) return "";
  if (!std::all_of(name.begin(), name.end(), may_be_in_a_name)) return "";
  return fmt::format("{}{}", scheme, name);
}

std::string ProcessSets::name_of(const std::vector<int>& ranks) {
  std::string name = fmt::format("{}ranks/", scheme);
  for (std::size_t i = 0; i < ranks.size() && name.size() <= most_letters;) {
    std::size_t end = i;
    while (end + 1 < ranks.size() && ranks[end + 1] == ranks[end] + 1) ++end;
    if (i > 0) name += ',';
    name += fmt::format("{}", ranks[i]);
    if (end > i) name += fmt::format("{}{}", end > i + 1 ? '-' : ',', ranks[end]);
    i = end + 1;
  }
  if (name.size() <= most_letters) return name;
  return fmt::format("{}{}-ranks/{:016x}", scheme, ranks.size(), hash(ranks));
}

bool ProcessSets::add(std::string name, std::vector<int> ranks) {
  if (const ProcessSet* known = find(name)) return known->ranks == ranks;
  const ProcessSet& added = sets_.emplace_back(ProcessSet{std::move(name), std::move(ranks)});
  by_name_.emplace(added.name, &added);
  return true;
}

void ProcessSets::add_all(std::vector<std::vector<int>> sets) {
  std::sort(sets.begin(), sets.end());
  for (std::vector<int>& ranks : sets) {
    std::string name = name_of(ranks);
    add(std::move(name), std::move(ranks));
  }
}

const ProcessSet* ProcessSets::find(std::string_view name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

int ProcessSets::list(int own) {
  while (own_listed_ < own) listed_.push_back({own_listed_++, nullptr});
  while (sets_listed_ < sets_.size()) listed_.push_back({-1, &sets_[sets_listed_++]});
  return static_cast<int>(listed_.size());
}

ProcessSets::Place ProcessSets::at(int index) const {
  if (index < 0 || static_cast<std::size_t>(index) >= listed_.size()) return {};
  return listed_[static_cast<std::size_t>(index)];
}

}  // namespace lapwing::sets
