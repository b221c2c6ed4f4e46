// SPDX-License-Identifier: Apache-2.0
#include "report/table.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sstream>

namespace lapwing::report {

namespace {

/// Columns on the screen: every byte that does not continue a UTF-8 character.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

const char* code(Colour colour) {
  switch (colour) {
    case Colour::good:
      return "\033[32m";
    case Colour::warn:
      return "\033[33m";
    case Colour::bad:
      return "\033[31m";
    case Colour::faint:
      return "\033[2m";
    case Colour::bold:
      return "\033[1m";
    case Colour::none:
      break;
  }
  return "";
}

}  // namespace

bool colour_wanted(int descriptor) {
  const char* refused = std::getenv("NO_COLOR");
  if (refused != nullptr && *refused != 0) return false;
  const char* terminal = std::getenv("TERM");
  if (terminal == nullptr || std::strcmp(terminal, "dumb") == 0) return false;
  return ::isatty(descriptor) == 1;
}

std::string painted(const std::string& text, Colour colour, bool wanted) {
  return wanted && colour != Colour::none ? code(colour) + text + "\033[0m" : text;
}

void Table::add(std::vector<std::string> cells, Colour colour) {
  cells.resize(columns_.size());
  rows_.push_back({std::move(cells), colour});
}

std::string Table::text(bool colours) const {
  std::vector<std::size_t> widths;
  std::vector<std::string> titles;
  for (const Column& column : columns_) {
    titles.push_back(column.title);
    widths.push_back(width_of(column.title));
  }
  for (const Row& row : rows_) {
    for (std::size_t i = 0; i < row.cells.size(); ++i)
      widths[i] = std::max(widths[i], width_of(row.cells[i]));
  }
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string out;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string blanks(widths[i] - width_of(cells[i]), ' ');
      if (i > 0) out += "  ";
      out += columns_[i].right ? blanks + cells[i] : cells[i] + blanks;
    }
    out.erase(out.find_last_not_of(' ') + 1);
    return out;
  };
  std::size_t total = widths.empty() ? 0 : 2 * (widths.size() - 1);
  for (const std::size_t width : widths) total += width;
  const std::string thin = painted(std::string(total, '-'), Colour::faint, colours) + "\n";
  std::string text = painted(line(titles), Colour::bold, colours) + "\n" + thin;
  for (const Row& row : rows_)
    text += row.cells.empty() ? thin : painted(line(row.cells), row.colour, colours) + "\n";
  return text;
}

std::string wrapped(const std::string& paragraph, std::size_t width, const std::string& indent) {
  std::istringstream words(paragraph);
  std::string text, line = indent;
  for (std::string word; words >> word;) {
    if (line.size() > indent.size() && width_of(line) + 1 + width_of(word) > width) {
      text += line + "\n";
      line = indent;
    }
    line += (line.size() > indent.size() ? " " : "") + word;
  }
  return text + line + "\n";
}

}  // namespace lapwing::report
