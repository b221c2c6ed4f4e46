// SPDX-License-Identifier: Apache-2.0
// Regions of the mprotect back end.
//
// Incoming: the pages are made inaccessible, then moved to an alias mapping
// where MPI writes; opening moves an accessible piece of the alias over the
// inaccessible pages, which no thread can see half done. Where the kernel cannot
// move them, a staging area is written through /proc/self/mem before access.
#include <cassert>
#include <cstring>
#include <memory>

#include "guard/backend.hpp"
#include "guard/dispatch.hpp"
#include "guard/memory_kind.hpp"
#include "guard/registry.hpp"
#include "guard/signals.hpp"

namespace lapwing::guard::signals {
namespace {

class Incoming final : public RegionBase {
 public:
  Incoming(char* begin, char* end) : RegionBase(begin, end, false) {}
  ~Incoming() override { release(); }

  bool close(bool one_mapping) {
    touch(begin_);
    if (!publish()) return false;
    dispatch::regions_closed();
    if (one_mapping ? move_away() : stage()) return true;
    withdraw();
    return false;
  }

  char* landing(char* address) override { return landing_ + (address - begin_); }

 private:
  std::size_t length() const { return static_cast<std::size_t>(end_ - begin_); }

  bool move_away() {
    if (!kernel::protect(begin_, length(), PROT_NONE)) return false;
    landing_ = static_cast<char*>(kernel::move_away(begin_, length()));
    alias_ = landing_ != nullptr;
    if (alias_) return kernel::protect(landing_, length(), PROT_READ | PROT_WRITE);
    kernel::protect(begin_, length(), PROT_READ | PROT_WRITE);
    return stage();
  }

  // Only the first and the last page may hold bytes that have landed already.
  bool stage() {
    landing_ = static_cast<char*>(kernel::map_anonymous(length(), PROT_READ | PROT_WRITE));
    if (!landing_) return false;
    std::memcpy(landing_, begin_, page_size);
    std::memcpy(landing_ + length() - page_size, end_ - page_size, page_size);
    return kernel::protect(begin_, length(), PROT_NONE);
  }

  void open_run(char* from, char* to) override {
    auto n = static_cast<std::size_t>(to - from);
    if (alias_ && kernel::move_over(landing(from), n, from)) return;
    [[maybe_unused]] const bool written = write_closed(from, landing(from), n);
    assert(written);  // that it may is asked before any page is closed
    kernel::protect(from, n, PROT_READ | PROT_WRITE);
  }

  void finish() override { release(); }

  // Pieces of an alias that moved over have left a gap, where by now something
  // else may live: only what is still there may be unmapped.
  void release() {
    if (landing_ && !alias_) kernel::unmap(landing_, length());
    landing_ = nullptr;
  }

  char* landing_ = nullptr;
  bool alias_ = false;
};

// Nothing moves: of what leaves, or of bytes that are there already.
class InPlace final : public RegionBase {
 public:
  InPlace(char* begin, char* end, bool outgoing) : RegionBase(begin, end, outgoing) {}

  bool close() {
    if (!meets_region(address_of(begin_), address_of(end_), true)) touch(begin_);
    if (!publish()) return false;
    dispatch::regions_closed();
    const int left = outgoing() ? PROT_READ : PROT_NONE;
    if (kernel::protect(begin_, static_cast<std::size_t>(end_ - begin_), left)) return true;
    withdraw();
    return false;
  }

  char* landing(char* address) override { return address; }

 private:
  void open_run(char* from, char* to) override {
    for_each_run_closed_by(*this, from, to, [](char* a, char* b) {
      kernel::protect(a, static_cast<std::size_t>(b - a), PROT_READ | PROT_WRITE);
    });
  }

  void finish() override {}
};

}  // namespace

std::unique_ptr<Region> close_incoming(char* begin, char* end) {
  MemoryKind kind = memory_kind(address_of(begin), address_of(end));
  if (!kind.guardable) return nullptr;
  prepare_thread();
  auto region = std::make_unique<Incoming>(begin, end);
  if (!region->close(kind.mappings == 1)) return nullptr;
  return region;
}

namespace {

std::unique_ptr<Region> close(char* begin, char* end, bool outgoing) {
  MemoryKind kind = memory_kind(address_of(begin), address_of(end));
  if (!kind.guardable) return nullptr;
  prepare_thread();
  auto region = std::make_unique<InPlace>(begin, end, outgoing);
  if (!region->close()) return nullptr;
  return region;
}

}  // namespace

std::unique_ptr<Region> close_outgoing(char* begin, char* end) { return close(begin, end, true); }
std::unique_ptr<Region> close_in_place(char* begin, char* end) { return close(begin, end, false); }

}  // namespace lapwing::guard::signals
