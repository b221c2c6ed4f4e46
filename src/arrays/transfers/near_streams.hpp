// SPDX-License-Identifier: Apache-2.0
// The streams of an exchange that go to, or come from, processes of this node, by
// the wire that they share. The sender cuts: where bytes lie in long runs on both
// sides a strip is a list of places, which the receiver reads straight into its own;
// else it is packed into a slot and unpacked from there.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arrays/schedules/part.hpp"
#include "arrays/transfers/node_wire.hpp"
#include "arrays/transfers/steps.hpp"

namespace lapwing::arrays {

class NearStreams {
 public:
  NearStreams(const Near& near, int tag, StepTimes& steps) : near_(near), tag_(tag), steps_(steps) {}
  ~NearStreams();
  NearStreams(const NearStreams&) = delete;
  NearStreams& operator=(const NearStreams&) = delete;

  /// Whether a stream can go that way: each of its elements fits into a slot.
  static bool fits(const std::vector<Part>& parts);
  // Before the first start.
  void add(bool outgoing, int rank, std::vector<Part> parts);

  void start();
  /// Goes on with what can; whether anything could.
  bool step();
  bool done() const { return open_ == 0; }
  /// Of what comes, the share that has landed.
  double landed() const { return total_ > 0 ? static_cast<double>(taken_) / static_cast<double>(total_) : 1; }
  void landed(std::vector<Landed>* out) const;

  /// Bytes of a strip: what stays in a cache, or what is read at once. Tests change them.
  static inline std::int64_t packed_strip = NodeWire::slot_bytes, read_strip = NodeWire::slot_bytes;
  /// Runs from here on, in bytes, may be read by the kernel: shorter ones cost it more than packing.
  static inline std::int64_t long_run = 1024;

 private:
  struct Stream {
    NodeWire::Channel channel;
    NodeWire::Mailbox* mailbox;
    bool outgoing;
    bool reads;  // straight into place
    std::vector<Part> parts;
    bool begun = false, complete = false;
    bool packs = false;    // its last strip was
    std::size_t part = 0;  // the next element: sent, or landed
    std::int64_t from = 0;
    std::vector<NodeWire::Strip> out;  // filled, and not given back
    bool all_sent() const { return part == parts.size(); }
  };

  bool send(Stream& stream);
  bool fill(Stream& stream, const Part& part, NodeWire::Strip* strip);
  bool take(Stream& stream);
  bool read(const Stream& stream, const NodeWire::Strip& strip);
  void advance(Stream& stream, std::int64_t count);
  void look_after_peers();

  const Near& near_;
  int tag_;
  StepTimes& steps_;
  std::vector<Stream> streams_;
  std::unique_ptr<std::byte[]> buffer_;
  std::int64_t total_ = 0, taken_ = 0;  // bytes that come
  std::size_t open_ = 0;
  int idle_ = 0;  // when, in milliseconds, nothing could go on for the first time; 0: something did
};

}  // namespace lapwing::arrays
