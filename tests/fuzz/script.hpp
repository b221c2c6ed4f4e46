// SPDX-License-Identifier: Apache-2.0
// What a generated program is: a list of steps that all ranks know in full. A step is a set
// of matched operations that cannot deadlock even where every send waits for its receive;
// ranks run the steps in one order, so neither can the whole. A step depends on nothing but
// the seed and its own number: leaving steps out leaves the others as they were.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "random.hpp"

namespace lapwing::fuzz {

enum class Home {
  heap_small,
  heap,
  anonymous,
  static_array,
  common,
  shared,
  file,
  stack,
  temp_heap,
  temp_map
};
constexpr int kSlots = 7;  // the homes before `stack` live as long as the program

enum class Elem { byte, integer, real };
enum class LayoutKind { plain, derived, vector, structure, bottom };

struct Layout {
  LayoutKind kind = LayoutKind::plain;
  size_t block = 0;  // vector: elements in a block; structure and bottom: elements in the first piece
  size_t gap = 0;    // elements between two pieces
};

struct Region {
  Home home = Home::heap;
  size_t offset = 0;
  size_t bytes = 0;  // from the first byte that may be touched to the last
};

// What a rank does with bytes, other than by MPI.
enum class Touch {
  none,
  ascending,
  descending,
  random,
  strided,
  first_byte,
  last_byte,
  middle,
  copy_out,
  compare,
  by_thread,
  to_file,
  to_file_stdio,
  to_pipe,
  to_socket,
  gather_write,
  fork_child,
  spawn,
  write_ascending,
  write_descending,
  write_first,
  write_last,
  write_middle,
  set,
  move_inside,
  copy_in,
  write_by_thread,
  increment,
  from_file,
  from_file_vector,
  from_file_stdio,
  from_socket,
  count
};

enum class Fill { as_is, generated, from_file };
enum class Release { free_now, resize, shrink, move, over, discard, hold };

enum class SendCall {
  send,
  ssend,
  isend,
  issend,
  sendrecv_null,
  init,
  sinit,
  bsend,
  ibsend,
  binit,
  rsend,
  irsend,
  send_c,
  isend_c
};
enum class RecvCall {
  recv,
  irecv,
  sendrecv_null,
  init,
  probe,
  iprobe,
  mprobe,
  improbe,
  mprobe_imrecv,
  recv_c,
  irecv_c
};

// One rank's half of a message.
struct Part {
  int world = 0;  // who does it
  Region region;
  Layout layout;
  size_t elements = 0;  // what the call is given: sent, or room for
  Fill fill = Fill::as_is;
  SendCall send = SendCall::send;
  RecvCall recv = RecvCall::recv;
  bool ignore_status = false;
  std::vector<Touch> touches;  // once complete
  Release release = Release::free_now;
  uint64_t key = 0;
};

struct Message {
  int source = 0, target = 0;  // ranks in the communicator as the peer names them
  int tag = 0;
  Elem elem = Elem::byte;
  size_t count = 0;
  bool any_source = false, any_tag = false;
  Part send, recv;
  int thread = 0;
};

enum class Kind {
  ordered,
  posted,
  eager,
  wild,
  sendrecv,
  persistent,
  threads,
  truncate,
  cancel,
  request_free,
  causality,
  collective,
  local,
  touch,
  null_process,
  window,
  count
};
const char* name_of(Kind kind);

struct Step {
  int index = 0;
  Kind kind = Kind::ordered;
  int group = 0;           // which communicator
  bool transient = false;  // on a duplicate that is freed while bytes may still travel
  bool barrier = false;    // at the end (wild), or between posting and sending (posted)
  std::vector<Message> messages;
  int variant = 0;  // which of a kind's forms
  int rounds = 1;
  std::vector<Part> parts;  // collective, local, touch, cancel, window: one for each rank
  size_t bytes = 0;
  int root = 0;
  uint64_t key = 0;
};

enum class Making { world, duplicate, reversed, subset, inter };

struct Group {
  Making making = Making::world;
  std::vector<int> members;  // world ranks in rank order; of the first side of an intercommunicator
  std::vector<int> others;   // the second side
  bool has(int world) const;
  int rank_of(int world) const;
};

struct Program {
  uint64_t seed = 0;
  int ranks = 0;
  bool threaded = false;
  bool one_sided = false;
  std::vector<Group> groups;
  std::vector<Step> steps;
};

/// `one_sided`: half of its steps make windows.
Program generate(uint64_t seed, int ranks, bool threaded, bool one_sided);
std::string describe(const Program& program, const Step& step);

inline size_t size_of(Elem elem) { return elem == Elem::byte ? 1 : elem == Elem::integer ? 4 : 8; }
inline bool is_temporary(Home home) { return home == Home::temp_heap || home == Home::temp_map; }
size_t slot_size(Home home);
constexpr size_t kStackBytes = 768 * 1024;

// The pieces of a layout, in elements from the start of the region.
struct Piece {
  size_t at, length;
};
std::vector<Piece> pieces_of(const Layout& layout, size_t elements);
size_t span_of(const Layout& layout, size_t elements);

}  // namespace lapwing::fuzz
