// SPDX-License-Identifier: Apache-2.0
// Which calls in the IR are MPI's, and what their arguments are.
//
// C, mpif.h / use mpi, and mpi_f08 differ in how arguments are passed only:
// their order is the same, and Fortran appends the error.
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/InstrTypes.h>

#include <optional>

namespace lapwing::compiler {

enum class Interface { c, fortran };

enum class Kind {
  send,              // Send, Bsend, Rsend: `standard` tells Send from the rest
  ssend,             //
  recv,              //
  sendrecv,          //
  sendrecv_replace,  //
  isend,             // Isend, Ibsend, Irsend
  issend,            //
  irecv,             //
  send_init,         // all four
  recv_init,         //
  start,             //
  startall,          //
  wait,              //
  waitall,           //
  wait_some,         // Waitany, Waitsome
  test,              // Test, Testall, Testany, Testsome
  probe,             // Probe, Iprobe, Mprobe, Improbe
  matched_recv,      // Mrecv, Imrecv
  request_free,      //
  cancel,            //
  query,             // looks at local state only
  collective,        //
  abort,             //
  outside,           // any other call of MPI's
  token_start,       // lapwing_start_*, lapwing_post_*
  token_wait,        // lapwing_wait
  poll,              // lapwing_poll, lapwing_defer, lapwing_retire, lapwing_may_*
};

/// Whether such calls complete requests of the program's own, and name them.
constexpr bool is_completion(Kind kind) {
  return kind == Kind::wait || kind == Kind::waitall || kind == Kind::wait_some || kind == Kind::test;
}

/// The arguments of a routine; -1 where it has no such argument.
struct Routine {
  llvm::StringRef name;  // lower case, without MPI_
  Kind kind = Kind::outside;
  bool standard = false;  // of sends: neither buffered, ready nor synchronous
  int arguments = -1;     // in C
  int buffer = -1, count = -1, type = -1, rank = -1, tag = -1, comm = -1;
  int request = -1, requests = -1, status = -1;
  int receive = -1;  // sendrecv: the first argument of the receiving half
                     /// Whichever of the two it has.
  int any_request() const { return request >= 0 ? request : requests; }
  unsigned outputs = 0;        // bits: further arguments that are written
  bool whole_outputs = false;  // those may be arrays
};

class MpiCall {
 public:
  /// Empty if the callee is no MPI routine, or has not its arguments.
  static std::optional<MpiCall> of(const llvm::Instruction& instruction);

  const Routine& routine() const { return *routine_; }
  Kind kind() const { return routine_->kind; }
  Interface interface() const { return interface_; }
  bool is_fortran() const { return interface_ == Interface::fortran; }
  llvm::CallBase& call() const { return *call_; }
  llvm::Value* argument(int index) const { return call_->getArgOperand(static_cast<unsigned>(index)); }
  /// Fortran's error argument; null in C, and where it is absent.
  llvm::Value* error() const;
  /// MPI_Send, as it is written in the program's language.
  std::string spelling() const;

 private:
  MpiCall(const Routine& routine, Interface interface, llvm::CallBase& call)
      : routine_(&routine), interface_(interface), call_(&call) {}
  const Routine* routine_;
  Interface interface_;
  llvm::CallBase* call_;
};

/// The routine that a symbol names, and the language that it is called from.
struct Symbol {
  const Routine* routine;
  Interface interface;
};
std::optional<Symbol> find_symbol(llvm::StringRef symbol);

/// True for Fortran's MPI_BOTTOM and other sentinels: places in commons of the MPIs'.
bool names_bottom(const llvm::Value* buffer);

}  // namespace lapwing::compiler
