// SPDX-License-Identifier: Apache-2.0
// A message without gaps that travels in strips meets a receive with gaps: the header lands in the receive's
// own elements and is gathered from there, which must not lose bytes that the MPI does not count as part of
// them.
#include <gtest/gtest.h>
#include <mpi.h>

#include <complex>
#include <vector>

namespace {

constexpr int run = 3, stride = 5;

template <class Number>
MPI_Datatype type_of();
template <>
MPI_Datatype type_of<std::complex<double>>() {
  return MPI_C_DOUBLE_COMPLEX;
}
template <>
MPI_Datatype type_of<long double>() {
  return MPI_LONG_DOUBLE;
}
template <>
MPI_Datatype type_of<std::complex<long double>>() {
  return MPI_C_LONG_DOUBLE_COMPLEX;
}

template <class Number>
class Gaps : public ::testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Type_vector(runs_, run, stride, type_of<Number>(), &spread_type_);
    MPI_Type_commit(&spread_type_);
    for (int i = 0; i < run * runs_; ++i) dense_.push_back(Number(i + 1));
  }
  void TearDown() override { MPI_Type_free(&spread_type_); }
  void clear() { spread_.assign(static_cast<std::size_t>(runs_ * stride), Number(-1)); }
  void send() { MPI_Send(dense_.data(), run * runs_, type_of<Number>(), 1 - rank_, 1, MPI_COMM_WORLD); }
  void expect(const MPI_Status& status) {
    int count = 0;
    MPI_Get_count(&status, type_of<Number>(), &count);
    EXPECT_EQ(count, run * runs_);
    int wrong = 0;
    for (int i = 0; i < stride * runs_; ++i) {
      const Number expected = i % stride < run ? Number(i / stride * run + i % stride + 1) : Number(-1);
      wrong += spread_[static_cast<std::size_t>(i)] != expected;
    }
    EXPECT_EQ(wrong, 0);
  }
  const int runs_ = 4000;
  int rank_ = 0;
  MPI_Datatype spread_type_ = MPI_DATATYPE_NULL;
  std::vector<Number> dense_, spread_;
};

using Numbers = ::testing::Types<std::complex<double>, long double, std::complex<long double>>;
TYPED_TEST_SUITE(Gaps, Numbers);

TYPED_TEST(Gaps, OfBlockingReceives) {
  this->clear();
  MPI_Status status;
  if (this->rank_ == 0) {
    this->send();
  } else {
    MPI_Recv(this->spread_.data(), 1, this->spread_type_, 0, 1, MPI_COMM_WORLD, &status);
    this->expect(status);
  }
}

TYPED_TEST(Gaps, OfReceivesInFlight) {
  this->clear();
  MPI_Request request;
  MPI_Status status;
  MPI_Irecv(this->spread_.data(), 1, this->spread_type_, 1 - this->rank_, 1, MPI_COMM_WORLD, &request);
  this->send();
  MPI_Wait(&request, &status);
  this->expect(status);
}

TYPED_TEST(Gaps, OfPersistentReceives) {
  this->clear();
  MPI_Request request;
  MPI_Recv_init(this->spread_.data(), 1, this->spread_type_, 1 - this->rank_, 1, MPI_COMM_WORLD, &request);
  for (int round = 0; round < 3; ++round) {
    this->clear();
    MPI_Status status;
    MPI_Start(&request);
    this->send();
    MPI_Wait(&request, &status);
    this->expect(status);
  }
  MPI_Request_free(&request);
}

TYPED_TEST(Gaps, OfReceivesAfterAProbe) {
  this->clear();
  MPI_Status status;
  if (this->rank_ == 0) {
    this->send();
  } else {
    MPI_Probe(0, 1, MPI_COMM_WORLD, &status);
    MPI_Recv(this->spread_.data(), 1, this->spread_type_, 0, 1, MPI_COMM_WORLD, &status);
    this->expect(status);
  }
}

}  // namespace
