// SPDX-License-Identifier: Apache-2.0
// A send of a copy, so that its buffer may be received into at once.
#pragma once

#include <memory>

#include "transfer/requests.hpp"

namespace lapwing::transfer {

class Engine;

/// Makes `*a` send a copy of its payload, with which the same receives match.
/// MPI's error where it cannot be read.
int copy_to_send(SendArguments* a, std::unique_ptr<char[]>* copy);

/// The same for a call that receives into the very buffer; no byte of the copy is another's.
void copy_for_exchange(Engine& engine, SendArguments* a, std::unique_ptr<char[]>* copy);

}  // namespace lapwing::transfer
