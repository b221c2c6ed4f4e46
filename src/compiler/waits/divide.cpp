// SPDX-License-Identifier: Apache-2.0
#include "compiler/waits/divide.hpp"

#include <llvm/IR/Module.h>

#include "compiler/alias/fortran_tags.hpp"
#include "compiler/waits/emit.hpp"
#include "compiler/waits/matching.hpp"

namespace lapwing::compiler {
namespace {

constexpr std::int64_t most_requests_divided = 64;

// Which of a wait's requests another call names: outside [0, count) none; empty where that is not known.
std::optional<std::int64_t> index_of_request(const MpiCall& wait, const MpiCall& start) {
  const llvm::DataLayout& layout = wait.call().getModule()->getDataLayout();
  const auto take_apart = [&](const llvm::Value* pointer, llvm::APInt& offset) {
    return pointer->stripAndAccumulateConstantOffsets(layout, offset, true);
  };
  llvm::APInt of_wait(64, 0), of_start(64, 0);
  const llvm::Value* array = take_apart(wait.argument(wait.routine().requests), of_wait);
  if (take_apart(start.argument(start.routine().request), of_start) != array || !is_same_in_all_rounds(array))
    return {};
  const std::int64_t bytes = (of_start - of_wait).getSExtValue();
  const auto size = static_cast<std::int64_t>(request_bytes(wait));
  return bytes % size == 0 ? std::optional(bytes / size) : std::nullopt;
}

llvm::SmallVector<Division::Run, 4> runs_of(const llvm::SmallVectorImpl<bool>& chosen, bool which) {
  llvm::SmallVector<Division::Run, 4> runs;
  for (unsigned i = 0; i < chosen.size(); ++i) {
    if (chosen[i] != which) continue;
    if (i > 0 && chosen[i - 1] == which) {
      ++runs.back().count;
    } else {
      runs.push_back({i, 1});
    }
  }
  return runs;
}

// Makes a call one for some of its requests.
void narrow(llvm::CallBase& call, const MpiCall& original, Division::Run run) {
  const Routine& r = original.routine();
  llvm::Function& function = *call.getFunction();
  llvm::IRBuilder<> builder(&call);
  builder.SetCurrentDebugLocation(original.call().getDebugLoc());
  llvm::Value* count = builder.getInt32(run.count);
  if (original.is_fortran()) {
    llvm::AllocaInst* place = scratch(function, builder.getInt32Ty(), "lapwing.count");
    builder.CreateStore(count, place);
    count = place;
  }
  llvm::Value* array = original.argument(r.requests);
  llvm::Value* first = builder.getInt64(std::uint64_t{run.first} * request_bytes(original));
  call.setArgOperand(static_cast<unsigned>(r.count), count);
  call.setArgOperand(static_cast<unsigned>(r.requests),
                     builder.CreateInBoundsGEP(builder.getInt8Ty(), array, first));
  const llvm::Value* status = original.argument(r.status);
  if (is_sentinel_number(status) || names_bottom(status)) return;
  auto* type = llvm::ArrayType::get(builder.getInt32Ty(), std::uint64_t{run.count} * status_bytes / 4);
  call.setArgOperand(static_cast<unsigned>(r.status), scratch(function, type, "lapwing.statuses"));
}

}  // namespace

std::optional<Division> find_division(const MpiCall& wait, const Transfer& whole, Transfer& sends) {
  if (wait.kind() != Kind::waitall || whole.checked || whole.starts.size() != whole.buffers.size()) return {};
  const auto count = constant_argument(wait, wait.routine().count);
  if (!count || *count < 2 || *count > most_requests_divided) return {};
  llvm::SmallVector<bool, 16> is_send(static_cast<std::size_t>(*count), false);
  llvm::SmallVector<bool, 16> is_other(is_send);
  llvm::SmallVector<std::int64_t, 8> indices;
  for (llvm::CallBase* start : whole.starts) {
    const auto call = MpiCall::of(*start);
    const Kind kind = call->kind();
    if (kind != Kind::isend && kind != Kind::issend && kind != Kind::irecv) return {};
    const auto index = index_of_request(wait, *call);
    if (!index) return {};
    indices.push_back(*index);
    if (*index < 0 || *index >= *count) continue;
    const bool standard = kind == Kind::isend && call->routine().standard;
    (standard ? is_send : is_other)[static_cast<std::size_t>(*index)] = true;
  }
  for (std::size_t i = 0; i < is_send.size(); ++i) is_send[i] = is_send[i] && !is_other[i];
  Division division;
  division.sends = runs_of(is_send, true);
  division.others = runs_of(is_send, false);
  if (division.sends.empty() || division.others.empty()) return {};
  sends = whole;
  sends.starts.clear();
  sends.buffers.clear();
  sends.touched.clear();
  sends.crosses = crossed_by_sends;
  sends.writes_of_unfinished = nullptr;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    if (indices[i] < 0 || indices[i] >= *count) continue;
    llvm::CallBase* start = whole.starts[i];
    if (!is_send[static_cast<std::size_t>(indices[i])]) {
      division.starts_of_others.push_back(start);
      continue;
    }
    sends.starts.push_back(start);
    sends.buffers.push_back(whole.buffers[i]);
    sends.touched.push_back(requests_of(*MpiCall::of(*start)));
  }
  return division;
}

Divided divide(const MpiCall& wait, const Division& division) {
  llvm::CallBase& call = wait.call();
  const auto another = [&](Division::Run run) {
    llvm::SmallVector<llvm::Value*, 4> arguments(call.args());
    auto* made =
        llvm::CallInst::Create(call.getFunctionType(), call.getCalledOperand(), arguments, "", &call);
    made->setDebugLoc(call.getDebugLoc());
    narrow(*made, wait, run);
    return made;
  };
  Divided made;
  for (const Division::Run& run : division.others) made.others.push_back(another(run));
  for (const Division::Run& run : llvm::ArrayRef(division.sends).drop_back())
    made.sends.push_back(another(run));
  narrow(call, wait, division.sends.back());
  made.sends.push_back(&call);
  return made;
}

}  // namespace lapwing::compiler
