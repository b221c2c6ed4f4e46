// SPDX-License-Identifier: Apache-2.0
// String: the velocities of the rock between two oil wells, from the times that
// sound takes between them.
//
// Each iteration traces rays from sources in one well to receivers in the other
// through a velocity model, one foot a cell. A ray is a string that is bent
// until its travel time is least. The difference from the time that was
// measured is spread along the ray's path, in proportion to length. A task
// traces a group of rays; it reads the model and adds into a copy of the
// difference array of its own, its locality object. The copies are added up as
// a tree, and a serial phase makes the next model of the sum.
//
// The measurements are made: they are the times through another model, with
// layers and a salt dome in it.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "application.hpp"

using namespace lapwing::tasks;

namespace {

using Model = std::vector<float>;  // slowness of each cell, milliseconds a foot, row by row
using Times = std::vector<float>;
// Of each cell the differences and the lengths that went through it; then the
// sum of the squares of all differences.
using Differences = std::vector<double>;

struct Setup {
  int width = 185, depth = 450, spacing = 10, iterations = 6, parts = 0;
  bool inside = false, original = false;
};

/// The data that every task reads beside the model.
struct Survey {
  int width, depth, spacing;
  int ends() const { return (depth - 1) / spacing; }  // sources, and receivers
  int rays() const { return ends() * ends(); }
  std::size_t cells() const { return static_cast<std::size_t>(width) * static_cast<std::size_t>(depth); }
};

constexpr int segments = 32;
constexpr int bendings = 12;
using String = std::array<double, segments + 1>;  // depths, equally far apart

std::size_t cell_at(const Survey& survey, double x, double z) {
  const int column = std::clamp(static_cast<int>(x), 0, survey.width - 1);
  const int row = std::clamp(static_cast<int>(z), 0, survey.depth - 1);
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(survey.width) +
         static_cast<std::size_t>(column);
}

// Calls each(x, z, length) for pieces of a segment, each about half a cell long.
template <class Each>
void along(const Survey& survey, int segment, double from, double to, const Each& each) {
  const double wide = static_cast<double>(survey.width) / segments;
  const double length = std::sqrt(wide * wide + (to - from) * (to - from));
  const int pieces = static_cast<int>(length) + 1;
  for (int i = 0; i < pieces; ++i) {
    const double part = (i + 0.5) / pieces;
    each((segment + part) * wide, from + part * (to - from), length / pieces);
  }
}

// Between the middles of cells the slowness is interpolated, so that a ray can
// be bent smoothly.
double slowness(const Survey& survey, const Model& model, double x, double z) {
  const double column = std::clamp(x - 0.5, 0.0, survey.width - 1.001);
  const double row = std::clamp(z - 0.5, 0.0, survey.depth - 1.001);
  const double right = column - static_cast<int>(column), down = row - static_cast<int>(row);
  const float* const here = &model[cell_at(survey, column, row)];
  const float* const below = here + survey.width;
  return (1 - down) * ((1 - right) * here[0] + right * here[1]) +
         down * ((1 - right) * below[0] + right * below[1]);
}

double travel_time(const Survey& survey, const Model& model, int segment, double from, double to) {
  double time = 0;
  along(survey, segment, from, to,
        [&](double x, double z, double length) { time += length * slowness(survey, model, x, z); });
  return time;
}

// The string between a source and a receiver, and its travel time.
double trace(const Survey& survey, const Model& model, int ray, String& string) {
  const double source = survey.spacing * (ray / survey.ends() + 1),
               receiver = survey.spacing * (ray % survey.ends() + 1);
  for (std::size_t i = 0; i <= segments; ++i)
    string[i] = source + (receiver - source) * static_cast<double>(i) / segments;
  for (int bend = 0; bend < bendings; ++bend) {
    // Each inner knot goes to where its two segments would take least time.
    const double far = bend < bendings / 2 ? 1.0 : 0.4;
    for (int i = 1; i < segments; ++i) {
      const auto knot = static_cast<std::size_t>(i);
      const auto time = [&](double z) {
        return travel_time(survey, model, i - 1, string[knot - 1], z) +
               travel_time(survey, model, i, z, string[knot + 1]);
      };
      const double up = time(string[knot] - far), here = time(string[knot]), down = time(string[knot] + far);
      const double curved = up - 2 * here + down;
      const double move = curved > 1e-9 ? 0.5 * far * (up - down) / curved : up < down ? -far : far;
      string[knot] =
          std::clamp(string[knot] + std::clamp(move, -far, far), 0.0, static_cast<double>(survey.depth));
    }
  }
  double time = 0;
  for (int i = 0; i < segments; ++i)
    time += travel_time(survey, model, i, string[static_cast<std::size_t>(i)],
                        string[static_cast<std::size_t>(i) + 1]);
  return time;
}

// The rays of one task: every parts-th.
void trace_group(Differences& difference, const Survey& survey, const Times& measured, const Model& model,
                 int part, int parts) {
  if (difference.empty()) return;  // work-free
  std::fill(difference.begin(), difference.end(), 0.0);
  const std::size_t cells = survey.cells();
  String string;
  for (int ray = part; ray < survey.rays(); ray += parts) {
    const double late = measured[static_cast<std::size_t>(ray / parts)] - trace(survey, model, ray, string);
    double whole = 0;
    const auto path = [&](const auto& each) {
      for (int i = 0; i < segments; ++i)
        along(survey, i, string[static_cast<std::size_t>(i)], string[static_cast<std::size_t>(i) + 1], each);
    };
    path([&](double, double, double length) { whole += length; });
    path([&](double x, double z, double length) {
      const std::size_t cell = cell_at(survey, x, z);
      difference[cell] += late * length / whole;
      difference[cells + cell] += length;
    });
    difference[2 * cells] += late * late;
  }
}

void measure_group(Times& measured, const Model& truth, const Survey& survey, int part, int parts) {
  if (truth.empty()) return;
  String string;
  for (int ray = part; ray < survey.rays(); ray += parts)
    measured.push_back(static_cast<float>(trace(survey, truth, ray, string)));
}

// The rock that is looked for.
Model make_truth(const Survey& survey) {
  Model truth(survey.cells());
  for (int row = 0; row < survey.depth; ++row) {
    for (int column = 0; column < survey.width; ++column) {
      const double x = static_cast<double>(column) / survey.width,
                   z = static_cast<double>(row) / survey.depth;
      const double layers = 0.006 * std::sin(20 * z + 2 * x) + 0.004 * std::sin(47 * z);
      const double dome = -0.01 * std::exp(-12 * (x - 0.6) * (x - 0.6) - 60 * (z - 0.55) * (z - 0.55));
      truth[cell_at(survey, column, row)] = static_cast<float>(0.1 * (1 - 0.15 * z) + layers + dome);
    }
  }
  return truth;
}

// The serial phase: each cell's slowness changes by what its rays were late by
// on the average, smoothed over the cells beside it.
void improve(const Survey& survey, Model& model, const Differences& difference) {
  const std::size_t cells = survey.cells();
  std::vector<double> change(cells);
  for (std::size_t c = 0; c < cells; ++c)
    if (difference[cells + c] > 0) change[c] = difference[c] / difference[cells + c];
  // Of each cell and the two on either side, along rows and then along columns.
  const auto smooth = [&](std::size_t lines, std::size_t along, std::size_t to_next_line,
                          std::size_t to_next) {
    std::vector<double> line(along);
    for (std::size_t l = 0; l < lines; ++l) {
      double* const first = &change[l * to_next_line];
      for (std::size_t i = 0; i < along; ++i) line[i] = first[i * to_next];
      for (std::size_t i = 0; i < along; ++i) {
        const std::size_t begin = i < 2 ? 0 : i - 2, end = std::min(along, i + 3);
        double sum = 0;
        for (std::size_t k = begin; k < end; ++k) sum += line[k];
        first[i * to_next] = sum / static_cast<double>(end - begin);
      }
    }
  };
  const auto width = static_cast<std::size_t>(survey.width), depth = static_cast<std::size_t>(survey.depth);
  smooth(depth, width, width, 1);
  smooth(width, depth, 1, width);
  for (std::size_t c = 0; c < cells; ++c) model[c] = static_cast<float>(std::max(0.02, model[c] + change[c]));
}

double error_of(const Model& model, const Model& truth) {
  double sum = 0;
  for (std::size_t i = 0; i < model.size(); ++i) sum += std::abs(model[i] - truth[i]) / truth[i];
  return sum / static_cast<double>(model.size());
}

// The model that is found, beside the true one.
void report_model(const Setup& setup, const Survey& survey, const Model& found, const Model& truth,
                  double first, double last, example::Application& app) {
  const double off = error_of(found, truth), off_before = error_of(Model(survey.cells(), 0.1F), truth);
  example::Checksum sum;
  sum.add(found);
  app.say("late_ms_first", first);
  app.say("late_ms_last", last);
  app.say("model_error_first", off_before);
  app.say("model_error_last", off);
  app.say("checksum", sum.text());
  app.check("the model explains the measurements no better than at first",
            setup.iterations < 2 || last < first / 2);
  app.check("the model is no nearer to the true one", setup.iterations < 2 || off < off_before);
}

// The program before it was written with tasks: one array of differences for all rays.
void invert_whole(const Setup& setup, example::Application& app) {
  const Survey survey{setup.width, setup.depth, setup.spacing};
  const Model truth = make_truth(survey);
  Model model(survey.cells(), 0.1F);
  Differences difference(2 * survey.cells() + 1);
  Times measured;
  measure_group(measured, truth, survey, 0, 1);
  double first = 0, last = 0;
  app.begin();
  for (int i = 0; i < setup.iterations; ++i) {
    trace_group(difference, survey, measured, model, 0, 1);
    improve(survey, model, difference);
    last = std::sqrt(difference.back() / survey.rays());
    if (i == 0) first = last;
  }
  app.end();
  report_model(setup, survey, model, truth, first, last, app);
}

void invert(const Setup& setup, example::Application& app) {
  if (setup.original) return invert_whole(setup, app);
  const int parts = setup.parts > 0 ? setup.parts : workers();
  const bool empty = app.work_free;
  const Survey survey{setup.width, setup.depth, setup.spacing};
  const Model true_model = make_truth(survey);
  const auto truth = create_named<Model>("true model", empty ? Model{} : true_model);
  const auto model = create_named<Model>("model", empty ? Model{} : Model(survey.cells(), 0.1F));
  const auto frame = create_named<Survey>("survey", survey);
  std::vector<shared<Differences>> difference;
  std::vector<shared<Times>> measured;
  const int first_place = setup.inside ? 0 : 1;
  for (int p = 0; p < parts; ++p) {
    difference.push_back(create_named<Differences>("differences " + std::to_string(p + first_place),
                                                   empty ? 0 : 2 * survey.cells() + 1));
    measured.push_back(create_named<Times>("times " + std::to_string(p + first_place)));
    // Each copy begins its life on another processor; the task of the main one's, which creates the tasks, is
    // the last.
    spawn([](Differences& d) { std::fill(d.begin(), d.end(), 0.0); }, read_write(difference.back()),
          on((p + first_place) % workers()));
  }
  // The observations of an oil field are there already: the time to make them is not measured.
  for (int p = 0; p < parts; ++p) {
    spawn(measure_group, read_write(measured[static_cast<std::size_t>(p)]), read(truth), read(frame), p,
          parts, on((p + first_place) % workers()), named("measure", p));
  }
  app.begin();
  double first = 0, last = 0;
  for (int i = 0; i < setup.iterations; ++i) {
    if (setup.inside) {
      const auto its = [&](int part) { return measured[static_cast<std::size_t>(part)]; };
      example::phase_that_adds_up(
          "trace", difference, [&](Access& a, int part) { a.rd(frame), a.rd(its(part)), a.rd(model); },
          [&](int part) {
            return [times = its(part), frame, model, part, parts](Differences& sum) {
              trace_group(sum, *read(frame), *read(times), *read(model), part, parts);
            };
          });
    }
    for (int p = 0; !setup.inside && p < parts; ++p) {
      const auto at = static_cast<std::size_t>(p);
      spawn(trace_group, write(difference[at]), read(frame), read(measured[at]), read(model), p, parts,
            named("trace", p));
    }
    if (!setup.inside) example::reduce_replicas(difference);
    const Differences& sum = *read(difference[0]);
    Model& next = *read_write(model);
    if (empty) continue;
    improve(survey, next, sum);
    last = std::sqrt(sum.back() / survey.rays());
    if (i == 0) first = last;
  }
  app.end();
  app.say("width", setup.width);
  app.say("depth", setup.depth);
  app.say("rays", survey.rays());
  app.say("iterations", setup.iterations);
  app.say("parts", parts);
  if (empty) return;
  report_model(setup, survey, *read(model), true_model, first, last, app);
}

}  // namespace

int main(int argc, char** argv) {
  Setup setup;
  example::Application app("string", "The velocities of rock between two wells, from travel times");
  app.option("--width", setup.width, "Feet between the wells", 8, 100000);
  app.option("--depth", setup.depth, "Feet of depth", 8, 100000);
  app.option("--spacing", setup.spacing, "Feet from one source, or receiver, to the next", 1, 100000);
  app.option("--iterations", setup.iterations, "Iterations", 0, 1e9);
  app.flag("--inside", setup.inside, "Tasks of a parallel phase add up by themselves, behind with_cont()");
  app.flag("--original", setup.original, "The program before it was written with tasks");
  app.option("--parts", setup.parts, "Groups of rays; 0: one for each processor", 0, 4096);
  return app.main(argc, argv, [&](example::Application& a) { invert(setup, a); });
}
