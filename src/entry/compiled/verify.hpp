// SPDX-License-Identifier: Apache-2.0
// The starts of programs that were compiled with -flapwing=verify: they make the
// program's own calls and put under guard what the compiler believes in flight.
#pragma once

#include "entry/compiled/compiled.hpp"
#include "lapwing/compiled_verify.h"

namespace lapwing::entry {

class Verify {
 public:
  /// Whether any file of the program was compiled so.
  static bool wanted();
  /// After PMPI_Init; tokens are this class's from then on.
  static void start();
  static void stop();
  static bool on() { return on_; }

  static void note_next(const lapwing_verify_site* site) { next_ = site; }

  static lapwing_token* send(const transfer::SendArguments& a, Sending how, int* error);
  static lapwing_token* receive(const transfer::ReceiveArguments& a, Receiving how, MPI_Status* status,
                                int* error);
  static void reach(lapwing_token* token);
  static void wait(lapwing_token* token);

  /// Requests of the program's own: behind their start, where their wait stood, before it where it stands.
  /// `place`: the program's variable for the request.
  static void started(const lapwing_verify_site& site, const void* place, MPI_Request request,
                      const void* buffer, int count, MPI_Datatype type, bool receives);
  static void reach(const void* place, MPI_Request request);
  static void retire(const void* place, MPI_Request request);
  static void reach(int count, const MPI_Request* requests) {
    for (int i = 0; i < count; ++i) reach(requests + i, requests[i]);
  }
  static void retire(int count, const MPI_Request* requests) {
    for (int i = 0; i < count; ++i) retire(requests + i, requests[i]);
  }

 private:
  static const lapwing_verify_site& take_site();

  static inline bool on_ = false;
  static inline thread_local const lapwing_verify_site* next_ = nullptr;
};

}  // namespace lapwing::entry
