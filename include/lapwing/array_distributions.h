/* SPDX-License-Identifier: Apache-2.0
 *
 * Distributed arrays, part 1 of 9: what a distributed array looks like.
 *
 * A distribution says which process of a task holds which elements of an array
 * of any number of dimensions; it knows nothing of MPI, and every process of the
 * task makes the same one. Sizes are 64 bits wide. Include lapwing/arrays.h.
 */
#ifndef LAPWING_ARRAY_DISTRIBUTIONS_H
#define LAPWING_ARRAY_DISTRIBUTIONS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Every function of these headers returns one of these; 0 is success. */
enum lapwing_array_error {
  LAPWING_ARRAY_OK = 0,
  LAPWING_ARRAY_ERR_SHAPE = 1,    /**< the two sides' shapes differ */
  LAPWING_ARRAY_ERR_TYPE = 2,     /**< the two sides' element types differ */
  LAPWING_ARRAY_ERR_GRID = 3,     /**< a grid names processes that the task does not have */
  LAPWING_ARRAY_ERR_TASK = 4,     /**< there is no such task */
  LAPWING_ARRAY_ERR_BUFFER = 5,   /**< the local memory, or the attached buffer, is too small */
  LAPWING_ARRAY_ERR_DIFFERS = 6,  /**< processes of one task gave different descriptions */
  LAPWING_ARRAY_ERR_ARGUMENT = 7, /**< a description or an argument makes no sense */
  LAPWING_ARRAY_ERR_STATE = 8,    /**< the request, or the library, is not in a state for this call */
  LAPWING_ARRAY_ERR_MPI = 9,      /**< MPI reported an error */
  LAPWING_ARRAY_ERR_FILE = 10     /**< a file cannot be opened, read or written, or is too short */
};

/** An error ends the job with its sentence, unless `on` is 1: then calls return
 *  its code, on every process of both tasks. Every process of the job chooses the
 *  same, before it makes tasks; calls then cost one small reduction within the
 *  task more. Returns what was chosen before. Local. */
int lapwing_array_errors_return(int on);

/** The sentence of this thread's last error: what differed, at which task, rank
 *  and dimension, and both values. Never null. */
const char* lapwing_array_error_string(void);

enum lapwing_array_type {
  LAPWING_INT8 = 0,
  LAPWING_UINT8 = 1,
  LAPWING_INT16 = 2,
  LAPWING_UINT16 = 3,
  LAPWING_INT32 = 4,
  LAPWING_UINT32 = 5,
  LAPWING_INT64 = 6,
  LAPWING_UINT64 = 7,
  LAPWING_FLOAT32 = 8,
  LAPWING_FLOAT64 = 9,
  LAPWING_LONG_DOUBLE = 10,
  LAPWING_COMPLEX64 = 11,  /**< two float */
  LAPWING_COMPLEX128 = 12, /**< two double */
  LAPWING_COMPLEX_LONG_DOUBLE = 13
};
/** Elements of `bytes` bytes that only the program understands. */
#define LAPWING_OPAQUE(bytes) (1000 + (bytes))

/** Bytes of an element; 0 for an unknown type. */
size_t lapwing_array_type_size(int type);

enum lapwing_array_layout {
  LAPWING_COLLAPSED = 0,
  LAPWING_CYCLIC = 1,
  LAPWING_IRREGULAR = 2,
  LAPWING_INDEXED = 3
};

/** Which indices each process holds; see array_index_lists.h. */
typedef struct lapwing_index_lists lapwing_index_lists;

enum lapwing_array_order { LAPWING_ROW_MAJOR = 0, LAPWING_COLUMN_MAJOR = 1 };

/** One dimension of an array. All zero but `extent`, and `grid_dimension` -1: it
 *  is not distributed. */
struct lapwing_dimension {
  int64_t extent;
  int layout;            /**< CYCLIC(`block`) also is BLOCK: see lapwing_block() */
  int64_t block;         /**< of CYCLIC: elements of a block, at least 1 */
  const int64_t* bounds; /**< of IRREGULAR: p + 1 ascending boundaries, from 0 to `extent` */
  int grid_dimension;    /**< over which it is distributed; -1: none */
  int first_process;     /**< position of the grid that has the first block */
  int64_t offset;        /**< alignment: element i lies where element i + offset of the template lies */
  int64_t ghost_below;   /**< layers around the owned elements in local memory; see array_ghosts.h */
  int64_t ghost_above;
  const lapwing_index_lists* lists; /**< of INDEXED; see lapwing_indexed() */
};

/** (*): every process of a grid line has all of it. */
struct lapwing_dimension lapwing_collapsed(int64_t extent);
/** BLOCK over `processes`, the extent of grid dimension `grid_dimension`. */
struct lapwing_dimension lapwing_block(int64_t extent, int processes, int grid_dimension);
/** CYCLIC(block), and BLOCK(block) where the blocks go round at most once. */
struct lapwing_dimension lapwing_cyclic(int64_t extent, int64_t block, int grid_dimension);
/** `bounds` must live until the distribution has been created. */
struct lapwing_dimension lapwing_irregular(int64_t extent, const int64_t* bounds, int grid_dimension);

/** A grid over processes of one task. */
struct lapwing_grid {
  int dimensions;
  const int* extents;
  int order;        /**< how positions are numbered, enum lapwing_array_order */
  const int* ranks; /**< rank within the task at each position; null: 0, 1, 2, ... */
};

typedef struct lapwing_distribution lapwing_distribution;

/** `order` is how elements lie in local memory. A grid dimension that no array
 *  dimension uses replicates the array over it. `leading`: extents of the local
 *  allocation, ghosts included; null: as small as possible. Everything is copied. Local. */
int lapwing_distribution_create(int type, int dimensions, const struct lapwing_dimension* dimension,
                                const struct lapwing_grid* grid, int order, const int64_t* leading,
                                lapwing_distribution** out);

/** From a ScaLAPACK descriptor (the 9 integers of descinit, column-major local
 *  memory) of a process grid of `rows` x `columns`, numbered in `grid_order`
 *  over ranks 0, 1, 2, ... of the task. Local. */
int lapwing_distribution_from_scalapack(const int descriptor[9], int type, int rows, int columns,
                                        int grid_order, lapwing_distribution** out);

/** The part of `whole` that has `count[d]` elements from `first[d]` on, each
 *  `stride[d]` apart (null strides: 1; they may be negative), to be sent or received into. Dimension
 *  d of a receiver takes the sender's dimension `permutation[d]` (null: d; -1:
 *  none, for a dimension with one element), so {1, 0} transposes; a sender's
 *  permutation is not looked at. The same local memory as `whole`. Local. */
int lapwing_distribution_section(const lapwing_distribution* whole, const int64_t* first,
                                 const int64_t* count, const int64_t* stride, const int* permutation,
                                 lapwing_distribution** out);

/** As `like`, and as a receiver takes any element type that C converts to its own. Local. */
int lapwing_distribution_converting(const lapwing_distribution* like, lapwing_distribution** out);

/** Transfers that still use it are not harmed. Sets `*distribution` to null. Local. */
int lapwing_distribution_free(lapwing_distribution** distribution);

int lapwing_distribution_type(const lapwing_distribution* distribution);
int lapwing_distribution_dimensions(const lapwing_distribution* distribution);
/** Writes one number for each dimension of the whole array. */
int lapwing_distribution_extents(const lapwing_distribution* distribution, int64_t* extents);

/** The part that one process of the task holds. `extents`, `allocation` and `strides` (in
 *  elements) have room for one number for each dimension; any may be null. */
struct lapwing_local_part {
  int64_t elements;  /**< owned */
  int64_t allocated; /**< elements of local memory, ghosts and padding included: what calls want */
  int64_t offset;    /**< of the first owned element, in elements */
};
int lapwing_distribution_local(const lapwing_distribution* distribution, int rank,
                               struct lapwing_local_part* part, int64_t* extents, int64_t* allocation,
                               int64_t* strides);

/** Where element `index` (of the whole array) lies in `rank`'s local memory, in
 *  elements; -1 where it does not. And the reverse: which element lies at
 *  `position`; returns LAPWING_ARRAY_ERR_ARGUMENT for ghosts and padding. Local. */
int64_t lapwing_distribution_position(const lapwing_distribution* distribution, int rank,
                                      const int64_t* index);
int lapwing_distribution_index(const lapwing_distribution* distribution, int rank, int64_t position,
                               int64_t* index);

#ifdef __cplusplus
}
#endif
#endif
