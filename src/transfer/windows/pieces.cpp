// SPDX-License-Identifier: Apache-2.0
#include "transfer/windows/pieces.hpp"

#include <algorithm>
#include <utility>

#include "transfer/planted.hpp"
#include "transfer/wire/pages.hpp"

namespace lapwing::transfer {
namespace {

// Requests are few however long an access is.
constexpr std::size_t most_strips = 256;

std::size_t rounded_to_pages(std::size_t bytes) { return (bytes + page_bytes - 1) / page_bytes * page_bytes; }

PageRange pages_of(char* here, std::size_t bytes) { return {page_ceil(here), page_floor(here + bytes)}; }

}  // namespace

bool Pieces::can_be_cut(char* here, std::size_t bytes, std::size_t unit) {
  const PageRange pages = pages_of(here, bytes);
  return pages.begin < pages.end && page_bytes % unit == 0 &&
         static_cast<std::size_t>(pages.begin - here) % unit == 0;
}

std::unique_ptr<Pieces> Pieces::begin(Access access, char* here, std::size_t bytes, const Place& there,
                                      StripSizes sizes) {
  const PageRange pages = pages_of(here, bytes);
  auto region = access == Access::get ? guard::close_incoming(pages.begin, pages.end)
                                      : guard::close_outgoing(pages.begin, pages.end);
  if (!region) return nullptr;
  auto all = std::unique_ptr<Pieces>(new Pieces(access, std::move(region)));
  // The program goes on when the edges have ended: they come first.
  all->start(all->edges_, here, pages.begin, here, there);
  all->start(all->edges_, pages.end, here + bytes, here, there);
  all->start_strips(here, there, sizes);
  if (all->strips_.empty()) all->open(pages.begin, pages.end);
  return all;
}

void Pieces::start(std::deque<Piece>& pieces, char* here, char* end, char* base, const Place& there) {
  if (here == end || error_ != MPI_SUCCESS) return;
  const std::size_t distance = there.offset + static_cast<std::size_t>(here - base);
  const MPI_Aint at = there.displacement + static_cast<MPI_Aint>(distance / there.unit);
  const int length = static_cast<int>(end - here);
  Piece piece{MPI_REQUEST_NULL, here, end};
  if (access_ == Access::put) {
    error_ = PMPI_Rput(here, length, MPI_BYTE, there.target, at, length, MPI_BYTE, there.win, &piece.request);
  } else {
    const bool closed = region_->begin() <= here && here < region_->end();
    error_ = PMPI_Rget(closed ? region_->landing(here) : here, length, MPI_BYTE, there.target, at, length,
                       MPI_BYTE, there.win, &piece.request);
  }
  if (error_ == MPI_SUCCESS) pieces.push_back(piece);
}

void Pieces::start_strips(char* base, const Place& there, StripSizes sizes) {
  char *begin = region_->begin(), *end = region_->end();
  const auto all = static_cast<std::size_t>(end - begin);
  const std::size_t largest = rounded_to_pages(std::max(sizes.largest, all / most_strips));
  std::size_t length = rounded_to_pages(std::min(sizes.first, largest));
  while (begin < end && error_ == MPI_SUCCESS) {
    length = std::min(length, static_cast<std::size_t>(end - begin));
    if (sizes.direction == Direction::up) {
      start(strips_, begin, begin + length, base, there);
      begin += length;
    } else {
      start(strips_, end - length, end, base, there);
      end -= length;
    }
    length = std::min(2 * length, largest);
  }
  strip_count_ = strips_.size();
}

void Pieces::open(char* begin, char* end) {
  if (!strips_.empty()) return region_->open(begin, std::min(end + planted::early_page(), region_->end()));
  // All of it: a strip that could not be started leaves its pages as they were.
  region_->open(region_->begin(), region_->end());
  waited_ = region_->waited_ns.load(std::memory_order_relaxed);
  faults_ = region_->faults.load(std::memory_order_relaxed);
  region_.reset();
}

bool Pieces::advance() {
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
