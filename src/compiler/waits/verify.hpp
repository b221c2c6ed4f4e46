// SPDX-License-Identifier: Apache-2.0
// -flapwing=verify: what is emitted beside a transfer, so that the run time guards
// its memory and can say where it starts and where its wait stands.
#pragma once

#include <string>

#include "compiler/waits/place.hpp"
#include "compiler/waits/transfer.hpp"

namespace lapwing::compiler {

/// The constant that describes a transfer (lapwing/compiled_verify.h). `call`: what
/// starts it in the program. `early`: it starts above that place.
llvm::Constant* verify_site(llvm::CallBase& call, llvm::StringRef waits, bool early);

/// The places of its waits, as a person reads them.
std::string places_of(const Placement& placement);

/// Before a start that the pass has emitted.
void announce(llvm::Constant* site, llvm::CallBase& start);

/// Behind each start of a wait of the program's, and where persistent requests are made.
void note_starts(const Transfer& transfer, llvm::StringRef waits);

}  // namespace lapwing::compiler
