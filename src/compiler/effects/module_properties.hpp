// SPDX-License-Identifier: Apache-2.0
// Properties of a whole file that change what its MPI calls tell other processes. Those of other files are
// seen with full LTO only.
#pragma once

namespace llvm {
class Module;
}

namespace lapwing::compiler {

struct ModuleProperties {
  /// Requests of sends are freed: what tells that such a send is over is an answer of its receiver.
  bool frees_sends = false;
  /// There are synchronous sends. Their sender knows that the receive has begun, and with it that all
  /// before it is over: then a posted receive, too, is something that others learn from.
  bool sends_synchronously = false;
  /// There are windows: once a message has told them to, others may read and write a buffer of ours.
  bool exposes_memory = false;
  /// Other threads use our memory as we do, with nothing but a message between our use and theirs: they
  /// may all communicate, or the memory is shared.
  bool shares_memory = false;
  /// Memory is mapped: it may be at two addresses.
  bool maps_memory = false;
  /// There are error handlers of the program's own: any call may run one, which may do anything.
  bool handles_errors = false;
  /// There are generalised requests: whoever waits or tests may run functions of the program's own.
  bool calls_back = false;
  /// There are operations of the program's own and reductions that do not block: MPI may run those operations
  /// in any call, also in one that is not the program's.
  bool runs_operations = false;
};

ModuleProperties find_module_properties(const llvm::Module& module);

}  // namespace lapwing::compiler
