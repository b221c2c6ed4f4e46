// SPDX-License-Identifier: Apache-2.0
#include "transfer/boundary.hpp"

#include "transfer/pages.hpp"

namespace lapwing::transfer {
namespace {

// A strip whose first page is closed: MPI writes that page's bytes to where they
// wait, and all others in place.
MPI_Request receive_around(char* strip, std::size_t length, char* page, char* landing, int source, int tag,
                           MPI_Comm comm) {
  const auto before = static_cast<std::size_t>(page - strip);
  const int lengths[] = {static_cast<int>(before), static_cast<int>(page_bytes),
                         static_cast<int>(length - before - page_bytes)};
  MPI_Aint places[3];
  PMPI_Get_address(strip, &places[0]);
  PMPI_Get_address(landing, &places[1]);
  PMPI_Get_address(page + page_bytes, &places[2]);
  MPI_Datatype type;
  PMPI_Type_create_hindexed(3, lengths, places, MPI_BYTE, &type);
  PMPI_Type_commit(&type);
  MPI_Request request;
  PMPI_Irecv(MPI_BOTTOM, 1, type, source, tag, comm, &request);
  PMPI_Type_free(&type);  // goes with the last receive that uses it
  return request;
}

}  // namespace

char* Boundary::first_page(const Strip& strip) const {
  char* begin = payload_ + strip.offset;
  char* end = begin + strip.length;
  char* page = plan_.direction() == Direction::up ? page_ceil(begin) : page_floor(end) - page_bytes;
  return page >= begin && page + page_bytes <= end ? page : nullptr;
}

char* Boundary::last_landed_page(std::size_t count) const {
  const Strip strip = plan_.strip(count - 1);
  char* begin = payload_ + strip.offset;
  char* end = begin + strip.length;
  char* page = plan_.direction() == Direction::up ? page_floor(end) - page_bytes : page_ceil(begin);
  return page >= begin && page + page_bytes <= end ? page : nullptr;
}

MPI_Request Boundary::post(const Strip& strip, int source, int tag, MPI_Comm comm) {
  char* begin = payload_ + strip.offset;
  if (mode_ == Protect::first) {
    char* page = first_page(strip);
    pages_.push_back(page ? guard::close_incoming(page, page + page_bytes) : nullptr);
    if (pages_.back())
      return receive_around(begin, strip.length, page, pages_.back()->landing(page), source, tag, comm);
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
