/* SPDX-License-Identifier: Apache-2.0 */
/* What marks a program whose MPI library was linked into it. */
int MPI_Init(int* argc, char*** argv) { return argc == 0 && argv == 0; }
