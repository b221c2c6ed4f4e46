// SPDX-License-Identifier: Apache-2.0
// The lines of the report, from one rank's books to the sum over all ranks.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>

#include "transfer/accounts/accounts.hpp"
#include "transfer/accounts/places.hpp"
#include "transfer/decisions/governor.hpp"
#include "transfer/decisions/sites.hpp"

namespace lapwing::transfer {

/// The counts of one call site on one rank, or on all. Travels as text: ranks may
/// have loaded their libraries at different addresses, but places have names.
struct Line {
  Place place;
  std::string call;
  Kind kind = Kind::message;
  std::uint64_t calls = 0, bytes = 0, exposed_ns = 0, hidden_ns = 0, deferred = 0, stripped = 0, faults = 0;
  std::uint64_t late_calls = 0, late_bytes = 0;  ///< of requests: not complete when their wait began
  std::uint64_t guard_ns = 0;                    ///< the part of exposed_ns that was spent at closed pages
  std::uint64_t rate = 0;  ///< bytes a second that large transfers have reached; 0 if unknown
  int up = 0, down = 0, hides = 0, aside = 0, learning = 0, at_once = 0;
  std::array<std::uint64_t, plain_causes> plain{};  ///< messages of weight that went the plain way, by cause
  struct Wait {
    std::string function;
    std::uint64_t exposed_ns = 0;
  };
  std::map<std::string, Wait> waited_at;  ///< by the place of the wait
  std::string hint;                       ///< of the user's, and where it was given; or empty

  const char* direction() const;
  const char* decision() const;
};

using Lines = std::map<std::string, Line>;  // by place and call

/// Adds what a rank's engine and accounts know; the engine's sites first.
void add(Lines& lines, const Site& site, Verdict verdict);
void add(Lines& lines, const Account& account);

std::string text_of(const Lines& lines);
Lines merged(const std::string& texts);

}  // namespace lapwing::transfer
