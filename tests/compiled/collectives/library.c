// SPDX-License-Identifier: Apache-2.0
// A library that the compiler has not seen, and that makes a collective.
#include <mpi.h>

void library(int* numbers);
void library(int* numbers) { MPI_Bcast(numbers, 5000, MPI_INT, 0, MPI_COMM_WORLD); }
