// SPDX-License-Identifier: Apache-2.0
// Handles that the program has made and not freed when it comes to MPI_Finalize:
// communicators, datatypes, groups, operations, windows, files, persistent requests.
//
// MPI may hand out one handle twice (a communicator's group), so the makers of a handle
// are counted. A handle that MPI lends (a type in a type's contents) may be that of an
// object which the program holds, and has to be freed as well: it is not known then which
// of the two was freed last, and uses after it are MPI's to find. Handles that the program
// need not free (predefined ones, those of MPI_Type_create_f90_*) are not made by a call
// that is watched.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "sets/handle_watch.hpp"
#include "sets/report/report.hpp"
#include "sets/votes/agreement.hpp"
#include "transfer/settings.hpp"

namespace lapwing::sets {

class Leaks : public HandleWatcher {
 public:
  using Report = transfer::Severity;

  /// Before the first call that is watched.
  static void start(Report report);
  static Report report() { return report_; }

  void made(HandleKind kind, std::uint64_t handle, const char* call, const void* returns_to) override;
  void lent(HandleKind kind) override;
  void frees(HandleKind kind, std::uint64_t handle, const char* call, const void* returns_to) override;
  void freed(HandleKind kind, std::uint64_t handle, const char* call, const void* returns_to) override;

  /// The same for handles that the checker follows already. Under the lock of Messages.
  template <typename Handle>
  static void note_made(HandleKind kind, Handle handle, const Told& maker) {
    add(kind, Circles::key(&handle, sizeof handle), maker);
  }
  template <typename Handle>
  static void note_freed(HandleKind kind, Handle handle, const Told& by) {
    remove(kind, Circles::key(&handle, sizeof handle), by);
  }

  /// The leaks of this process, places that made several once. Under the lock of Messages.
  static std::vector<Account> accounts();

 private:
  using Key = std::pair<HandleKind, std::uint64_t>;
  static void add(HandleKind kind, std::uint64_t handle, const Told& maker);
  static void remove(HandleKind kind, std::uint64_t handle, const Told& by);

  static inline Report report_ = Report::off;
  struct Alive {
    std::vector<Told> makers;
    std::uint64_t made_at = 0;  ///< by `handles_made_`
  };
  static inline std::map<Key, Alive> alive_;
  static inline std::uint64_t handles_made_ = 0;
  static inline std::map<HandleKind, std::uint64_t> lent_at_;  ///< the last time, by `handles_made_`
};

}  // namespace lapwing::sets
