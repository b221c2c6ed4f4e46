// SPDX-License-Identifier: Apache-2.0
// Datatypes whose size is known without a call: small messages of these go straight to MPI.
#include <gtest/gtest.h>
#include <mpi.h>

#include "transfer/wire/datatype.hpp"

namespace {

using lapwing::mpi::quick_type_size;
using lapwing::transfer::surely_below;

// The linker moves the ones that are named here into this program, where it can: they must be known there,
// too.
TEST(TypeSizes, OfPredefinedTypesAreKnown) {
  for (MPI_Datatype type : {MPI_CHAR, MPI_BYTE, MPI_INT, MPI_LONG, MPI_FLOAT, MPI_DOUBLE,
                            MPI_UNSIGNED_LONG_LONG, MPI_INT64_T, MPI_C_DOUBLE_COMPLEX}) {
    int size = 0;
    PMPI_Type_size(type, &size);
    EXPECT_GE(quick_type_size(type), static_cast<std::size_t>(size));
    EXPECT_TRUE(surely_below(8, type, 4096));
    EXPECT_FALSE(surely_below(4096, type, 4096));
  }
}

TEST(TypeSizes, OfTypesThatAProgramMakesAreNot) {
  MPI_Datatype row = MPI_DATATYPE_NULL, copy = MPI_DATATYPE_NULL;
  PMPI_Type_contiguous(1000, MPI_DOUBLE, &row);
  PMPI_Type_dup(MPI_INT, &copy);
  PMPI_Type_commit(&row);
  EXPECT_EQ(quick_type_size(row), 0U);
  EXPECT_EQ(quick_type_size(copy), 0U);
  EXPECT_FALSE(surely_below(8, row, 4096));
  PMPI_Type_free(&row);
  PMPI_Type_free(&copy);
}

}  // namespace
