// SPDX-License-Identifier: Apache-2.0
// A trace as a picture: the timeline, a row for each worker, and below it the task graph, a column for
// each length of the longest path from the beginning. One SVG, which browsers show by itself or in a page.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string_view>

#include "tasks/trace.hpp"

namespace lapwing::tasks {

namespace {

constexpr double width = 1200, margin = 90, row = 26;
constexpr double box_width = 96, box_height = 18, gap = 40;
constexpr std::size_t most_drawn = 2000;  // tasks of a graph that a person can look at

/// The bytes of the character that begins there: 0 where it is none of UTF-8's, or none that XML may have.
std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return first >= 0x20 || first == '\n' || first == '\t' ? 1 : 0;
  const std::size_t size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < size) return 0;
  std::uint32_t code = first & (0x7fU >> size);
  for (std::size_t k = 1; k < size; ++k) {
    if ((byte(k) & 0xc0U) != 0x80U) return 0;
    code = code << 6U | (byte(k) & 0x3fU);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return code < least[size] || code > 0x10ffff || surrogate || (code & 0xfffeU) == 0xfffeU ? 0 : size;
}

/// Names are whatever the program calls them; up to `most` characters that can be shown.
std::string shown(std::string_view text, std::size_t most = std::string_view::npos) {
  std::string out;
  for (; !text.empty(); --most) {
    if (most == 0) return out + "…";
    const std::size_t size = character(text);
    if (size == 0)
      out += "\uFFFD";
    else
      out += text.substr(0, size);
    text.remove_prefix(std::max<std::size_t>(1, size));
  }
  return out;
}

std::string xml(const std::string& text) {
  std::string out;
  for (const char c : shown(text)) {
    if (c == '&') out += "&amp;";
    if (c == '<') out += "&lt;";
    if (c == '>') out += "&gt;";
    if (c == '"') out += "&quot;";
    if (c != '&' && c != '<' && c != '>' && c != '"') out += c;
  }
  return out;
}

// "update(3)" of "task 'update(3)' (spawned at ...)".
std::string short_name(const std::string& name) {
  const auto open = name.find('\'');
  const auto close = open == std::string::npos ? open : name.find('\'', open + 1);
  return close == std::string::npos ? name : name.substr(open + 1, close - open - 1);
}

// The same for all tasks of one name, whatever their numbers.
int hue(const TaskTrace& task) {
  const std::string name = short_name(task.name);
  return static_cast<int>(std::hash<std::string>{}(name.substr(0, name.find('('))) % 360);
}

std::string tip(const TaskTrace& task) {
  std::string text = fmt::format("{}\nworker {}, {:.1f} us", task.name, task.worker,
                                 1e6 * (task.ended - task.started - task.suspended));
  if (task.suspended > 0) text += fmt::format(", and {:.1f} us of waiting inside", 1e6 * task.suspended);
  text += fmt::format("\nwaited {:.1f} us for what it depends on, {:.1f} us for a worker",
                      1e6 * (task.ready - task.created), 1e6 * (task.started - task.ready));
  for (const auto& use : task.uses) text += fmt::format("\n{}", use.name);
  return "<title>" + xml(text) + "</title>";
}

double timeline(const std::vector<const TaskTrace*>& tasks, std::string& out) {
  double begin = 1e300, end = 0;
  std::set<int> workers;
  for (const TaskTrace* task : tasks) {
    if (task->worker < 0) continue;  // skipped
    begin = std::min(begin, task->started);
    end = std::max(end, task->ended);
    workers.insert(task->worker);
  }
  if (workers.empty()) return 20;
  const double scale = (width - margin - 20) / std::max(end - begin, 1e-9);
  double y = 40;
  std::map<int, double> rows;
  for (const int worker : workers) {
    out += fmt::format("<text x=\"8\" y=\"{:.1f}\">worker {}</text>\n", y + 16, worker);
    out += fmt::format("<line x1=\"{}\" y1=\"{:.1f}\" x2=\"{}\" y2=\"{:.1f}\" stroke=\"#ddd\"/>\n", margin,
                       y + row - 2, width - 20, y + row - 2);
    rows[worker] = y;
    y += row;
  }
  for (const TaskTrace* task : tasks) {
    if (task->worker < 0) continue;
    out += fmt::format(
        "<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"20\" fill=\"hsl({},60%,65%)\" "
        "fill-opacity=\"{}\" stroke=\"#444\" stroke-width=\"0.3\">{}</rect>\n",
        margin + scale * (task->started - begin), rows[task->worker],
        std::max(0.4, scale * (task->ended - task->started)), hue(*task), task->suspended > 0 ? 0.6 : 1.0,
        tip(*task));
  }
  out += fmt::format(
      "<text x=\"{}\" y=\"28\">0</text><text x=\"{}\" y=\"28\" text-anchor=\"end\">{:.3f} ms</text>\n",
      margin, width - 20, 1e3 * (end - begin));
  return y + 20;
}

double graph(const std::vector<const TaskTrace*>& tasks, double top, double& right, std::string& out) {
  if (tasks.size() > most_drawn) {
    out +=
        fmt::format("<text x=\"8\" y=\"{:.1f}\">The graph of {} tasks is not drawn; up to {} are.</text>\n",
                    top + 16, tasks.size(), most_drawn);
    return top + 30;
  }
  const std::vector<Edge> edges = edges_of(tasks);
  std::map<const TaskTrace*, int> column;
  for (const TaskTrace* task : tasks) column[task] = 0;
  for (const Edge& edge : edges) column[edge.to] = std::max(column[edge.to], column[edge.from] + 1);
  std::map<int, int> filled;
  struct At {
    double x, y;
  };
  std::map<const TaskTrace*, At> places;
  double bottom = top;
  for (const TaskTrace* task : tasks) {
    const int at = column[task];
    const At place{8 + at * (box_width + gap), top + 10 + filled[at]++ * (box_height + 8)};
    places[task] = place;
    right = std::max(right, place.x + box_width + 20);
    bottom = std::max(bottom, place.y + box_height + 20);
  }
  for (const Edge& edge : edges) {
    const At from = places[edge.from], to = places[edge.to];
    const double x1 = from.x + box_width, y1 = from.y + box_height / 2, x2 = to.x, y2 = to.y + box_height / 2;
    out += fmt::format(
        "<path d=\"M{:.1f} {:.1f} C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}\" fill=\"none\" stroke=\"#888\">"
        "<title>{}</title></path>\n",
        x1, y1, x1 + gap / 2, y1, x2 - gap / 2, y2, x2, y2, xml(edge.object));
  }
  for (const TaskTrace* task : tasks) {
    const At place = places[task];
    const std::string name = shown(short_name(task->name), 14);
    out += fmt::format(
        "<g><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" rx=\"3\" fill=\"hsl({},60%,80%)\" "
        "stroke=\"#444\" stroke-width=\"0.5\"/><text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>{}</g>\n",
        place.x, place.y, box_width, box_height, hue(*task), place.x + 4, place.y + 13, xml(name),
        tip(*task));
  }
  return bottom;
}

}  // namespace

std::string as_svg(const std::vector<const TaskTrace*>& tasks) {
  std::string drawn;
  double right = width;
  const double middle = timeline(tasks, drawn);
  const double bottom = graph(tasks, middle, right, drawn);
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0f}\" height=\"{:.0f}\" "
             "font-family=\"sans-serif\" "
             "font-size=\"11\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n<text x=\"8\" "
             "y=\"14\">{} tasks; "
             "the pointer over one tells more</text>\n",
             right, bottom, tasks.size()) +
         drawn + "</svg>\n";
}

std::string as_html(const std::vector<const TaskTrace*>& tasks) {
  return "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<title>Tasks</title>\n" + as_svg(tasks);
}

}  // namespace lapwing::tasks
