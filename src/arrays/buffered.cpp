// SPDX-License-Identifier: Apache-2.0
// Buffered mode (section 4.3): the program's memory holds what is sent until the
// receiver takes it. Schedules need the receiver's descriptor, so what is kept is
// the local part as it is; it is packed when the descriptor has come.
#include <fmt/format.h>

#include <cstring>
#include <list>

#include "arrays/calls.hpp"
#include "arrays/local.hpp"
#include "arrays/progress.hpp"

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

Error buffered_send(const std::shared_ptr<TaskComm>& comm, const Operand& array, int dest, int tag) {
  Operand copy = array;
  Error error;
  if (array.view && array.local &&
      !check_local(*array.view, comm->party(comm->task()), comm->rank(), array.local, array.elements)) {
    const std::int64_t bytes = buffered_size(*array.view, comm->rank());
    Progress::wait([] { return true; });
    std::optional<std::list<Block>::iterator> block;
    {
      const std::lock_guard guard(Progress::lock());
      Progress::advance();
      block = reserve(bytes);
    }
    if (!block) {
      copy.elements = -1;
      error = {Code::buffer,
               fmt::format("task {}, rank {}: the attached buffer has {} bytes, and no room for {} more "
                           "(lapwing_array_pack_size)",
                           comm->task(), comm->rank(), attached_bytes, bytes)};
      if (!errors_return) return error;
    } else {
      const std::int64_t own = local_part(array.view->distribution, comm->rank()).allocated;
      copy.local = attached + (*block)->first;
      std::memcpy(const_cast<void*>(copy.local), array.local,
                  static_cast<std::size_t>(own * array.view->distribution.element_bytes()));
      (*block)->request = begin_send(comm, std::span(&copy, 1), dest, tag, false);
      if (!(*block)->request) blocks.erase(*block);
      Progress::leave_to_helper();
      return {};
    }
  }
  return error;
}

}  // namespace lapwing::arrays
