// SPDX-License-Identifier: Apache-2.0
// Decodes group calls from any spelling, and makes them between the watcher's
// before and after.
#include "entry/sets/watched.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "entry/arguments.hpp"
#include "entry/caller.hpp"
#include "entry/group_spec.hpp"

__thread int lapwing_entry_result = 0;

namespace lapwing::entry {
namespace {

using sets::GroupCall;
using sets::Made;

class Inside {
 public:
  Inside() { inside_group_call = true; }
  ~Inside() { inside_group_call = false; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
};

sets::Data decode_data(const GroupData& at, const Arguments& arguments) {
  sets::Data data;
  if (at.buffer < 0 && at.type < 0) return data;
  data.given = true;
  data.buffer = at.buffer < 0 ? nullptr : arguments.pointer(at.buffer);
  if (arguments.is_in_place(data.buffer)) {
    data.buffer = MPI_IN_PLACE;
  } else if (arguments.is_bottom(data.buffer)) {
    data.buffer = MPI_BOTTOM;
  }
  data.large = arguments.form() == Form::large;
  data.fortran = arguments.fortran();
  if (at.counts) {
    data.counts = arguments.pointer(at.count);
    if (at.displacement >= 0) data.displacements = arguments.pointer(at.displacement);
  } else {
    data.one_count = at.count < 0 ? 1 : arguments.count(at.count);
  }
  if (at.types) {
    data.types = arguments.pointer(at.type);
  } else {
    data.one_type = arguments.type(at.type);
  }
  return data;
}

std::uint64_t fold(std::uint64_t folded, int value) {
  return (folded ^ static_cast<unsigned>(value)) * 1099511628211u;
}

std::uint64_t decode_same(const GroupSpec& spec, const Arguments& arguments) {
  std::uint64_t folded = 0;
  for (const SameArgument& same : spec.same) {
    if (same.at < 0) break;
    if (same.length < 0) {
      folded = fold(folded, arguments.integer(same.at));
      continue;
    }
    const int* values = static_cast<const int*>(arguments.pointer(same.at));
    const int length = arguments.integer(same.length);
    for (int i = 0; values && i < length; ++i) folded = fold(folded, values[i]);
  }
  return folded;
}

// A handle that stands behind an address: C's own type, or Fortran's integer,
// which are one and the same argument in Fortran.
template <typename Handle, typename FromFortran>
Handle behind(const Arguments& arguments, int index, FromFortran from_fortran, Handle null) {
  void* address = arguments.pointer(index);
  if (!address) return null;
  return arguments.fortran() ? from_fortran(*static_cast<const MPI_Fint*>(address))
                             : *static_cast<const Handle*>(address);
}

template <typename Handle, typename ToFortran>
void put(const Arguments& arguments, int index, Handle value, ToFortran to_fortran) {
  void* address = index < 0 ? nullptr : arguments.pointer(index);
  if (!address) return;
  if (arguments.fortran()) {
    *static_cast<MPI_Fint*>(address) = to_fortran(value);
  } else {
    *static_cast<Handle*>(address) = value;
  }
}

MPI_Comm comm_of(MPI_Fint f) { return PMPI_Comm_f2c(f); }
MPI_Win win_of(MPI_Fint f) { return PMPI_Win_f2c(f); }
MPI_File file_of(MPI_Fint f) { return PMPI_File_f2c(f); }
MPI_Request request_of(MPI_Fint f) { return PMPI_Request_f2c(f); }

GroupCall decode(const GroupSpec& spec, const Arguments& a) {
  GroupCall call{};
  call.operation = spec.operation;
  call.way = spec.way;
  call.name = spec.name;
  if (spec.comm >= 0)
    call.comm = spec.by_address ? behind<MPI_Comm>(a, spec.comm, comm_of, MPI_COMM_NULL) : a.comm(spec.comm);
  if (spec.win >= 0)
    call.win = spec.by_address ? behind<MPI_Win>(a, spec.win, win_of, MPI_WIN_NULL) : a.win(spec.win);
  if (spec.file >= 0)
    call.file = spec.by_address ? behind<MPI_File>(a, spec.file, file_of, MPI_FILE_NULL) : a.file(spec.file);
  call.has_root = spec.root >= 0;
  if (call.has_root) call.root = a.integer(spec.root);
  if (spec.op >= 0) call.op = a.op(spec.op);
  if (spec.group >= 0) call.group = a.group(spec.group);
  if (spec.peer_comm >= 0) call.peer_comm = a.comm(spec.peer_comm);
  if (spec.peer >= 0) call.peer = a.integer(spec.peer);
  if (spec.tag >= 0) call.tag = a.integer(spec.tag);
  if (spec.mode >= 0) call.mode = a.integer(spec.mode);
  if (spec.displacement >= 0) call.displacement = a.address(spec.displacement);
  call.same = decode_same(spec, a);
  call.send = decode_data(spec.send, a);
  call.receive = decode_data(spec.receive, a);
  call.target = decode_data(spec.target, a);
  return call;
}

Made read_made(const GroupSpec& spec, const Arguments& a) {
  Made made;
  if (spec.request >= 0) made.request = behind<MPI_Request>(a, spec.request, request_of, MPI_REQUEST_NULL);
  if (spec.new_comm >= 0) made.comm = behind<MPI_Comm>(a, spec.new_comm, comm_of, MPI_COMM_NULL);
  if (spec.new_win >= 0) made.win = behind<MPI_Win>(a, spec.new_win, win_of, MPI_WIN_NULL);
  if (spec.new_file >= 0) made.file = behind<MPI_File>(a, spec.new_file, file_of, MPI_FILE_NULL);
  return made;
}

void give_made(const GroupSpec& spec, const Arguments& a, const Made& made) {
  put(a, spec.request, made.request, [](MPI_Request r) { return PMPI_Request_c2f(r); });
  put(a, spec.new_comm, made.comm, [](MPI_Comm c) { return PMPI_Comm_c2f(c); });
  put(a, spec.new_win, made.win, [](MPI_Win w) { return PMPI_Win_c2f(w); });
  put(a, spec.new_file, made.file, [](MPI_File f) { return PMPI_File_c2f(f); });
}

// Makes a call as it came, but for arguments that are changed first, and reads its result.
class CallAgain {
 public:
  CallAgain(const Arguments& arguments, int count, const std::int64_t* registers, const std::int64_t* stack)
      : fortran_(arguments.fortran()) {
    std::copy_n(registers, std::size(registers_), registers_);
    std::copy_n(stack, std::size(stack_), stack_);
    if (!fortran_) return;
    error_at_ = static_cast<MPI_Fint*>(arguments.pointer(count));
    if (error_at_) return;
    // In mpi_f08 the error argument may be absent.
    error_at_ = &error_;
    word(count) = reinterpret_cast<std::int64_t>(&error_);
  }
  CallAgain(const CallAgain&) = delete;
  CallAgain& operator=(const CallAgain&) = delete;
  std::int64_t& word(int index) { return index < 6 ? registers_[index] : stack_[index - 6]; }
  int make(unsigned index) {
    lapwing_entry_result = lapwing_entry_call(lapwing_entry_real[index], registers_, stack_);
    return fortran_ ? *error_at_ : lapwing_entry_result;  // a subroutine of Fortran has no result
  }

 private:
  bool fortran_;
  MPI_Fint error_ = MPI_SUCCESS;
  MPI_Fint* error_at_ = nullptr;
  std::int64_t registers_[6], stack_[12];
};

template <typename Handle>
std::uint64_t bits_of(Handle handle) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, &handle, sizeof handle);
  return bits;
}

MPI_Datatype type_of(MPI_Fint f) { return PMPI_Type_f2c(f); }
MPI_Group group_of(MPI_Fint f) { return PMPI_Group_f2c(f); }
MPI_Op op_of(MPI_Fint f) { return PMPI_Op_f2c(f); }

std::uint64_t handle_behind(const HandleSpec& spec, const Arguments& a) {
  if (spec.kind == sets::HandleKind::datatype)
    return bits_of(behind<MPI_Datatype>(a, spec.at, type_of, MPI_DATATYPE_NULL));
  if (spec.kind == sets::HandleKind::group)
    return bits_of(behind<MPI_Group>(a, spec.at, group_of, MPI_GROUP_NULL));
  return bits_of(behind<MPI_Op>(a, spec.at, op_of, MPI_OP_NULL));
}

// A buffer that comes as its address, and not as a descriptor of Fortran's, can be another.
bool is_plain(const GroupData& data, const sets::Data& decoded, const std::int64_t* registers,
              const std::int64_t* stack) {
  if (data.buffer < 0) return true;
  const std::int64_t word = data.buffer < 6 ? registers[data.buffer] : stack[data.buffer - 6];
  return reinterpret_cast<void*>(word) == decoded.buffer || decoded.buffer == MPI_IN_PLACE;
}

const lapwing_call_site* take_mark() {
  const lapwing_call_site* mark = sets::next_call;
  sets::next_call = nullptr;
  return mark;
}

}  // namespace

void make_watched_call(unsigned index, const std::int64_t* registers, const std::int64_t* stack) {
  const Spec& spec = specs[index];
  const GroupSpec& group = group_specs[spec.group];
  const Inside inside;
  const Arguments arguments(spec.form, registers, stack);
  GroupCall call = decode(group, arguments);
  call.returns_to = call_site(reinterpret_cast<const void*>(stack[-1]));
  call.site = take_mark();
  sets::last_watched = {call.name, call.returns_to};
  call.replaceable = is_plain(group.send, call.send, registers, stack) &&
                     is_plain(group.receive, call.receive, registers, stack);
  int result = MPI_SUCCESS;
  Made made;
  void* const error_at = arguments.fortran() ? arguments.pointer(group.arguments) : nullptr;
  if (sets::watcher->before(call, &result, &made)) {
    if (result == MPI_SUCCESS) give_made(group, arguments, made);
    if (error_at) *static_cast<MPI_Fint*>(error_at) = result;
    lapwing_entry_result = result;
    return;
  }
  CallAgain again(arguments, group.arguments, registers, stack);
  MPI_Fint instead = 0;
  if (made.instead != MPI_COMM_NULL && group.comm >= 0) {
    std::int64_t word = 0;
    if (arguments.fortran()) {
      instead = PMPI_Comm_c2f(made.instead);
      word = reinterpret_cast<std::int64_t>(&instead);
    } else {
      std::memcpy(&word, &made.instead, sizeof made.instead);
    }
    again.word(group.comm) = word;
  }
  const auto replace = [&](const GroupData& data, void* buffer) {
    if (buffer) again.word(data.buffer) = reinterpret_cast<std::int64_t>(buffer);
  };
  replace(group.send, made.send_instead);
  replace(group.receive, made.receive_instead);
  result = again.make(index);
  if (result == MPI_SUCCESS) made = read_made(group, arguments);
  sets::watcher->after(call, result, made);
}

void make_handle_call(unsigned index, const std::int64_t* registers, const std::int64_t* stack) {
  const Spec& spec = specs[index];
  const HandleSpec& handle = handle_specs[spec.handle];
  const Inside inside;
  const Arguments arguments(spec.form, registers, stack);
  const bool frees = handle.fate == HandleFate::frees;
  const std::uint64_t before = frees ? handle_behind(handle, arguments) : 0;
  const void* const site = call_site(reinterpret_cast<const void*>(stack[-1]));
  sets::last_watched = {handle.name, site};
  if (frees) sets::handle_watcher->frees(handle.kind, before, handle.name, site);
  CallAgain again(arguments, handle.arguments, registers, stack);
  if (again.make(index) != MPI_SUCCESS) return;
  if (frees)
    sets::handle_watcher->freed(handle.kind, before, handle.name, site);
  else if (handle.fate == HandleFate::lends)
    sets::handle_watcher->lent(handle.kind);
  else
    sets::handle_watcher->made(handle.kind, handle_behind(handle, arguments), handle.name, site);
}

bool finalize_is_done(const void* returns_to, int* result) {
  if (!sets::watcher || inside_group_call) return false;
  const Inside inside;
  GroupCall call{};
  call.operation = sets::Operation::finalize;
  call.name = "MPI_Finalize";
  call.comm = MPI_COMM_WORLD;
  call.returns_to = call_site(returns_to);
  call.site = take_mark();
  Made made;
  return sets::watcher->before(call, result, &made);
}

}  // namespace lapwing::entry
