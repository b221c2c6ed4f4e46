// SPDX-License-Identifier: Apache-2.0
#include "transfer/incoming.hpp"

#include <algorithm>
#include <cstring>

#include "transfer/engine.hpp"
#include "transfer/planted.hpp"
#include "transfer/relay.hpp"
#include "transfer/wire/datatype.hpp"
#include "transfer/wire/mark.hpp"
#include "transfer/wire/pages.hpp"

namespace lapwing::transfer {

Incoming::Incoming(Engine& engine, const HeaderBytes& header, int source, const Destination& destination,
                   Site* site)
    : source_(source), destination_(destination), site_(site), born_ns_(now_ns()) {
  Trailer trailer;
  std::memcpy(&trailer, header.data() + 2 * edge_bytes, sizeof trailer);
  if (trailer.magic != trailer_magic) engine.die_of_foreign_header(source);
  id_ = trailer.id;
  total_ = trailer.total;
  site_key_ = trailer.site;
  plan_ = StripPlan(total_, trailer.first, trailer.largest, static_cast<Direction>(trailer.direction));

  base_ = total_ <= destination.capacity && destination.capacity != 0 && !destination.apart
              ? contiguous_base(destination.buffer, destination.count, destination.type)
              : nullptr;
  if (!base_) copy_.resize(total_);
  char* target = base_ ? base_ : copy_.data();
  std::memcpy(target, header.data(), edge_bytes);
  // Both edges are placed before any page closes.
  std::memcpy(target + total_ - edge_bytes, header.data() + edge_bytes, edge_bytes);
  if (base_ && !destination.proved && !destination.shared && !engine.sends_from(base_, base_ + total_)) {
    const PageRange pages = middle_pages(base_, total_);
    if (engine.may_defer_receives() && engine.settings().protect != Protect::all) {
      boundary_ = std::make_unique<Boundary>(engine.settings().protect, base_, plan_);
    } else if (engine.may_defer_receives() && pages.begin < pages.end) {
      region_ = guard::close_incoming(pages.begin, pages.end);
    }
  }
}

Incoming::Incoming(Engine& engine, const HeaderBytes& bytes, int source, const Destination& destination)
    : total_(bytes.size()),
      source_(source),
      destination_(destination),
      site_(nullptr),
      copy_(bytes.begin(), bytes.end()),
      born_ns_(now_ns()) {
  deliver(engine);
}

Incoming::~Incoming() = default;

std::pair<std::uint32_t, std::uint64_t> Incoming::identity(const HeaderBytes& header) {
  if (!Mark::is_on(header)) return {0, header.size()};
  Trailer trailer;
  std::memcpy(&trailer, header.data() + 2 * edge_bytes, sizeof trailer);
  return {trailer.id, trailer.total};
}

void Incoming::claim(Engine& engine, const HeaderBytes& header, const Destination& destination, Site* site) {
  std::memcpy(copy_.data(), header.data(), edge_bytes);
  std::memcpy(copy_.data() + total_ - edge_bytes, header.data() + edge_bytes, edge_bytes);
  destination_ = destination;
  site_ = site;
  if (landed()) deliver(engine);
}

void Incoming::copy_landed(char* to) {
  // Of the middle, what is closed lies elsewhere, and an edge may share its page.
  std::size_t closed = 0, open_again = 0;
  if (region_) {
    char *begin = region_->begin(), *end = region_->end();
    const Strip last = landed_ > 0 ? plan_.strip(landed_ - 1) : Strip{};
    if (landed_ > 0 && plan_.direction() == Direction::up)
      begin = std::clamp(page_floor(base_ + last.offset + last.length), begin, end);
    else if (landed_ > 0)
      end = std::clamp(page_ceil(base_ + last.offset), begin, end);
    closed = static_cast<std::size_t>(begin - base_);
    open_again = static_cast<std::size_t>(end - base_);
  }
  const char* const plainly = base_ ? base_ : copy_.data();
  const auto copy_part = [&](std::size_t from, std::size_t end, const char* source) {
    if (from < end) std::memcpy(to + from, source, end - from);
  };
  const auto copy = [&](std::size_t from, std::size_t end) {
    copy_part(from, std::min(end, closed), plainly + from);
    const std::size_t first = std::max(from, closed), last = std::min(end, open_again);
    if (first < last) copy_part(first, last, place(first));
    copy_part(std::max(from, open_again), end, plainly + std::max(from, open_again));
  };
  copy(0, edge_bytes);
  copy(total_ - edge_bytes, total_);
  for (std::size_t i = 0; i < landed_; ++i) {
    const Strip strip = plan_.strip(i);
    copy(strip.offset, strip.offset + strip.length);
  }
}

void Incoming::pass_on(std::unique_ptr<Relay> relay) {
  relay_ = std::move(relay);
  relay_->release(landed_);
}

char* Incoming::place(std::size_t offset) {
  if (!base_) return copy_.data() + offset;
  char* address = base_ + offset;
  return region_ ? region_->landing(address) : address;
}

void Incoming::open_frontier(Engine& engine) {
  if (landed_ == plan_.count() && (region_ || boundary_)) engine.note_landed(*this);
  if (boundary_)
    boundary_->land(landed_, [&](const guard::Region& page) { engine.note_region_opened(*this, page); });
  if (!region_) return;
  if (landed_ == plan_.count() && !planted::is(planted::page_never_opened)) {
    engine.note_region_opened(*this, *region_);
    region_->open(region_->begin(), region_->end());
    region_.reset();
    return;
  }
  const Strip last = plan_.strip(landed_ - 1);
  if (plan_.direction() == Direction::up) {
    char* to = page_floor(base_ + last.offset + last.length + planted::early_page());
    if (to > region_->begin()) region_->open(region_->begin(), std::min(to, region_->end()));
  } else {
    char* from = page_ceil(base_ + last.offset);
    if (from < region_->end()) region_->open(std::max(from, region_->begin()), region_->end());
  }
}

bool Incoming::advance(Engine& engine) {
  bool moved = false;
  const std::size_t before = landed_;
  while (!flying_.empty()) {
    int arrived = 0;
    const int rc = PMPI_Test(&flying_.front(), &arrived, MPI_STATUS_IGNORE);
    if (rc != MPI_SUCCESS) engine.die_of_lost_strip(*this, rc);
    if (!arrived) break;
    flying_.pop_front();
    const std::size_t length = plan_.strip(landed_).length;
    engine.note_strip_bytes(length);
    landed_bytes_ += length;
    ++landed_;
  }
  while (next_ < plan_.count() && posted_ < landed_bytes_ + engine.settings().window) {
    Strip strip = plan_.strip(next_);
    if (planted::is(planted::swapped_strips) && (next_ ^ 1) < plan_.count() &&
        plan_.strip(next_ ^ 1).length == strip.length) {
      strip = plan_.strip(next_ ^ 1);
    }
    if (planted::is(planted::misplaced_strip)) strip.offset -= 1;
    MPI_Request request;
    if (boundary_)
      request = boundary_->post(next_, source_, strip_tag(id_), engine.strips_comm());
    else
      PMPI_Irecv(place(strip.offset), static_cast<int>(strip.length), MPI_BYTE, source_, strip_tag(id_),
                 engine.strips_comm(), &request);
    flying_.push_back(request);
    posted_ += strip.length;
    ++next_;
    moved = true;
  }
  if (landed_ != before) {
    moved = true;
    engine.note_strips(landed_ - before);
    const bool last = landed_ == plan_.count();
    if (relay_) {
      for (std::size_t i = before; i < landed_; ++i)
        relay_->landed(plan_.strip(i), place(plan_.strip(i).offset));
      relay_->release(landed_);
    }
    if (last || landed_bytes_ - credited_ >= engine.settings().window / 4) {
      credited_ = landed_bytes_;
      engine.send_credit(*this, site_key_, landed_bytes_, last);
    }
    if (last && !base_) deliver(engine);
    open_frontier(engine);
  }
  return moved;
}

void Incoming::deliver(Engine& engine) {
  if (destination_.type == MPI_DATATYPE_NULL) return;  // drained; perhaps claimed later
  if (planted::is(planted::unpack_misplaced)) std::rotate(copy_.begin(), copy_.begin() + 1, copy_.end());
  // A receive from ourselves lets MPI itself scatter the bytes, find a partial
  // element or a truncation, and say so as it always does.
  result_ = engine.receive_from_self(copy_.data(), total_, destination_);
  copy_.clear();
  copy_.shrink_to_fit();
}

}  // namespace lapwing::transfer
