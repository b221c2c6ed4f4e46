// SPDX-License-Identifier: Apache-2.0
// The calls of array_calls.h, as the C API makes them: arguments checked, errors
// with their sentences.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "arrays/transfers/request.hpp"

namespace lapwing::arrays {

/// One distributed array of a call, on this process.
struct Operand {
  const void* local;
  std::int64_t elements;
  std::shared_ptr<const View> view;
};

/// Retires deferred transfers of the engine's that its memory belongs to: MPI must not meet their guards.
void open_memory(const Operand& array);

using Handle = std::shared_ptr<Request>;

/// Makes and begins a transfer; `found` is an error that was found already. Null where there is nothing to do
/// (no task). Where an error is found and errors are returned, the request fails.
Handle begin_send(const std::shared_ptr<TaskComm>& comm, std::span<const Operand> arrays, int dest, int tag,
                  bool persistent, const Error& found = {});
Handle begin_receive(const std::shared_ptr<TaskComm>& comm, std::span<const Operand> arrays, int source,
                     int tag, bool persistent);
Handle begin_within(const std::shared_ptr<TaskComm>& comm, const Operand& from, const Operand& to,
                    bool persistent);
/// C = alpha A + beta C, of `from` and `to`; `found` as above.
Handle begin_transform(const std::shared_ptr<TaskComm>& comm, const Operand& from, const Operand& to,
                       const Transform& transform, bool persistent, const Error& found = {});
/// Of the whole array that the operand describes; `found` as above.
Handle begin_ghosts(const std::shared_ptr<TaskComm>& comm, const Operand& array, GhostUpdate update,
                    bool persistent, const Error& found = {});

/// The same, blocking. Calls that a program repeats are kept (kept_updates.hpp).
Status update_ghosts(const std::shared_ptr<TaskComm>& comm, const Operand& array, GhostUpdate update,
                     const Error& found);

Error start(const Handle& request);
/// Blocks. A persistent request can be started again then.
Status wait(const Handle& request);
/// False, or as wait().
bool test(const Handle& request, Status* status);
void wait_landed(const Handle& request, const std::int64_t* first, const std::int64_t* count);
/// The same without waiting: goes on with everything once.
bool test_landed(const Handle& request, const std::int64_t* first, const std::int64_t* count);

// Buffered mode (section 4.3).
std::int64_t buffered_size(const View& view, int rank);
Error attach(void* buffer, std::int64_t bytes);
Error detach(void** buffer, std::int64_t* bytes);
/// Null where it is on its way.
Handle buffered_send(const std::shared_ptr<TaskComm>& comm, const Operand& array, int dest, int tag);

}  // namespace lapwing::arrays
