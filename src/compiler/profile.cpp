// SPDX-License-Identifier: Apache-2.0
#include "compiler/profile.hpp"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/LineIterator.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>

namespace lapwing::compiler {
namespace {

// Below this share of the run a site's waiting is not worth a change.
constexpr double least_share = 0.001;

}  // namespace

Profile::Profile(const std::string& path) {
  if (path.empty()) return;
  auto file = llvm::MemoryBuffer::getFile(path, true);
  if (!file) {
    complaint = "the profile " + path + " cannot be read: " + file.getError().message();
    return;
  }
  double wall = 0;
  std::size_t read = 0;
  for (llvm::line_iterator line(**file, true); !line.is_at_eof(); ++line) {
    auto value = llvm::json::parse(*line);
    const llvm::json::Object* object = value ? value->getAsObject() : nullptr;
    if (!value) llvm::consumeError(value.takeError());
    if (!object) continue;
    const auto seconds = object->getNumber("wall_s");
    const auto site = object->getString("site");
    const auto exposed = object->getNumber("exposed_s");
    read += seconds || (site && exposed);
    if (seconds) wall = *seconds;
    if (site && exposed && *exposed > least_share * wall) sites_.insert(llvm::sys::path::filename(*site));
  }
  if (read == 0) {
    complaint = "the profile " + path + " holds no report of `lapwing run --report`";
    return;
  }
  given_ = true;
}

bool Profile::waits_at(const llvm::Instruction& call) const {
  const llvm::DILocation* place = call.getDebugLoc().get();
  if (!given_ || !place) return true;
  // The report knows the outermost line and the innermost: either will do.
  for (; place; place = place->getInlinedAt()) {
    const std::string name =
        (llvm::sys::path::filename(place->getFilename()) + ":" + llvm::Twine(place->getLine())).str();
    if (sites_.contains(name)) return true;
  }
  return false;
}

}  // namespace lapwing::compiler
