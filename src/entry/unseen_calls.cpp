// SPDX-License-Identifier: Apache-2.0
#include "entry/unseen_calls.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "entry/spec.hpp"
#include "mpi/references.hpp"

namespace lapwing::entry {
namespace {

bool begins_with(std::string_view name, std::string_view prefix) {
  return name.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), name.begin(),
                                                    [](char a, char b) { return (a | 0x20) == (b | 0x20); });
}

// In any spelling: PMPI_Wait, pmpi_wait_, PMPI_Recv_c, PMPI_Wait_f08; but not PMPI_Test_cancelled for
// PMPI_Test.
bool is_receiver(std::string_view symbol) {
  constexpr std::string_view profiling = "PMPI_";
  if (!begins_with(symbol, profiling)) return false;
  const std::string_view name = symbol.substr(profiling.size());
  for (const char* const* call = receiving_calls; *call; ++call) {
    if (!begins_with(name, *call)) continue;
    const std::string_view rest = name.substr(std::string_view(*call).size());
    if (rest.empty() || rest == "_" || rest == "__" || rest == "_c" || rest.starts_with("_f08")) return true;
  }
  return false;
}

// The file is a tool's: it defines the call itself, and another definition comes first, so nothing reaches
// its own.
bool is_passed_by(const char* file, const char* wrapped) {
  if (*file == '\0') return false;
  void* const tool = dlopen(file, RTLD_LAZY | RTLD_NOLOAD);
  if (!tool) return false;
  Dl_info first{}, own{};
  void* const reached = dlsym(RTLD_DEFAULT, wrapped);
  void* const defined = dlsym(tool, wrapped);
  const bool is_passed = reached && defined && dladdr(reached, &first) && dladdr(defined, &own) &&
                         first.dli_fbase != own.dli_fbase && std::strcmp(own.dli_fname, file) == 0;
  dlclose(tool);
  return is_passed;
}

}  // namespace

bool receives_unseen() {
  bool found = false;
  mpi::each_reference_to_mpi(
      [](const char* file, const char* symbol, void* context) {
        if (!is_receiver(symbol) || mpi::is_of_mpi(file) || is_passed_by(file, symbol + 1)) return false;
        return *static_cast<bool*>(context) = true;
      },
      &found);
  return found;
}

}  // namespace lapwing::entry
