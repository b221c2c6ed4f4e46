// SPDX-License-Identifier: Apache-2.0
// C = alpha op(A) + beta C while redistributing: against the definition, element by element.
#include <complex>
#include <limits>
#include <string>

#include "arrays/calls_fixture.hpp"
#include "lapwing/arrays.hpp"

namespace lapwing::arrays::testing {
namespace {

using Complex = std::complex<double>;

class Transforms : public Calls {
 protected:
  // The caller's task as C++ has it, for arrays of any type.
  template <typename T, typename Fill>
  DistributedArray<T> made(const Tasks& tasks, const std::vector<lapwing_dimension>& dimensions, Fill fill,
                           int order = LAPWING_ROW_MAJOR) const {
    DistributedArray<T> array(tasks, dimensions, {mine_}, order);
    array.each([&](const auto& index, T& x) { x = fill(index[0], index[1]); });
    return array;
  }
  static double a_at(std::int64_t i, std::int64_t j) {
    return 0.1 * static_cast<double>(3 * i) - static_cast<double>(j) / 7;
  }
  static double c_at(std::int64_t i, std::int64_t j) { return 1.0 / static_cast<double>(i + 2 * j + 1); }
};

TEST_F(Transforms, AddsTransposesAndConjugates) {
  const Tasks tasks(MPI_COMM_WORLD, task_);
  const std::int64_t m = 13, n = 9;
  const auto a = made<double>(tasks, {lapwing_block(m, mine_, 0), lapwing_collapsed(n)}, a_at);
  for (const int order : {LAPWING_ROW_MAJOR, LAPWING_COLUMN_MAJOR}) {
    auto c = made<double>(tasks, {lapwing_collapsed(m), lapwing_cyclic(n, 2, 0)}, c_at, order);
    transform(LAPWING_OP_NONE, 2.5, a, -0.3, c, tasks);
    c.each([&](const auto& x, double& here) {
      EXPECT_EQ(here, 2.5 * a_at(x[0], x[1]) + -0.3 * c_at(x[0], x[1]));
    });
    auto t = made<double>(tasks, {lapwing_cyclic(n, 2, 0), lapwing_collapsed(m)}, c_at, order);
    transform(LAPWING_OP_TRANSPOSE, 1.0, a, 1.0, t, tasks);
    t.each([&](const auto& x, double& here) { EXPECT_EQ(here, a_at(x[1], x[0]) + c_at(x[0], x[1])); });
  }
  const auto z = made<Complex>(tasks, {lapwing_block(m, mine_, 0), lapwing_collapsed(n)},
                               [](auto i, auto j) { return Complex(a_at(i, j), c_at(i, j)); });
  auto w = made<Complex>(tasks, {lapwing_cyclic(n, 2, 0), lapwing_collapsed(m)},
                         [](auto i, auto j) { return Complex(c_at(i, j), a_at(j, i)); });
  const Complex alpha(0.5, -2), beta(-1, 0.25);
  transform(LAPWING_OP_CONJUGATE_TRANSPOSE, alpha, z, beta, w, tasks);
  const auto product = [](Complex x, Complex y) {
    return Complex(x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real());
  };
  w.each([&](const auto& x, Complex& here) {
    const Complex from = std::conj(Complex(a_at(x[1], x[0]), c_at(x[1], x[0])));
    EXPECT_EQ(here, product(alpha, from) + product(beta, Complex(c_at(x[0], x[1]), a_at(x[1], x[0]))));
  });
}

TEST_F(Transforms, NonBlockingAndPersistent) {
  const Tasks tasks(MPI_COMM_WORLD, task_);
  const auto a = made<float>(tasks, {lapwing_block(20, mine_, 0), lapwing_collapsed(20)},
                             [](auto i, auto j) { return static_cast<float>(i + 100 * j); });
  auto c =
      made<float>(tasks, {lapwing_cyclic(20, 3, 0), lapwing_collapsed(20)}, [](auto, auto) { return 1.0F; });
  ArrayRequest once = itransform(LAPWING_OP_TRANSPOSE, 1.0F, a, 1.0F, c, tasks);
  EXPECT_EQ(once.wait().elements, static_cast<std::int64_t>(c.local().size()));
  ArrayRequest again = transform_init(LAPWING_OP_TRANSPOSE, 1.0F, a, 1.0F, c, tasks);
  for (int turn = 0; turn < 3; ++turn) {
    again.start();
    if (turn == 1) again.wait_section({0, 0}, {20, 20});
    again.wait();
  }
  c.each(
      [](const auto& x, float& here) { EXPECT_EQ(here, static_cast<float>(4 * (x[1] + 100 * x[0]) + 1)); });
}

// As BLAS has it: what is multiplied by zero is not read.
TEST_F(Transforms, ZeroScalars) {
  const Tasks tasks(MPI_COMM_WORLD, task_);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const auto a = made<double>(tasks, rows(11), a_at),
             none = made<double>(tasks, rows(11), [=](auto, auto) { return nan; });
  auto c = made<double>(tasks, columns(11), [=](auto, auto) { return nan; });
  transform(LAPWING_OP_NONE, 3.0, a, 0.0, c, tasks);
  c.each([](const auto& x, double& here) { EXPECT_EQ(here, 3.0 * a_at(x[0], x[1])); });
  ArrayRequest halve = transform_init(LAPWING_OP_NONE, 0.0, none, 0.5, c, tasks);
  for (int turn = 0; turn < 2; ++turn) {
    halve.start();
    halve.wait();
  }
  c.each([](const auto& x, double& here) { EXPECT_EQ(here, 3.0 * a_at(x[0], x[1]) / 4); });
  transform(LAPWING_OP_NONE, 0.0, none, 0.0, c, tasks);
  c.each([](const auto&, double& here) { EXPECT_EQ(here, 0.0); });
}

class TransformErrors : public TwoTasks {
 protected:
  int transform(int op, const double* alpha, const Array& a, const lapwing_distribution* c,
                std::vector<char>& room) {
    return lapwing_array_transform(op, alpha, a.local.data(), a.size(), a.distribution, nullptr, room.data(),
                                   static_cast<std::int64_t>(room.size() / 16), c, tasks_);
  }
  static void says(const std::string& words) {
    const std::string sentence = lapwing_array_error_string();
    EXPECT_NE(sentence.find(words), std::string::npos) << sentence;
  }
  lapwing_distribution* like(const std::vector<lapwing_dimension>& dimensions, int type) const {
    const lapwing_grid grid{1, &mine_, LAPWING_ROW_MAJOR, nullptr};
    lapwing_distribution* made = nullptr;
    EXPECT_EQ(0, lapwing_distribution_create(type, static_cast<int>(dimensions.size()), dimensions.data(),
                                             &grid, LAPWING_ROW_MAJOR, nullptr, &made));
    return made;
  }
};

TEST_F(TransformErrors, SayWhatDoesNotFit) {
  const Array a({lapwing_block(8, mine_, 0), lapwing_collapsed(6)}, {mine_}, tasks_);
  const Array b({lapwing_block(8, mine_, 0)}, {mine_}, tasks_);
  std::vector<char> room(16 * 48);
  const double imaginary[2] = {1, 2};
  const auto wrong = [&](int code, const std::string& words, int op, const double* alpha, const Array& from,
                         const std::vector<lapwing_dimension>& to, int type = LAPWING_FLOAT64) {
    lapwing_distribution* c = like(to, type);
    EXPECT_EQ(code, transform(op, alpha, from, c, room)) << words;
    says(words);
    lapwing_distribution_free(&c);
  };
  const std::vector<lapwing_dimension> same = {lapwing_block(8, mine_, 0), lapwing_collapsed(6)};
  wrong(LAPWING_ARRAY_ERR_ARGUMENT, "op 9 is unknown", 9, nullptr, a, same);
  wrong(LAPWING_ARRAY_ERR_ARGUMENT, "alpha has the imaginary part 2", LAPWING_OP_NONE, imaginary, a, same);
  wrong(LAPWING_ARRAY_ERR_TYPE, "types must be equal", LAPWING_OP_NONE, nullptr, a, same, LAPWING_FLOAT32);
  wrong(LAPWING_ARRAY_ERR_TYPE, "of which there is arithmetic", LAPWING_OP_NONE, nullptr, a, same,
        LAPWING_INT32);
  wrong(LAPWING_ARRAY_ERR_SHAPE, "1 dimensions; a transposition takes two", LAPWING_OP_TRANSPOSE, nullptr, b,
        {lapwing_block(8, mine_, 0)});
  wrong(LAPWING_ARRAY_ERR_SHAPE, "imension", LAPWING_OP_TRANSPOSE, nullptr, a, same);
  const double alphas[2] = {rank_ == 0 ? 1.0 : 2.0, 0};
  if (mine_ > 1) wrong(LAPWING_ARRAY_ERR_DIFFERS, "ops or scalars", LAPWING_OP_NONE, alphas, a, same);
  lapwing_distribution* c = like(same, LAPWING_FLOAT64);
  EXPECT_EQ(0, transform(LAPWING_OP_NONE, nullptr, a, c, room));
  lapwing_distribution_free(&c);
}

}  // namespace
}  // namespace lapwing::arrays::testing
