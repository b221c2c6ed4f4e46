// SPDX-License-Identifier: Apache-2.0
// The file of hints in the life of an engine.
#include <fmt/format.h>

#include <cstdio>
#include <vector>

#include "transfer/accounts/record.hpp"
#include "transfer/engine.hpp"

namespace lapwing::transfer {

void Engine::take_hints(std::unique_ptr<HintFile> file, bool all_alike) {
  if (!file) return;
  if (!all_alike && world_rank_ == 0)
    fmt::print(
        stderr,
        "lapwing: {} does not give all ranks the same hints: each keeps to its own, and it is not told "
        "which of them match no call site.\n",
        settings_.hints);
  hints_alike_ = all_alike;
  hint_file_ = std::move(file);
  sites_.use(hint_file_.get());
}

void Engine::tell_unused_hints() {
  if (!hint_file_ || !hints_alike_ || hint_file_->entries().empty()) return;
  std::vector<signed char> used, anywhere(hint_file_->entries().size());
  for (const HintFile::Entry& entry : hint_file_->entries()) used.push_back(entry.used ? 1 : 0);
  PMPI_Reduce(used.data(), anywhere.data(), static_cast<int>(used.size()), MPI_SIGNED_CHAR, MPI_MAX, 0,
              control_comm_);
  if (world_rank_ != 0) return;
  std::vector<std::string> unused;
  std::string names;
  for (std::size_t i = 0; i < anywhere.size(); ++i) {
    if (anywhere[i] != 0) continue;
    unused.push_back(hint_file_->entries()[i].place);
    names += (names.empty() ? "" : ", ") + unused.back();
  }
  if (unused.empty()) return;
  fmt::print(
      stderr,
      "lapwing: no call site of this run matches these places of {}, so their hints were not used: {}; "
      "`lapwing report` shows how call sites are named.\n",
      settings_.hints, names);
  Record::note_unused_hints(std::move(unused));
}

}  // namespace lapwing::transfer
