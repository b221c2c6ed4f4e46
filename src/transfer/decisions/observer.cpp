// SPDX-License-Identifier: Apache-2.0
#include "transfer/decisions/observer.hpp"

#include "progress/clock.hpp"

namespace lapwing::transfer {
namespace {

// A receive that waits for less is not worth a look.
constexpr std::uint64_t least_wait = 50'000;
// A look stops the program eight times at most, half a millisecond in all where the helper has no core of its
// own. A stream that waits little must not pay more for looks than strips could ever gain.
constexpr std::uint64_t worth_a_look = 2'000'000;
constexpr std::uint64_t first_looks = 2, between_looks = 256;
// A stream is the messages of one size of all of a halo's faces, so the next few may come before the program
// has had time to touch this one. After so many it has not needed the parts that it has not touched.
constexpr std::uint64_t given_up = 32;

// The first receive of a program may be unlike the others.
bool look_is_due(const Stream& stream) {
  if (stream.waited < worth_a_look) return false;
  if (stream.looks < first_looks) return stream.calls > 1;
  return stream.calls - stream.last_look >= between_looks;
}

}  // namespace

std::uint64_t Observer::received(Stream& stream, std::uint64_t waited, bool* look) {
  ++stream.calls;
  stream.waited += waited;
  const std::uint64_t saved = saving(waited, stream.touches);
  if (stream.observed && stream.calls - stream.last_look >= given_up) {
    for (Observed& observed : observations_) {
      if (observed.stream == &stream) observed.observation->end(nullptr, nullptr, 0, 0);
    }
    advance();
  }
  *look = !stream.observed && (restless_ || (waited >= least_wait && look_is_due(stream)));
  if (*look) stream.looked();
  return saved;
}

void Observer::observe(Stream& stream, Site& started, char* base, std::size_t bytes, std::uint64_t waited) {
  auto observation = Observation::begin(base, bytes, progress::now_ns(), in_mpi_);
  if (!observation) return;
  stream.observed = true;
  observations_.push_back({std::move(observation), &stream, &started, waited});
}

bool Observer::advance() {
  bool moved = false;
  for (auto it = observations_.begin(); it != observations_.end();) {
    moved |= it->observation->advance(progress::now_ns(), in_mpi_);
    if (!it->observation->ended()) {
      ++it;
      continue;
    }
    it->stream->touches = it->observation->touches();
    ++(saving(it->waited, it->stream->touches) > 0 ? it->started->looks_worth_it
                                                   : it->started->looks_in_vain);
    it->stream->observed = false;
    it = observations_.erase(it);
  }
  return moved;
}

void Observer::end(const char* from, const char* to) {
  for (Observed& observed : observations_) {
    if (observed.observation->meets(from, to))
      observed.observation->end(from, to, progress::now_ns(), in_mpi_);
  }
  advance();
}

}  // namespace lapwing::transfer
