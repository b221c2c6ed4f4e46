// SPDX-License-Identifier: Apache-2.0
// Panel Cholesky: factors a sparse positive-definite matrix.
//
// The factor is cut into panels of adjacent columns with the same structure.
// There is one internal update task for each panel, which factors it, and one
// external update task for each pair of panels with overlapping structures,
// which reads one and updates the other. The locality object is the panel that
// is updated. Ordering and symbolic factorisation come before and are not
// measured.
#include <cmath>

#include "application.hpp"
#include "symbolic.hpp"

using namespace lapwing::tasks;
using example::Symmetric;

namespace {

using Panel = std::vector<double>;  // columns one after the other, each of all rows

struct Setup {
  std::string matrix;
  int grid = 16, width = 16;
  bool place = false, original = false;
};

// The structure of all panels in one array, so that it is one shared object:
// their number; for each its first column, its width, how many rows it has, and
// where these begin.
class Structure {
 public:
  explicit Structure(const std::vector<int>& flat) : flat_(flat) {}
  int panels() const { return flat_[0]; }
  int first(int p) const { return at(p, 0); }
  int width(int p) const { return at(p, 1); }
  int height(int p) const { return at(p, 2); }
  /// The rows of a panel: those of its own columns come first.
  const int* rows(int p) const { return flat_.data() + at(p, 3); }
  std::size_t size(int p) const {
    return static_cast<std::size_t>(width(p)) * static_cast<std::size_t>(height(p));
  }

 private:
  int at(int p, int which) const { return flat_[static_cast<std::size_t>(1 + 4 * p + which)]; }
  const std::vector<int>& flat_;
};

std::vector<int> make_structure(const std::vector<std::vector<int>>& rows, int widest) {
  struct Range {
    std::size_t first, end;
  };
  std::vector<Range> panels;
  for (std::size_t c = 0; c < rows.size(); ++c) {
    const bool same = c > 0 && !rows[c - 1].empty() && rows[c - 1].front() == static_cast<int>(c) &&
                      rows[c - 1].size() == rows[c].size() + 1;
    if (same && panels.back().end - panels.back().first < static_cast<std::size_t>(widest)) {
      ++panels.back().end;
    } else {
      panels.push_back({c, c + 1});
    }
  }
  std::vector<int> flat{static_cast<int>(panels.size())};
  std::size_t begins = 1 + 4 * panels.size();
  for (const auto& [first, end] : panels) {
    const std::size_t height = 1 + rows[first].size();
    for (const std::size_t value : {first, end - first, height, begins})
      flat.push_back(static_cast<int>(value));
    begins += height;
  }
  for (const auto& panel : panels) {
    flat.push_back(static_cast<int>(panel.first));
    flat.insert(flat.end(), rows[panel.first].begin(), rows[panel.first].end());
  }
  return flat;
}

void internal_update(double* panel, const Structure& structure, int p) {
  const auto width = static_cast<std::size_t>(structure.width(p)),
             height = static_cast<std::size_t>(structure.height(p));
  for (std::size_t c = 0; c < width; ++c) {
    double* const column = panel + c * height;
    for (std::size_t before = 0; before < c; ++before) {
      const double* const left = panel + before * height;
      const double factor = left[c];
      for (std::size_t r = c; r < height; ++r) column[r] -= factor * left[r];
    }
    if (!(column[c] > 0))
      throw std::runtime_error("the matrix is not positive definite: column " +
                               std::to_string(structure.first(p) + static_cast<int>(c)) +
                               " of the ordered matrix");
    const double root = std::sqrt(column[c]);
    for (std::size_t r = c; r < height; ++r) column[r] /= root;
  }
}

// Panel `to` loses what panel `from` takes from it. `place`: room for one number a row.
void external_update(double* into, const double* panel, const Structure& structure, int from, int to,
                     std::vector<std::size_t>& place) {
  const auto width = static_cast<std::size_t>(structure.width(from)),
             height = static_cast<std::size_t>(structure.height(from));
  const auto height_to = static_cast<std::size_t>(structure.height(to));
  const int* const rows = structure.rows(from);
  const int* const rows_to = structure.rows(to);
  const int first = structure.first(to), end = first + structure.width(to);
  const auto begin = static_cast<std::size_t>(std::lower_bound(rows, rows + height, first) - rows);
  place.resize(height);  // of each row in the other panel
  for (std::size_t r = begin, at = 0; r < height; ++r) {
    while (rows_to[at] != rows[r]) ++at;
    place[r] = at;
  }
  for (std::size_t c = begin; c < height && rows[c] < end; ++c) {
    double* const column = into + static_cast<std::size_t>(rows[c] - first) * height_to;
    for (std::size_t k = 0; k < width; ++k) {
      const double* const left = panel + k * height;
      const double factor = left[c];
      for (std::size_t r = c; r < height; ++r) column[place[r]] -= factor * left[r];
    }
  }
}

// The tasks. A panel without elements is work-free.
void internal_task(Panel& panel, const std::vector<int>& flat, int p) {
  if (!panel.empty()) internal_update(panel.data(), Structure(flat), p);
}

void external_task(Panel& into, const Panel& panel, const std::vector<int>& flat, int from, int to) {
  std::vector<std::size_t> place;
  if (!into.empty()) external_update(into.data(), panel.data(), Structure(flat), from, to, place);
}

// Calls each(other) for the panels that panel p updates.
template <class Each>
void each_updated(const Structure& structure, const std::vector<int>& panel_of, int p, const Each& each) {
  int last = p;
  for (int r = structure.width(p); r < structure.height(p); ++r) {
    const int to = panel_of[static_cast<std::size_t>(structure.rows(p)[r])];
    if (to == last) continue;
    last = to;
    each(to);
  }
}

// The program before it was written with tasks: all panels lie in one array.
std::vector<Panel> factor_whole(const std::vector<Panel>& panels, const Structure& structure,
                                const std::vector<int>& panel_of, example::Application& app) {
  std::vector<std::size_t> begins, place;
  std::size_t size = 0;
  for (const Panel& each : panels) {
    begins.push_back(size);
    size += each.size();
  }
  std::vector<double> all(size);
  for (std::size_t p = 0; p < panels.size(); ++p)
    std::copy(panels[p].begin(), panels[p].end(), all.begin() + static_cast<std::ptrdiff_t>(begins[p]));
  const auto at = [&](int p) { return all.data() + begins[static_cast<std::size_t>(p)]; };
  app.begin();
  for (int p = 0; p < structure.panels(); ++p) {
    internal_update(at(p), structure, p);
    each_updated(structure, panel_of, p,
                 [&](int to) { external_update(at(to), at(p), structure, p, to, place); });
  }
  app.end();
  std::vector<Panel> result;
  for (int p = 0; p < structure.panels(); ++p) result.emplace_back(at(p), at(p) + structure.size(p));
  return result;
}

// |Ax - b| / (|A| |x| + |b|), with x from the factor.
double residual(const Symmetric& matrix, const Structure& structure, const std::vector<Panel>& factor) {
  const auto n = matrix.column.size();
  std::vector<double> b(n, 0.0), x;
  const auto multiply = [&](const std::vector<double>& v, std::vector<double>& into) {
    double largest = 0;
    for (std::size_t c = 0; c < n; ++c) {
      for (const auto& [row, value] : matrix.column[c]) {
        const auto r = static_cast<std::size_t>(row);
        into[r] += value * v[c];
        if (r != c) into[c] += value * v[r];
        largest = std::max(largest, std::abs(value));
      }
    }
    return largest;
  };
  std::vector<double> known(n);
  for (std::size_t i = 0; i < n; ++i) known[i] = 1 + static_cast<double>(i % 7);
  multiply(known, b);
  x = b;
  const auto each = [&](int p, bool down) {
    const auto height = static_cast<std::size_t>(structure.height(p)),
               width = static_cast<std::size_t>(structure.width(p));
    const Panel& panel = factor[static_cast<std::size_t>(p)];
    const int* const rows = structure.rows(p);
    for (std::size_t k = 0; k < width; ++k) {
      const std::size_t c = down ? k : width - 1 - k;
      const double* const column = panel.data() + c * height;
      double& self = x[static_cast<std::size_t>(rows[c])];
      if (down) self /= column[c];
      for (std::size_t r = c + 1; r < height; ++r) {
        double& other = x[static_cast<std::size_t>(rows[r])];
        if (down) {
          other -= column[r] * self;
        } else {
          self -= column[r] * other;
        }
      }
      if (!down) self /= column[c];
    }
  };
  for (int p = 0; p < structure.panels(); ++p) each(p, true);
  for (int p = structure.panels(); p-- > 0;) each(p, false);
  std::vector<double> product(n, 0.0);
  const double largest = multiply(x, product);
  double worst = 0, size_x = 0, size_b = 0;
  for (std::size_t i = 0; i < n; ++i) {
    worst = std::max(worst, std::abs(product[i] - b[i]));
    size_x = std::max(size_x, std::abs(x[i]));
    size_b = std::max(size_b, std::abs(b[i]));
  }
  return worst / (largest * size_x + size_b);
}

std::vector<Panel> factor_by_tasks(const Setup& setup, std::vector<Panel>& values,
                                   const std::vector<int>& flat, const std::vector<int>& panel_of,
                                   example::Application& app) {
  const Structure structure(flat);
  const int panels = structure.panels();
  const auto shared_structure = create_named<std::vector<int>>("structure", flat);
  std::vector<shared<Panel>> panel;
  for (int p = 0; p < panels; ++p) {
    Panel& its = values[static_cast<std::size_t>(p)];
    if (app.work_free) its.clear();
    panel.push_back(create_named<Panel>("panel " + std::to_string(p), std::move(its)));
  }
  // One processor creates the tasks; the panels go round the others.
  const auto where = [&](int p) { return on(setup.place && workers() > 1 ? 1 + p % (workers() - 1) : -1); };

  app.begin();
  for (int p = 0; p < panels; ++p) {
    const auto from = panel[static_cast<std::size_t>(p)];
    spawn(internal_task, read_write(from), read(shared_structure), p, where(p), named("internal", p));
    each_updated(structure, panel_of, p, [&](int to) {
      spawn(external_task, read_write(panel[static_cast<std::size_t>(to)]), read(from),
            read(shared_structure), p, to, where(to), named("external", p, to));
    });
  }
  app.end();
  std::vector<Panel> result;
  for (const auto& each : panel) {
    if (!app.work_free) result.push_back(*read(each));
  }
  return result;
}

void factor(const Setup& setup, example::Application& app) {
  Symmetric matrix =
      setup.matrix.empty() ? example::make_grid(setup.grid) : example::read_matrix_market(setup.matrix);
  matrix = permuted(matrix, minimum_degree(matrix));
  matrix = permuted(matrix, example::postorder(elimination_tree(matrix)));
  const auto rows = factor_rows(matrix, elimination_tree(matrix));
  const std::vector<int> flat = make_structure(rows, setup.width);
  const Structure structure(flat);
  const int panels = structure.panels();

  std::vector<int> panel_of(matrix.column.size());
  std::vector<Panel> values;
  double elements = 0;
  for (int p = 0; p < panels; ++p) {
    values.emplace_back(structure.size(p));
    const int* const begin = structure.rows(p);
    const auto height = static_cast<std::size_t>(structure.height(p));
    for (int c = 0; c < structure.width(p); ++c) {
      panel_of[static_cast<std::size_t>(structure.first(p) + c)] = p;
      for (const auto& [row, value] : matrix.at(structure.first(p) + c)) {
        const auto r = static_cast<std::size_t>(std::lower_bound(begin, begin + height, row) - begin);
        values.back()[static_cast<std::size_t>(c) * height + r] += value;
      }
    }
    elements += static_cast<double>(values.back().size());
  }
  const std::vector<Panel> result = setup.original ? factor_whole(values, structure, panel_of, app)
                                                   : factor_by_tasks(setup, values, flat, panel_of, app);
  app.say("matrix", setup.matrix.empty() ? "grid of side " + std::to_string(setup.grid) : setup.matrix);
  app.say("columns", matrix.size());
  app.say("panels", panels);
  app.say("factor_elements", elements);
  if (app.work_free) return;
  example::Checksum sum;
  for (const Panel& each : result) sum.add(each);
  const double error = residual(matrix, structure, result);
  app.say("residual", error);
  app.say("checksum", sum.text());
  app.check("the factor does not solve the system", error < 1e-12);
}

}  // namespace

int main(int argc, char** argv) {
  Setup setup;
  example::Application app("cholesky", "Factors a sparse positive-definite matrix in panels");
  app.file("--matrix", setup.matrix, "A Matrix Market file, coordinate real symmetric");
  app.option("--grid", setup.grid, "Without a file: points of a cubic grid along each side", 1, 200);
  app.option("--panel", setup.width, "Columns of a panel, at most", 1, 4096);
  app.flag("--original", setup.original, "The program before it was written with tasks: panels in one array");
  app.flag("--place", setup.place, "Place each task, its panels round the processors but the main one");
  return app.main(argc, argv, [&](example::Application& a) { factor(setup, a); });
}
