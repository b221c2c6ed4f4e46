/* SPDX-License-Identifier: Apache-2.0
 *
 * Distributed arrays, part 7 of 9: arithmetic on the way.
 *
 * C = alpha op(A) + beta C, where A and C are distributed over the caller's task as
 * each likes: a redistribution whose elements are combined with those that are there
 * (ScaLAPACK's p?geadd and p?tran, COSTA's transform). Sections, index lists and grids
 * are those of all other calls. A and C have the same type: LAPWING_FLOAT32, _FLOAT64,
 * _COMPLEX64 or _COMPLEX128.
 */
#ifndef LAPWING_ARRAY_TRANSFORMS_H
#define LAPWING_ARRAY_TRANSFORMS_H

#include "lapwing/array_calls.h"

#ifdef __cplusplus
extern "C" {
#endif

/** op(A). To transpose, both arrays have two dimensions. Of more dimensions the
 *  section of `to` may have a permutation; its dimension d takes A's `permutation[d]`. */
enum lapwing_array_op {
  LAPWING_OP_NONE = 0,
  LAPWING_OP_TRANSPOSE = 1,
  LAPWING_OP_CONJUGATE_TRANSPOSE = 2,
  LAPWING_OP_CONJUGATE = 3
};

/** `alpha` and `beta`: the real and the imaginary part, which is 0 for real arrays; rounded
 *  to the arrays' type. A null `alpha` is 1, a null `beta` 0. With beta 0 C is not read, with
 *  alpha 0 A is not. Each product and the sum are rounded once, so that the result has the same
 *  bits under any distribution. The memory of the two does not overlap. Every process of the
 *  task makes the call, with equal op, alpha and beta. Arriving elements are kept in memory of
 *  Lapwing's, as large as this process' part of C, until all has. To wait for a section waits
 *  for all. Errors as those of lapwing_array_redistribute(), and LAPWING_ARRAY_ERR_ARGUMENT for
 *  an op or a scalar that does not fit, LAPWING_ARRAY_ERR_TYPE for other types. */
int lapwing_array_transform(int op, const double alpha[2], const void* from_local, int64_t from_elements,
                            const lapwing_distribution* from, const double beta[2], void* to_local,
                            int64_t to_elements, const lapwing_distribution* to, lapwing_tasks* tasks);
int lapwing_array_itransform(int op, const double alpha[2], const void* from_local, int64_t from_elements,
                             const lapwing_distribution* from, const double beta[2], void* to_local,
                             int64_t to_elements, const lapwing_distribution* to, lapwing_tasks* tasks,
                             lapwing_array_request** request);
/** A persistent one, for lapwing_array_start(). */
int lapwing_array_transform_init(int op, const double alpha[2], const void* from_local, int64_t from_elements,
                                 const lapwing_distribution* from, const double beta[2], void* to_local,
                                 int64_t to_elements, const lapwing_distribution* to, lapwing_tasks* tasks,
                                 lapwing_array_request** request);

#ifdef __cplusplus
}
#endif
#endif
