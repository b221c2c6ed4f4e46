// SPDX-License-Identifier: Apache-2.0
#include "entry/compiled/collective_forms.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "entry/spec.hpp"
#include "mpi/launch.hpp"
#include "mpi/references.hpp"
#include "mpi/world_ranks.hpp"
#include "sets/group_call.hpp"
#include "sets/mode.hpp"
#include "transfer/compiled/proved.hpp"

namespace lapwing::entry {
namespace {

constexpr std::string_view names[] = {"bcast",      "reduce",   "allreduce", "gather",
                                      "gatherv",    "scatter",  "scatterv",  "allgather",
                                      "allgatherv", "alltoall", "alltoallv"};
static_assert(std::size(names) == Collectives::kinds);

// The part behind MPI_ of a symbol, in lower case; empty if it is none of MPI's.
std::string after_prefix(const char* symbol) {
  for (const char* prefix : {"MPI_", "PMPI_", "mpi_", "pmpi_", "MPIX_", "PMPIX_", "mpix_", "pmpix_", "ompi_",
                             "pompi_", "lapwing_f08_", "lapwing_pf08_"}) {
    const std::size_t length = std::strlen(prefix);
    if (std::strncmp(symbol, prefix, length) != 0) continue;
    std::string rest = symbol + length;
    for (char& c : rest) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    return rest;
  }
  return {};
}

// Memory that others write to, whose contents a collective may promise; libraries
// that come later; and bindings that call through tables.
bool rules_out_all(std::string_view symbol, std::string_view mpi_name) {
  if (mpi_name.substr(0, 4) == "win_") return true;
  for (std::string_view name : {"dlopen", "dlmopen", "mmap", "mmap64", "shmat"})
    if (symbol == name) return true;
  return symbol.substr(0, 7) == "_ZN3MPI" || symbol.substr(0, 8) == "_ZNK3MPI";
}

// The references of one file count if it is part of the program: if it knows MPI.
struct Scan {
  std::string file;
  bool first = true, knows_mpi = false, all = false, refused_all = false;
  std::array<long, Collectives::kinds>* refused;

  void end_file() {
    refused_all |= knows_mpi && all;
    knows_mpi = all = false;
  }
};

bool look(const char* file, const char* symbol, void* context) {
  auto* scan = static_cast<Scan*>(context);
  if (scan->first || scan->file != file) {
    scan->end_file();
    scan->file = file;
    scan->first = false;
    scan->knows_mpi = scan->file.empty();
  }
  if (mpi::is_of_mpi(file)) return false;
  const std::string mpi_name = after_prefix(symbol);
  scan->knows_mpi |= !mpi_name.empty();
  scan->all |= rules_out_all(symbol, mpi_name);
  const auto kind = Collectives::kind_of(symbol);
  if (kind != Collectives::kinds) (*scan->refused)[kind] = 1;
  return false;
}

// Libraries that are loaded later are part of no agreement: their calls, which come
// to this library's entry points, go the same way.
void take_over(Collectives::Kind kind) {
  const std::string name(names[kind]);
  std::string in_c = "PMPI_" + name;
  in_c[5] = static_cast<char>(in_c[5] - 'a' + 'A');
  for (int i = 0; specs[i].name; ++i) {
    void* ours = nullptr;
    if (in_c == specs[i].target) ours = dlsym(RTLD_DEFAULT, ("lapwing_call_" + name).c_str());
    if ("ompi_" + name + "_f" == specs[i].target)
      ours = dlsym(RTLD_DEFAULT, ("lapwing_call_" + name + "_").c_str());
    if (ours) lapwing_entry_real[i] = ours;
  }
}

}  // namespace

Collectives::Kind Collectives::kind_of(const char* symbol) {
  const std::string name = after_prefix(symbol);
  for (int kind = 0; kind < kinds; ++kind) {
    const std::string_view one = names[kind];
    if (name.compare(0, one.size(), one) != 0) continue;
    const std::string_view rest = std::string_view(name).substr(one.size());
    // Large counts, and Fortran's spellings; neither Reduce_scatter nor Bcast_init.
    if (!rest.empty() && rest.front() != '_') continue;
    const auto other = [&](std::string_view other_call) {
      return rest.substr(0, other_call.size()) == other_call;
    };
    if (other("_init") || other("_scatter") || other("_local")) continue;
    return static_cast<Kind>(kind);
  }
  return kinds;
}

bool Collectives::wanted() {
  std::vector<std::string> starts;
  for (const std::string_view name : names) starts.push_back("lapwing_start_" + std::string(name));
  std::vector<const char*> prefixes;
  for (const std::string& start : starts) prefixes.push_back(start.c_str());
  prefixes.push_back(nullptr);
  return mpi::refers_to(prefixes.data());
}

bool Collectives::refuses(std::array<long, kinds>* refused) {
  // The engine's guards and the watchers of groups look at blocking calls only.
  if (transfer::Proved::way() != transfer::Proved::Way::direct || sets::watcher ||
      sets::mode != sets::Mode::off)
    return true;
  Scan scan;
  scan.refused = refused;
  mpi::each_reference(look, &scan);
  scan.end_file();
  return scan.refused_all;
}

void Collectives::start(const transfer::Settings& settings) {
  int rank = 0, size = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  std::string missing;
  if (size == 1) return;
  if (mpi::presence(mpi::Part::collectives, rank, size, settings.uniform_job, &missing) != mpi::Presence::all)
    return;
  std::array<long, kinds> refused = {};
  if (refuses(&refused)) refused.fill(1);
  std::array<long, kinds + 1> mine = {}, all = {};
  std::copy(refused.begin(), refused.end(), mine.begin());
  mine[kinds] = static_cast<long>(transfer::Proved::threshold());
  PMPI_Allreduce(mine.data(), all.data(), kinds + 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
  threshold_ = std::max(static_cast<std::size_t>(all[kinds]), std::size_t{1});
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key_, nullptr);
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    on_[kind] = all[kind] == 0;
    if (on_[kind]) take_over(static_cast<Kind>(kind));
  }
}

bool Collectives::takes_part(MPI_Comm comm) {
  if (comm == MPI_COMM_WORLD) return true;
  if (comm == MPI_COMM_NULL || comm == MPI_COMM_SELF) return false;
  static char yes = 0, no = 0;
  void* known = nullptr;
  int found = 0;
  if (PMPI_Comm_get_attr(comm, key_, &known, &found) != MPI_SUCCESS) return false;
  if (found) return known == &yes;
  int inter = 0;
  PMPI_Comm_test_inter(comm, &inter);
  bool all = false;
  if (!inter) {
    MPI_Group group;
    PMPI_Comm_group(comm, &group);
    const std::vector<int> there = mpi::world_ranks(group);
    PMPI_Group_free(&group);
    // A process of another job finds the same, from its side.
    all = there.size() > 1 && std::find(there.begin(), there.end(), MPI_UNDEFINED) == there.end();
  }
  PMPI_Comm_set_attr(comm, key_, all ? &yes : &no);
  return all;
}

bool Collectives::is_exact(MPI_Datatype type, MPI_Op op) {
  if (type == MPI_DATATYPE_NULL || op == MPI_OP_NULL) return false;
  const auto one_of = [](auto value, std::initializer_list<decltype(value)> list) {
    return std::find(list.begin(), list.end(), value) != list.end();
  };
  if (type == MPI_2INT || type == MPI_2INTEGER) return one_of(op, {MPI_MAXLOC, MPI_MINLOC});
  const bool whole = one_of(type, {MPI_SIGNED_CHAR,
                                   MPI_UNSIGNED_CHAR,
                                   MPI_BYTE,
                                   MPI_SHORT,
                                   MPI_UNSIGNED_SHORT,
                                   MPI_INT,
                                   MPI_UNSIGNED,
                                   MPI_LONG,
                                   MPI_UNSIGNED_LONG,
                                   MPI_LONG_LONG,
                                   MPI_UNSIGNED_LONG_LONG,
                                   MPI_INT8_T,
                                   MPI_INT16_T,
                                   MPI_INT32_T,
                                   MPI_INT64_T,
                                   MPI_UINT8_T,
                                   MPI_UINT16_T,
                                   MPI_UINT32_T,
                                   MPI_UINT64_T,
                                   MPI_AINT,
                                   MPI_OFFSET,
                                   MPI_COUNT,
                                   MPI_C_BOOL,
                                   MPI_INTEGER,
                                   MPI_INTEGER1,
                                   MPI_INTEGER2,
                                   MPI_INTEGER4,
                                   MPI_INTEGER8,
                                   MPI_LOGICAL});
  return whole && one_of(op, {MPI_SUM, MPI_PROD, MPI_MAX, MPI_MIN, MPI_LAND, MPI_LOR, MPI_LXOR, MPI_BAND,
                              MPI_BOR, MPI_BXOR});
}

}  // namespace lapwing::entry
