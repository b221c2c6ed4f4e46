// SPDX-License-Identifier: Apache-2.0
#include "arrays/schedules/fft_stages.hpp"

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>

namespace lapwing::arrays {

std::vector<FftStage> fft_stages(const std::vector<std::int64_t>& shape, const std::vector<int>& axes,
                                 int processes) {
  const auto extent = [&](int d) { return shape[static_cast<std::size_t>(d)]; };
  const int dimensions = static_cast<int>(shape.size());
  std::vector<std::int64_t> longest = shape;
  std::sort(longest.begin(), longest.end(), std::greater<>());
  const bool slabs = longest[dimensions > 1 ? 1 : 0] >= processes;
  const int divided = std::min(dimensions - 1, slabs ? 1 : 2);
  std::set<int> todo(axes.begin(), axes.end());
  std::vector<FftStage> stages;
  while (!todo.empty()) {
    const int whole =
        *std::min_element(todo.begin(), todo.end(), [&](int a, int b) { return extent(a) < extent(b); });
    // Divided are first those that need no transform any more, and of these the long ones.
    std::vector<int> others;
    for (int d = 0; d < dimensions; ++d)
      if (d != whole) others.push_back(d);
    std::stable_sort(others.begin(), others.end(), [&](int a, int b) {
      return std::make_tuple(todo.count(a), -extent(a)) < std::make_tuple(todo.count(b), -extent(b));
    });
    FftStage stage;
    stage.divided.assign(others.begin(), others.begin() + divided);
    std::sort(stage.divided.begin(), stage.divided.end());
    for (const int d : todo)
      if (std::find(stage.divided.begin(), stage.divided.end(), d) == stage.divided.end())
        stage.transformed.push_back(d);
    for (const int d : stage.transformed) todo.erase(d);
    stages.push_back(std::move(stage));
  }
  return stages;
}

Distribution fft_array(const FftStage& stage, const std::vector<std::int64_t>& shape, ElementType type,
                       const std::vector<int>& grid) {
  Distribution made;
  made.type = type;
  made.grid = make_grid(stage.divided.empty() ? std::vector<int>{1} : grid);
  for (const std::int64_t extent : shape) made.dimensions.push_back(collapsed(extent));
  for (std::size_t g = 0; g < stage.divided.size(); ++g) {
    const auto d = static_cast<std::size_t>(stage.divided[g]);
    made.dimensions[d] = block(shape[d], grid[g], static_cast<int>(g));
  }
  return made;
}

}  // namespace lapwing::arrays
