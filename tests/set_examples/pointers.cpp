// SPDX-License-Identifier: Apache-2.0
// Processes call different functions through one pointer, and the collective calls
// there act on those that do. No branch parts them.
#include <mpi.h>

#include <cstdio>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <variant>

namespace {

int rank, size, wrong;

void expect(const char* what, long is, long should) {
  if (is == should) return;
  std::printf("rank %d: %s is %ld instead of %ld\n", rank, what, is, should);
  ++wrong;
}

long sum(long value) {
  long all = 0;
  MPI_Allreduce(&value, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  return all;
}
long most(long value) {
  long all = 0;
  MPI_Allreduce(&value, &all, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

struct Shape {
  virtual ~Shape() = default;
  virtual const char* name() const { return "shape"; }
  virtual long step(long value) = 0;
  virtual void leave() {}
};
struct Adds final : Shape {
  long step(long value) override { return sum(value); }
};
struct Maximises final : Shape {
  long step(long value) override {
    MPI_Barrier(MPI_COMM_WORLD);
    return most(value);
  }
};
struct Alone final : Shape {
  long step(long value) override { return value; }
  void leave() override {
    if (rank >= 0) throw std::runtime_error("left");
  }
};
struct LeavesLate final : Shape {
  long step(long value) override { return value; }
  void leave() override {
    sum(1);
    throw std::runtime_error("left late");
  }
};

// What the processes r with r % 3 == kind give together.
long of_kind(int kind, bool maximum) {
  long all = 0;
  for (int r = 0; r < size; ++r)
    if (r % 3 == kind) all = maximum ? (r + 1 > all ? r + 1 : all) : all + r + 1;
  return all;
}

void by_virtual_call() {
  std::unique_ptr<Shape> shape;
  if (rank % 3 == 0) shape = std::make_unique<Adds>();
  if (rank % 3 == 1) shape = std::make_unique<Maximises>();
  if (rank % 3 == 2) shape = std::make_unique<Alone>();
  for (int round = 0; round < 3; ++round) {
    const long got = shape->step(rank + 1);
    expect("virtual", got, rank % 3 == 2 ? rank + 1 : of_kind(rank % 3, rank % 3 == 1));
  }
  expect("all", sum(1), size);
}

void by_pointer() {
  long (*function)(long) = rank % 2 ? most : sum;
  const long got = function(1);
  expect("pointer", got, rank % 2 ? 1 : (size + 1) / 2);
  expect("all after a pointer", sum(1), size);
}

void by_function_object() {
  const std::function<long(long)> call =
      rank % 2 ? std::function<long(long)>([](long value) { return most(value) + sum(value); })
               : std::function<long(long)>(sum);
  expect("std::function", call(1), rank % 2 ? 1 + size / 2 : (size + 1) / 2);
  expect("all after std::function", sum(1), size);
}

void by_exception() {
  std::unique_ptr<Shape> shape;
  if (rank % 3 == 0) shape = std::make_unique<Adds>();
  if (rank % 3 == 1) shape = std::make_unique<LeavesLate>();
  if (rank % 3 == 2) shape = std::make_unique<Alone>();
  try {
    shape->leave();
  } catch (const std::runtime_error&) {
  }
  expect("all after an exception", sum(1), size);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  by_virtual_call();
  by_pointer();
  by_function_object();
  by_exception();
  const long bad = sum(wrong);
  if (rank == 0) std::printf("%s\n", bad ? "wrong" : "right");
  MPI_Finalize();
  return bad != 0;
}
