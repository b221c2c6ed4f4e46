// SPDX-License-Identifier: Apache-2.0
// A schedule in words.
#include <fmt/format.h>

#include "arrays/schedules/schedule.hpp"

namespace lapwing::arrays {

namespace {

std::string family(const Segments& segments) {
  if (segments.count == 1) return fmt::format("{{{} {}}}", segments.first, segments.length);
  return fmt::format("{{{} {} {} {}}}", segments.first, segments.length, segments.stride, segments.count);
}

std::string set_text(const IndexSet& set) {
  std::string result;
  for (const Falls& falls : set.members()) {
    if (!result.empty()) result += " ";
    if (!falls.marks.empty() || !falls.listed.empty()) {
      result += fmt::format("{{{} without a rule}}", falls.elements);
      continue;
    }
    std::string inner;
    for (const Segments& segments : falls.inner) {
      Segments shown = segments;
      if (falls.count == 1) shown.first += falls.first;
      inner += (inner.empty() ? "" : " ") + family(shown);
    }
    result += falls.count == 1
                  ? inner
                  : fmt::format("{{{} {} {}: {}}}", falls.first, falls.stride, falls.count, inner);
  }
  return result;
}

}  // namespace

std::string to_text(const Schedule& schedule) {
  std::string result;
  const bool sends = schedule.way() == Schedule::Way::send;
  for (const Piece& piece : schedule.pieces()) {
    result += fmt::format("round {:<4} {} {:<5} {:>12} elements {:>14} bytes  ", piece.round,
                          sends ? "to  " : "from", piece.partner, piece.elements, piece.bytes());
    bool first = true;
    for (const PieceDimension& dimension : piece.dimensions) {
      result += (first ? "" : " x ") + set_text(*dimension.set);
      first = false;
    }
    result += piece.self ? "  (stays here)\n" : "\n";
  }
  return result;
}

}  // namespace lapwing::arrays
