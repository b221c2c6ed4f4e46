// SPDX-License-Identifier: Apache-2.0
// Memory of a transfer that the compiler believes in flight, under guard although
// nothing is on its way any more: programs compiled with -flapwing=verify.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <vector>

#include "guard/guard.hpp"
#include "lapwing/compiled_verify.h"
#include "transfer/compiled/verify_report.hpp"

namespace lapwing::transfer {

/// Whole pages are closed: what is received to everybody, what is sent to those who
/// write. Bytes that share a page with other data, memory of a kind that is never
/// closed and buffers with holes are compared when the guard ends; what was received
/// there is hidden meanwhile, all of its bytes being 0xff, so that whoever reads it
/// too early does not get away with it.
///
/// Of bytes that share a page, some are watched where the processor has a register for them and what they
/// hold is neither hidden nor here yet.
///
/// The first touch of a closed page ends the job; so does open(), where bytes differ.
class GuardedBuffer {
 public:
  enum class Use {
    sent,
    received,
    awaited,  ///< nothing has been received yet: whole pages only
    landing   ///< it lands elsewhere: nobody may touch whole pages, nor write to the rest
  };

  /// `teller`: as VerifyReport's.
  static void start(VerifyReport::Teller teller = nullptr);
  /// Opens whatever is closed still.
  static void stop();

  /// `count` elements must be there. Null where there is not a byte.
  static std::unique_ptr<GuardedBuffer> close(const lapwing_verify_site& site, Use use, const void* buffer,
                                              MPI_Count count, MPI_Datatype type);
  ~GuardedBuffer();
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  /// From here on the bytes are the program's.
  void open();

 private:
  struct Piece {
    char* at;
    std::vector<char> kept;
  };

  GuardedBuffer(const lapwing_verify_site& site, Use use) : site_(site), use_(use) {}
  void close_run(char* begin, std::size_t length);
  void close_packed(const void* buffer, MPI_Count count, MPI_Datatype type);
  void keep(char* begin, char* end);
  std::vector<char> packed() const;
  void watch_pieces();
  [[noreturn]] void fail(std::size_t at) const;
  static void on_touch(void*);
  static void on_breakpoint(const void* buffer);

  const lapwing_verify_site& site_;
  Use use_;
  char* begin_ = nullptr;
  std::size_t length_ = 0;
  std::unique_ptr<guard::Region> region_;
  std::vector<Piece> pieces_;
  // With holes, or out of the processor's reach: as MPI packs it.
  void* buffer_ = nullptr;
  int count_ = 0;
  MPI_Datatype type_ = MPI_DATATYPE_NULL, kept_type_ = MPI_DATATYPE_NULL;
  std::vector<char> kept_;
  unsigned long owner_ = 0;  // the thread
  int slot_ = -1;
  int breakpoints_[2] = {-1, -1};
};

}  // namespace lapwing::transfer
