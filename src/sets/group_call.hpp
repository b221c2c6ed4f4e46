// SPDX-License-Identifier: Apache-2.0
// A call that a group of processes makes together, decoded from any of its
// spellings: C, large counts, or Fortran.
//
// The entry points fill one in for each collective, communicator creation,
// window and file call while somebody watches, and hand it to the watcher:
// checking compares it among the group, running on sets may carry it out itself.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "lapwing/compiled_sets.h"

namespace lapwing::sets {

enum class Operation : std::uint8_t {
  // Data movement.
  barrier,
  bcast,
  reduce,
  allreduce,
  scan,
  exscan,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  reduce_scatter,
  reduce_scatter_block,
  neighbor_allgather,
  neighbor_allgatherv,
  neighbor_alltoall,
  neighbor_alltoallv,
  neighbor_alltoallw,
  // Communicators.
  comm_dup,
  comm_dup_with_info,
  comm_idup,
  comm_idup_with_info,
  comm_split,
  comm_split_type,
  comm_create,
  comm_create_group,
  intercomm_create,
  intercomm_merge,
  cart_create,
  cart_sub,
  graph_create,
  dist_graph_create,
  dist_graph_create_adjacent,
  comm_free,
  comm_disconnect,
  comm_spawn,
  comm_spawn_multiple,
  comm_accept,
  comm_connect,
  // Windows.
  win_create,
  win_allocate,
  win_allocate_shared,
  win_create_dynamic,
  win_free,
  win_fence,
  win_post,  // from here to win_test: not of the whole group
  win_start,
  win_complete,
  win_wait,
  win_test,
  win_lock,  // from here to win_sync: of one process
  win_lock_all,
  win_unlock,
  win_unlock_all,
  win_flush,
  win_flush_all,
  win_flush_local,
  win_flush_local_all,
  win_sync,
  // Accesses to windows, of one process.
  put,
  get,
  accumulate,
  get_accumulate,
  fetch_and_op,
  compare_and_swap,
  // Files.
  file_open,
  file_close,
  file_set_size,
  file_preallocate,
  file_set_view,
  file_set_atomicity,
  file_sync,
  file_seek_shared,
  file_read_all,
  file_write_all,
  file_read_at_all,
  file_write_at_all,
  file_read_ordered,
  file_write_ordered,
  // Partitioned messages, which are no group's: their requests are followed.
  psend_init,
  precv_init,
  // The end.
  finalize,
};

/// How the call returns. Different ways of one operation never match.
enum class Way : std::uint8_t { blocking, immediate, persistent, begin, end };

/// One side's data. For the v and w forms a count, displacement and type for
/// each process of the communicator; else one count and type for each.
class Data {
 public:
  void* buffer = nullptr;  ///< MPI_IN_PLACE and MPI_BOTTOM are C's, whatever the caller spoke
  bool given = false;      ///< this operation has such an argument

  MPI_Count count(int process = 0) const {
    if (!counts) return one_count;
    return large ? static_cast<const MPI_Count*>(counts)[process] : static_cast<const int*>(counts)[process];
  }
  MPI_Aint displacement(int process) const {
    return large ? static_cast<const MPI_Aint*>(displacements)[process]
                 : static_cast<const int*>(displacements)[process];
  }
  MPI_Datatype type(int process = 0) const {
    if (!types) return one_type;
    return fortran ? PMPI_Type_f2c(static_cast<const MPI_Fint*>(types)[process])
                   : static_cast<const MPI_Datatype*>(types)[process];
  }

  MPI_Count one_count = 0;
  MPI_Datatype one_type = MPI_DATATYPE_NULL;
  const void* counts = nullptr;
  const void* displacements = nullptr;
  const void* types = nullptr;
  bool large = false;    ///< counts are MPI_Count, displacements MPI_Aint
  bool fortran = false;  ///< types are integers
};

struct GroupCall {
  Operation operation;
  Way way = Way::blocking;
  const char* name = "";          ///< "MPI_Bcast"
  MPI_Comm comm = MPI_COMM_NULL;  ///< null for window and file calls
  MPI_Win win = MPI_WIN_NULL;
  MPI_File file = MPI_FILE_NULL;
  bool has_root = false;
  int root = 0;  ///< or a leader, or MPI_ROOT, MPI_PROC_NULL
  MPI_Op op = MPI_OP_NULL;
  MPI_Group group = MPI_GROUP_NULL;  ///< of comm_create, comm_create_group, win_post and win_start
  /// Of intercomm_create: where the other leader is. At this side's leader only. Of a partitioned message:
  /// the partner.
  MPI_Comm peer_comm = MPI_COMM_NULL;
  int peer = 0, tag = 0;
  int mode = 0;               ///< the lock's type, or what a fence asserts
  MPI_Aint displacement = 0;  ///< of an access, at the target
  /// Folded: what else must be equal on all (dimensions of a grid, an access mode).
  std::uint64_t same = 0;
  Data send, receive;                ///< a call with one buffer has only `send`; MPI_Get has only `receive`
  Data target;                       ///< what an access touches there; without a buffer
  bool replaceable = false;          ///< MPI can be given other buffers than the program's
  const void* returns_to = nullptr;  ///< into the caller, for its file and line
  /// The compiler's description, consumed by this call; null in code that was
  /// not compiled with --sets.
  const lapwing_call_site* site = nullptr;
};

/// The objects that a call has made, known once it has returned MPI_SUCCESS.
struct Made {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Win win = MPI_WIN_NULL;
  MPI_File file = MPI_FILE_NULL;
  /// Where before() returned false: make the call on this communicator, not on
  /// the program's.
  MPI_Comm instead = MPI_COMM_NULL;
  /// And in place of the address that the program gave for its send or its receive buffer.
  void *send_instead = nullptr, *receive_instead = nullptr;
};

/// The data that are sent mean nothing but at the root; and those that are received.
inline bool takes_from_root(Operation operation) {
  return operation == Operation::scatter || operation == Operation::scatterv;
}
inline bool gives_to_root(Operation operation) {
  return operation == Operation::gather || operation == Operation::gatherv || operation == Operation::reduce;
}

/// Of two processes, not of a group.
inline bool is_partitioned(Operation operation) {
  return operation == Operation::psend_init || operation == Operation::precv_init;
}

/// Of one process, at a window.
inline bool is_access(Operation operation) {
  return operation >= Operation::put && operation <= Operation::compare_and_swap;
}

/// An observer of the calls that groups make; at most one in a process.
class Watcher {
 public:
  virtual ~Watcher() = default;
  /// Before MPI sees the call. True: the watcher has carried it out, with
  /// `*result` (and `*made`) what the program gets. May block and communicate.
  virtual bool before(const GroupCall& call, int* result, Made* made) = 0;
  /// After MPI has carried it out.
  virtual void after(const GroupCall& call, int result, const Made& made) = 0;
};

/// The site that lapwing_sets_call() gave for this thread's next group call; the entry
/// point takes it.
inline constinit thread_local const lapwing_call_site* next_call = nullptr;

/// The last call of this thread that was watched, for an MPI that does not tell which call an error is of.
struct WatchedCall {
  const char* name = "";
  const void* returns_to = nullptr;
};
inline constinit thread_local WatchedCall last_watched{};

/// Null while nobody watches. Set between PMPI_Init and the return of MPI_Init,
/// by one thread.
inline Watcher* watcher = nullptr;

}  // namespace lapwing::sets
