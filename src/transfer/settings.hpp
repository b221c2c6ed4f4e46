// SPDX-License-Identifier: Apache-2.0
// What the user, the profile and the machine decided, read once at MPI_Init.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "options/table.hpp"

namespace lapwing::transfer {

enum class Defer { off = 0, automatic = 1, on = 2 };
enum class Protect { all, first, last };  ///< all but `all` are benchmark switches (HUNT, section 5.2)
enum class Order { automatic, up, down };
enum class Sets { unset, off, check, run };  ///< unset: as the program was compiled
/// Of a kind of finding of the checker: it ends the job, is said, or is not looked for.
enum class Severity : std::uint8_t { error, warning, off };
enum class Split { automatic, overlap, messages, static_, blocking };  ///< how votes travel

/// Sizes, and the values of other options, have their defaults in options/options.def.
struct Settings {
  bool enabled = true;  ///< LAPWING: off passes every call through
  Defer defer = Defer::automatic;
  Defer collectives = Defer::off;  ///< collectives of programs that are not compiled
  std::string guard = "auto";
  bool helper = true;
  Defer one_sided =
      Defer::automatic;         ///< the helper serves accesses of other ranks; on: gets are deferred, too
  bool transport_tuned = true;  ///< the MPI's transport may be given parameters
  bool accelerators_ignored = false;  ///< no device has to do with MPI's buffers
  /// From here on a transfer is deferred whole, ...
  std::size_t guard_threshold = options::default_bytes("LAPWING_THRESHOLD_GUARD");
  /// ... and from here on it travels in strips.
  std::size_t strip_threshold = options::default_bytes("LAPWING_THRESHOLD_STRIP");
  /// From here on a split call starts; smaller ones go at once.
  std::size_t proved_threshold = options::default_bytes("LAPWING_THRESHOLD_PROVED");
  bool strips_given = false;  ///< LAPWING_STRIP_FIRST or _MAX: they are always kept to
  /// By the user; otherwise a profile may have others (decisions/sizes.hpp).
  bool guard_given = false, strip_given = false, first_given = false;
  std::size_t strip_first = options::default_bytes("LAPWING_STRIP_FIRST");
  /// Below any transport's rendezvous, which would bring strips in together.
  std::size_t strip_largest = options::default_bytes("LAPWING_STRIP_MAX");
  /// Bytes in flight beyond what the receiver has credited.
  std::size_t window = options::default_bytes("LAPWING_WINDOW");
  /// Cap of the engine's own copies per rank (rule 10).
  std::size_t staging = options::default_bytes("LAPWING_STAGING");
  Order order = Order::automatic;
  std::uint32_t train = 8;  ///< stripped messages on their way out, beyond which none is cut
  std::string hints;        ///< file of hints by call site
  Protect protect = Protect::all;
  Sets sets = Sets::unset;
  Split split = Split::automatic;
  bool check_buffers = false;
  std::string check_json;  ///< where a finding of the checker's goes as JSON
  std::string profile;
  std::string report;
  std::string pages;  ///< where each rank's page trace goes, with the rank behind; nothing is deferred then
  int verbose = 0;
  Severity leaks = Severity::warning, unsafe_sends = Severity::warning, races = Severity::warning;
  Severity overlaps = Severity::error;
  bool declared_trace = false;  ///< LAPWING_DECLARED=trace: every change of state is printed
  bool uniform_job = false;     ///< the launcher vouches that every rank has Lapwing
  bool testing = false;
  std::string fault;
  /// For tests: ranks begin and end strips all the time, whether or not it pays.
  bool restless() const { return testing && fault == "restless"; }
  /// For tests: loops that look at lists soon have looked for long enough.
  bool looks_briefly() const { return testing && fault == "brief_looks"; }
  /// Tests of what is judged run on nodes without a free core, too.
  bool assumes_free_core() const { return testing && (fault == "free_core" || restless()); }

  /// Sentences about variables that are unknown or not understood.
  std::vector<std::string> complaints;
};

/// Reads the environment; never fails: what is wrong becomes a complaint and the default stays.
Settings read_settings();

}  // namespace lapwing::transfer
