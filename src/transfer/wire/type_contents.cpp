// SPDX-License-Identifier: Apache-2.0
#include "transfer/wire/type_contents.hpp"

#include <algorithm>

#include "mpi/binding.hpp"

namespace lapwing::transfer {
namespace {

std::size_t room(MPI_Count count) { return static_cast<std::size_t>(std::max<MPI_Count>(count, 1)); }

}  // namespace

bool read_envelope(MPI_Datatype type, Envelope* e) {
#if MPI_VERSION >= 4
  if (mpi::large_counts())
    return PMPI_Type_get_envelope_c(type, &e->integers, &e->addresses, &e->counts, &e->types, &e->combiner) ==
           MPI_SUCCESS;
#endif
  int integers = 0, addresses = 0, types = 0;
  if (PMPI_Type_get_envelope(type, &integers, &addresses, &types, &e->combiner) != MPI_SUCCESS) return false;
  e->integers = integers;
  e->addresses = addresses;
  e->types = types;
  return true;
}

bool read_contents(MPI_Datatype type, const Envelope& e, TypeContents* contents) {
  std::vector<int> integers(room(e.integers));
  std::vector<MPI_Aint> addresses(room(e.addresses));
  contents->types.assign(room(e.types), MPI_DATATYPE_NULL);
#if MPI_VERSION >= 4
  std::vector<MPI_Count> counts(room(e.counts));
  const bool large = mpi::large_counts();
  int rc = MPI_SUCCESS;
  if (large)
    rc = PMPI_Type_get_contents_c(type, e.integers, e.addresses, e.counts, e.types, integers.data(),
                                  addresses.data(), counts.data(), contents->types.data());
#else
  constexpr bool large = false;
  int rc = MPI_SUCCESS;
#endif
  if (!large)
    rc = PMPI_Type_get_contents(type, static_cast<int>(e.integers), static_cast<int>(e.addresses),
                                static_cast<int>(e.types), integers.data(), addresses.data(),
                                contents->types.data());
  if (rc != MPI_SUCCESS) return false;
  contents->types.resize(static_cast<std::size_t>(e.types));
  integers.resize(static_cast<std::size_t>(e.integers));
  contents->numbers.assign(integers.begin(), integers.end());
  contents->addresses.assign(addresses.begin(), addresses.begin() + static_cast<std::ptrdiff_t>(e.addresses));
#if MPI_VERSION >= 4
  // Numbers that are counts stand behind those that are still ints: a subarray's dimensions, then its order.
  if (e.counts > 0) {
    contents->numbers.resize(std::min<std::size_t>(contents->numbers.size(), 1));
    contents->numbers.insert(contents->numbers.end(), counts.begin(), counts.begin() + e.counts);
  }
#endif
  return true;
}

}  // namespace lapwing::transfer
