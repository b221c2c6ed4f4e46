// SPDX-License-Identifier: Apache-2.0
// Pictures of a transfer: who owns what on both sides, and who sends how much to whom.
#pragma once

#include <string>

#include "arrays/schedules/distribution.hpp"
#include "arrays/schedules/section.hpp"

namespace lapwing::arrays {

/// Characters: the first two dimensions of both arrays, one cell per element or
/// per equal part of a large array, each showing who owns its first element; and
/// the messages as a matrix of elements, senders down, receivers across.
std::string draw_text(const Distribution& source, const Section& from, const Distribution& destination,
                      const Section& to);

/// The same as an SVG document. Colours are those of the sender's ranks: the
/// receiver's array shows where each element comes from.
std::string draw_svg(const Distribution& source, const Section& from, const Distribution& destination,
                     const Section& to);

}  // namespace lapwing::arrays
