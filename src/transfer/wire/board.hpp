// SPDX-License-Identifier: Apache-2.0
// Short letters between processes of one node, through memory that they share:
// a letter costs its writer and its reader a cache line, and nobody a call of MPI's
// or of the kernel's. Also tells who has ended.
//
// Neighbours are at most 64 processes of a node. Letters between two of them
// arrive in order, but may be overtaken by messages. Each neighbour may have an
// area of its own besides, which all of them see.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "progress/ring.hpp"

namespace lapwing::transfer {

class Board {
  using Ring = progress::Ring<32, 48>;
  static constexpr std::size_t between_words = 8;  // letters read, until their writer hears of it

 public:
  static constexpr std::size_t longest = Ring::longest;  ///< bytes of a letter
  struct alignas(64) Neighbour {
    Ring::Writer to;         ///< letters to it
    Ring* from;              ///< letters from it
    std::uint64_t read = 0;  ///< of those
    int rank, number;        ///< in the world and on the board
  };

  /// Those of `world` that are this process' neighbours, and itself; a new communicator.
  static MPI_Comm neighbours_of(MPI_Comm world);
  /// Collective over `world`. Null where there are no neighbours, or where one of
  /// them cannot share memory; then it is null for all of them. An area costs
  /// memory only where it is written.
  static std::unique_ptr<Board> make(MPI_Comm world, std::size_t area = 0);
  ~Board();
  Board(const Board&) = delete;
  Board& operator=(const Board&) = delete;

  /// By its rank in `world`; null where that process is elsewhere, or this one.
  Neighbour* neighbour(int rank) {
    const int place = place_of(rank);
    return place < 0 ? nullptr : &neighbours_[static_cast<std::size_t>(place)];
  }
  /// The neighbour's area, or this process' own: full of zeros at first, at the beginning of a page.
  char* area(int rank) const {
    const int place = place_of(rank);
    const int number = place < 0 ? me_ : neighbours_[static_cast<std::size_t>(place)].number;
    return areas_ + static_cast<std::size_t>(number) * area_;
  }
  /// False, and nothing is sent, where the letter is too long or its reader has many
  /// unread ones.
  [[gnu::always_inline]] bool send(Neighbour& neighbour, int kind, const void* data, std::size_t size) {
    return neighbour.to.put(kind, data, size);
  }
  /// Gives each new letter to take(rank, kind, data, size); true if there were any.
  template <typename F>
  bool receive(F take);

  /// From here on this process may end.
  void take_leave() { leaves_[me_].store(1, std::memory_order_release); }
  /// True for the first process that asks: it speaks for all of them.
  bool take_word() { return leaves_[neighbours_.size() + 1].exchange(1) == 0; }
  /// Whether the neighbour's process is no more, and has not taken leave. Asks the kernel.
  bool has_ended(int rank) const;
  /// The lowest rank of which that is true; -1 if there is none.
  int ended() const;

 private:
  Board() = default;
  bool share(MPI_Comm node);
  int place_of(int rank) const {
    return rank >= first_ && rank - first_ < static_cast<int>(places_.size())
               ? places_[static_cast<std::size_t>(rank - first_)]
               : -1;
  }

  std::vector<Neighbour> neighbours_;
  int me_ = 0;               ///< the process' own number on the board
  int first_ = 0;            ///< lowest rank among all on it
  std::vector<int> places_;  ///< in `neighbours_`, by rank from `first_` on
  void* memory_ = nullptr;
  std::size_t bytes_ = 0;
  std::atomic<int>* leaves_ = nullptr;  ///< one of each neighbour, and the word
  char* areas_ = nullptr;
  std::size_t area_ = 0;
  int file_ = -1;
};

template <typename F>
[[gnu::always_inline]] inline bool Board::receive(F take) {
  bool any = false;
  for (Neighbour& n : neighbours_) {
    while (const Ring::Letter* const letter = n.from->next(n.read)) {
      char bytes[longest];
      const std::size_t size = letter->size < longest ? letter->size : longest;
      const int kind = letter->kind;
      std::memcpy(bytes, letter->bytes, longest);
      if (++n.read % between_words == 0) n.from->done(n.read);
      any = true;
      take(n.rank, kind, bytes, size);
    }
  }
  return any;
}

}  // namespace lapwing::transfer
