// SPDX-License-Identifier: Apache-2.0
#include "arrays/schedules/drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "arrays/schedules/local.hpp"
#include "arrays/schedules/schedule.hpp"

namespace lapwing::arrays {

namespace {

constexpr std::int64_t most_rows = 24, most_columns = 48;

/// The first two dimensions of an array as cells.
struct Picture {
  std::int64_t rows = 1, columns = 1, height = 1, width = 1;  ///< cells, and elements per cell

  explicit Picture(const Distribution& distribution) {
    const auto& dimensions = distribution.dimensions;
    const std::int64_t down = dimensions.size() > 1 ? dimensions[0].extent : 1;
    const std::int64_t across = dimensions.empty() ? 1 : dimensions[dimensions.size() > 1 ? 1 : 0].extent;
    height = (down + most_rows - 1) / most_rows;
    width = (across + most_columns - 1) / most_columns;
    rows = height == 0 ? 0 : (down + height - 1) / height;
    columns = width == 0 ? 0 : (across + width - 1) / width;
  }
  [[nodiscard]] std::vector<std::int64_t> index(const Distribution& distribution, std::int64_t row,
                                                std::int64_t column) const {
    std::vector<std::int64_t> result(distribution.dimensions.size(), 0);
    if (result.size() > 1) result[0] = row * height;
    if (!result.empty()) result[result.size() > 1 ? 1 : 0] = column * width;
    return result;
  }
};

/// The rank that owns an element; the first of them where there are copies.
int owner(const Distribution& distribution, const std::vector<std::int64_t>& index) {
  std::vector<int> coordinates(distribution.grid.extents.size(), 0);
  for (std::size_t d = 0; d < index.size(); ++d) {
    const int g = distribution.dimensions[d].grid_dimension;
    if (g >= 0)
      coordinates[static_cast<std::size_t>(g)] =
          place(distribution.dimensions[d], distribution.processes(d), index[d]).coordinate;
  }
  return distribution.grid.ranks[static_cast<std::size_t>(distribution.grid.position(coordinates))];
}

/// The sender's element behind one of the receiver's; empty where it gets none.
std::vector<std::int64_t> origin(const Section& from, const Section& to,
                                 const std::vector<std::int64_t>& index) {
  std::vector<std::int64_t> result(from.dimensions.size());
  for (std::size_t s = 0; s < result.size(); ++s) result[s] = from.dimensions[s].first;
  for (std::size_t d = 0; d < index.size(); ++d) {
    const SectionDimension& part = to.dimensions[d];
    const std::int64_t steps = (index[d] - part.first) / part.stride;
    if (steps < 0 || steps >= part.count || part.first + steps * part.stride != index[d]) return {};
    const int s = to.permutation.empty() ? static_cast<int>(d) : to.permutation[d];
    if (s >= 0)
      result[static_cast<std::size_t>(s)] += steps * from.dimensions[static_cast<std::size_t>(s)].stride;
  }
  return result;
}

char letter(int rank) {
  static constexpr char letters[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  return letters[static_cast<std::size_t>(rank) % (sizeof letters - 1)];
}

std::string colour(int rank) {
  // Hues a golden angle apart: neighbours differ, however many there are.
  return fmt::format("hsl({},{}%,{}%)", static_cast<int>(std::fmod(137.508 * rank, 360)), 60,
                     rank % 2 == 0 ? 60 : 72);
}

struct Flow {
  int sender, receiver;
  std::int64_t elements, round;
};

std::vector<Flow> flows(const Distribution& source, const Section& from, const Distribution& destination,
                        const Section& to) {
  std::vector<Flow> result;
  for (const int sender : source.grid.ranks) {
    for (const Piece& piece : Schedule::sending(source, from, sender, destination, to).pieces())
      result.push_back({sender, piece.partner, piece.elements, piece.round});
  }
  return result;
}

std::string text_of(const Distribution& distribution, const char* name) {
  const Picture picture(distribution);
  std::string result = fmt::format("{}: {}\n", name, describe(distribution));
  for (std::int64_t row = 0; row < picture.rows; ++row) {
    result += "  ";
    for (std::int64_t column = 0; column < picture.columns; ++column)
      result += letter(owner(distribution, picture.index(distribution, row, column)));
    result += '\n';
  }
  if (picture.height * picture.width > 1)
    result += fmt::format("  (each character stands for {} x {} elements)\n", picture.height, picture.width);
  return result;
}

}  // namespace

std::string draw_text(const Distribution& source, const Section& from, const Distribution& destination,
                      const Section& to) {
  std::string result =
      text_of(source, "sender") + text_of(destination, "receiver") + "elements in each message\n";
  std::vector<int> senders = source.grid.ranks, receivers = destination.grid.ranks;
  std::sort(senders.begin(), senders.end());
  std::sort(receivers.begin(), receivers.end());
  const std::vector<Flow> all = flows(source, from, destination, to);
  result += "  from \\ to";
  for (const int receiver : receivers) result += fmt::format("{:>10}", receiver);
  result += '\n';
  for (const int sender : senders) {
    result += fmt::format("  {:<9}", sender);
    for (const int receiver : receivers) {
      const auto found = std::find_if(all.begin(), all.end(), [&](const Flow& flow) {
        return flow.sender == sender && flow.receiver == receiver;
      });
      result += found == all.end() ? fmt::format("{:>10}", ".") : fmt::format("{:>10}", found->elements);
    }
    result += '\n';
  }
  return result;
}

std::string draw_svg(const Distribution& source, const Section& from, const Distribution& destination,
                     const Section& to) {
  constexpr int cell = 12, margin = 24, gap = 220;
  const Section a = filled(from, source), b = filled(to, destination);
  const Picture left(source), right(destination);
  const std::int64_t right_at = margin + left.columns * cell + gap;
  const std::int64_t width = right_at + right.columns * cell + margin;
  const std::size_t ranks = std::max(source.grid.ranks.size(), destination.grid.ranks.size());
  const std::int64_t height =
      std::max({left.rows * cell, right.rows * cell, static_cast<std::int64_t>(ranks) * 22}) + 90;
  std::string body;
  const auto box = [&](std::int64_t x, std::int64_t y, const std::string& fill, const std::string& title) {
    body += fmt::format("<rect x='{}' y='{}' width='{}' height='{}' fill='{}'><title>{}</title></rect>\n", x,
                        y, cell - 1, cell - 1, fill, title);
  };
  const auto label = [&](std::int64_t x, std::int64_t y, const std::string& text,
                         const char* anchor = "start") {
    body += fmt::format("<text x='{}' y='{}' text-anchor='{}'>{}</text>\n", x, y, anchor, text);
  };
  label(margin, 20, "sender: " + describe(source));
  label(margin, 36, "receiver: " + describe(destination));
  constexpr int top = 56;
  for (std::int64_t row = 0; row < left.rows; ++row) {
    for (std::int64_t column = 0; column < left.columns; ++column) {
      const int rank = owner(source, left.index(source, row, column));
      box(margin + column * cell, top + row * cell, colour(rank), fmt::format("rank {}", rank));
    }
  }
  for (std::int64_t row = 0; row < right.rows; ++row) {
    for (std::int64_t column = 0; column < right.columns; ++column) {
      const std::vector<std::int64_t> index = right.index(destination, row, column);
      const std::vector<std::int64_t> there = origin(a, b, index);
      const bool gets = b.dimensions.empty() || !there.empty();
      const int receiver = owner(destination, index);
      box(right_at + column * cell, top + row * cell, gets ? colour(owner(source, there)) : "#ddd",
          gets ? fmt::format("rank {} from {}", receiver, owner(source, there))
               : fmt::format("rank {}", receiver));
    }
  }
  // Senders and receivers as dots, messages as lines as wide as they are large.
  const std::int64_t from_x = margin + left.columns * cell + 40, to_x = right_at - 40;
  const auto dot_y = [](const Distribution& distribution, int rank) {
    return top + 14 + 22 * distribution.grid.position_of(rank);
  };
  std::int64_t largest = 1;
  const std::vector<Flow> all = flows(source, from, destination, to);
  for (const Flow& flow : all) largest = std::max(largest, flow.elements);
  for (const Flow& flow : all) {
    body += fmt::format(
        "<line x1='{}' y1='{}' x2='{}' y2='{}' stroke='{}' stroke-width='{:.1f}'><title>{} to {}: {} "
        "elements, round "
        "{}</title></line>\n",
        from_x, dot_y(source, flow.sender), to_x, dot_y(destination, flow.receiver), colour(flow.sender),
        0.6 + 3.4 * static_cast<double>(flow.elements) / static_cast<double>(largest), flow.sender,
        flow.receiver, flow.elements, flow.round);
  }
  for (const int rank : source.grid.ranks)
    label(from_x - 8, dot_y(source, rank) + 4, fmt::format("{}", rank), "end");
  for (const int rank : destination.grid.ranks)
    label(to_x + 8, dot_y(destination, rank) + 4, fmt::format("{}", rank));
  return fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' width='{0}' height='{1}' viewBox='0 0 {0} {1}' "
      "font-family='sans-serif' "
      "font-size='12'>\n<rect width='{0}' height='{1}' fill='white'/>\n{2}</svg>\n",
      width, height, body);
}

}  // namespace lapwing::arrays
