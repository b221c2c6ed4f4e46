// SPDX-License-Identifier: Apache-2.0
#include "transfer/decisions/observation.hpp"

#include <algorithm>

#include "transfer/wire/pages.hpp"

namespace lapwing::transfer {
namespace {

constexpr std::size_t least_part = 16 << 10;
// A stop keeps the program from its next touch, and nothing tells how long it has lasted: a helper that has
// to be scheduled on a busy core takes this long, another one a tenth. Were it taken for computing, data that
// a program reads at once would look as if strips could hide a sixth of its message.
constexpr std::uint64_t longest_stop = 150'000;

}  // namespace

std::unique_ptr<Observation> Observation::begin(char* base, std::size_t bytes, std::uint64_t now,
                                                std::uint64_t in_mpi) {
  const PageRange pages = middle_pages(base, bytes);
  if (pages.begin >= pages.end) return nullptr;
  auto region = guard::close_landed(pages.begin, pages.end);
  if (!region) return nullptr;
  return std::unique_ptr<Observation>(new Observation(std::move(region), now, in_mpi));
}

Observation::Observation(std::unique_ptr<guard::Region> region, std::uint64_t now, std::uint64_t in_mpi)
    : region_(std::move(region)), begun_(now), in_mpi_(in_mpi) {
  const auto length = static_cast<std::size_t>(region_->end() - region_->begin());
  touches_.parts = std::clamp<std::size_t>(length / least_part, 1, Touches::most);
  touches_.after.fill(Touches::never);
  untouched_ = touches_.parts;
}

Observation::~Observation() {
  if (region_) region_->open(region_->begin(), region_->end());
}

char* Observation::part_begin(std::size_t part) const {
  const auto pages = static_cast<std::size_t>(region_->end() - region_->begin()) / page_bytes;
  return region_->begin() + pages * part / touches_.parts * page_bytes;
}

void Observation::note(const char* from, const char* to, std::uint64_t now, std::uint64_t in_mpi) {
  const std::uint64_t stops = (touches_.parts - untouched_) * longest_stop;
  const std::uint64_t own = now - begun_ - std::min(now - begun_, in_mpi - in_mpi_ + stops);
  for (std::size_t part = 0; part < touches_.parts; ++part) {
    std::uint64_t& after = touches_.after[part];
    if (after != Touches::never || part_begin(part) >= to || from >= part_begin(part + 1)) continue;
    after = own;
    --untouched_;
    region_->open(part_begin(part), part_begin(part + 1));
  }
}

bool Observation::advance(std::uint64_t now, std::uint64_t in_mpi) {
  if (!region_) return false;
  if (region_->release_wanted.load()) {
    end(nullptr, nullptr, now, in_mpi);
    return true;
  }
  const std::optional<Stop> stop = stops_.next(*region_);
  if (!stop) return false;
  const std::size_t before = untouched_;
  note(stop->from, stop->to, now, in_mpi);
  if (!stop->alone || untouched_ == before) {
    region_->open(region_->begin(), region_->end());
    untouched_ = 0;
  }
  if (untouched_ == 0) region_.reset();
  return true;
}

void Observation::end(const char* from, const char* to, std::uint64_t now, std::uint64_t in_mpi) {
  if (!region_) return;
  note(from, to, now, in_mpi);
  region_->open(region_->begin(), region_->end());
  region_.reset();
}

}  // namespace lapwing::transfer
