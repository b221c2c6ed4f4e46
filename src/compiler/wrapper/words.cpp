// SPDX-License-Identifier: Apache-2.0
#include "words.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>

namespace lapwing::wrapper {

namespace {

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

bool plain(const std::string& word) {
  for (const char c : word) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && std::strchr("-_./=:,+@%^", c) == nullptr)
      return false;
  }
  return !word.empty();
}

}  // namespace

Words split_plain(std::string_view line) {
  Words words;
  std::size_t at = 0;
  while (at < line.size()) {
    while (at < line.size() && is_space(line[at])) ++at;
    const std::size_t start = at;
    while (at < line.size() && !is_space(line[at])) ++at;
    if (at > start) words.emplace_back(line.substr(start, at - start));
  }
  return words;
}

Words split_quoted(std::string_view text) {
  Words words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\\' && at + 1 < text.size()) {
      word += text[++at];
      in_word = true;
    } else if (quote != 0) {
      if (c == quote) {
        quote = 0;
      } else {
        word += c;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
      in_word = true;  // '' is a word, of no letters
    } else if (is_space(c)) {
      if (in_word) words.push_back(word);
      word.clear();
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (in_word) words.push_back(word);
  return words;
}

std::string quoted(const Words& words) {
  std::string line;
  for (const auto& word : words) {
    if (!line.empty()) line += ' ';
    if (plain(word)) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) {
      if (c == '\'') {
        line += "'\\''";
      } else {
        line += c;
      }
    }
    line += '\'';
  }
  return line;
}

std::string as_response(const Words& words) {
  std::string text;
  for (const auto& word : words) {
    text += '"';
    for (const char c : word) {
      if (c == '"' || c == '\\') text += '\\';
      text += c;
    }
    text += "\"\n";
  }
  return text;
}

void append(Words& to, const Words& more) { to.insert(to.end(), more.begin(), more.end()); }

bool contains(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

}  // namespace lapwing::wrapper
