// SPDX-License-Identifier: Apache-2.0
// Type signatures: equal for equal sequences of basic elements, however they are
// built, and only then.
#include <gtest/gtest.h>
#include <mpi.h>

#include <string>

#include "sets/check/type_signature.hpp"

namespace {

using lapwing::sets::signature_of;
using lapwing::sets::type_name;

std::uint64_t value(MPI_Count count, MPI_Datatype type) { return signature_of(count, type).value(); }

TEST(Types, BasicOnes) {
  EXPECT_EQ(value(3, MPI_INT), value(3, MPI_INT));
  EXPECT_NE(value(3, MPI_INT), value(4, MPI_INT));
  EXPECT_NE(value(3, MPI_INT), value(3, MPI_FLOAT));
  EXPECT_NE(value(1, MPI_INT), value(1, MPI_UNSIGNED));
  EXPECT_NE(value(4, MPI_BYTE), value(1, MPI_INT));
  EXPECT_NE(value(2, MPI_FLOAT), value(1, MPI_DOUBLE));
  EXPECT_EQ(value(2, MPI_INT), value(2, MPI_INT32_T));
  EXPECT_EQ(value(2, MPI_LONG), value(2, MPI_INT64_T));
  EXPECT_EQ(value(2, MPI_DOUBLE), value(2, MPI_DOUBLE_PRECISION));
  EXPECT_EQ(value(0, MPI_INT), value(0, MPI_DOUBLE));
  EXPECT_NE(value(0, MPI_INT), value(1, MPI_INT));
}

TEST(Types, PairsAreTheirParts) {
  EXPECT_EQ(value(1, MPI_2INT), value(2, MPI_INT));
  MPI_Datatype pair;
  const int lengths[] = {1, 1};
  const MPI_Aint places[] = {0, 8};
  const MPI_Datatype parts[] = {MPI_DOUBLE, MPI_INT};
  MPI_Type_create_struct(2, lengths, places, parts, &pair);
  EXPECT_EQ(value(3, MPI_DOUBLE_INT), value(3, pair));
  EXPECT_NE(value(3, MPI_DOUBLE_INT), value(3, MPI_FLOAT_INT));
  MPI_Type_free(&pair);
}

TEST(Types, DerivedOnesAreSequences) {
  MPI_Datatype contiguous, vector, nested, indexed, resized, block, mixed_type, other;
  MPI_Type_contiguous(6, MPI_INT, &contiguous);
  EXPECT_EQ(value(2, contiguous), value(12, MPI_INT));
  MPI_Type_vector(3, 2, 7, MPI_INT, &vector);
  EXPECT_EQ(value(1, vector), value(1, contiguous));
  MPI_Type_vector(2, 1, 3, vector, &nested);
  EXPECT_EQ(value(1, nested), value(12, MPI_INT));
  const int lengths[] = {1, 5}, places[] = {9, 0};
  MPI_Type_indexed(2, lengths, places, MPI_INT, &indexed);
  EXPECT_EQ(value(1, indexed), value(6, MPI_INT));
  MPI_Type_create_resized(indexed, -8, 200, &resized);
  EXPECT_EQ(value(1, resized), value(6, MPI_INT));
  const int sizes[] = {5, 6}, part[] = {2, 3}, from[] = {1, 1};
  MPI_Type_create_subarray(2, sizes, part, from, MPI_ORDER_C, MPI_INT, &block);
  EXPECT_EQ(value(1, block), value(6, MPI_INT));
  // The same elements in another order are another sequence.
  const int ones[] = {1, 1};
  const MPI_Aint at[] = {0, 8};
  const MPI_Datatype first[] = {MPI_INT, MPI_DOUBLE}, second[] = {MPI_DOUBLE, MPI_INT};
  MPI_Type_create_struct(2, ones, at, first, &mixed_type);
  MPI_Type_create_struct(2, ones, at, second, &other);
  EXPECT_NE(value(1, mixed_type), value(1, other));
  EXPECT_NE(value(2, mixed_type), value(2, other));
  for (MPI_Datatype* type : {&contiguous, &vector, &nested, &indexed, &resized, &block, &mixed_type, &other})
    MPI_Type_free(type);
}

TEST(Types, LargeCountsCostNothing) {
  EXPECT_EQ(value(MPI_Count{1} << 40, MPI_2INT), value(MPI_Count{1} << 41, MPI_INT));
}

TEST(Types, NamesAndNothing) {
  EXPECT_EQ(std::string(type_name(MPI_INT)), "MPI_INT");
  EXPECT_EQ(std::string(type_name(MPI_DATATYPE_NULL)), "MPI_DATATYPE_NULL");
  EXPECT_EQ(value(5, MPI_DATATYPE_NULL), value(0, MPI_INT));
  EXPECT_EQ(value(1, MPI_PACKED), ~std::uint64_t{0});
}

}  // namespace
