// SPDX-License-Identifier: Apache-2.0
// Random transforms, element by element against maps that count (random_case.hpp): the same bits
// as the formula gives. ARRAYS_CASES and ARRAYS_SEED say how many and which.
#include <gtest/gtest.h>
#include <mpi.h>

#include <complex>
#include <cstring>
#include <random>

#include "arrays/property_support.hpp"
#include "arrays/random_case.hpp"
#include "arrays/schedules/local.hpp"
#include "arrays/transfers/exchange.hpp"
#include "arrays/transfers/near_streams.hpp"
#include "entry/arrays/arrays.hpp"

namespace lapwing::arrays::testing {
namespace {

constexpr int types[] = {LAPWING_FLOAT32, LAPWING_FLOAT64, LAPWING_COMPLEX64, LAPWING_COMPLEX128};

// A number of two parts, as the room's are not: by std::complex, multiplied by hand.
template <typename Part>
struct Number {
  using Value = std::complex<Part>;
  static Value times(Value x, Value y, bool real) {
    if (real) return x.real() * y.real();
    return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
  }
};

struct How {
  int op = 0;
  double alpha[2] = {1, 0}, beta[2] = {0, 0};
};

double value_at(const Index& index, int salt) {
  std::uint64_t id = static_cast<std::uint64_t>(salt) * 7919;
  for (const std::int64_t i : index) id = id * 31 + static_cast<std::uint64_t>(i) + 1;
  return static_cast<double>(id * 2654435761U % 100003) / 997.0 - 50.0;
}

template <typename Part>
class Expected {
 public:
  using Value = typename Number<Part>::Value;
  Expected(const Case& c, const How& how, bool real, int rank)
      : case_(c), how_(how), real_(real), rank_(rank) {}

  void fill(std::vector<char>* a, std::vector<char>* c) const {
    each_element(case_.source, case_.source_lists,
                 [&](const Index& index, std::int64_t at) { put(a, at, number(index, 1)); });
    each_element(case_.destination, case_.destination_lists,
                 [&](const Index& index, std::int64_t at) { put(c, at, number(index, 3)); });
  }
  void apply(std::vector<char>* c) const {
    const Section from = filled(case_.from, case_.source), to = filled(case_.to, case_.destination);
    std::vector<int> permutation = to.permutation;
    if (how_.op == LAPWING_OP_TRANSPOSE || how_.op == LAPWING_OP_CONJUGATE_TRANSPOSE) permutation = {1, 0};
    Index counts;
    for (const auto& d : to.dimensions) counts.push_back(d.count);
    const OwnerMap map(case_.destination, rank_, case_.destination_lists);
    each_index(counts, [&](const Index& index) {
      Index there(index.size()), here;
      for (const auto& d : from.dimensions) here.push_back(d.first);
      for (std::size_t d = 0; d < index.size(); ++d) {
        there[d] = to.dimensions[d].first + index[d] * to.dimensions[d].stride;
        const int s = permutation.empty() ? static_cast<int>(d) : permutation[d];
        if (s >= 0)
          here[static_cast<std::size_t>(s)] += index[d] * from.dimensions[static_cast<std::size_t>(s)].stride;
      }
      const std::int64_t at = map.offset(there);
      if (at < 0) return;
      Value a = number(here, 1);
      if (how_.op >= LAPWING_OP_CONJUGATE_TRANSPOSE && !real_) a = std::conj(a);
      put(c, at, combined(a, get(*c, at)));
    });
  }

 private:
  static Value scalar(const double* parts) {
    return {static_cast<Part>(parts[0]), static_cast<Part>(parts[1])};
  }
  Value combined(Value a, Value old) const {
    const Value alpha = scalar(how_.alpha), beta = scalar(how_.beta);
    const Value scaled = Number<Part>::times(beta, old, real_);
    if (alpha == Value(0)) return beta == Value(0) ? Value(0) : scaled;
    const Value added = Number<Part>::times(alpha, a, real_);
    return beta == Value(0) ? added : added + scaled;
  }
  Value number(const Index& index, int salt) const {
    return {static_cast<Part>(value_at(index, salt)),
            static_cast<Part>(real_ ? 0 : value_at(index, salt + 1))};
  }
  std::size_t size() const { return real_ ? sizeof(Part) : sizeof(Value); }
  void put(std::vector<char>* memory, std::int64_t at, Value value) const {
    std::memcpy(memory->data() + static_cast<std::size_t>(at) * size(), &value, size());
  }
  Value get(const std::vector<char>& memory, std::int64_t at) const {
    Value value = 0;
    std::memcpy(&value, memory.data() + static_cast<std::size_t>(at) * size(), size());
    return value;
  }
  template <typename Visit>
  void each_element(const Distribution& array, const ListsByDimension& lists, Visit visit) const {
    Index extents;
    for (const Dimension& d : array.dimensions) extents.push_back(d.extent);
    const OwnerMap map(array, rank_, lists);
    each_index(extents, [&](const Index& index) {
      if (const std::int64_t at = map.offset(index); at >= 0) visit(index, at);
    });
  }

  const Case& case_;
  const How& how_;
  bool real_;
  int rank_;
};

template <typename Part>
void run(const Case& c, const How& how, bool real, unsigned manner, lapwing_tasks* tasks) {
  const int rank = lapwing_tasks_process_rank(tasks);
  lapwing_distribution from{std::make_shared<View>(View{c.source, c.from, false})},
      to{std::make_shared<View>(View{c.destination, c.to, false})};
  const std::int64_t have = local_part(c.source, rank).allocated,
                     want = local_part(c.destination, rank).allocated;
  std::vector<char> a(static_cast<std::size_t>(have * c.source.element_bytes()) + 1, 0x11);
  std::vector<char> mine(static_cast<std::size_t>(want * c.destination.element_bytes()) + 1, 0x22);
  const Expected<Part> expected(c, how, real, rank);
  expected.fill(&a, &mine);
  std::vector<char> right = mine;
  lapwing_array_request* request = nullptr;
  if (manner == 0) {
    ASSERT_EQ(0, lapwing_array_transform(how.op, how.alpha, a.data(), have, &from, how.beta, mine.data(),
                                         want, &to, tasks));
    expected.apply(&right);
    EXPECT_TRUE(mine == right) << "on rank " << rank;
    return;
  }
  const auto begin = manner == 1 ? lapwing_array_itransform : lapwing_array_transform_init;
  ASSERT_EQ(
      0, begin(how.op, how.alpha, a.data(), have, &from, how.beta, mine.data(), want, &to, tasks, &request));
  for (int turn = 0; turn < (manner == 1 ? 1 : 3); ++turn) {
    if (manner == 2) ASSERT_EQ(0, lapwing_array_start(request));
    ASSERT_EQ(0, lapwing_array_wait(&request, nullptr));
    expected.apply(&right);
    EXPECT_TRUE(mine == right) << "on rank " << rank << ", turn " << turn;
  }
  lapwing_array_request_free(&request);
}

How random_how(std::mt19937_64& random, const Case& c, bool real) {
  How how;
  const auto scalar = [&](double* parts) {
    const auto which = random() % 4;
    parts[0] = which == 0   ? 0
               : which == 1 ? 1
                            : static_cast<double>(static_cast<std::int64_t>(random() % 2001) - 1000) / 128;
    parts[1] =
        real || which < 2 ? 0 : static_cast<double>(static_cast<std::int64_t>(random() % 2001) - 1000) / 64;
  };
  scalar(how.alpha);
  scalar(how.beta);
  const bool conjugates = random() % 2;
  how.op = conjugates ? LAPWING_OP_CONJUGATE : LAPWING_OP_NONE;
  if (c.to.permutation == std::vector<int>{1, 0} && c.from.dimensions.size() == 2)
    how.op = conjugates ? LAPWING_OP_CONJUGATE_TRANSPOSE : LAPWING_OP_TRANSPOSE;
  return how;
}

TEST(TransformProperty, RandomTransforms) {
  const std::int64_t cases = from_environment("ARRAYS_CASES", 200), seed = from_environment("ARRAYS_SEED", 1);
  int size = 0, rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  lapwing_tasks* tasks = nullptr;
  ASSERT_EQ(0, lapwing_tasks_create(MPI_COMM_WORLD, 0, &tasks));
  for (std::int64_t i = 0; i < cases; ++i) {
    std::mt19937_64 random(static_cast<std::uint64_t>(seed + i) * 13 + 5);
    Case drawn = random_case(random, size, size, true);
    const int type = types[random() % 4];
    drawn.source.type = drawn.destination.type = static_cast<ElementType>(type);
    drawn.source.opaque_bytes = drawn.destination.opaque_bytes = 0;
    const bool real = type == LAPWING_FLOAT32 || type == LAPWING_FLOAT64;
    if (random() % 5 < 2) {
      add_lists(random, drawn);
      make_lists(tasks, drawn.source, drawn.source_lists);
      make_lists(tasks, drawn.destination, drawn.destination_lists);
    }
    const How how = random_how(random, drawn, real);
    if (how.op == LAPWING_OP_TRANSPOSE || how.op == LAPWING_OP_CONJUGATE_TRANSPOSE)
      drawn.to.permutation.clear();
    const auto manner = static_cast<unsigned>(random() % 3);
    lapwing_tasks_strategy(tasks, static_cast<int>(random() % 5));
    draw_sizes(random);
    if (type == LAPWING_FLOAT32 || type == LAPWING_COMPLEX64)
      run<float>(drawn, how, real, manner, tasks);
    else
      run<double>(drawn, how, real, manner, tasks);
    if (::testing::Test::HasFailure()) {
      ADD_FAILURE() << "case " << seed + i << ": op " << how.op << ", alpha " << how.alpha[0] << " "
                    << how.alpha[1] << ", beta " << how.beta[0] << " " << how.beta[1] << ", manner " << manner
                    << ", " << drawn.describe();
      break;
    }
  }
  lapwing_tasks_free(&tasks);
}

}  // namespace
}  // namespace lapwing::arrays::testing
