// SPDX-License-Identifier: Apache-2.0
// Text tables for terminals.
#pragma once

#include <string>
#include <vector>

namespace lapwing::report {

enum class Colour { none, good, warn, bad, faint, bold };

/// Colour only where a person looks at a terminal that can show it, and never
/// where NO_COLOR is set to something.
bool colour_wanted(int descriptor);
std::string painted(const std::string& text, Colour colour, bool wanted);

class Table {
 public:
  struct Column {
    std::string title;
    bool right = false;  ///< numbers
  };
  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// As many cells as there are columns; `colour` is for the whole row.
  void add(std::vector<std::string> cells, Colour colour = Colour::none);
  /// A thin line between rows.
  void rule() { rows_.push_back({}); }
  std::string text(bool colours) const;

 private:
  struct Row {
    std::vector<std::string> cells;
    Colour colour = Colour::none;
  };
  std::vector<Column> columns_;
  std::vector<Row> rows_;
};

/// Breaks a paragraph into lines of at most `width` columns.
std::string wrapped(const std::string& paragraph, std::size_t width, const std::string& indent = {});

}  // namespace lapwing::report
