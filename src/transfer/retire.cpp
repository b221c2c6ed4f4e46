// SPDX-License-Identifier: Apache-2.0
#include "transfer/retire.hpp"

#include "guard/guard.hpp"
#include "transfer/engine.hpp"
#include "transfer/operations.hpp"
#include "transfer/planted.hpp"

namespace lapwing::transfer {
namespace {

bool meets(const guard::Region* region, const char* from, const char* to) {
  return region && region->begin() < to && from < region->end() &&
         guard::meets_closed(from, static_cast<std::size_t>(to - from));
}

// Where only boundary pages are closed (LAPWING_PROTECT), the guards do not know
// what is still to be written.
bool boundaries(const Engine& engine) { return engine.settings().protect != Protect::all; }

void retire_unguarded(Engine& engine, const void* address, std::size_t length) {
  const char* from = static_cast<const char*>(address);
  engine.drive([&] {
    for (const auto& transfer : engine.incoming()) {
      if (transfer->writes(from, from + length)) return false;
    }
    return true;
  });
}

}  // namespace

void retire_frames() {
  // As deep as MPI libraries and their transports go, with room to spare.
  constexpr std::size_t deepest = 256 * 1024;
  const char* here = static_cast<const char*>(__builtin_frame_address(0));
  guard::await(here - deepest, deepest);
}

namespace {

// A region that is only watched opens at once: the call uses it now.
void open_watched(Engine& engine, const char* from, const char* to, Use use) {
  const std::lock_guard lock(engine.mutex());
  engine.open_watched(from, to, use);
}

}  // namespace

void retire_for_write(const void* address, std::size_t length) { retire_overlapping(address, length); }

void retire_for_read(const void* address, std::size_t length) {
  if (guard::closed_regions.load(std::memory_order_relaxed) == 0 || length == 0) return;
  Engine* engine = Engine::get();
  if (!engine || planted::is(planted::skipped_overlap_check)) return;
  if (boundaries(*engine)) return retire_unguarded(*engine, address, length);
  if (!guard::meets_closed(address, length)) return;
  const char* from = static_cast<const char*>(address);
  open_watched(*engine, from, from + length, Use::reads);
  engine->drive([&] {
    for (const auto& transfer : engine->incoming()) {
      if (meets(transfer->region(), from, from + length)) return false;
    }
    return !engine->accesses().fills(from, from + length);
  });
}

void retire_overlapping(const void* address, std::size_t length) {
  if (guard::closed_regions.load(std::memory_order_relaxed) == 0 || length == 0) return;
  Engine* engine = Engine::get();
  if (!engine || planted::is(planted::skipped_overlap_check)) return;
  if (boundaries(*engine)) retire_unguarded(*engine, address, length);
  if (!guard::meets_closed(address, length)) return;
  const char* from = static_cast<const char*>(address);
  open_watched(*engine, from, from + length, Use::writes);
  engine->drive([&] { return !guard::meets_closed(address, length); });
}

void retire_everything() {
  if (guard::closed_regions.load(std::memory_order_relaxed) == 0) return;
  Engine* engine = Engine::get();
  if (!engine) return;
  retire_accesses();
  open_watched(*engine, nullptr, reinterpret_cast<const char*>(UINTPTR_MAX), Use::unknown);
  engine->drive([&] {
    return guard::closed_regions.load(std::memory_order_relaxed) ==
           guard::holds.load(std::memory_order_relaxed);
  });
}

void retire_all_but_accesses() {
  if (guard::closed_regions.load(std::memory_order_relaxed) == 0) return;
  Engine* engine = Engine::get();
  if (!engine) return;
  if (!DeferredAccesses::any()) return retire_everything();
  open_watched(*engine, nullptr, reinterpret_cast<const char*>(UINTPTR_MAX), Use::unknown);
  engine->drive([&] {
    return guard::closed_regions.load(std::memory_order_relaxed) == engine->accesses().closed_regions();
  });
}

void retire_accesses() {
  if (DeferredAccesses::any()) DeferredAccesses::retire();
}

}  // namespace lapwing::transfer
