// SPDX-License-Identifier: Apache-2.0
// What MPI calls touch and show.
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>

#include <optional>

#include "compiler/alias/fortran_tags.hpp"
#include "compiler/effects/effects.hpp"
#include "compiler/mpi/calls.hpp"
#include "compiler/planted.hpp"

namespace lapwing::compiler {
namespace {

using llvm::LocationSize;

unsigned seen_by(Kind kind) {
  switch (kind) {
    case Kind::send:
    case Kind::ssend:
    case Kind::isend:
    case Kind::issend:
      return sends;
    case Kind::sendrecv:
    case Kind::sendrecv_replace:
      return sends | receives;
    case Kind::recv:
    case Kind::matched_recv:
      return receives;
    case Kind::irecv:
      return posts;
    case Kind::start:
    case Kind::startall:
      return sends | posts;
    case Kind::wait:
    case Kind::waitall:
    case Kind::wait_some:
    case Kind::test:
    case Kind::token_wait:
      return completes;
    case Kind::probe:
      return probes;
    case Kind::collective:
      return collective;
    case Kind::send_init:
    case Kind::recv_init:
    case Kind::query:
    case Kind::poll:
      return 0;
    case Kind::request_free:
    case Kind::cancel:
    case Kind::token_start:
    case Kind::abort:
    case Kind::outside:
      break;
  }
  return outside;
}

}  // namespace

bool is_sentinel_number(const llvm::Value* pointer) {
  const llvm::Value* object = llvm::getUnderlyingObject(pointer);
  const auto* made = llvm::dyn_cast<llvm::ConstantExpr>(object);
  return llvm::isa<llvm::ConstantPointerNull>(object) ||
         (made && made->getOpcode() == llvm::Instruction::IntToPtr &&
          llvm::isa<llvm::ConstantInt>(made->getOperand(0)));
}

bool may_be_bottom(const llvm::Value* pointer) {
  llvm::SmallVector<const llvm::Value*, 4> objects;
  llvm::getUnderlyingObjects(pointer, objects, nullptr, 0);
  return llvm::any_of(objects,
                      [](const llvm::Value* one) { return is_sentinel_number(one) || names_bottom(one); });
}

// Datatypes of the two MPIs whose elements lie one behind the other from the
// buffer's address on. MPICH writes the size into the handle.
std::optional<std::uint64_t> basic_size(const MpiCall& call, int index) {
  const llvm::Value* type = call.argument(index);
  if (call.is_fortran() || type->getType()->isIntegerTy()) {
    const auto number = constant_argument(call, index);
    if (!number) return {};
    const auto handle = static_cast<std::uint64_t>(*number) & 0xffffffffu;
    if ((handle >> 24) == 0x4c) return (handle >> 8) & 0xff;
    // Open MPI's in Fortran.
    switch (handle) {
      case 1:
      case 5:
      case 8:
        return 1;  // BYTE, CHARACTER, INTEGER1
      case 9:
        return 2;  // INTEGER2
      case 6:
      case 7:
      case 10:
      case 13:
      case 14:
        return 4;  // LOGICAL, INTEGER, REAL
      case 11:
      case 15:
      case 17:
      case 18:
        return 8;  // INTEGER8, DOUBLE_PRECISION, COMPLEX
      case 20:
      case 22:
        return 16;  // COMPLEX16, DOUBLE_COMPLEX
      default:
        return {};
    }
  }
  const auto* object = llvm::dyn_cast<llvm::GlobalVariable>(type->stripPointerCasts());
  if (!object || !object->getName().starts_with("ompi_mpi_")) return {};
  const llvm::StringRef name = object->getName().drop_front(9);
  static const std::pair<llvm::StringRef, unsigned> known[] = {
      {"char", 1},    {"signed_char", 1},    {"unsigned_char", 1}, {"byte", 1},
      {"short", 2},   {"unsigned_short", 2}, {"int", 4},           {"unsigned", 4},
      {"long", 8},    {"unsigned_long", 8},  {"long_long_int", 8}, {"unsigned_long_long", 8},
      {"float", 4},   {"double", 8},         {"int8_t", 1},        {"uint8_t", 1},
      {"int16_t", 2}, {"uint16_t", 2},       {"int32_t", 4},       {"uint32_t", 4},
      {"int64_t", 8}, {"uint64_t", 8},       {"c_bool", 1},        {"c_double_complex", 16},
      {"cplex", 8}};
  for (const auto& [known_name, size] : known)
    if (name == known_name) return size;
  return {};
}

unsigned request_bytes(const MpiCall& call) {
  if (call.is_fortran()) return 4;
  for (const char* name : {"MPI_Isend", "MPI_Irecv", "MPI_Send", "MPI_Recv", "MPI_Issend"}) {
    const llvm::Function* function = call.call().getModule()->getFunction(name);
    if (function && function->arg_size() > 5 && function->getArg(5)->getType()->isIntegerTy(32)) return 4;
  }
  return 8;
}

LocationSize requests_size(const MpiCall& call) {
  const Routine& r = call.routine();
  if (r.request >= 0) return LocationSize::upperBound(request_bytes(call));
  const auto count = constant_argument(call, r.count);
  if (!count || *count < 0) return LocationSize::afterPointer();
  return LocationSize::upperBound(static_cast<std::uint64_t>(*count) * request_bytes(call));
}

LocationSize message_size(const MpiCall& call, int count, int type) {
  const auto element = basic_size(call, type);
  if (!element) return LocationSize::beforeOrAfterPointer();
  if (has(Planted::sizes)) return LocationSize::upperBound(*element);
  const auto number = constant_argument(call, count);
  if (!number || *number < 0) return LocationSize::afterPointer();
  // The most that may come: a variable may be smaller, and an access larger than its object counts as none.
  return LocationSize::upperBound(static_cast<std::uint64_t>(*number) * *element);
}

Effects effects_of_mpi(const MpiCall& call) {
  const Routine& r = call.routine();
  Effects e;
  e.seen = seen_by(r.kind);
  if (r.kind == Kind::token_start) {
    // Those that the pass has placed itself: as the calls that they stand for.
    e.seen = r.receive >= 0 ? receives | posts : sends;
  }
  if (e.seen & outside) e.why = "an MPI call that may do anything";
  const auto touch = [&](int index, LocationSize size, bool reads, bool writes, bool all = false) {
    const llvm::Value* pointer = call.argument(index);
    if (!pointer->getType()->isPointerTy() || is_sentinel_number(pointer)) return;
    e.touches.push_back({pointer, size, reads, writes, all});
  };
  const bool receives_into_buffer = r.kind == Kind::recv || r.kind == Kind::irecv ||
                                    r.kind == Kind::recv_init || r.kind == Kind::matched_recv ||
                                    r.kind == Kind::sendrecv_replace ||
                                    (r.kind == Kind::token_start && r.receive >= 0);
  // MPI_BOTTOM: the datatype says where, which may be anything whose address has been taken.
  const auto anywhere = [&](int index, int type, bool reads, bool writes) {
    const llvm::Value* pointer = call.argument(index);
    if (basic_size(call, type)) return;
    // Of an argument its callers tell.
    const bool bottom = may_be_bottom(pointer);
    Touch touch{bottom ? nullptr : pointer, LocationSize::beforeOrAfterPointer(), reads, writes};
    touch.absolute = true;
    e.touches.push_back(touch);
  };
  if (r.buffer >= 0)
    anywhere(r.buffer, r.type, !receives_into_buffer || r.kind == Kind::sendrecv_replace,
             receives_into_buffer);
  if (r.kind == Kind::sendrecv) anywhere(r.receive, r.receive + 2, false, true);
  // Which buffers a persistent request has, was said where it was made.
  if (r.kind == Kind::start || r.kind == Kind::startall)
    e.touches.push_back({nullptr, LocationSize::beforeOrAfterPointer(), true, true});
  if (r.buffer >= 0)
    touch(r.buffer, message_size(call, r.count, r.type),
          !receives_into_buffer || r.kind == Kind::sendrecv_replace, receives_into_buffer);
  if (r.kind == Kind::sendrecv)
    touch(r.receive, message_size(call, r.receive + 1, r.receive + 2), false, true);
  const auto whole = LocationSize::beforeOrAfterPointer();
  if (r.any_request() >= 0) touch(r.any_request(), requests_size(call), true, true);
  // A wait for a send leaves the status as it was in MPICH.
  // MPI_STATUS_IGNORE and MPI_STATUSES_IGNORE of Fortran name variables, which are never written.
  if (r.status >= 0 && !names_bottom(call.argument(r.status)))
    touch(r.status, r.requests >= 0 ? whole : LocationSize::upperBound(status_bytes), false, true,
          r.requests < 0 && r.kind != Kind::test && r.kind != Kind::wait);
  for (int i = 0; i < r.arguments; ++i) {
    if (r.outputs >> i & 1)
      touch(i, r.whole_outputs ? whole : LocationSize::upperBound(status_bytes), true, true);
  }
  if (r.kind == Kind::collective) {
    for (int i = 0; i < r.arguments; ++i) touch(i, whole, true, true);
  } else if (call.is_fortran()) {
    // Scalars by reference.
    for (int i = 0; i < r.arguments; ++i) {
      const bool listed = i == r.buffer || i == r.request || i == r.requests || i == r.status ||
                          (r.outputs >> i & 1) || (r.kind == Kind::sendrecv && i == r.receive);
      if (!listed) touch(i, LocationSize::precise(4), true, false);
    }
  }
  if (const llvm::Value* error = call.error())
    e.touches.push_back({error, LocationSize::precise(4), false, true, true});
  return e;
}

}  // namespace lapwing::compiler
