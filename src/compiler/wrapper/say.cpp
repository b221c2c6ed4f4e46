// SPDX-License-Identifier: Apache-2.0
#include "say.hpp"

#include <cstdio>

#include "options/nearest.hpp"

namespace lapwing::wrapper {

namespace {

std::string name = "lwcc";
bool silent = false;

std::string listed(const std::vector<std::string>& words, const char* last) {
  std::string all;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) all += i + 1 == words.size() ? last : ", ";
    all += words[i];
  }
  return all;
}

}  // namespace

void call_me(const std::string& called) { name = called; }

const std::string& my_name() { return name; }

void say(const std::string& sentence) {
  if (!silent) std::fprintf(stderr, "%s: %s\n", name.c_str(), sentence.c_str());
}

void say_no_more() { silent = true; }

std::string meant(const std::string& word, const std::vector<std::string>& candidates) {
  return options::did_you_mean(word, candidates, ".");
}

std::string one_of(const std::vector<std::string>& words) { return listed(words, " or "); }

std::string all_of(const std::vector<std::string>& words) { return listed(words, " and "); }

}  // namespace lapwing::wrapper
