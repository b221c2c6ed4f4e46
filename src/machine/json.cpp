// SPDX-License-Identifier: Apache-2.0
#include "machine/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace lapwing::machine {
namespace {

constexpr int deepest = 16;

class JsonReader {
 public:
  explicit JsonReader(std::string_view text) : text_(text) {}

  bool whole(Json* value) { return read(value, 0) && (skip(), at_ == text_.size()); }

 private:
  void skip() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
      ++at_;
  }
  bool take(char wanted) {
    skip();
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  bool word(std::string_view wanted) {
    if (text_.substr(at_, wanted.size()) != wanted) return false;
    at_ += wanted.size();
    return true;
  }

  bool read(Json* value, int depth) {
    skip();
    if (at_ >= text_.size() || depth > deepest) return false;
    switch (text_[at_]) {
      case '{':
        value->kind = Json::Kind::object;
        return members(value, depth);
      case '[':
        value->kind = Json::Kind::array;
        return items(value, depth);
      case '"':
        value->kind = Json::Kind::string;
        return string(&value->text);
      case 't':
      case 'f':
        value->kind = Json::Kind::boolean;
        value->number = text_[at_] == 't';
        return word("true") || word("false");
      case 'n':
        return word("null");
      default:
        value->kind = Json::Kind::number;
        return number(&value->number);
    }
  }

  bool members(Json* value, int depth) {
    ++at_;
    if (take('}')) return true;
    do {
      value->members.emplace_back();
      skip();
      if (at_ >= text_.size() || text_[at_] != '"' || !string(&value->members.back().first) || !take(':') ||
          !read(&value->members.back().second, depth + 1))
        return false;
    } while (take(','));
    return take('}');
  }

  bool items(Json* value, int depth) {
    ++at_;
    if (take(']')) return true;
    do {
      value->items.emplace_back();
      if (!read(&value->items.back(), depth + 1)) return false;
    } while (take(','));
    return take(']');
  }

  // Of escapes those that json_text() writes, and the short ones.
  bool string(std::string* out) {
    for (++at_; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (c == '"') return ++at_, true;
      if (static_cast<unsigned char>(c) < ' ') return false;
      if (c != '\\') {
        *out += c;
        continue;
      }
      if (++at_ >= text_.size()) return false;
      if (text_[at_] == 'u') {
        const std::string digits(text_.substr(at_ + 1, 4));
        char* end = nullptr;
        const unsigned long code = std::strtoul(digits.c_str(), &end, 16);
        if (digits.size() != 4 || *end != '\0' || code > 0x7f) return false;
        *out += static_cast<char>(code);
        at_ += 4;
        continue;
      }
      const std::size_t which = std::string_view("\"\\/bfnrt").find(text_[at_]);
      if (which == std::string_view::npos) return false;
      *out += "\"\\/\b\f\n\r\t"[which];
    }
    return false;
  }

  bool number(double* out) {
    const std::size_t length = std::min(text_.find_first_not_of("+-.0123456789eE", at_), text_.size()) - at_;
    const std::string digits(text_.substr(at_, length));
    char* end = nullptr;
    *out = std::strtod(digits.c_str(), &end);
    at_ += length;
    return length > 0 && *end == '\0';
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

const Json* Json::member(std::string_view name) const {
  for (const auto& [key, value] : members) {
    if (key == name) return &value;
  }
  return nullptr;
}

bool read_json(std::string_view text, Json* value) { return JsonReader(text).whole(value); }

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (static_cast<unsigned char>(c) < ' ')
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + '"';
}

}  // namespace lapwing::machine
