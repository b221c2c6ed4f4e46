// SPDX-License-Identifier: Apache-2.0
// The calls that tasks' programs make and that wait, as src/calls describes them (outside_forms.cpp,
// outside_calls.S).
#pragma once

#include <mpi.h>

#include "tasks/outside/waits.hpp"

namespace lapwing::tasks::outside {

/// One of the calls. `form` does the same by the call `other`, which does not wait.
struct Call {
  const char* name;
  void* form;
  const char* other;
};
extern const Call calls[];  // by name
extern const unsigned call_count;

/// The function behind the calls of that name.
void* behind(const char* name);
template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(behind(name));
}

void wait_outside(const Question& question);

/// Calls `look(done)`, which gives MPI's error, until it is done or has failed; the error.
template <class Look>
int until(Look look) {
  struct State {
    Look& look;
    int error;
  } state{look, MPI_SUCCESS};
  wait_outside({[](void* of) {
                  auto& s = *static_cast<State*>(of);
                  bool done = false;
                  s.error = s.look(done);
                  return done || s.error != MPI_SUCCESS;
                },
                &state});
  return state.error;
}

/// Errors of a request are raised as errors of a call with that communicator. (MPICH 4.0 asks the handler of
/// MPI_COMM_WORLD.)
bool raises_alike(MPI_Comm comm);

/// Gives the worker away for as long as it lives.
class Outside {
 public:
  Outside();
  ~Outside();
  Outside(const Outside&) = delete;
  Outside& operator=(const Outside&) = delete;

 private:
  const bool left_;
};

/// The program's call by itself.
template <class Function, class... Arguments>
int as_it_is(const char* name, Arguments... arguments) {
  static auto* const call = next<Function>(name);
  const Outside outside;
  return call(arguments...);
}

/// The rest of a call whose request has been started.
int finish(MPI_Request request, MPI_Status* status);

}  // namespace lapwing::tasks::outside
