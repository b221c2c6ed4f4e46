// SPDX-License-Identifier: Apache-2.0
// Buffers that MPI itself may still read from.
//
// A program may receive into a buffer of which a non-blocking send is pending.
// MPI forbids it, yet plainly it works, and MPI's own tests do it. A receive
// that closed such a buffer would stop MPI in the middle of reading it, with
// MPI's lock held.
#pragma once

#include <array>
#include <cstddef>

#include "transfer/wire/datatype.hpp"

namespace lapwing::transfer {

/// The last few sends that went the plain way. Whether they are complete is not
/// known: each keeps one receive from being deferred at most, and is forgotten.
class PlainSends {
 public:
  void note(const Span& span) { spans_[next_++ % spans_.size()] = span; }
  /// Whether one of them may be reading [from, to).
  bool take(const char* from, const char* to) {
    bool found = false;
    for (Span& span : spans_) {
      const char* begin = span.begin;
      if (span.length == 0 || begin >= to || from >= begin + span.length) continue;
      span = Span{};
      found = true;
    }
    return found;
  }

 private:
  std::array<Span, 16> spans_{};
  std::size_t next_ = 0;
};

}  // namespace lapwing::transfer
