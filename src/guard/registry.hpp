// SPDX-License-Identifier: Apache-2.0
// Which pages are closed: a fixed table that faulting threads read without a
// lock, also from signal handlers, while the engine closes and opens.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "guard/guard.hpp"
#include "guard/kernel.hpp"

namespace lapwing::guard {

constexpr int most_regions = 1024;

/// The part of a region that both back ends share: which pages are still closed, and
/// how many threads wait for them.
class RegionBase : public Region {
 public:
  ~RegionBase() override;

  void open(char* from, char* to) final;
  bool closed(std::uintptr_t page) const {
    std::size_t i = (page - address_of(begin_)) / page_size;
    return !(open_[i / 64].load() >> (i % 64) & 1);
  }
  /// The first closed page in [from, to), or `to`.
  std::uintptr_t next_closed(std::uintptr_t from, std::uintptr_t to) const;

  /// Enters the table, all pages closed; false if the table is full.
  bool publish();
  /// Leaves the table although pages were never closed: closing has failed.
  void withdraw();

 protected:
  RegionBase(char* begin, char* end, bool outgoing);

 private:
  friend class Hold;
  virtual void open_run(char* from, char* to) = 0;  ///< gives access to pages that were all closed
  virtual void finish() = 0;                        ///< the last page is open: releases what was held

  void leave_table();

  std::unique_ptr<std::atomic<std::uint64_t>[]> open_;  // a bit for each page
  std::size_t closed_pages_;
  int slot_ = -1;
};

/// Keeps a region of the table alive while it is looked at; never while waiting.
class Hold {
 public:
  explicit Hold(int slot);
  ~Hold();
  Hold(const Hold&) = delete;
  RegionBase* operator->() const { return region_; }
  RegionBase* get() const { return region_; }
  explicit operator bool() const { return region_ != nullptr; }

 private:
  int slot_;
  RegionBase* region_;
};

/// The first slot at or after `slot` whose region meets [begin, end), or -1.
int find_slot(std::uintptr_t begin, std::uintptr_t end, int slot = 0);

/// True if a region that is not `except` has a closed page at `page`.
bool closed_elsewhere(std::uintptr_t page, const RegionBase* except);
/// Calls f(from, to) for each run of pages that no region but `self` keeps closed.
template <class F>
void for_each_run_closed_by(const RegionBase& self, char* from, char* to, F f) {
  if (closed_regions.load() == 1) return f(from, to);
  char* run = from;
  for (char* page = from; page < to; page += page_size) {
    if (!closed_elsewhere(address_of(page), &self)) continue;
    if (run < page) f(run, page);
    run = page + page_size;
  }
  if (run < to) f(run, to);
}
/// True if [begin, end) meets any region of the table (of the given direction).
bool meets_region(std::uintptr_t begin, std::uintptr_t end, bool outgoing_too);

/// Notes that `thread` stops at `address`; false if the page is open by now. `instruction`: which one
/// touches it, where that is known.
bool note_fault(int slot, std::uintptr_t address, std::uint32_t thread, std::uintptr_t instruction = 0);
/// As await(), for those who only read: pages of a send may stay closed.
void await_incoming(const void* address, std::size_t length);
/// Waits until that region's page is open, having noted the fault. Async-signal-safe.
void wait_for_page(std::uintptr_t page, int slot);

/// Grows with every region that closes and every page that opens.
std::uint32_t generation();
void set_demand(Demand demand, void* context);
void demand_now();
bool on_engine_thread();
/// A child of fork has no engine: forgets everything.
void forget_all_regions();

// Makes the page exist, without changing it (and unseen by sanitizers). A mapping of which nothing exists
// yet is given its pages' common owner (anon_vma) by the first one: were that to
// happen to its parts one by one, while some are watched, the kernel could never
// merge them again, and a later mremap of the whole would fail.
inline void touch(char* p) { asm volatile("lock orb $0, %0" : "+m"(*p) : : "cc"); }

}  // namespace lapwing::guard
