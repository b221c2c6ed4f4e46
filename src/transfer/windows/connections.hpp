// SPDX-License-Identifier: Apache-2.0
// The TCP connections of this process, as a thread that serves MPI beside the
// program sees them. It only looks: MPI alone reads and writes.
//
// Two things wait for somebody to call MPI: bytes that have arrived, and a
// connection that was full when MPI wrote to it and has room again. Where a thread
// of the program is inside MPI, both are over soon.
//
// One thread at a time.
#pragma once

#include <cstdint>
#include <unordered_map>

namespace lapwing::transfer {

class Connections {
 public:
  Connections();
  ~Connections();
  Connections(const Connections&) = delete;
  Connections& operator=(const Connections&) = delete;

  /// Can be read from the moment when MPI has something to do after arm(), until silence(). Negative where
  /// the kernel gives none.
  int descriptor() const { return alarm_; }
  void arm();
  void silence();

  /// Finds connections that are new. Looks at each descriptor of the process: some microseconds each.
  void scan();
  std::size_t count() const { return known_.size(); }

  /// Whether bytes, or a process that wants to connect, wait at a connection at this moment.
  bool readable();
  /// Whether a connection that was full has got room since the last call of this function.
  bool has_room();
  /// Whether one of those that the last call found has room at this moment: no thread has filled it again.
  bool still_has_room() const;

  /// How many bytes threads of this process have read from and written to all connections. They grow while a
  /// thread is inside MPI and something moves.
  struct Traffic {
    std::uint64_t taken = 0, given = 0;
    bool operator==(const Traffic&) const = default;
  };
  /// Some microseconds a connection.
  Traffic traffic() const;

  /// After calls of MPI's: stops looking at connections that those calls do not read, for they are not
  /// MPI's.
  void note_looked();

 private:
  struct Connection {
    std::uint64_t inode = 0;  ///< tells it from a later one with the same descriptor
    bool listens = false;
    bool got_room = false;      ///< in the last call of has_room()
    bool was_readable = false;  ///< since note_looked()
    std::uint64_t taken = 0;    ///< bytes that had been read at the last note_looked()
    int in_vain = 0;            ///< looks in a row that took nothing from it
  };
  static constexpr int looks_until_foreign = 16;
  static constexpr int at_once = 64;  ///< connections asked about in one call

  std::unordered_map<int, Connection> known_;
  int incoming_ = -1;  ///< all connections that can be read
  int outgoing_ = -1;  ///< those that have got room: each is reported once
  int alarm_ = -1;     ///< holds these two, and reports each once
};

}  // namespace lapwing::transfer
