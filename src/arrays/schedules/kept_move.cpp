// SPDX-License-Identifier: Apache-2.0
#include "arrays/schedules/kept_move.hpp"

#include <cstring>

#include "arrays/schedules/pack.hpp"

namespace lapwing::arrays {
namespace {

// Beyond, tables of offsets move the piece faster, or the copying itself outweighs the rest.
constexpr std::size_t most_runs = 512;

}  // namespace

KeptMove::KeptMove(const Piece* source, const Piece* destination)
    : source_(source), destination_(destination) {
  const Piece& any = source ? *source : *destination;
  // The wire has the sender's type: only the receiver converts.
  if (destination && destination->wire != destination->local) return;
  runs_ = Mover(source, destination, any.local_bytes).all_runs(most_runs);
}

void KeptMove::move(const void* source, void* destination) const {
  if (runs_.empty()) {
    if (!destination_) return pack(*source_, source, 0, source_->elements, destination);
    if (!source_) return unpack(*destination_, destination, 0, destination_->elements, source);
    return copy_between(*source_, source, *destination_, destination);
  }
  const auto* from = static_cast<const char*>(source);
  auto* to = static_cast<char*>(destination);
  for (const Mover::Run& run : runs_)
    std::memcpy(to + run.to, from + run.from, static_cast<std::size_t>(run.bytes));
}

}  // namespace lapwing::arrays
