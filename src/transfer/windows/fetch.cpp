// SPDX-License-Identifier: Apache-2.0
#include "transfer/windows/fetch.hpp"

#include <algorithm>
#include <utility>

#include "transfer/planted.hpp"
#include "transfer/wire/pages.hpp"

namespace lapwing::transfer {
namespace {

// Requests are few however long a get is.
constexpr std::size_t most_strips = 256;

std::size_t rounded_to_pages(std::size_t bytes) { return (bytes + page_bytes - 1) / page_bytes * page_bytes; }

PageRange pages_of(char* to, std::size_t bytes) { return {page_ceil(to), page_floor(to + bytes)}; }

}  // namespace

bool Fetch::can_be_cut(char* to, std::size_t bytes, std::size_t unit) {
  const PageRange pages = pages_of(to, bytes);
  return pages.begin < pages.end && page_bytes % unit == 0 &&
         static_cast<std::size_t>(pages.begin - to) % unit == 0;
}

std::unique_ptr<Fetch> Fetch::begin(char* to, std::size_t bytes, const Source& from, StripSizes sizes) {
  const PageRange pages = pages_of(to, bytes);
  auto region = guard::close_incoming(pages.begin, pages.end);
  if (!region) return nullptr;
  auto fetch = std::unique_ptr<Fetch>(new Fetch(bytes, std::move(region)));
  // The program goes on when the edges are here: they come first.
  fetch->start(fetch->edges_, to, pages.begin, to, from);
  fetch->start(fetch->edges_, pages.end, to + bytes, to, from);
  fetch->start_strips(to, from, sizes);
  if (fetch->strips_.empty()) fetch->open(pages.begin, pages.end);
  return fetch;
}

void Fetch::start(std::deque<Piece>& pieces, char* to, char* end, char* base, const Source& from) {
  if (to == end || error_ != MPI_SUCCESS) return;
  const std::size_t distance = from.offset + static_cast<std::size_t>(to - base);
  const MPI_Aint at = from.displacement + static_cast<MPI_Aint>(distance / from.unit);
  const int length = static_cast<int>(end - to);
  const bool closed = region_->begin() <= to && to < region_->end();
  Piece piece{MPI_REQUEST_NULL, to, end};
  error_ = PMPI_Rget(closed ? region_->landing(to) : to, length, MPI_BYTE, from.target, at, length, MPI_BYTE,
                     from.win, &piece.request);
  if (error_ == MPI_SUCCESS) pieces.push_back(piece);
}

void Fetch::start_strips(char* base, const Source& from, StripSizes sizes) {
  char *begin = region_->begin(), *end = region_->end();
  const auto all = static_cast<std::size_t>(end - begin);
  const std::size_t largest = rounded_to_pages(std::max(sizes.largest, all / most_strips));
  std::size_t length = rounded_to_pages(std::min(sizes.first, largest));
  while (begin < end && error_ == MPI_SUCCESS) {
    length = std::min(length, static_cast<std::size_t>(end - begin));
    if (sizes.direction == Direction::up) {
      start(strips_, begin, begin + length, base, from);
      begin += length;
    } else {
      start(strips_, end - length, end, base, from);
      end -= length;
    }
    length = std::min(2 * length, largest);
  }
  strip_count_ = strips_.size();
}

void Fetch::open(char* begin, char* end) {
  if (!strips_.empty()) return region_->open(begin, std::min(end + planted::early_page(), region_->end()));
  // All of it: a strip that could not be started leaves its pages as they were.
  region_->open(region_->begin(), region_->end());
  waited_ = region_->waited_ns.load(std::memory_order_relaxed);
  faults_ = region_->faults.load(std::memory_order_relaxed);
  region_.reset();
}

bool Fetch::advance() {
  bool moved = false;
  for (std::deque<Piece>* const pieces : {&edges_, &strips_}) {
    while (!pieces->empty()) {
      Piece piece = pieces->front();
      int complete = 0;
      PMPI_Test(&piece.request, &complete, MPI_STATUS_IGNORE);
      pieces->front().request = piece.request;
      if (!complete) break;
      pieces->pop_front();
      moved = true;
      if (pieces == &strips_) open(piece.begin, piece.end);
    }
  }
  return moved;
}

}  // namespace lapwing::transfer
