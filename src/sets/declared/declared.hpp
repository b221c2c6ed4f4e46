// SPDX-License-Identifier: Apache-2.0
// Declared communication over MPI: the protocol of the automata, and the bytes.
//
// A receiver that is able to receive says so; small values come back within the
// message queue, larger ones on a communicator of their own, into a receive that
// is posted before the sender hears of it. So nothing arrives unexpectedly, and
// memory is bounded by what the program declares and by the cap on copies.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sets/declared/automata.hpp"
#include "sets/declared/data.hpp"
#include "sets/declared/declared_comm.hpp"
#include "sets/helper.hpp"

namespace lapwing::sets::declared {

struct Transfer : Declaration {
  Transfer(int count, MPI_Datatype type) : layout(count, type) {}
  Layout layout;
  MPI_Op op = MPI_OP_NULL;
  const void* from = nullptr;  ///< the program's value, or the copy in `own_block`
  void* to = nullptr;
  std::unique_ptr<char[]> packed;  ///< a copy that is to be sent
  std::size_t packed_size = 0, copied = 0;
  Block own_block;               ///< a copy that is to be combined
  std::vector<Block> operands;   ///< by leg
  const void* result = nullptr;  ///< so far
  Block result_block;            ///< where it lies, unless in `from`
};

class Declared : private World {
 public:
  /// After Messages::start(); collective over MPI_COMM_WORLD. `staging` caps the
  /// copies; a helper thread runs while something is pending if `helper`. `provable`:
  /// the program declares and waits in one thread at a time, so a circle of waits is one.
  static void start(std::size_t staging, bool helper, bool trace, bool provable);
  /// Before Messages::stop(): all that was declared has happened, or the job has
  /// ended with a sentence. All processes call it.
  static void stop();
  static Declared* get() { return instance_; }

  /// Under the lock of the messages.
  void declare(std::unique_ptr<Transfer> transfer);
  std::size_t pending() const { return automata_.pending_count(); }
  void print() const;

  /// Not under the lock; may block.
  void use(const Range& range);
  void define(const Range& range);
  void complete();

 private:
  struct Active {
    MPI_Request request;
    Transfer* transfer;
    Key key;
    bool outgoing;
  };
  Declared(std::size_t staging, bool trace);
  ~Declared() override;

  void announce(Declaration& declaration, Leg& leg) override;
  void move(Declaration& declaration, Leg& leg) override;
  bool copy(Declaration& declaration) override;
  void combine(Declaration& declaration, Leg* leg) override;
  void deliver(Declaration& declaration) override;
  void ended(Declaration& declaration) override;
  void changed(const Declaration& declaration, const Leg& leg) override;
  void differs(const Declaration* here, const Key& key, const Terms& theirs) override;
  void refuse(const Key& key, bool outgoing) override;

  void listen();
  void inquire();
  // member_circle.cpp
  void listen_for_circles(bool provable);
  template <typename F>
  void each_missing(F f) const;
  void ask(int asker, std::uint64_t wait, std::uint32_t turn, const std::string& before);
  [[noreturn]] static void end_of_circle(const std::string& text);
  template <typename Done>
  void wait(bool for_all, const Range& on, Done done);
  void arrived(const Key& key, const char* bytes, std::size_t size);
  bool progress();

  static inline Declared* instance_ = nullptr;
  Automata automata_;
  std::vector<Active> active_;
  MPI_Comm wire_ = MPI_COMM_NULL;
  int next_tag_ = 0;
  std::size_t staging_, staged_ = 0;
  bool trace_;
  bool provable_ = false;
  bool waiting_ = false, waits_for_all_ = false;  ///< where the program is
  Range waits_on_;
  std::uint64_t waits_ = 0;                                       ///< so far
  std::map<int, std::pair<std::uint64_t, std::uint32_t>> asked_;  ///< by asker: the last wait and turn
  std::unique_ptr<Helper> helper_;
};

}  // namespace lapwing::sets::declared
