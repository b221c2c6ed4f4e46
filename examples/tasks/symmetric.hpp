// SPDX-License-Identifier: Apache-2.0
// Sparse symmetric matrices for cholesky.cpp: reading and making.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace example {

/// The lower triangle by columns: rows ascending, the diagonal first.
struct Symmetric {
  struct Entry {
    int row;
    double value;
  };
  std::vector<std::vector<Entry>> column;
  int size() const { return static_cast<int>(column.size()); }
  std::vector<Entry>& at(int c) { return column[static_cast<std::size_t>(c)]; }
  const std::vector<Entry>& at(int c) const { return column[static_cast<std::size_t>(c)]; }
  void add(int row, int col, double value) { at(std::min(row, col)).push_back({std::max(row, col), value}); }

  void sort() {
    for (int c = 0; c < size(); ++c) {
      auto& entries = at(c);
      std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.row < b.row; });
      if (entries.empty() || entries.front().row != c)
        throw std::runtime_error("the matrix has no diagonal element in column " + std::to_string(c + 1));
    }
  }
};

inline Symmetric read_matrix_market(const std::string& file) {
  std::ifstream in(file);
  std::string line, object, format, field, symmetry, banner;
  const auto wrong = [&](const std::string& what) { return std::runtime_error(file + ": " + what); };
  if (!std::getline(in, line)) throw wrong("cannot be read");
  std::istringstream(line) >> banner >> object >> format >> field >> symmetry;
  if (banner != "%%MatrixMarket" || format != "coordinate" || (field != "real" && field != "integer") ||
      symmetry != "symmetric") {
    throw wrong("is not a Matrix Market file 'coordinate real symmetric'");
  }
  while (std::getline(in, line) && (line.empty() || line[0] == '%')) {
  }
  int rows = 0, columns = 0;
  long entries = 0;
  if (!(std::istringstream(line) >> rows >> columns >> entries) || rows != columns || rows < 1)
    throw wrong("has no square size: '" + line + "'");
  Symmetric matrix;
  matrix.column.resize(static_cast<std::size_t>(rows));
  for (long i = 0; i < entries; ++i) {
    int row = 0, column = 0;
    double value = 0;
    if (!(in >> row >> column >> value) || row < 1 || column < 1 || row > rows || column > rows)
      throw wrong("has no good entry number " + std::to_string(i + 1));
    matrix.add(row - 1, column - 1, value);
  }
  matrix.sort();
  return matrix;
}

/// A grid of side^3 points, each coupled with its six neighbours, unevenly.
inline Symmetric make_grid(int side) {
  Symmetric matrix;
  matrix.column.resize(static_cast<std::size_t>(side) * static_cast<std::size_t>(side) *
                       static_cast<std::size_t>(side));
  std::vector<double> diagonal(matrix.column.size(), 0.01);
  const std::array<int, 3> step{1, side, side * side};
  for (int i = 0; i < matrix.size(); ++i) {
    for (const int s : step) {
      if (i / s % side == side - 1) continue;
      const double weight = 1 + 0.1 * (i * 7 % 11);
      matrix.add(i + s, i, -weight);
      diagonal[static_cast<std::size_t>(i)] += weight;
      diagonal[static_cast<std::size_t>(i + s)] += weight;
    }
  }
  for (int i = 0; i < matrix.size(); ++i) matrix.add(i, i, diagonal[static_cast<std::size_t>(i)]);
  matrix.sort();
  return matrix;
}

}  // namespace example
