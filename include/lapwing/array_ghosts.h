/* SPDX-License-Identifier: Apache-2.0
 *
 * Distributed arrays, part 5 of 9: ghost layers.
 *
 * A process has layers around its owned elements in local memory where dimensions
 * say so (ghost_below, ghost_above). An update fills them with the elements that
 * lie there in the whole array, from the processes of the task that own these:
 * what a stencil wants before each sweep. Layers may be wider than a neighbour's
 * block; blocks may be uneven, and processes without elements take no part beyond
 * the call. Ghosts outside the array stay as they are, but for periodic dimensions.
 *
 * Every process of the task makes the call, with the same distribution, ghosts,
 * corners and periods alike; messages go between neighbours only. The owned
 * elements may be read, but neither written nor moved, and the ghosts not be
 * touched until the update is complete. Schedules are kept, as those of other
 * transfers are.
 */
#ifndef LAPWING_ARRAY_GHOSTS_H
#define LAPWING_ARRAY_GHOSTS_H

#include "lapwing/array_calls.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Which ghosts an update fills. */
enum lapwing_ghosts {
  LAPWING_GHOSTS_FACES = 0,  /**< those beside owned elements in one dimension: a star stencil's */
  LAPWING_GHOSTS_CORNERS = 1 /**< also those beside them in several: a box stencil's */
};

/** `local` is the local memory of the calling process, `elements` its size; null and
 *  0 where it owns nothing. `array` is a whole array: a section has no ghosts of its
 *  own. Each dimension that has ghosts is collapsed or lies in one block on each
 *  process: BLOCK, IRREGULAR, or CYCLIC(k) that does not go round. `periodic` has one
 *  number for each dimension, not 0 where the first and the last element are
 *  neighbours; null: nowhere. Returns when the ghosts of this process are filled and
 *  its own elements have left. Errors: LAPWING_ARRAY_ERR_ARGUMENT for an array or
 *  option that does not fit, LAPWING_ARRAY_ERR_BUFFER, LAPWING_ARRAY_ERR_GRID, and
 *  LAPWING_ARRAY_ERR_DIFFERS, which is only found where errors are returned.
 *  Collective over the caller's task. */
int lapwing_array_update_ghosts(void* local, int64_t elements, const lapwing_distribution* array, int ghosts,
                                const int* periodic, lapwing_tasks* tasks);

/** The same without waiting: the calls of array_calls.h complete `*request`. Several
 *  updates may be pending, also of one array's different memories. The status has the
 *  ghosts that this process received. To wait for a section waits for all of them. */
int lapwing_array_iupdate_ghosts(void* local, int64_t elements, const lapwing_distribution* array, int ghosts,
                                 const int* periodic, lapwing_tasks* tasks, lapwing_array_request** request);

/** A persistent one, for lapwing_array_start(): nothing but the data moves at a start.
 *  Free it with lapwing_array_request_free(). `local` must stay where it is. */
int lapwing_array_update_ghosts_init(void* local, int64_t elements, const lapwing_distribution* array,
                                     int ghosts, const int* periodic, lapwing_tasks* tasks,
                                     lapwing_array_request** request);

/** The other way: each ghost that an update would fill is added to the element of its
 *  owner, which is what an assembly by cells wants; ghosts stay as they are. Arguments,
 *  errors and completion as above; opaque elements cannot be added. Until it is complete,
 *  owned elements may not be touched and ghosts be read only. Lapwing keeps arriving elements
 *  in memory of its own, as large as all ghosts of this process' elements, and adds them in
 *  the same order each time. The status has the elements that arrived here. Collective over
 *  the caller's task. */
int lapwing_array_add_ghosts(void* local, int64_t elements, const lapwing_distribution* array, int ghosts,
                             const int* periodic, lapwing_tasks* tasks);
int lapwing_array_iadd_ghosts(void* local, int64_t elements, const lapwing_distribution* array, int ghosts,
                              const int* periodic, lapwing_tasks* tasks, lapwing_array_request** request);
int lapwing_array_add_ghosts_init(void* local, int64_t elements, const lapwing_distribution* array,
                                  int ghosts, const int* periodic, lapwing_tasks* tasks,
                                  lapwing_array_request** request);

#ifdef __cplusplus
}
#endif
#endif
