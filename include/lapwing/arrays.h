/* SPDX-License-Identifier: Apache-2.0
 *
 * Distributed arrays: data-parallel tasks send each other whole arrays.
 */
#ifndef LAPWING_ARRAYS_H
#define LAPWING_ARRAYS_H

#include "lapwing/array_calls.h"
#include "lapwing/array_collectives.h"
#include "lapwing/array_distributions.h"
#include "lapwing/array_fft.h"
#include "lapwing/array_files.h"
#include "lapwing/array_ghosts.h"
#include "lapwing/array_index_lists.h"
#include "lapwing/array_tasks.h"
#include "lapwing/array_transforms.h"

#endif
