/* SPDX-License-Identifier: Apache-2.0 */
/* A common symbol, as Fortran's COMMON makes one: the linker gives it its place. */
__attribute__((common, visibility("default"))) double lapwing_fuzz_common_[520 * 1024 / sizeof(double)];
