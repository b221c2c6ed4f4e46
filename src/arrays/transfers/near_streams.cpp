// SPDX-License-Identifier: Apache-2.0
#include "arrays/transfers/near_streams.hpp"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "arrays/schedules/mover.hpp"
#include "arrays/schedules/pack.hpp"
#include "mpi/ending.hpp"

namespace lapwing::arrays {
namespace {

// A sender works on so many streams at a time, with so many strips each that are
// not given back: few where they fill a cache.
constexpr int near_streams_at_once = 2;
constexpr std::size_t packed_window = 8, read_window = 16;
// Milliseconds without anything, before it is asked whether the other still lives.
constexpr int patience = 500;

int milliseconds() {
  timespec time;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return static_cast<int>((time.tv_sec * 1000 + time.tv_nsec / 1'000'000) & 0x3fffffff) | 1;
}

using State = NodeWire::State;

}  // namespace

NearStreams::~NearStreams() {
  for (Stream& stream : streams_) near_.wire->close(stream.channel);
}

bool NearStreams::fits(const std::vector<Part>& parts) {
  return std::all_of(parts.begin(), parts.end(),
                     [](const Part& part) { return part.wire <= NodeWire::slot_bytes; });
}

void NearStreams::add(bool outgoing, int rank, std::vector<Part> parts) {
  std::erase_if(parts, [](const Part& part) { return part.bytes() == 0; });
  const NodeWire::Channel channel{near_.comm, tag_, near_.place(rank)};
  if (!outgoing)
    for (const Part& part : parts) total_ += part.bytes();
  Stream stream{};
  stream.channel = channel;
  stream.reads = !outgoing && std::all_of(parts.begin(), parts.end(), [](const Part& part) {
    return part.piece->wire == part.piece->local &&
           Mover(nullptr, part.piece, part.wire).moves_runs_of(long_run);
  });
  stream.mailbox = &near_.wire->mailbox(channel);
  stream.outgoing = outgoing;
  stream.parts = std::move(parts);
  streams_.push_back(std::move(stream));
}

void NearStreams::start() {
  open_ = streams_.size();
  taken_ = 0;
  idle_ = 0;
  for (Stream& stream : streams_) {
    stream.begun = stream.complete = false;
    stream.part = 0;
    stream.from = 0;
    if (!stream.outgoing) near_.wire->announce(stream.channel, stream.reads);
  }
}

bool NearStreams::step() {
  if (open_ == 0) return false;
  bool moved = near_.wire->progress();
  int sending = 0;
  for (Stream& stream : streams_) {
    if (stream.complete) continue;
    if (!stream.outgoing) {
      moved |= take(stream);
    } else if (sending < near_streams_at_once) {
      moved |= send(stream);
      // A receiver that does not take it yet is passed over.
      if (stream.begun && !stream.complete) ++sending;
    }
    if (stream.complete) --open_;
  }
  if (moved) {
    idle_ = 0;
    return true;
  }
  const int now = milliseconds();
  if (idle_ == 0) idle_ = now;
  if (now - idle_ > patience || now < idle_) {
    idle_ = now;
    look_after_peers();
  }
  return false;
}

void NearStreams::advance(Stream& stream, std::int64_t count) {
  stream.from += count;
  if (stream.from < stream.parts[stream.part].piece->elements) return;
  ++stream.part;
  stream.from = 0;
}

bool NearStreams::send(Stream& stream) {
  NodeWire& wire = *near_.wire;
  bool moved = false;
  std::erase_if(stream.out, [&](const NodeWire::Strip& strip) {
    const State state = wire.state(strip.slot);
    if (state == State::unreadable) {
      const Part& part = stream.parts[static_cast<std::size_t>(strip.part)];
      pack(*part.piece, part.local, strip.from, strip.count, wire.data(strip.slot));
      wire.packed_instead(strip.slot);
      moved = true;
    }
    if (state != State::free) return false;
    wire.release(strip.slot);
    moved = true;
    return true;
  });
  if (!stream.begun) {
    if (stream.mailbox->ready == 0) return moved;
    --stream.mailbox->ready;
    stream.begun = true;
  }
  const std::size_t window = stream.packs ? packed_window : read_window;
  while (!stream.all_sent() && stream.out.size() < window) {
    const int slot = wire.claim();
    if (slot < 0) break;
    const Part& part = stream.parts[stream.part];
    NodeWire::Strip strip{slot, static_cast<std::int32_t>(stream.part), stream.from, 0};
    stream.packs = fill(stream, part, &strip);
    stream.out.push_back(strip);
    advance(stream, strip.count);
    moved = true;
    if (stream.packs) break;  // others have their turn
  }
  stream.complete = stream.all_sent() && stream.out.empty();
  return moved;
}

// Fills the strip's slot and posts it; whether it was packed.
bool NearStreams::fill(Stream& stream, const Part& part, NodeWire::Strip* strip) {
  NodeWire& wire = *near_.wire;
  const std::int64_t left = part.piece->elements - strip->from;
  auto elements_in = [&](std::int64_t bytes) {
    const std::int64_t room = std::max<std::int64_t>(1, bytes / part.wire);
    return std::min(left, part.piece->panel > 0 ? room : whole_rows(*part.piece, strip->from, room));
  };
  const std::uint64_t begin = steps_.now();
  if (stream.mailbox->reads) {
    // A strip that cannot be read must fit into its slot.
    strip->count = elements_in(std::min(read_strip, NodeWire::slot_bytes));
    const Mover mover(part.piece, nullptr, part.wire);
    const auto runs = mover.long_runs(strip->from, strip->count, long_run, NodeWire::most_places);
    if (!runs.empty()) {
      auto* places = reinterpret_cast<NodeWire::Place*>(wire.data(strip->slot));
      for (const Mover::Run& run : runs)
        *places++ = {reinterpret_cast<std::uint64_t>(part.local + run.from),
                     static_cast<std::uint64_t>(run.bytes)};
      wire.post(stream.channel, *strip, State::places, static_cast<std::uint32_t>(runs.size()));
      steps_.add(&StepTimes::packing, begin);
      steps_.sent(static_cast<std::uint64_t>(strip->count * part.wire));
      return false;
    }
  }
  strip->count = elements_in(packed_strip);
  pack(*part.piece, part.local, strip->from, strip->count, wire.data(strip->slot));
  wire.post(stream.channel, *strip, State::packed, 0);
  steps_.add(&StepTimes::packing, begin);
  steps_.sent(static_cast<std::uint64_t>(strip->count * part.wire));
  return true;
}

bool NearStreams::take(Stream& stream) {
  NodeWire& wire = *near_.wire;
  if (stream.mailbox->strips.empty()) return false;
  const NodeWire::Strip strip = stream.mailbox->strips.front();
  const State state = wire.state(stream.channel, strip);
  if (state == State::unreadable) return false;  // it is being packed
  const Part& part = stream.parts[static_cast<std::size_t>(strip.part)];
  const std::uint64_t begin = steps_.now();
  if (state == State::packed)
    unpack(*part.piece, part.local, strip.from, strip.count, wire.data(stream.channel, strip));
  else if (!read(stream, strip))
    return true;
  wire.give_back(stream.channel, strip);
  steps_.add(&StepTimes::packing, begin);
  stream.mailbox->strips.pop_front();
  taken_ += strip.count * part.wire;
  advance(stream, strip.count);
  stream.complete = stream.all_sent();
  return true;
}

bool NearStreams::read(const Stream& stream, const NodeWire::Strip& strip) {
  NodeWire& wire = *near_.wire;
  const Part& part = stream.parts[static_cast<std::size_t>(strip.part)];
  std::array<NodeWire::Place, NodeWire::most_places> to;
  std::size_t places = 0;
  if (part.piece->wire == part.piece->local) {
    const Mover mover(nullptr, part.piece, part.wire);
    for (const Mover::Run& run : mover.long_runs(strip.from, strip.count, long_run, to.size()))
      to[places++] = {reinterpret_cast<std::uint64_t>(part.local + run.to),
                      static_cast<std::uint64_t>(run.bytes)};
  }
  if (places > 0) return wire.read(stream.channel, strip, {to.data(), places});
  if (!buffer_) buffer_.reset(new std::byte[NodeWire::slot_bytes]);
  to[0] = {reinterpret_cast<std::uint64_t>(buffer_.get()),
           static_cast<std::uint64_t>(strip.count * part.wire)};
  if (!wire.read(stream.channel, strip, {to.data(), 1})) return false;
  unpack(*part.piece, part.local, strip.from, strip.count, buffer_.get());
  return true;
}

// A process that has ended without a word gives nothing back and sends nothing.
void NearStreams::look_after_peers() {
  for (const Stream& stream : streams_) {
    if (stream.complete || !near_.wire->has_ended(stream.channel.place)) continue;
    fmt::print(
        stderr,
        "lapwing: a transfer of arrays: process {} of this node has ended, and {} it has not arrived.\n",
        near_.wire->process(stream.channel.place),
        stream.outgoing ? "an array sent to" : "an array expected from");
    mpi::end_job(1);
  }
}

void NearStreams::landed(std::vector<Landed>* out) const {
  for (const Stream& stream : streams_) {
    if (stream.outgoing) continue;
    for (std::size_t p = 0; p < stream.parts.size(); ++p) {
      const Piece* piece = stream.parts[p].piece;
      const std::int64_t here = p < stream.part ? piece->elements : p == stream.part ? stream.from : 0;
      out->push_back({piece, here});
    }
  }
}

}  // namespace lapwing::arrays
