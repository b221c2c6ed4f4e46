/* SPDX-License-Identifier: Apache-2.0
 *
 * Distributed arrays, part 6 of 9: dimensions that are distributed by lists of
 * indices, as unstructured meshes are.
 *
 * Each process names the indices that it holds; they lie in its local memory in
 * the order of its list. All calls take such arrays as they take all others, also
 * between them and others:
 *
 *   lapwing_index_lists_create(cells, mine, count, NULL, 0, tasks, &lists);
 *   struct lapwing_dimension by_list = lapwing_indexed(lists, 0);
 *   lapwing_distribution_create(LAPWING_FLOAT64, 1, &by_list, &grid, LAPWING_ROW_MAJOR, NULL, &mesh);
 *   lapwing_array_redistribute(blocks, n, by_blocks, local, count, mesh, tasks);
 *
 * The lists of an array that is sent hold every index once. Those of a receiver
 * may overlap (copies; the halo of a mesh) and need not hold every index.
 */
#ifndef LAPWING_ARRAY_INDEX_LISTS_H
#define LAPWING_ARRAY_INDEX_LISTS_H

#include "lapwing/array_distributions.h"
#include "lapwing/array_tasks.h"

#ifdef __cplusplus
extern "C" {
#endif

/** `indices`: the `count` indices, each from 0 to `extent` - 1 and none twice, of a
 *  dimension of `extent` elements that the calling process holds; copied. A
 *  process may hold none. `grid_dimension` is that of `grid` along which the lists lie: processes at
 *  the same place there give the same list, and one that is not in the grid is not asked for its own. Null:
 *  all processes of the task in their order, in one dimension. Collective over the task: the lists are
 *  exchanged by blocks of indices, so that no process keeps more than its own. */
int lapwing_index_lists_create(int64_t extent, const int64_t* indices, int64_t count,
                               const struct lapwing_grid* grid, int grid_dimension, lapwing_tasks* tasks,
                               lapwing_index_lists** lists);

/** Distributions made of them are not harmed. Sets `*lists` to null. Local. */
int lapwing_index_lists_free(lapwing_index_lists** lists);

/** The dimension of these lists, over a grid as that which they were made for. It
 *  has no ghost layers. `lists` must live until the distribution has been created.
 *  lapwing_distribution_position and _index know the calling process' own list only. Local. */
struct lapwing_dimension lapwing_indexed(const lapwing_index_lists* lists, int grid_dimension);

#ifdef __cplusplus
}
#endif
#endif
