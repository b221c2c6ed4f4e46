// SPDX-License-Identifier: Apache-2.0
// Water: forces and potentials of water molecules in the liquid state.
//
// Each iteration has two parallel phases, forces and potential energy, each
// behind a serial phase that changes the positions: it predicts or corrects. A task of a parallel phase reads
// the array of all positions and adds up what its share of the pairs of molecules contributes, in a copy of
// the contribution array of its own; then the copies are added up as a tree. A task's locality object is the
// copy that it writes.
//
// The model: four sites a molecule (oxygen, two hydrogens, and the place of the
// negative charge), flexible bonds, the TIP4P family's parameters. Units:
// angstrom, femtosecond, atomic mass unit.
#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <vector>

#include "application.hpp"

using namespace lapwing::tasks;

namespace {

using Vector = std::array<double, 3>;
using Sites = std::vector<double>;  // of each molecule oxygen, hydrogen, hydrogen, charge; each x, y, z

constexpr double calorie = 4.184e-4;  // kcal/mol
constexpr double kelvin = 8.31446e-7;
constexpr double epsilon = 0.1852 * calorie, sigma = 3.1589;
constexpr double stretch = 1214 * calorie, bond = 0.9419, bending = 87.85 * calorie, rest_angle = 1.87448;
constexpr double lean = 0.73612;  // how much of the charge's place is the oxygen's
constexpr double coulomb = 332.0637 * calorie, hydrogen_charge = 0.5564;
constexpr std::array<double, 4> charge{0, hydrogen_charge, hydrogen_charge, -2 * hydrogen_charge};
constexpr std::array<double, 3> mass{15.9994, 1.00794, 1.00794};
constexpr std::size_t stride = 12;

struct Setup {
  int molecules = 1728, iterations = 8, parts = 0;
  double step = 0.25;
  bool inside = false, original = false;
};

// The data that every task reads beside the positions.
struct Frame {
  int molecules;
  double box;
  int iteration;
};

Vector at(const Sites& sites, std::size_t molecule, std::size_t site) {
  const double* const x = &sites[molecule * stride + 3 * site];
  return {x[0], x[1], x[2]};
}
Vector operator-(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
double dot(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
void add(Sites& sites, std::size_t molecule, std::size_t site, double factor, const Vector& v) {
  for (std::size_t k = 0; k < 3; ++k) sites[molecule * stride + 3 * site + k] += factor * v[k];
}

// The energy of a pair of molecules, and the forces on their sites if wanted.
// Beyond nine tenths of half the box it fades away.
double pair(const Sites& sites, const Frame& frame, std::size_t a, std::size_t b, Sites* forces) {
  const double most = frame.box / 2, fading = 0.9 * most;
  Vector shift{};
  Vector apart = at(sites, a, 0) - at(sites, b, 0);
  for (std::size_t k = 0; k < 3; ++k) shift[k] = frame.box * std::round(apart[k] / frame.box);
  apart = apart - shift;
  const double square = dot(apart, apart);
  if (square >= most * most) return 0;
  const double distance = std::sqrt(square);
  const double x = distance <= fading ? 0 : (distance - fading) / (most - fading);
  const double factor = 1 - x * x * x * (10 - x * (15 - 6 * x));
  const double slope = -30 * x * x * (1 - x) * (1 - x) / (most - fading);

  const double s6 = std::pow(sigma * sigma / square, 3);
  double energy = 4 * epsilon * s6 * (s6 - 1);
  std::array<std::array<double, 4>, 4> push{};  // force over distance
  push[0][0] = 24 * epsilon * s6 * (2 * s6 - 1) / square;
  for (std::size_t i = 1; i < 4; ++i) {
    for (std::size_t j = 1; j < 4; ++j) {
      const Vector d = at(sites, a, i) - at(sites, b, j) - shift;
      const double r2 = dot(d, d), v = coulomb * charge[i] * charge[j] / std::sqrt(r2);
      energy += v;
      push[i][j] = v / r2;
    }
  }
  if (forces == nullptr) return factor * energy;
  const auto apply = [&](std::size_t i, std::size_t j, double strength, const Vector& d) {
    add(*forces, a, i, strength, d);
    add(*forces, b, j, -strength, d);
  };
  apply(0, 0, factor * push[0][0] - slope * energy / distance, apart);
  for (std::size_t i = 1; i < 4; ++i) {
    for (std::size_t j = 1; j < 4; ++j) {
      apply(i, j, factor * push[i][j], at(sites, a, i) - at(sites, b, j) - shift);
    }
  }
  return factor * energy;
}

// Each molecule meets the half of the others that follows it, round the array.
template <class Each>
void pairs_of_part(const Frame& frame, int part, int parts, const Each& each) {
  const int n = frame.molecules;
  for (int a = static_cast<int>(static_cast<long>(n) * part / parts);
       a < static_cast<int>(static_cast<long>(n) * (part + 1) / parts); ++a) {
    const int reach = n % 2 == 1 ? (n - 1) / 2 : a < n / 2 ? n / 2 : n / 2 - 1;
    for (int k = 1; k <= reach; ++k) each(static_cast<std::size_t>(a), static_cast<std::size_t>((a + k) % n));
  }
}

void forces_of_part(Sites& contribution, const Frame& frame, const Sites& sites, int part, int parts) {
  if (sites.empty()) return;  // work-free
  std::fill(contribution.begin(), contribution.end(), 0.0);
  pairs_of_part(frame, part, parts,
                [&](std::size_t a, std::size_t b) { pair(sites, frame, a, b, &contribution); });
}

void energy_of_part(std::vector<double>& contribution, const Frame& frame, const Sites& sites, int part,
                    int parts) {
  if (sites.empty()) return;
  contribution[0] = 0;
  pairs_of_part(frame, part, parts,
                [&](std::size_t a, std::size_t b) { contribution[0] += pair(sites, frame, a, b, nullptr); });
}

// Bonds and angle of one molecule: its energy, and the forces added.
double inside_molecule(const Sites& sites, std::size_t m, Sites& forces) {
  const Vector u = at(sites, m, 1) - at(sites, m, 0), v = at(sites, m, 2) - at(sites, m, 0);
  const double ru = std::sqrt(dot(u, u)), rv = std::sqrt(dot(v, v));
  const double cosine = dot(u, v) / (ru * rv), angle = std::acos(cosine), bent = angle - rest_angle;
  const double torque = bending * bent / std::sqrt(1 - cosine * cosine);
  const auto hydrogen = [&](std::size_t site, const Vector& mine, double r, const Vector& other, double s) {
    const double pull = -stretch * (r - bond) / r - torque * cosine / (r * r);
    for (const auto& [where, sign] : {std::pair{site, 1.0}, {std::size_t{0}, -1.0}}) {
      add(forces, m, where, sign * pull, mine);
      add(forces, m, where, sign * torque / (r * s), other);
    }
  };
  hydrogen(1, u, ru, v, rv);
  hydrogen(2, v, rv, u, ru);
  return 0.5 * stretch * ((ru - bond) * (ru - bond) + (rv - bond) * (rv - bond)) +
         0.5 * bending * bent * bent;
}

// The serial phases: what one processor does with all molecules.
class Molecules {
 public:
  explicit Molecules(const Setup& setup) : setup_(setup), box_(std::cbrt(29.9 * setup.molecules)) {
    std::mt19937 random(1728);
    const auto uniform = [&] { return static_cast<double>(random()) / 4294967296.0; };
    const auto normal = [&] {
      return std::sqrt(-2 * std::log(uniform() + 1e-12)) * std::cos(6.283185307 * uniform());
    };
    const auto n = static_cast<std::size_t>(setup.molecules);
    auto side = static_cast<std::size_t>(std::ceil(std::cbrt(static_cast<double>(n)) - 1e-9));
    const double apart = box_ / static_cast<double>(side);
    sites.resize(n * stride);
    velocity_.resize(n * stride);
    for (std::size_t m = 0; m < n; ++m) {
      const std::array<std::size_t, 3> cell{m % side, m / side % side, m / side / side};
      const double tilt = std::acos(2 * uniform() - 1), turn = 6.283185307 * uniform(),
                   roll = 6.283185307 * uniform();
      for (std::size_t k = 0; k < 3; ++k)
        sites[m * stride + k] = apart * (static_cast<double>(cell[k]) + 0.5 + 0.1 * (uniform() - 0.5));
      const Vector e{std::cos(turn) * std::cos(tilt), std::sin(turn) * std::cos(tilt), -std::sin(tilt)};
      const Vector f{-std::sin(turn), std::cos(turn), 0};
      for (std::size_t h = 1; h < 3; ++h) {
        const double angle = roll + (h == 1 ? 0.5 : -0.5) * rest_angle;
        for (std::size_t k = 0; k < 3; ++k)
          sites[m * stride + 3 * h + k] =
              sites[m * stride + k] + bond * (std::cos(angle) * e[k] + std::sin(angle) * f[k]);
      }
      for (std::size_t s = 0; s < 3; ++s) {
        for (std::size_t k = 0; k < 3; ++k)
          velocity_[m * stride + 3 * s + k] = std::sqrt(300 * kelvin / mass[s]) * normal();
      }
    }
    place_charges();
  }

  Frame frame(int iteration) const { return {setup_.molecules, box_, iteration}; }

  /// Half a step of velocities with the forces as they were, then a step of positions.
  void predict() {
    kick();
    for (std::size_t i = 0; i < sites.size(); ++i) sites[i] += setup_.step * velocity_[i];
    for (std::size_t m = 0; m < sites.size() / stride; ++m) {
      for (std::size_t k = 0; k < 3; ++k) {
        const double away = box_ * std::floor(sites[m * stride + k] / box_);
        for (std::size_t s = 0; s < 3; ++s) sites[m * stride + 3 * s + k] -= away;
      }
    }
    place_charges();
  }

  /// The forces between molecules have come.
  void take(const Sites& between) {
    force_before_ = force_;
    force_ = between;
    inside_ = 0;
    for (std::size_t m = 0; m < sites.size() / stride; ++m) {
      const Vector on_charge = at(force_, m, 3);
      for (std::size_t s = 0; s < 3; ++s) add(force_, m, s, s == 0 ? lean : (1 - lean) / 2, on_charge);
      inside_ += inside_molecule(sites, m, force_);
    }
  }

  /// The other half of the velocities, and positions as the new forces have them: accelerations have changed
  /// evenly during the step.
  void correct() {
    kick();
    for (std::size_t i = 0; i < sites.size(); ++i) {
      if (i % stride < 9)
        sites[i] += setup_.step * setup_.step / 6 * (force_[i] - force_before_[i]) / mass[i % stride / 3];
    }
    place_charges();
  }

  double energy(double between) const {
    double motion = 0;
    for (std::size_t i = 0; i < sites.size(); ++i) {
      if (i % stride < 9) motion += 0.5 * mass[i % stride / 3] * velocity_[i] * velocity_[i];
    }
    return (motion + inside_ + between) / calorie;
  }

  Vector momentum() const {
    Vector sum{};
    for (std::size_t i = 0; i < sites.size(); ++i) {
      if (i % stride < 9) sum[i % 3] += mass[i % stride / 3] * velocity_[i];
    }
    return sum;
  }

  Sites sites;

 private:
  void kick() {
    for (std::size_t i = 0; i < sites.size(); ++i) {
      if (i % stride < 9) velocity_[i] += 0.5 * setup_.step * force_[i] / mass[i % stride / 3];
    }
  }
  void place_charges() {
    for (std::size_t m = 0; m < sites.size() / stride; ++m) {
      for (std::size_t k = 0; k < 3; ++k) {
        double* const x = &sites[m * stride + k];
        x[9] = lean * x[0] + (1 - lean) / 2 * (x[3] + x[6]);
      }
    }
  }

  Setup setup_;
  double box_, inside_ = 0;
  Sites velocity_, force_, force_before_;
};

// The result, beside what is conserved.
void report_state(const Setup& setup, const Molecules& molecules, double before, double after,
                  const Vector& drift_before, example::Application& app) {
  const double change = (after - before) / setup.molecules;
  example::Checksum sum;
  sum.add(molecules.sites);
  sum.add(std::vector<double>{after});
  app.say("energy_kcal_mol", after / setup.molecules);
  app.say("energy_change", change);
  app.say("checksum", sum.text());
  app.check("the energy is not conserved", std::abs(change) < 0.02);
  const Vector drift = molecules.momentum() - drift_before;
  app.check("the momentum is not conserved", std::sqrt(dot(drift, drift)) < 1e-9 * setup.molecules);
}

// The program before it was written with tasks: the molecules' own positions, and one array of contributions.
void simulate_whole(const Setup& setup, example::Application& app) {
  Molecules molecules(setup);
  Sites force(molecules.sites.size());
  std::vector<double> potential(1);
  const auto forces = [&](int iteration) {
    forces_of_part(force, molecules.frame(iteration), molecules.sites, 0, 1);
    molecules.take(force);
  };
  const auto energy = [&](int iteration) {
    energy_of_part(potential, molecules.frame(iteration), molecules.sites, 0, 1);
    return molecules.energy(potential[0]);
  };
  forces(0);
  const double before = energy(0);
  const Vector drift_before = molecules.momentum();
  double after = before;
  app.begin();
  for (int i = 1; i <= setup.iterations; ++i) {
    molecules.predict();
    forces(i);
    molecules.correct();
    after = energy(i);
  }
  app.end();
  report_state(setup, molecules, before, after, drift_before, app);
}

void simulate(const Setup& setup, example::Application& app) {
  if (setup.original) return simulate_whole(setup, app);
  const int parts = setup.parts > 0 ? setup.parts : workers();
  const bool empty = app.work_free;
  Molecules molecules(setup);
  const auto positions = create_named<Sites>("positions", empty ? Sites{} : molecules.sites);
  const auto frame = create_named<Frame>("frame", molecules.frame(0));
  std::vector<shared<std::vector<double>>> force, potential;
  for (int p = 0; p < parts; ++p) {
    // Each copy begins its life on another processor; the task of the main one's, which creates the tasks, is
    // the last.
    const int place = setup.inside ? p : p + 1;
    const std::string number = std::to_string(place);
    force.push_back(create_named<Sites>("forces " + number, empty ? 0 : molecules.sites.size()));
    potential.push_back(create_named<std::vector<double>>("potential " + number, empty ? 0 : 1));
    spawn([](Sites& f, Sites& e) { std::fill(f.begin(), f.end(), 0.0), std::fill(e.begin(), e.end(), 0.0); },
          read_write(force.back()), read_write(potential.back()), on(place % workers()));
  }
  // The small object comes before the large one, so that it does not wait behind it.
  const auto phase = [&](const auto& body, const auto& copies, const char* name) {
    if (setup.inside) {
      return example::phase_that_adds_up(
          name, copies, [&](Access& a, int) { a.rd(frame), a.rd(positions); },
          [&](int part) {
            return [frame, positions, body, part, parts](std::vector<double>& sum) {
              body(sum, *read(frame), *read(positions), part, parts);
            };
          });
    }
    for (int p = 0; p < parts; ++p)
      spawn(body, write(copies[static_cast<std::size_t>(p)]), read(frame), read(positions), p, parts,
            named(name, p));
    example::reduce_replicas(copies);
  };
  const auto total_energy = [&] {
    phase(energy_of_part, potential, "potential");
    const auto& sum = *read(potential[0]);
    return empty ? 0 : molecules.energy(sum[0]);
  };

  // The work before the first iteration is not measured.
  phase(forces_of_part, force, "forces");
  if (const auto& sum = *read(force[0]); !empty) molecules.take(sum);
  const double before = total_energy();
  const Vector drift_before = molecules.momentum();
  double after = before;
  app.begin();
  for (int i = 1; i <= setup.iterations; ++i) {
    if (!empty) molecules.predict();
    *write(positions) = empty ? Sites{} : molecules.sites;
    *write(frame) = molecules.frame(i);
    phase(forces_of_part, force, "forces");
    if (const auto& sum = *read(force[0]); !empty) {
      molecules.take(sum);
      molecules.correct();
    }
    *write(positions) = empty ? Sites{} : molecules.sites;
    after = total_energy();
  }
  app.end();
  app.say("molecules", setup.molecules);
  app.say("iterations", setup.iterations);
  app.say("parts", parts);
  if (empty) return;
  report_state(setup, molecules, before, after, drift_before, app);
}

}  // namespace

int main(int argc, char** argv) {
  Setup setup;
  example::Application app("water", "Forces and potentials of water molecules in the liquid state");
  app.option("--molecules", setup.molecules, "Molecules", 8, 1e6);
  app.option("--iterations", setup.iterations, "Iterations", 0, 1e9);
  app.option("--parts", setup.parts, "Tasks of a parallel phase; 0: one for each processor", 0, 4096);
  app.flag("--inside", setup.inside, "Tasks of a parallel phase add up by themselves, behind with_cont()");
  app.flag("--original", setup.original, "The program before it was written with tasks");
  app.option("--step", setup.step, "Femtoseconds of an iteration", 1e-3, 1);
  return app.main(argc, argv, [&](example::Application& a) { simulate(setup, a); });
}
