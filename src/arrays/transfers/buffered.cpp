// SPDX-License-Identifier: Apache-2.0
// Buffered mode (section 4.3): the program's memory holds what is sent until the
// receiver takes it. Schedules need the receiver's descriptor, so what is kept is
// the local part as it is; it is packed when the descriptor has come.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <list>
#include <optional>

#include "arrays/calls.hpp"
#include "arrays/schedules/local.hpp"
#include "arrays/transfers/progress.hpp"

namespace lapwing::arrays {
namespace {

constexpr std::int64_t alignment = 64;

struct Block {
  std::int64_t first, bytes;
  Handle request;
};

char* attached = nullptr;
std::int64_t attached_bytes = 0;
std::list<Block> blocks;  // in order of place

std::int64_t aligned(std::int64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

std::int64_t bytes_of(const Operand& array, const TaskComm& comm) {
  return local_part(array.view->distribution, comm.rank()).allocated *
         array.view->distribution.element_bytes();
}

// The first gap that is large enough; what is complete makes room.
std::optional<std::list<Block>::iterator> reserve(std::int64_t bytes) {
  blocks.remove_if([](const Block& block) { return block.request && block.request->complete(); });
  std::int64_t free_from = 0;
  for (auto next = blocks.begin();; ++next) {
    const std::int64_t until = next == blocks.end() ? attached_bytes : next->first;
    if (until - free_from >= bytes) return blocks.insert(next, {free_from, bytes, nullptr});
    if (next == blocks.end()) return std::nullopt;
    free_from = next->first + next->bytes;
  }
}

}  // namespace

std::int64_t buffered_size(const View& view, int rank) {
  return aligned(local_part(view.distribution, rank).allocated * view.distribution.element_bytes());
}

Error attach(void* buffer, std::int64_t bytes) {
  const std::lock_guard guard(Progress::lock());
  if (attached) return {Code::state, "a buffer is attached already; there is one for each process"};
  if (!buffer || bytes < 0)
    return {Code::argument, fmt::format("a buffer of {} bytes cannot be attached", bytes)};
  if (Error error = check_reachable(buffer, bytes, "the attached buffer")) return error;
  attached = static_cast<char*>(buffer);
  attached_bytes = bytes;
  return {};
}

Error detach(void** buffer, std::int64_t* bytes) {
  if (!attached) return {Code::state, "no buffer is attached"};
  Progress::wait([] {
    blocks.remove_if([](const Block& block) { return block.request->complete(); });
    return blocks.empty();
  });
  *buffer = attached;
  *bytes = attached_bytes;
  attached = nullptr;
  attached_bytes = 0;
  return {};
}

Handle buffered_send(const std::shared_ptr<TaskComm>& comm, const Operand& array, int dest, int tag) {
  Operand copy = array;
  Error error;
  std::list<Block>::iterator block = blocks.end();
  {
    const std::lock_guard guard(Progress::lock());
    Progress::advance();
    if (array.view)
      error = check_local(*array.view, comm->party(comm->task()), comm->rank(), array.local, array.elements);
    if (array.view && !error) {
      const std::int64_t bytes = buffered_size(*array.view, comm->rank());
      if (const auto found = reserve(bytes)) {
        block = *found;
        copy.local = attached + block->first;
        if (bytes > 0)
          std::memcpy(attached + block->first, array.local, static_cast<std::size_t>(bytes_of(array, *comm)));
      } else {
        error = {Code::buffer,
                 fmt::format("task {}, rank {}: the attached buffer has {} bytes, and no room for {} more "
                             "(lapwing_array_pack_size)",
                             comm->task(), comm->rank(), attached_bytes, bytes)};
      }
    }
  }
  Handle request = begin_send(comm, std::span(&copy, 1), dest, tag, false, error);
  if (request && errors_return)  // the processes of the task agree first
    Progress::wait([&] {
      return std::find(comm->checking.begin(), comm->checking.end(), request.get()) == comm->checking.end();
    });
  const std::lock_guard guard(Progress::lock());
  if (block == blocks.end()) return request;
  // A process that has found an error waits for no other; a request that failed holds nothing.
  if (!request || request->complete())
    blocks.erase(block);
  else
    block->request = request;
  return request && request->complete() ? request : nullptr;
}

}  // namespace lapwing::arrays
