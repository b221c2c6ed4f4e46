// SPDX-License-Identifier: Apache-2.0
#include "transfer/wire/boundary.hpp"

#include <algorithm>

#include "transfer/wire/pages.hpp"

namespace lapwing::transfer {
namespace {

// A strip of which one page or both at its ends are closed: MPI writes those
// pages' bytes to where they wait, and all others in place.
MPI_Request receive_around(char* begin, char* end, guard::Region* first, guard::Region* next, int source,
                           int tag, MPI_Comm comm) {
  int lengths[3], count = 0;
  MPI_Aint places[3];
  while (begin < end) {
    char* to = end;
    char* place = begin;
    for (guard::Region* page : {first, next}) {
      if (!page || page->end() <= begin || page->begin() >= to) continue;
      if (page->begin() > begin) {
        to = page->begin();  // up to the page now, the page in the next round
      } else {
        to = std::min(to, page->end());
        place = page->landing(begin);
      }
    }
    lengths[count] = static_cast<int>(to - begin);
    PMPI_Get_address(place, &places[count++]);
    begin = to;
  }
  MPI_Datatype type;
  PMPI_Type_create_hindexed(count, lengths, places, MPI_BYTE, &type);
  PMPI_Type_commit(&type);
  MPI_Request request;
  PMPI_Irecv(MPI_BOTTOM, 1, type, source, tag, comm, &request);
  PMPI_Type_free(&type);  // goes with the last receive that uses it
  return request;
}

}  // namespace

// The page with the first byte that is read of a strip; the last bytes of the
// strip before it may lie there, too.
char* Boundary::first_page(std::size_t index) const {
  const Strip strip = plan_.strip(index);
  char* begin = payload_ + strip.offset;
  return page_floor(plan_.direction() == Direction::up ? begin : begin + strip.length - 1);
}

char* Boundary::last_landed_page(std::size_t count) const {
  const Strip strip = plan_.strip(count - 1);
  char* begin = payload_ + strip.offset;
  char* end = begin + strip.length;
  char* page = plan_.direction() == Direction::up ? page_floor(end) - page_bytes : page_ceil(begin);
  return page >= begin && page + page_bytes <= end ? page : nullptr;
}

void Boundary::close_first_page(std::size_t index) {
  char* page = first_page(index);
  const bool same = index > 0 && page == first_page(index - 1);
  // It opens with the last strip that has bytes in it.
  pages_.push_back(same ? std::move(pages_.back()) : guard::close_incoming(page, page + page_bytes));
}

MPI_Request Boundary::post(std::size_t index, int source, int tag, MPI_Comm comm) {
  const Strip strip = plan_.strip(index);
  char* begin = payload_ + strip.offset;
  char* end = begin + strip.length;
  if (mode_ == Protect::first) {
    if (index == 0) close_first_page(0);
    guard::Region* first = pages_.back().get();
    guard::Region* next = nullptr;
    if (index + 1 < plan_.count()) {
      close_first_page(index + 1);
      next = pages_.back().get();
      if (next && !pages_[pages_.size() - 2]) first = next;
    }
    return receive_around(begin, end, first, first == next ? nullptr : next, source, tag, comm);
  }
  MPI_Request request;
  PMPI_Irecv(begin, static_cast<int>(strip.length), MPI_BYTE, source, tag, comm, &request);
  return request;
}

void Boundary::open_front(const Note& note) {
  if (guard::Region* region = pages_.front().get()) {
    note(*region);
    region->open(region->begin(), region->end());
  }
  pages_.pop_front();
}

void Boundary::land(std::size_t count, const Note& note) {
  if (count == landed_) return;
  if (mode_ == Protect::first) {
    for (; landed_ < count; ++landed_) open_front(note);
    return;
  }
  landed_ = count;
  // The new page closes before the old one opens: nobody slips through between.
  if (count < plan_.count()) {
    if (char* page = last_landed_page(count))
      pages_.push_back(guard::close_incoming(page, page + page_bytes));
    else
      pages_.push_back(nullptr);
  }
  while (pages_.size() > (count < plan_.count() ? 1u : 0u)) open_front(note);
}

}  // namespace lapwing::transfer
