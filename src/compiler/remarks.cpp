// SPDX-License-Identifier: Apache-2.0
#include "compiler/remarks.hpp"

#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/raw_ostream.h>

#include <type_traits>

namespace lapwing::compiler {
namespace {

constexpr const char* pass_name = "lapwing";

// clang shows it as one of -Wbackend-plugin's.
class Warning : public llvm::DiagnosticInfo {
 public:
  explicit Warning(std::string text) : DiagnosticInfo(kind(), llvm::DS_Warning), text_(std::move(text)) {}
  void print(llvm::DiagnosticPrinter& printer) const override { printer << text_; }

 private:
  static int kind() {
    static const int number = llvm::getNextAvailablePluginDiagnosticKind();
    return number;
  }
  std::string text_;
};

// clang and flang show a remark in their own words, and lld as it prints itself.
template <class Kind>
class Remark : public Kind {
 public:
  Remark(const char* name, const llvm::DebugLoc& place, const llvm::BasicBlock& block, bool at_link)
      : Kind(pass_name, name, place, &block), at_link_(at_link) {}
  void print(llvm::DiagnosticPrinter& printer) const override {
    if (!at_link_) return Kind::print(printer);
    printer << this->getLocationStr() << ": remark: " << this->getMsg() << " [-R"
            << (std::is_same_v<Kind, llvm::OptimizationRemark> ? "pass" : "pass-missed") << "=" << pass_name
            << "]";
  }

 private:
  bool at_link_;
};

}  // namespace

std::string place_name(const llvm::Instruction& instruction) {
  const llvm::Instruction* i = &instruction;
  // Instructions that the optimiser has put together from several lines have line 0.
  while (i && (!i->getDebugLoc() || i->getDebugLoc().getLine() == 0)) i = i->getNextNode();
  if (!i) return "an unknown place";
  const llvm::DILocation* location = i->getDebugLoc().get();
  return (llvm::sys::path::filename(location->getFilename()) + ":" + llvm::Twine(location->getLine())).str();
}

template <class Kind, class Fill>
void Remarks::say(const char* name, const llvm::DebugLoc& place, const llvm::BasicBlock& block, Fill fill) {
  auto& function = const_cast<llvm::Function&>(*block.getParent());
  Remark<Kind> remark(name, place, block, at_link_);
  fill(remark);
  const std::string at = remark.isLocationAvailable() ? remark.getLocationStr() : function.getName().str();
  if (!said_.insert(at + ' ' + remark.getMsg()).second) return;
  manager_.getResult<llvm::OptimizationRemarkEmitterAnalysis>(function).emit(remark);
}

void Remarks::moved(const Transfer& transfer, const Placement& placement, llvm::StringRef what) {
  const llvm::CallBase& call = *transfer.call;
  say<llvm::OptimizationRemark>("Moved", call.getDebugLoc(), *call.getParent(), [&](auto& remark) {
    remark << llvm::ore::NV("Call", transfer.name) << " at " << llvm::ore::NV("From", place_name(call)) << " "
           << what;
    bool first = true;
    for (const Stop& point : placement.points) {
      remark << (first ? ": its wait stands at " : ", at ") << llvm::ore::NV("To", place_name(*point.at))
             << " (" << llvm::ore::NV("Reason", point.reason.text);
      if (point.culprit != point.at) remark << " at " << place_name(*point.culprit);
      remark << ")";
      first = false;
    }
  });
}

void Remarks::missed(const llvm::CallBase& call, llvm::StringRef name, llvm::StringRef why,
                     const llvm::Instruction* where) {
  say<llvm::OptimizationRemarkMissed>("Stopped", call.getDebugLoc(), *call.getParent(), [&](auto& remark) {
    remark << llvm::ore::NV("Call", name) << ": ";
    if (where) remark << "stopped at " << llvm::ore::NV("At", place_name(*where)) << ": ";
    remark << llvm::ore::NV("Reason", why);
  });
}

void Remarks::divided(const llvm::Loop& loop, llvm::ArrayRef<llvm::CallBase*> calls) {
  say<llvm::OptimizationRemark>("Divided", loop.getStartLoc(), *loop.getHeader(), [&](auto& remark) {
    remark << "the loop is divided: its rounds that touch nothing of ";
    bool first = true;
    for (const llvm::CallBase* call : calls) {
      remark << (first ? "" : ", ") << MpiCall::of(*call)->spelling() << " at " << place_name(*call);
      first = false;
    }
    remark << " run before the others";
  });
}

void Remarks::looked_at(const llvm::Loop& loop, llvm::StringRef why_each_time,
                        const llvm::Instruction* where) {
  if (why_each_time.empty()) {
    return say<llvm::OptimizationRemark>(
        "Remembered", loop.getStartLoc(), *loop.getHeader(),
        [](auto& remark) { remark << "its lists are looked at when they may have changed"; });
  }
  say<llvm::OptimizationRemarkMissed>("LooksAgain", loop.getStartLoc(), *loop.getHeader(), [&](auto& remark) {
    remark << "its lists are looked at each time: " << llvm::ore::NV("Reason", why_each_time);
    if (where) remark << " at " << llvm::ore::NV("At", place_name(*where));
  });
}

void Remarks::not_divided(const llvm::Loop& loop, const llvm::CallBase& call, llvm::StringRef why,
                          const llvm::Instruction* where) {
  say<llvm::OptimizationRemarkMissed>("NotDivided", loop.getStartLoc(), *loop.getHeader(), [&](auto& remark) {
    remark << "the loop is not divided into what needs "
           << llvm::ore::NV("Call", MpiCall::of(call)->spelling()) << " at " << place_name(call)
           << " and what does not: " << llvm::ore::NV("Reason", why);
    if (where) remark << " at " << llvm::ore::NV("At", place_name(*where));
  });
}

namespace {

// flang shows no diagnostics of plugins.
bool say_for_flang(const llvm::CallBase& call, const llvm::Twine& sentence) {
  const llvm::DISubprogram* of = call.getFunction()->getSubprogram();
  const llvm::DICompileUnit* unit = of ? of->getUnit() : nullptr;
  if (!unit || !llvm::dwarf::isFortran(static_cast<llvm::dwarf::SourceLanguage>(unit->getSourceLanguage())))
    return false;
  const llvm::DILocation* at = call.getDebugLoc().get();
  if (at) llvm::errs() << at->getFilename() << ":" << at->getLine() << ":" << at->getColumn() << ": ";
  llvm::errs() << "warning: " << sentence << " [-Wlapwing-sets]\n";
  return true;
}

}  // namespace

void warn(const llvm::CallBase& call, const llvm::Twine& sentence) {
  call.getContext().diagnose(Warning(("lapwing: " + place_name(call) + ": " + sentence).str()));
}

void warn_at(const llvm::CallBase& call, const llvm::Twine& sentence) {
  if (say_for_flang(call, sentence)) return;
  if (!call.getDebugLoc()) return warn(call, sentence);
  llvm::DiagnosticInfoOptimizationFailure failure("lapwing-sets", "Mismatch", call.getDebugLoc(),
                                                  call.getParent());
  failure << sentence.str();
  call.getContext().diagnose(failure);
}

}  // namespace lapwing::compiler
