// SPDX-License-Identifier: Apache-2.0
#include "compiler/remarks.hpp"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/DiagnosticPrinter.h>
#include <llvm/Support/Path.h>

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

}  // namespace

std::string place_name(const llvm::Instruction& instruction) {
  const llvm::Instruction* i = &instruction;
  // Instructions that the optimiser has put together from several lines have line 0.
  while (i && (!i->getDebugLoc() || i->getDebugLoc().getLine() == 0)) i = i->getNextNode();
  if (!i) return "an unknown place";
  const llvm::DILocation* location = i->getDebugLoc().get();
  return (llvm::sys::path::filename(location->getFilename()) + ":" + llvm::Twine(location->getLine())).str();
}

void remark_moved(llvm::OptimizationRemarkEmitter& remarks, const Transfer& transfer,
                  const Placement& placement, llvm::StringRef what) {
  remarks.emit([&] {
    llvm::OptimizationRemark remark(pass_name, "Moved", transfer.call);
    remark << llvm::ore::NV("Call", transfer.name) << " at "
           << llvm::ore::NV("From", place_name(*transfer.call)) << " " << what;
    bool first = true;
    for (const Stop& point : placement.points) {
      remark << (first ? ": its wait stands at " : ", at ") << llvm::ore::NV("To", place_name(*point.at))
             << " (" << llvm::ore::NV("Reason", point.reason.text);
      if (point.culprit != point.at) remark << " at " << place_name(*point.culprit);
      remark << ")";
      first = false;
    }
    return remark;
  });
}

void remark_missed(llvm::OptimizationRemarkEmitter& remarks, const llvm::CallBase& call, llvm::StringRef name,
                   llvm::StringRef why, const llvm::Instruction* where) {
  remarks.emit([&] {
    llvm::OptimizationRemarkMissed remark(pass_name, "Stopped", &call);
    remark << llvm::ore::NV("Call", name) << ": ";
    if (where) {
      remark << "stopped at " << llvm::ore::NV("At", place_name(*where)) << ": "
             << llvm::ore::NV("Reason", why);
    } else {
      remark << llvm::ore::NV("Reason", why);
    }
    return remark;
  });
}

void warn(const llvm::CallBase& call, const llvm::Twine& sentence) {
  call.getContext().diagnose(Warning(("lapwing: " + place_name(call) + ": " + sentence).str()));
}

}  // namespace lapwing::compiler
