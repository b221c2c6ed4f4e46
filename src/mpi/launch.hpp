// SPDX-License-Identifier: Apache-2.0
// What the launcher knows: who has Lapwing, and how MPI may be initialised.
#pragma once

#include <string>

namespace lapwing::mpi {

/// Before PMPI_Init: meets the launcher and, where this process will have an
/// `engine`, which understands stripped messages, or process `sets`, or asks for
/// split `collectives`, tells its key-value space so. Silent where there is no
/// such space.
void announce_presence(bool engine, bool sets, bool collectives);

enum class Presence { all, some, unknown };
enum class Part { engine, sets, collectives };

/// After PMPI_Init: whether every rank of the job announced this part. Asks the
/// launcher only; no rank need take part, so a rank without Lapwing cannot
/// make it hang. `unknown` where the launcher offers no key-value space.
Presence presence(Part part, int rank, int size, std::string* missing);

/// After PMPI_Init and any presence(): ends what announce_presence() began.
void forget_launcher();

/// Whether MPI may be initialised with MPI_THREAD_MULTIPLE although the program
/// asked for less; otherwise `why` says what would break.
bool may_raise_thread_level(std::string* why);

/// The level that MPI_Init gives, by the environment: MPI_THREAD_SINGLE where that says nothing.
int default_thread_level();

/// After announce_presence(), before or after PMPI_Init: how many ranks the job
/// has if all of them are on this node; 0 if they are not, or nobody says.
int ranks_on_one_node();

/// Finds what the inline functions of flavour.hpp need. Cheap, idempotent.
void prepare();

}  // namespace lapwing::mpi
