// SPDX-License-Identifier: Apache-2.0
// Open MPI: how it may be initialised.
#include "mpi/launch.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "flavour.hpp"
#include "mpi/references.hpp"
#include "parameters.hpp"

namespace lapwing::mpi {

Addresses library_data, program;

const char* pmix_to_come() { return "libpmix.so.2"; }

namespace {

/// The segment in which `address` lies, if it is one of this file's.
Addresses segment_of(std::uintptr_t address, const dl_phdr_info& file) {
  for (int i = 0; i < file.dlpi_phnum; ++i) {
    const auto& segment = file.dlpi_phdr[i];
    const Addresses loaded{file.dlpi_addr + segment.p_vaddr, segment.p_memsz};
    if (segment.p_type == PT_LOAD && loaded.hold(address)) return loaded;
  }
  return {};
}

/// From the first to the last byte of a loaded file.
Addresses extent_of(const dl_phdr_info& file) {
  std::uintptr_t from = UINTPTR_MAX, to = 0;
  for (int i = 0; i < file.dlpi_phnum; ++i) {
    const auto& segment = file.dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    from = std::min<std::uintptr_t>(from, file.dlpi_addr + segment.p_vaddr);
    to = std::max<std::uintptr_t>(to, file.dlpi_addr + segment.p_vaddr + segment.p_memsz);
  }
  return from < to ? Addresses{from, to - from} : Addresses{};
}

/// The program is the first file of the list. The library's data is found by the first of these that the
/// program does not name.
int find_predefined(dl_phdr_info* file, std::size_t, void*) {
  if (program.size == 0) {
    program = extent_of(*file);
    return 0;
  }
  for (MPI_Datatype type :
       {MPI_BYTE, MPI_PACKED, MPI_SHORT_INT, MPI_WCHAR, MPI_C_BOOL, MPI_2INT, MPI_COUNT}) {
    const auto address = reinterpret_cast<std::uintptr_t>(type);
    if (!program.hold(address)) library_data = segment_of(address, *file);
    if (library_data.size != 0) return 1;
  }
  return 0;
}

}  // namespace

// Windows through shared memory do not mind, unless another kind of them is asked for.
bool all_in_shared_memory() {
  const char* transports = std::getenv("OMPI_MCA_btl");
  return ranks_on_one_node() > 0 && !std::getenv("OMPI_MCA_osc") &&
         (!transports || (transports[0] != '^' && std::strstr(transports, "vader")));
}

// 0: the library does not say which it is.
int major_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  PMPI_Get_library_version(text.data(), &length);
  constexpr std::string_view before = "Open MPI v";
  const std::string_view said(text.data());
  const std::size_t at = said.find(before);
  return at == std::string_view::npos ? 0 : std::atoi(text.data() + at + before.size());
}

// Windows that mind are gone from Open MPI 5. Distributions leave them out before: MPI then refuses to make
// a window between hosts over TCP, with or without Lapwing.
bool may_have_pt2pt_windows() {
  return major_version() < 5 && admits(parameter("osc").value_or(""), "pt2pt");
}

// A level that Open MPI takes for none is the highest.
int default_thread_level() {
  const char* given = std::getenv("OMPI_MPI_THREAD_LEVEL");
  if (!given) return MPI_THREAD_SINGLE;
  const int level = std::atoi(given);
  return level < MPI_THREAD_SINGLE || level > MPI_THREAD_MULTIPLE ? MPI_THREAD_MULTIPLE : level;
}

bool may_raise_thread_level(std::string* why) {
  // Open MPI 4's pt2pt windows refuse MPI_THREAD_MULTIPLE.
  static constexpr const char* calls[] = {"MPI_Win_", "mpi_win_", nullptr};
  const bool windows =
      !all_in_shared_memory() && may_have_pt2pt_windows() && refers_to(calls, Files::outside_mpi);
  if (windows) {
    *why =
        "the program or one of its libraries refers to one-sided windows, which Open MPI 4 refuses between "
        "hosts together with a helper thread (OMPI_MCA_osc=^pt2pt permits it where no window is made)";
  }
  return !windows;
}

void prepare() {
  if (program.size == 0) dl_iterate_phdr(find_predefined, nullptr);
}

}  // namespace lapwing::mpi
