// SPDX-License-Identifier: Apache-2.0
#include "transfer/pages/page_watch.hpp"

#include <algorithm>

#include "progress/clock.hpp"
#include "transfer/wire/pages.hpp"

namespace lapwing::transfer {

const char* name_of(WatchEnd end) {
  static constexpr const char* names[] = {"touched", "overwritten", "freed",    "unknown",
                                          "threads", "room",        "finalized"};
  return names[static_cast<int>(end)];
}

std::unique_ptr<PageWatch> PageWatch::begin(char* base, std::size_t bytes, std::size_t most_parts,
                                            std::uint64_t in_mpi) {
  char *const from = page_ceil(base), *const to = page_floor(base + bytes);
  if (to - from < static_cast<std::ptrdiff_t>(least_pages * page_bytes)) return nullptr;
  auto region = guard::close_landed(from, to);
  if (!region) return nullptr;
  region->asks_place.store(true);
  return std::unique_ptr<PageWatch>(
      new PageWatch(std::move(region), static_cast<std::size_t>(from - base), most_parts, in_mpi));
}

PageWatch::PageWatch(std::unique_ptr<guard::Region> region, std::size_t offset, std::size_t most_parts,
                     std::uint64_t in_mpi)
    : region_(std::move(region)),
      offset_(offset),
      coarse_(most_parts == coarse),
      begun_(progress::now_ns()),
      in_mpi_(in_mpi) {
  const auto pages = static_cast<std::size_t>(region_->end() - region_->begin()) / page_bytes;
  const std::size_t each = (pages + most_parts - 1) / most_parts;
  part_bytes_ = each * page_bytes;
  left_ = parts_ = (pages + each - 1) / each;
  open_.resize(parts_);
}

PageWatch::~PageWatch() {
  if (region_) region_->open(region_->begin(), region_->end());
}

template <class F>
void PageWatch::open(const char* from, const char* to, F f) {
  if (!meets(from, to)) return;
  const auto within = [&](const char* at) {
    return static_cast<std::size_t>(std::clamp<const char*>(at, region_->begin(), region_->end()) -
                                    region_->begin());
  };
  const std::size_t last = (within(to) + part_bytes_ - 1) / part_bytes_;
  for (std::size_t part = within(from) / part_bytes_; part < last; ++part) {
    if (open_[part]) continue;
    open_[part] = true;
    --left_;
    f(part);
    char* const begin = region_->begin() + part * part_bytes_;
    region_->open(begin, std::min(begin + part_bytes_, region_->end()));
  }
}

void PageWatch::note(const char* from, const char* to, bool by_call, std::uint64_t now,
                     std::uint64_t in_mpi) {
  const std::uint64_t after = now - std::min(now, begun_);
  const std::uint64_t not_own = in_mpi - in_mpi_ + region_->waited_ns.load(std::memory_order_relaxed);
  const std::uint64_t own = after - std::min(after, not_own);
  open(from, to, [&](std::size_t part) {
    touches_.push_back({static_cast<std::uint32_t>(part), by_call, after, own});
  });
}

bool PageWatch::advance(std::uint64_t in_mpi) {
  if (!region_) return false;
  if (region_->release_wanted.load()) {
    end(WatchEnd::freed);
    return true;
  }
  const std::optional<Stop> stop = stops_.next(*region_);
  if (!stop) return false;
  const std::size_t before = left_;
  if (first_place_ == 0) first_place_ = region_->first_place.load();
  note(stop->from, stop->to, false, region_->wanted_since.load(), in_mpi);
  if (left_ == 0)
    end(WatchEnd::touched);
  else if (!stop->alone || left_ == before)
    end(WatchEnd::threads);
  return true;
}

void PageWatch::used(const char* from, const char* to, std::uint64_t now, std::uint64_t in_mpi) {
  if (!region_) return;
  note(from, to, true, now, in_mpi);
  if (left_ == 0) end(WatchEnd::touched);
}

void PageWatch::overwritten(const char* from, const char* to) {
  if (!region_) return;
  open(from, to, [](std::size_t) {});
  if (left_ == 0) end(WatchEnd::overwritten);
}

void PageWatch::end(WatchEnd how) {
  if (!region_) return;
  how_ = how;
  region_->open(region_->begin(), region_->end());
  region_.reset();
}

}  // namespace lapwing::transfer
