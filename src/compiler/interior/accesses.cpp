// SPDX-License-Identifier: Apache-2.0
#include "compiler/interior/accesses.hpp"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/llvm_versions.hpp"

namespace lapwing::compiler {
namespace {

using llvm::SCEV;

constexpr const char* irregular = "an address that does not grow evenly";
// Accesses that lie further apart stay apart: between them may be what is received.
constexpr std::int64_t most_between = 256;

}  // namespace

bool Accesses::add(const llvm::Instruction& i, llvm::Value* where) {
  const llvm::DataLayout& layout = layout_of(*i.getFunction());
  const auto bytes_of = [&](llvm::Type* type) -> const SCEV* {
    const llvm::TypeSize size = layout.getTypeStoreSize(type);
    return size.isScalable() ? nullptr : scev_.getConstant(word(), size.getFixedValue());
  };
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&i))
    return add(i, const_cast<llvm::Value*>(load->getPointerOperand()), bytes_of(load->getType()), false,
               where);
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&i))
    return add(i, const_cast<llvm::Value*>(store->getPointerOperand()),
               bytes_of(store->getValueOperand()->getType()), true, where);
  const auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(&i);
  if (!memory) return fail("an access that is not known");
  const SCEV* bytes = scev_.getTruncateOrZeroExtend(scev_.getSCEV(memory->getLength()), word());
  const auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(memory);
  return add(i, memory->getRawDest(), bytes, true, where) &&
         (!copy || add(i, copy->getRawSource(), bytes, false, where));
}

bool Accesses::add(const llvm::Instruction& i, llvm::Value* pointer, const SCEV* bytes, bool writes,
                   llvm::Value* where) {
  if (!bytes || pointer->getType()->getPointerAddressSpace() != 0 || !is_known(bytes)) return fail(irregular);
  failure = nullptr;
  where_ = where;
  const auto address = linear(scev_.getSCEV(pointer));
  if (!address) return failure ? false : fail(irregular);
  Footprint footprint;
  footprint.bytes = bytes;
  footprint.writes = writes;
  footprint.where = where;
  footprint.by_whom.push_back(&i);
  return describe(*address, &footprint) && (merge(std::move(footprint)) || fail("it touches many places"));
}

bool Accesses::merge(Footprint footprint) {
  for (Footprint& known : footprints) {
    if (!are_alike(known, footprint)) continue;
    known.is_exact = known.is_exact && footprint.is_exact;
    if (known.first == footprint.first && known.bytes == footprint.bytes) {
      known.by_whom.append(footprint.by_whom);
      return true;
    }
    const auto* ours = llvm::dyn_cast<llvm::SCEVConstant>(footprint.bytes);
    const auto* theirs = llvm::dyn_cast<llvm::SCEVConstant>(known.bytes);
    const auto* apart = llvm::dyn_cast<llvm::SCEVConstant>(scev_.getMinusSCEV(footprint.first, known.first));
    if (!ours || !theirs || !apart || apart->getAPInt().getSignificantBits() > 32) continue;
    const std::int64_t distance = apart->getAPInt().getSExtValue();
    if (distance > most_between || distance < -most_between) continue;
    const std::int64_t begin = std::min<std::int64_t>(0, distance);
    const std::int64_t end =
        std::max<std::int64_t>(theirs->getAPInt().getSExtValue(), distance + ours->getAPInt().getSExtValue());
    if (distance < 0) known.first = footprint.first;
    known.bytes = scev_.getConstant(word(), static_cast<std::uint64_t>(end - begin));
    known.by_whom.append(footprint.by_whom);
    return true;
  }
  if (footprints.size() == most_footprints) return false;
  footprints.push_back(std::move(footprint));
  return true;
}

}  // namespace lapwing::compiler
