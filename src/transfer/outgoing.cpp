// SPDX-License-Identifier: Apache-2.0
#include "transfer/outgoing.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "transfer/engine.hpp"
#include "transfer/planted.hpp"
#include "transfer/wire/mark.hpp"
#include "transfer/wire/pages.hpp"

namespace lapwing::transfer {

Outgoing::Outgoing(std::uint32_t id, const char* payload, std::size_t total, int destination, StripPlan plan,
                   Site* site)
    : id_(id), payload_(payload), total_(total), destination_(destination), plan_(plan), site_(site) {}

Outgoing::~Outgoing() { open_all(); }

void Outgoing::open_all() {
  if (region_) region_->open(region_->begin(), region_->end());
  region_.reset();
}

HeaderBytes& Outgoing::prepare_header(std::uint32_t site_key) {
  header_ = std::make_unique<HeaderBytes>();
  char* at = header_->data();
  if (!planted::is(planted::stale_front)) std::memcpy(at, payload_, edge_bytes);
  if (!planted::is(planted::stale_tail))
    std::memcpy(at + edge_bytes, payload_ + total_ - edge_bytes, edge_bytes);
  Trailer trailer{};
  trailer.mark[0] = Mark::bytes()[0];
  trailer.mark[1] = Mark::bytes()[1];
  trailer.magic = trailer_magic;
  trailer.id = id_;
  trailer.total = total_;
  trailer.site = site_key;
  trailer.first = static_cast<std::uint32_t>(plan_.first());
  trailer.largest = static_cast<std::uint32_t>(plan_.largest());
  trailer.direction = static_cast<std::uint8_t>(plan_.direction());
  std::memcpy(at + 2 * edge_bytes, &trailer, sizeof trailer);
  return *header_;
}

void Outgoing::own_payload() {
  auto copy = std::make_unique_for_overwrite<char[]>(total_);
  std::memcpy(copy.get(), payload_, total_);
  adopt(std::move(copy));
}

void Outgoing::adopt(std::shared_ptr<char[]> copy) {
  owned_ = std::move(copy);
  payload_ = owned_.get();
}

void Outgoing::follow(std::shared_ptr<char[]> copy, std::size_t strips) {
  adopt(std::move(copy));
  release_strips(strips);
}

bool Outgoing::guard() {
  if (owned_ || strips_left()) return true;
  const PageRange pages = middle_pages(const_cast<char*>(payload_), total_);
  if (pages.begin < pages.end) region_ = guard::close_outgoing(pages.begin, pages.end);
  const bool guarded = region_ != nullptr;
  if (guarded) open_frontier();
  return guarded;
}

void Outgoing::open_frontier() {
  if (!region_) return;
  if (strips_left() || planted::is(planted::send_released_early)) {
    open_all();
    return;
  }
  if (done_ == 0) return;
  const Strip last = plan_.strip(done_ - 1);
  if (plan_.direction() == Direction::up) {
    char* to = page_floor(const_cast<char*>(payload_) + last.offset + last.length);
    if (to > region_->begin()) region_->open(region_->begin(), std::min(to, region_->end()));
  } else {
    char* from = page_ceil(const_cast<char*>(payload_) + last.offset);
    if (from < region_->end()) region_->open(std::max(from, region_->begin()), region_->end());
  }
}

// A thread that waits to write to what has not left need not wait for the wire.
bool Outgoing::make_way(Engine& engine) {
  if (!region_ || region_->waiting.load(std::memory_order_relaxed) == 0) return false;
  const std::uintptr_t from = region_->wanted_from.load(), to = region_->wanted_to.load();
  if (from >= to || !guard::meets_closed(reinterpret_cast<const void*>(from), 1)) return false;
  const MovedStrips::Run run = moved_.move(plan_, payload_, from, to, done_, next_,
                                           [&](std::size_t bytes) { return engine.staging_permits(bytes); });
  if (run.first == run.end) return false;
  const Strip first = plan_.strip(run.first), last = plan_.strip(run.end - 1);
  const bool up = plan_.direction() == Direction::up;
  const Strip &low = up ? first : last, &high = up ? last : first;
  // Whole pages, and those at the ends of the middle that hold bytes of the header besides.
  const bool from_begin = up ? run.first == 0 : run.end == plan_.count();
  const bool to_end = up ? run.end == plan_.count() : run.first == 0;
  char* const base = const_cast<char*>(payload_);
  char* const begin = from_begin ? region_->begin() : page_ceil(base + low.offset);
  char* const end = to_end ? region_->end() : page_floor(base + high.offset + high.length);
  if (begin >= end) return false;
  region_->open(begin, end);
  return true;
}

void Outgoing::keep_header(MPI_Request request) {
  header_request = request;
  header_left_ = false;
}

bool Outgoing::advance(Engine& engine) {
  bool moved = false;
  if (!header_left_ && header_request != MPI_REQUEST_NULL) {
    int left = 0;
    PMPI_Test(&header_request, &left, MPI_STATUS_IGNORE);
    header_left_ = left;
    moved |= left;
    // A persistent one of the program's, which a test does not free.
    if (left && header_request != MPI_REQUEST_NULL) PMPI_Request_free(&header_request);
  }
  moved |= make_way(engine);
  const std::size_t before = done_;
  while (!flying_.empty()) {
    int left = 0;
    PMPI_Test(&flying_.front(), &left, MPI_STATUS_IGNORE);
    if (!left) break;
    flying_.pop_front();
    engine.note_strip_bytes(plan_.strip(done_).length);
    ++done_;
  }
  while (next_ < std::min(released_, plan_.count()) && posted_ < credited_ + engine.settings().window) {
    Strip strip = plan_.strip(next_);
    if (planted::is(planted::lost_strip) && next_ + 1 == plan_.count()) break;
    if (planted::is(planted::repeated_strip) && next_ > 0) strip.offset = plan_.strip(next_ - 1).offset;
    if (planted::is(planted::shifted_strip)) --strip.offset;
    const std::size_t sent = planted::is(planted::short_strip) ? strip.length - 1 : strip.length;
    MPI_Request request;
    const char* const copy = moved_.copy_of(next_);
    PMPI_Isend(copy ? copy : payload_ + strip.offset, static_cast<int>(sent), MPI_BYTE, destination_,
               strip_tag(id_), engine.strips_comm(), &request);
    flying_.push_back(request);
    posted_ += strip.length;
    ++next_;
    moved = true;
  }
  if (done_ != before) {
    open_frontier();
    moved = true;
  }
  return moved;
}

void Outgoing::abandon() {
  for (MPI_Request& request : flying_) {
    PMPI_Cancel(&request);
    PMPI_Request_free(&request);
  }
  flying_.clear();
  done_ = next_ = plan_.count();
  header_left_ = true;
  open_all();
}

}  // namespace lapwing::transfer
