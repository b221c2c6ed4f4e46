// SPDX-License-Identifier: Apache-2.0
// The forms of a trace. Edges are found by places in the program alone, so the
// graph of a program does not depend on how it happened to run.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "tasks/trace.hpp"

namespace lapwing::tasks {

namespace {

std::string readable_place(const Place& place) {
  std::string text;
  for (const auto step : place) text += fmt::format("{}{}", text.empty() ? "" : ".", step);
  return text;
}

const char* word(std::uint8_t rights) {
  if ((rights & detail::reduces) != 0) return "reduce";
  if ((rights & detail::commutes) != 0) return "commute";
  if (rights == detail::reads) return "read";
  return rights == detail::writes ? "write" : "read_write";
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

// The accesses of one object that may go side by side, and those before them.
struct Front {
  std::string word;
  std::vector<const TaskTrace*> now, before;
};

bool inside(const TaskTrace& child, const TaskTrace& parent) {
  return child.place.size() > parent.place.size() &&
         std::equal(parent.place.begin(), parent.place.end(), child.place.begin());
}

}  // namespace

std::string as_dot(const std::vector<const TaskTrace*>& tasks) {
  std::string out = "digraph tasks {\n  node [shape=box, style=filled, colorscheme=set312];\n";
  std::map<std::uint64_t, Front> fronts;
  for (const TaskTrace* task : tasks) {
    out += fmt::format("  t{} [label=\"{}\\nworker {}, {:.1f} us\", fillcolor={}];\n", task->number,
                       escaped(task->name), task->worker, 1e6 * (task->ended - task->started),
                       task->worker < 0 ? 1 : task->worker % 12 + 1);
    for (const auto& use : task->uses) {
      Front& front = fronts[use.object];
      const std::string kind = word(use.rights);
      const bool alone = kind == "write" || kind == "read_write";
      if (alone || kind != front.word) {
        front.before = std::move(front.now);
        front.now.clear();
      }
      front.word = kind;
      for (const TaskTrace* earlier : front.before) {
        if (inside(*task, *earlier)) {
          out += fmt::format("  t{} -> t{} [style=dashed];\n", earlier->number, task->number);  // its child
        } else {
          out +=
              fmt::format("  t{} -> t{} [label=\"{}\"];\n", earlier->number, task->number, escaped(use.name));
        }
      }
      front.now.push_back(task);
    }
  }
  return out + "}\n";
}

std::string as_table(const std::vector<const TaskTrace*>& tasks) {
  std::string out =
      "place\ttask\tworker\ttarget\tstolen\tcreated_us\tdependence_us\tprocessor_us\trun_us\t"
      "suspended_us\tobjects\n";
  for (const TaskTrace* task : tasks) {
    std::string objects;
    for (const auto& use : task->uses) {
      objects += fmt::format("{}{}{} {}", objects.empty() ? "" : ", ", use.deferred ? "deferred " : "",
                             word(use.rights), use.name);
    }
    out += fmt::format("{}\t{}\t{}\t{}\t{}\t{:.2f}\t{:.2f}\t{:.2f}\t{:.2f}\t{:.2f}\t{}\n",
                       readable_place(task->place), task->name, task->worker, task->target,
                       task->stolen ? "yes" : "no", 1e6 * task->created, 1e6 * (task->ready - task->created),
                       1e6 * (task->started - task->ready),
                       1e6 * (task->ended - task->started - task->suspended), 1e6 * task->suspended, objects);
  }
  return out;
}

}  // namespace lapwing::tasks
