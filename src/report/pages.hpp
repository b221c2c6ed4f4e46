// SPDX-License-Identifier: Apache-2.0
// Page traces (LAPWING_PAGES): the files of a run's ranks, read, and summed up by call site.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/report.hpp"

namespace lapwing::report {

struct PageTouch {
  std::uint32_t part = 0;
  double after_us = 0, own_us = 0;  ///< since the message had landed; own: the program's own time alone
};

/// One receive that was watched.
struct PagedReceive {
  int rank = 0, peer = 0;
  std::string site, function, call, wait, wait_call, first_use, ended;
  std::uint64_t bytes = 0, part_bytes = 0, parts = 0;
  bool coarse = false;  ///< a few large parts, whose stops hardly lengthen the times; else page by page
  std::optional<double> started_s;  ///< seconds since MPI_Init, as the next two
  double wait_began_s = 0, landed_s = 0;
  double waited_s = 0;             ///< its part of the time of the call that waited
  double ended_us = 0;             ///< when its watch ended, after it had landed
  std::vector<PageTouch> touches;  ///< first touches, in their order
};

struct PageTrace {
  std::string version, mpi, guard;
  int ranks = 0;
  std::vector<PagedReceive> receives;
  /// How many receives there were, by site and call, watched or not.
  std::map<std::pair<std::string, std::string>, std::uint64_t> counts;
  std::vector<std::string> notes;  ///< sentences: what is missing
};

/// Reads FILE.0, FILE.1 and so on, or FILE alone where it is one of these. Throws BadReport where there is
/// nothing to read.
PageTrace read_pages(const std::string& path);

/// A call site, summed up.
struct PagedSite {
  std::string site, function, call, wait, wait_call, first_use;
  std::uint64_t receives = 0, traced = 0, bytes = 0;  ///< bytes: of the median receive
  std::string order;  ///< ascending, descending, strided, random, or - for fewer than three pages
  std::optional<double> untouched;  ///< share of the pages that were never touched
  double waited_s = 0;              ///< a receive, as all that follows: medians, and means from here on
  double transfer_s = 0;            ///< from its start to its landing
  double first_touch_s = 0;         ///< after the landing
  double used_over_s = 0;           ///< from the first touch to the last first touch of a page
  double up_s = 0,
         down_s = 0;      ///< waiting that strips in that order would have hidden, by the engine's model
  double later_s = 0;     ///< that a wait right before the first touch would have hidden
  double train_s = 0;     ///< that messages of one wait would have hidden, each whole, one after the other
  std::size_t train = 0;  ///< how many there were
  std::string hint;       ///< for LAPWING_HINTS, "order=down"; or empty
  double saves_s = 0;     ///< by the hint or the change that is advised
  std::string advice;     ///< a sentence
};

/// By site and call, those that wait longest first.
std::vector<PagedSite> sites_of(const PageTrace& trace);

}  // namespace lapwing::report
