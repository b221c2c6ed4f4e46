// SPDX-License-Identifier: Apache-2.0
// What the handles of the C API of distributed arrays are.
#pragma once

#include <memory>
#include <utility>

#include "arrays/calls.hpp"
#include "lapwing/arrays.h"

struct lapwing_distribution {
  std::shared_ptr<const lapwing::arrays::View> view;
};

struct lapwing_index_lists {
  std::shared_ptr<const lapwing::arrays::IndexLists> lists;
};

struct lapwing_tasks {
  std::shared_ptr<lapwing::arrays::TaskComm> comm;
};

struct lapwing_array_request {
  lapwing::arrays::Handle handle;
  int dimensions;  // of the array, for sections of it
};

namespace lapwing::entry {

/// Whether the program calls anything of arrays.h.
bool uses_arrays();

inline std::shared_ptr<const arrays::View> view_of(const lapwing_distribution* distribution) {
  return distribution ? distribution->view : nullptr;
}

/// An error that concerns this process alone, with the call's name.
int refused(const char* routine, arrays::Code code, std::string why);

/// Fills `*out`, which may be null, and reports the status' error.
int completed(const char* routine, const arrays::Status& status, lapwing_array_status* out);

/// The request of a non-blocking or a persistent call, to be freed by the caller: null where `handle` is.
/// Those that have started are left to the helper thread.
int hand_out(arrays::Handle handle, const lapwing_distribution* array, bool persistent,
             lapwing_array_request** request);

/// Every use of MPI in these calls needs it to be there.
arrays::Error mpi_is_there();

}  // namespace lapwing::entry
