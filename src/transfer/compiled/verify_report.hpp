// SPDX-License-Identifier: Apache-2.0
// How a program that was compiled with -flapwing=verify ends where the compiler was
// wrong: a sentence that names the access, the start and the wait.
#pragma once

#include <cstddef>
#include <string>

#include "lapwing/compiled_verify.h"

namespace lapwing::transfer {

class VerifyReport {
 public:
  /// An access that was not allowed; its place is unknown where bytes of `length` differ from the `at`th on.
  struct Access {
    const lapwing_verify_site* site;
    bool sent;
    std::string place;
    std::size_t at, length;
  };
  /// Ends the job with a sentence and a status of its own: not the compiler is to blame.
  using Teller = void (*)(const Access&);

  /// Makes the thread that speaks: it can take locks, and a handler of signals cannot.
  static void start(Teller teller = nullptr);

  /// The calling thread has touched what it must not, and is about to wait for good. Async-signal-safe;
  /// of several only the first is told. `done`: the access has been made, the next instruction is due.
  static void note_touch(const lapwing_verify_site& site, bool sent, bool done = false);

  /// At the wait the bytes are others.
  [[noreturn]] static void end_at_bytes(const lapwing_verify_site& site, bool sent, std::size_t at,
                                        std::size_t length);
  /// The status that the program reads at the wait was written meanwhile.
  [[noreturn]] static void end_at_status(const lapwing_verify_site& site);
};

}  // namespace lapwing::transfer
