// SPDX-License-Identifier: Apache-2.0
#include "sets/check/in_flight.hpp"

#include <algorithm>
#include <map>

#include "mpi/looks.hpp"
#include "mpi/references.hpp"
#include "sets/check/overlaps.hpp"
#include "sets/report/report_text.hpp"

namespace lapwing::sets {

using HeldAreas = std::multimap<const char*, InFlight::Held>;

struct InFlight::Held {
  Area area;
  Told told;
  MPI_Request request;
  Held* next = nullptr;  ///< of the same operation
  HeldAreas::iterator self{};
};

namespace {

struct Side {
  HeldAreas areas;  // by their beginning
  std::size_t longest = 0;
};
Side read_areas, written_areas;

bool may_know_complete(MPI_Request request) {
  int complete = 0;
  if (mpi::looks_end_persistent) return InFlight::may_ask_for_status();  // the request may be persistent
  return InFlight::may_ask_for_status() && request != MPI_REQUEST_NULL &&
         (mpi::look(request, &complete, MPI_STATUS_IGNORE) != MPI_SUCCESS || complete != 0);
}

const InFlight::Held* conflict(const Side& side, const Area& area) {
  if (side.areas.empty()) return nullptr;
  const char* const first = area.begin - std::min(side.longest, reinterpret_cast<std::size_t>(area.begin));
  for (auto it = side.areas.lower_bound(first); it != side.areas.end() && it->first < area.end(); ++it) {
    if (it->second.area.overlaps(area) && !may_know_complete(it->second.request)) return &it->second;
  }
  return nullptr;
}

InFlight::Held* hold_one(const Area& area, const Told& told, MPI_Request request) {
  Side& side = area.written ? written_areas : read_areas;
  const auto at = side.areas.emplace(area.begin, InFlight::Held{area, told, request});
  at->second.self = at;
  side.longest = std::max(side.longest, area.length);
  return &at->second;
}

}  // namespace

bool InFlight::may_ask_for_status() {
  static constexpr const char* asking[] = {"MPI_Request_get_status", "mpi_request_get_status", nullptr};
  // MPICH's libraries for Fortran refer to it themselves, for the program's calls.
  static const bool asks = mpi::refers_to(asking, mpi::Files::outside_mpi);
  return asks;
}

void InFlight::check(const Area& area, const Told& told) {
  if (!area.begin || Overlaps::severity() == Overlaps::Severity::off) return;
  const Held* found = conflict(written_areas, area);
  if (!found && area.written) found = conflict(read_areas, area);
  if (!found) return;
  const Area& held = found->area;
  const std::size_t bytes =
      static_cast<std::size_t>(std::min(held.end(), area.end()) - std::max(held.begin, area.begin));
  Overlaps::found({found->told, held.written}, {told, area.written}, bytes);
}

void InFlight::check(const std::vector<Area>& areas, const Told& told) {
  if (read_areas.areas.empty() && written_areas.areas.empty()) return;
  for (const Area& area : areas) check(area, told);
}

void InFlight::check_own(const std::vector<Area>& areas, const Told& told) {
  for (const Area& sent : areas) {
    if (sent.received) continue;
    for (const Area& received : areas) {
      if (received.received && received.overlaps(sent))
        end_job_in_turn(alias_finding(account_of_use(told, true)));
    }
  }
}

InFlight::Ticket InFlight::hold(const Area& area, const Told& told, MPI_Request request) {
  return area.begin ? hold_one(area, told, request) : nullptr;
}

InFlight::Ticket InFlight::hold(const std::vector<Area>& areas, const Told& told, MPI_Request request) {
  Held* first = nullptr;
  for (const Area& area : areas) {
    Held* const held = hold_one(area, told, request);
    held->next = first;
    first = held;
  }
  return first;
}

void InFlight::release(Ticket ticket) {
  while (ticket) {
    Side& side = ticket->area.written ? written_areas : read_areas;
    const HeldAreas::iterator at = ticket->self;
    ticket = ticket->next;
    side.areas.erase(at);
  }
  if (written_areas.areas.empty()) written_areas.longest = 0;
  if (read_areas.areas.empty()) read_areas.longest = 0;
}

}  // namespace lapwing::sets
