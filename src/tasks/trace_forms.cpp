// SPDX-License-Identifier: Apache-2.0
// The forms of a trace. Edges are found by places in the program alone, so the
// graph of a program does not depend on how it happened to run.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>

#include "tasks/extent.hpp"
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

// The accesses of one object that a later one may have to come after.
struct Front {
  struct Access {
    const TaskTrace* task;
    const TaskTrace::Use* use;
  };
  std::vector<Access> accesses;
};

bool alone(const TaskTrace::Use& use) {
  const std::string_view kind = word(use.rights);
  return kind == "write" || kind == "read_write";
}

bool meet(const TaskTrace::Use& a, const TaskTrace::Use& b) {
  return !a.part || !b.part || overlap(*a.part, *b.part);
}

bool conflict(const TaskTrace::Use& a, const TaskTrace::Use& b) {
  return meet(a, b) && (alone(a) || alone(b) || std::string_view(word(a.rights)) != word(b.rights));
}

// Every access that must come after `earlier` must come after `later` too.
bool hides(const TaskTrace::Use& later, const TaskTrace::Use& earlier) {
  return alone(later) && (!later.part || (earlier.part && covered(*earlier.part, {&*later.part})));
}

bool inside(const TaskTrace& child, const TaskTrace& parent) {
  return child.place.size() > parent.place.size() &&
         std::equal(parent.place.begin(), parent.place.end(), child.place.begin());
}

}  // namespace

std::vector<Edge> edges_of(const std::vector<const TaskTrace*>& tasks) {
  std::vector<Edge> edges;
  std::map<std::uint64_t, Front> fronts;
  for (const TaskTrace* task : tasks) {
    const auto own = static_cast<std::ptrdiff_t>(edges.size());  // the first of this task's
    for (const auto& use : task->uses) {
      auto& before = fronts[use.object].accesses;
      for (auto each = before.begin(); each != before.end(); ++each) {
        if (each->task == task || !conflict(*each->use, use)) continue;
        // Where one between them is in the way of both, the edges to that and from that say it.
        const bool told = std::any_of(each + 1, before.end(), [&](const Front::Access& between) {
          return between.task != task && conflict(*each->use, *between.use) && conflict(*between.use, use);
        });
        const bool again = std::any_of(edges.begin() + own, edges.end(), [&](const Edge& edge) {
          return edge.from == each->task && edge.object == use.name;
        });
        if (!told && !again) edges.push_back({each->task, task, use.name});
      }
    }
    for (const auto& use : task->uses) {
      auto& before = fronts[use.object].accesses;
      std::erase_if(before, [&](const auto& each) { return each.task != task && hides(use, *each.use); });
      before.push_back({task, &use});
    }
  }
  return edges;
}

std::string as_dot(const std::vector<const TaskTrace*>& tasks) {
  std::string out = "digraph tasks {\n  node [shape=box, style=filled, colorscheme=set312];\n";
  for (const TaskTrace* task : tasks) {
    out += fmt::format("  t{} [label=\"{}\\nworker {}, {:.1f} us\", fillcolor={}];\n", task->number,
                       escaped(task->name), task->worker, 1e6 * (task->ended - task->started),
                       task->worker < 0 ? 1 : task->worker % 12 + 1);
  }
  for (const Edge& edge : edges_of(tasks)) {
    if (inside(*edge.to, *edge.from)) {
      out += fmt::format("  t{} -> t{} [style=dashed];\n", edge.from->number, edge.to->number);  // its child
    } else {
      out += fmt::format("  t{} -> t{} [label=\"{}\"];\n", edge.from->number, edge.to->number,
                         escaped(edge.object));
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
