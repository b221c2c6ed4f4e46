// SPDX-License-Identifier: Apache-2.0
#include "compiler/waits/candidates.hpp"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

#include "compiler/alias/allocations.hpp"
#include "compiler/alias/fortran_tags.hpp"
#include "compiler/waits/matching.hpp"
#include "compiler/waits/split_collectives.hpp"
#include "compiler/waits/versioned_calls.hpp"

namespace lapwing::compiler {
namespace {

using llvm::LocationSize;
using llvm::MemoryLocation;

// MPI_BOTTOM, absolute addresses, sentinels: no object that could be followed.
bool is_object(const llvm::Value* buffer) {
  return buffer->getType()->isPointerTy() && !llvm::isa<llvm::ConstantPointerNull>(buffer) &&
         !llvm::isa<llvm::ConstantExpr>(buffer->stripInBoundsConstantOffsets());
}

// An address from elsewhere may be MPI_BOTTOM, and lead with a datatype of this function's making to
// variables of this function's, of which no other address from elsewhere knows.
bool may_lead_to_locals(const MpiCall& call, const llvm::Value* buffer) {
  llvm::SmallVector<const llvm::Value*, 4> objects;
  llvm::getUnderlyingObjects(buffer, objects, nullptr, 0);
  return !llvm::all_of(objects, llvm::isIdentifiedObject) &&
         llvm::any_of(llvm::instructions(*call.call().getFunction()), [](const llvm::Instruction& i) {
           const auto* other = llvm::dyn_cast<llvm::CallBase>(&i);
           const llvm::Function* callee = other ? other->getCalledFunction() : nullptr;
           return callee && (callee->getName().contains_insensitive("mpi_get_address") ||
                             callee->getName().contains_insensitive("mpi_address"));
         });
}

// MPI_IN_PLACE: no memory at all. In Fortran it is a variable, whose name both
// MPIs have; of MPICH's common block it is the second.
bool names_in_place(const llvm::Value* buffer, const llvm::DataLayout& layout) {
  if (const auto* made = llvm::dyn_cast<llvm::ConstantExpr>(buffer);
      made && made->getOpcode() == llvm::Instruction::IntToPtr) {
    const auto* number = llvm::dyn_cast<llvm::ConstantInt>(made->getOperand(0));
    return number && (number->isOne() || number->isMinusOne());
  }
  llvm::APInt offset(layout.getIndexTypeSizeInBits(buffer->getType()), 0);
  const auto* global =
      llvm::dyn_cast<llvm::GlobalVariable>(buffer->stripAndAccumulateConstantOffsets(layout, offset, true));
  if (!global) return false;
  const llvm::StringRef name = global->getName();
  return name.starts_with("mpi_fortran_in_place") || (name.rtrim('_') == "mpipriv1" && offset == 4);
}

// Instructions that are crossed elsewhere, and not in a file with such properties.
void limit(Transfer& transfer, EffectsOf& effects) {
  const ModuleProperties& file = effects.module_properties(*transfer.call->getModule());
  const bool is_exposed = file.exposes_memory && llvm::any_of(transfer.buffers, [](const InFlight& buffer) {
                            return !is_private(llvm::getUnderlyingObject(buffer.where.Ptr));
                          });
  if (is_exposed) transfer.crosses &= ~static_cast<unsigned>(sends);
  if (is_exposed && file.maps_memory)
    (transfer.shape == Shape::send ? transfer.answers : transfer.acquires) = true;
  // The next message may tell the sender, who has freed its request, that its buffer is its own again.
  if (transfer.shape == Shape::matched && file.frees_sends) transfer.crosses &= ~static_cast<unsigned>(sends);
  const bool is_news = !(transfer.crosses & sends);
  if (is_news && file.sends_synchronously) transfer.crosses &= ~static_cast<unsigned>(posts | receives);
}

class CandidateFinder {
 public:
  CandidateFinder(const MpiCall& call, Memory& memory, EffectsOf& effects, const Instructions& writes)
      : call_(call), memory_(memory), effects_(effects), writes_of_unfinished_(writes) {}

  Found run() {
    if (!after(call_.call())) return fail("it may throw, and its normal way on is shared");
    if (call_.call().isMustTailCall()) return fail("nothing may stand between it and the function's end");
    const llvm::Value* error = call_.error();
    checked_ = !call_.call().use_empty() ||
               (error && is_read_after(call_.call(), MemoryLocation(error, LocationSize::precise(4)), true,
                                       memory_, effects_));
    const Kind kind = call_.kind();
    if (const auto which = collective_of(call_)) return collective(collectives()[*which]);
    if (!checked_ && effects_.module_properties(*call_.call().getModule()).handles_errors)
      return fail("the file makes error handlers, one of which may run in it");
    if (is_completion(kind)) return program_wait();
    const Routine& r = call_.routine();
    if (checked_ && is_small(r)) return fail("its message is small");
    if (!r.standard && kind != Kind::ssend) return fail("a buffered or ready send is over when it returns");
    if (kind == Kind::sendrecv_replace) {
      // A copy leaves, which no other code knows.
      found_.transfers.push_back(begin_send());
      receive(r.buffer, r.count, r.type);
    } else if (kind == Kind::sendrecv) {
      send(r.buffer, r.count, r.type);
      receive(r.receive, r.receive + 1, r.receive + 2);
    } else if (kind == Kind::recv) {
      receive(r.buffer, r.count, r.type);
    } else {
      send(r.buffer, r.count, r.type);
    }
    return found_;
  }

 private:
  // Known to be below any threshold that makes sense: not worth asking for.
  bool is_small(const Routine& r) const {
    const auto below = [&](int count, int type) {
      const LocationSize size = message_size(call_, count, type);
      return size.hasValue() && size.getValue() < 256;
    };
    return below(r.count, r.type) && (r.kind != Kind::sendrecv || below(r.receive + 1, r.receive + 2));
  }

  Found fail(std::string why, llvm::Instruction* where = nullptr) {
    found_.transfers.clear();
    found_.failure = std::move(why);
    found_.where = where;
    return found_;
  }

  Transfer begin(Shape shape) const {
    Transfer t;
    t.shape = shape;
    t.call = &call_.call();
    t.name = call_.spelling();
    t.checked = checked_;
    // Whose end may be all that the program goes by.
    const bool tells = shape != Shape::send || call_.kind() == Kind::ssend;
    const ModuleProperties& file = effects_.module_properties(*call_.call().getModule());
    t.answers = tells && file.frees_sends;
    t.acquires = tells && file.shares_memory;
    if (tells) t.writes_of_unfinished = &writes_of_unfinished_;
    return t;
  }

  bool add_buffer(Transfer& transfer, const MpiCall& call, int buffer, int count, int type, bool written,
                  bool whole = false) {
    const llvm::Value* pointer = call.argument(buffer);
    if (!is_object(pointer) || names_bottom(pointer) ||
        (!basic_size(call, type) && (may_be_bottom(pointer) || may_lead_to_locals(call, pointer)))) {
      fail("its buffer is no object that could be followed");
      return false;
    }
    if (whole || call.call().getFunction() != call_.call().getFunction()) {
      // Only what both functions know can be spoken of here: a whole object.
      transfer.buffers.push_back(
          {MemoryLocation(llvm::getUnderlyingObject(pointer), LocationSize::beforeOrAfterPointer()),
           written});
      return true;
    }
    llvm::AAMDNodes tags;
    if (!memory_.has_forgotten_any()) tags.TBAA = type_of_variable(pointer, *call.call().getFunction());
    const bool floating = is_floating(call, type);
    transfer.buffers.push_back(
        {MemoryLocation(pointer, message_size(call, count, type), tags), written, floating});
    return true;
  }

  Transfer begin_send() const {
    Transfer t = begin(Shape::send);
    t.starts.push_back(t.call);
    // No process may learn that a synchronous send is over before it is.
    t.crosses = call_.kind() == Kind::ssend ? crossed_by_posted : crossed_by_sends;
    return t;
  }

  void send(int buffer, int count, int type) {
    Transfer t = begin_send();
    if (add_buffer(t, call_, buffer, count, type, false)) found_.transfers.push_back(std::move(t));
  }

  void receive(int buffer, int count, int type) {
    if (!found_.failure.empty()) return;
    Transfer t = begin(Shape::receive);
    t.starts.push_back(t.call);
    t.crosses = crossed_by_posted;
    if (!add_buffer(t, call_, buffer, count, type, true)) return;
    const MemoryLocation status{call_.argument(call_.routine().status),
                                LocationSize::upperBound(status_bytes)};
    if (is_sentinel_number(status.Ptr) || names_bottom(status.Ptr)) {
      // Ignored.
    } else if (is_read_after(call_.call(), status, true, memory_, effects_)) {
      t.touched.push_back(status);
    }
    found_.transfers.push_back(std::move(t));
  }

  // One buffer, or array, of a collective; false where it cannot be followed.
  bool add_piece(Transfer& transfer, const Piece& piece) {
    const llvm::Value* pointer = call_.argument(piece.buffer);
    const llvm::Function& function = *call_.call().getFunction();
    if (names_in_place(pointer, function.getParent()->getDataLayout())) return true;
    const bool basic = piece.type >= 0 && basic_size(call_, piece.type).has_value();
    // Null is MPI_BOTTOM, but elements of basic types cannot lie there.
    if (llvm::isa<llvm::ConstantPointerNull>(pointer) && (basic || piece.type < 0)) return true;
    if (!is_object(pointer) || names_bottom(pointer)) return false;
    if (may_be_bottom(pointer) && !basic) return false;
    LocationSize size = LocationSize::beforeOrAfterPointer();
    if (piece.extent == Piece::Extent::one && piece.type >= 0) {
      size = message_size(call_, piece.count, piece.type);
    } else if (piece.extent == Piece::Extent::many && basic) {
      size = LocationSize::afterPointer();
    }
    llvm::AAMDNodes tags;
    tags.TBAA = type_of_variable(pointer, function);
    transfer.buffers.push_back({MemoryLocation(pointer, size, tags), piece.written});
    return true;
  }

  // Made only where all members make it so, and where an error would end the job.
  Found collective(const Collective& what) {
    if (may_change_bits(call_, what)) return fail("its result may depend on the order of the operations");
    Transfer t = begin(Shape::collective);
    t.checked = true;
    t.starts.push_back(t.call);
    t.crosses = crossed_by_collectives;
    for (const Piece& piece : what.pieces)
      if (!add_piece(t, piece)) return fail("its buffer is no object that could be followed");
    for (int array : what.arrays)
      if (!add_piece(t, {array, -1, -1, false, Piece::Extent::spread}))
        return fail("its counts are no object that could be followed");
    found_.transfers.push_back(std::move(t));
    return found_;
  }

  Found program_wait() {
    if (llvm::isa<llvm::InvokeInst>(call_.call()) &&
        effects_.module_properties(*call_.call().getModule()).handles_errors)
      return fail("it may throw");
    Match matched = match(call_, memory_, effects_);
    found_.never_started = matched.never_started;
    if (!matched.failure.empty()) return fail(matched.failure, matched.where);
    const Routine& r = call_.routine();
    Transfer t = begin(Shape::program_wait);
    t.starts = matched.starts;
    t.crosses = crossed_by_sends;
    for (llvm::CallBase* start : matched.buffers) {
      const auto call = MpiCall::of(*start);
      const Routine& b = call->routine();
      const bool written = call->kind() == Kind::irecv || call->kind() == Kind::recv_init;
      look_for_new_owner(*start, call->argument(b.buffer));
      if (written || !b.standard) t.crosses &= crossed_by_posted;
      if (!add_buffer(t, *call, b.buffer, b.count, b.type, written)) return found_;
      if (!after(*start)) return fail("a start of its request may throw", start);
    }
    for (llvm::CallBase* start : matched.of_earlier_calls) {
      const auto call = MpiCall::of(*start);
      const Routine& b = call->routine();
      const bool written = call->kind() == Kind::irecv;
      look_for_new_owner(*start, call->argument(b.buffer));
      if (written || !b.standard) t.crosses &= crossed_by_posted;
      if (!add_buffer(t, *call, b.buffer, b.count, b.type, written, true)) return found_;
    }
    for (llvm::CallBase* start : matched.starts)
      if (!after(*start)) return fail("a start of its request may throw", start);
    if (t.crosses == crossed_by_sends) t.writes_of_unfinished = nullptr;  // it tells nothing
    t.touched.push_back(requests_of(call_));
    const MemoryLocation status{call_.argument(r.status), r.requests >= 0
                                                              ? LocationSize::beforeOrAfterPointer()
                                                              : LocationSize::upperBound(status_bytes)};
    const bool ignored = is_sentinel_number(status.Ptr) || names_bottom(status.Ptr);
    const bool dead = !ignored && !is_read_after(call_.call(), status, true, memory_, effects_);
    found_.moved.status_is_dead = dead && r.requests < 0;
    if (!ignored && !found_.moved.status_is_dead) t.touched.push_back(status);
    if ((ignored || dead) && matched.of_earlier_calls.empty())
      found_.division = find_division(call_, t, found_.sends);
    if (checked_) {
      llvm::SmallVector<llvm::CallBase*, 8> all(matched.buffers.begin(), matched.buffers.end());
      all.append(matched.of_earlier_calls.begin(), matched.of_earlier_calls.end());
      found_.moved.comm = common_communicator(all);
    }
    found_.transfers.push_back(std::move(t));
    return found_;
  }

  // Between a start and its wait the program may do what no wait crosses.
  void look_for_new_owner(const llvm::Instruction& start, const llvm::Value* pointer) {
    llvm::SmallVector<const llvm::Value*, 4> objects;
    llvm::getUnderlyingObjects(pointer, objects);
    for (const llvm::Value* object : objects) {
      const llvm::GlobalVariable* owner = owner_of(object);
      if (!owner || !may_hand_on(*owner)) continue;
      const auto descriptor = MemoryLocation::getBeforeOrAfter(owner);
      const bool here = start.getFunction() == call_.call().getFunction();
      // It was read above the start, perhaps not on every way to the wait.
      const auto* read = llvm::dyn_cast<llvm::Instruction>(object);
      if (!here || !read || any_between(*read, call_.call(), [&](const llvm::Instruction& i) {
            return llvm::isModSet(memory_.meet(i, effects_(i), descriptor));
          }))
        memory_.forget_owner(object);
    }
  }

  const MpiCall& call_;
  Memory& memory_;
  EffectsOf& effects_;
  const Instructions& writes_of_unfinished_;
  Found found_;
  bool checked_ = false;
};

}  // namespace

bool is_candidate(const MpiCall& call) {
  switch (call.kind()) {
    case Kind::send:
    case Kind::ssend:
    case Kind::recv:
    case Kind::sendrecv:
    case Kind::sendrecv_replace:
    case Kind::wait:
    case Kind::waitall:
      return !is_own_way(call.call());
    default:
      return false;
  }
}

const char* why_it_stays(const MpiCall& call) {
  if (call.kind() == Kind::wait_some) {
    return call.routine().name == "waitany"
               ? "which request it waits for is known only when it returns: the program goes by that"
               : "which requests it waits for is known only when it returns: the program goes by that";
  }
  const bool tests = call.kind() == Kind::test && call.routine().name.starts_with("test");
  return tests ? "it does not wait: the program goes by its answer" : nullptr;
}

Found find_transfers(const MpiCall& call, Memory& memory, EffectsOf& effects,
                     const Instructions& writes_of_unfinished) {
  Found found = CandidateFinder(call, memory, effects, writes_of_unfinished).run();
  for (Transfer& transfer : found.transfers) limit(transfer, effects);
  if (found.division) limit(found.sends, effects);
  return found;
}

bool may_be_matched(const llvm::CallBase& call) {
  const auto kind = MpiCall::of(call)->kind();
  return kind == Kind::recv || kind == Kind::sendrecv || kind == Kind::sendrecv_replace;
}

Transfer as_matched(const Transfer& posted, EffectsOf& effects) {
  Transfer t = posted;
  t.shape = Shape::matched;
  t.crosses = crossed_by_matched;
  t.answers = false;
  t.acquires = false;
  limit(t, effects);
  t.writes_of_unfinished = nullptr;
  t.touched.clear();  // the status is complete when the start returns
  return t;
}

}  // namespace lapwing::compiler
