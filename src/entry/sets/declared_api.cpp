// SPDX-License-Identifier: Apache-2.0
// The C API of declared communication.
#include "entry/p2p/p2p.hpp"
#include "entry/sets/declared.hpp"
#include "lapwing/declare.h"
#include "sets/declared/declared.hpp"
#include "sets/messages.hpp"

namespace entry = lapwing::entry;
using lapwing::sets::Messages;
using lapwing::sets::declared::Declared;
using lapwing::sets::declared::Range;

#define LAPWING_HERE __builtin_return_address(0)

LAPWING_ENTRY void lapwing_declare_open(MPI_Comm comm) { entry::declare_open(LAPWING_HERE, comm); }

LAPWING_ENTRY void lapwing_declare_send(const void* buffer, int count, MPI_Datatype type, int dest, int tag,
                                        MPI_Comm comm) {
  entry::declare_send(LAPWING_HERE, buffer, count, type, dest, tag, comm);
}

LAPWING_ENTRY void lapwing_declare_recv(void* buffer, int count, MPI_Datatype type, int source, int tag,
                                        MPI_Comm comm) {
  entry::declare_recv(LAPWING_HERE, buffer, count, type, source, tag, comm);
}

LAPWING_ENTRY void lapwing_declare_bcast(void* buffer, int count, MPI_Datatype type, int root,
                                         MPI_Comm comm) {
  entry::declare_bcast(LAPWING_HERE, buffer, count, type, root, comm);
}

LAPWING_ENTRY void lapwing_declare_reduce(const void* send, void* recv, int count, MPI_Datatype type,
                                          MPI_Op op, int root, MPI_Comm comm) {
  entry::declare_reduce(LAPWING_HERE, send, recv, count, type, op, root, comm);
}

LAPWING_ENTRY void lapwing_declare_allreduce(const void* send, void* recv, int count, MPI_Datatype type,
                                             MPI_Op op, MPI_Comm comm) {
  entry::declare_allreduce(LAPWING_HERE, send, recv, count, type, op, comm);
}

namespace {

Range range_of(const void* address, std::size_t size) {
  const auto begin = reinterpret_cast<std::uintptr_t>(address);
  return {begin, begin + size};
}

}  // namespace

LAPWING_ENTRY void lapwing_use(const void* address, size_t size) {
  if (Declared* pending = Declared::get(); pending && pending->pending() > 0)
    pending->use(range_of(address, size));
}

LAPWING_ENTRY void lapwing_define(const void* address, size_t size) {
  if (Declared* pending = Declared::get(); pending && pending->pending() > 0)
    pending->define(range_of(address, size));
}

LAPWING_ENTRY void lapwing_complete(void) { entry::complete_declared(LAPWING_HERE); }

LAPWING_ENTRY int lapwing_declared_pending(void) {
  return Declared::get() ? static_cast<int>(Declared::get()->pending()) : 0;
}

LAPWING_ENTRY void lapwing_declared_progress(void) {
  if (Declared::get()) Messages::progress();
}

LAPWING_ENTRY void lapwing_declared_print(void) {
  if (!Declared::get()) return;
  const std::lock_guard guard(Messages::lock());
  Declared::get()->print();
}
