// SPDX-License-Identifier: Apache-2.0
// What the launcher knows: who has Lapwing, and how MPI may be initialised.
#pragma once

#include <string>

namespace lapwing::mpi {

/// Before PMPI_Init: has the launcher's key-value space tell that this process
/// will have an `engine`, which understands stripped messages, or process `sets`,
/// or asks for split `collectives`. Silent where there is no such space.
void announce_presence(bool engine, bool sets, bool collectives);

enum class Presence { all, some, unknown };
enum class Part { engine, sets, collectives };

/// After PMPI_Init, by each rank that has announced this part: whether all ranks
/// have, and a rank that has not. Ranks without it need not take part, so none of
/// them can make it hang; those that have it come to the same result, each by
/// asking the launcher and its partners about log(size) ranks. `unknown` where no
/// key-value space is there, and `vouched` is not: then somebody has said it.
Presence presence(Part part, int rank, int size, bool vouched, std::string* missing);

/// After PMPI_Init and any presence(): ends what announce_presence() began.
void forget_launcher();

/// Before or after PMPI_Init: how many ranks the job has if all of them are on
/// this node; 0 if they are not, or nobody says.
int ranks_on_one_node();

/// Before or after PMPI_Init: the launcher says that this node has more ranks of the job than cores.
bool node_is_crowded();

/// The same, or as many ranks as cores while the job has ranks on other nodes: the kernel handles their
/// messages on these cores.
bool cores_are_scarce();

/// The library through which this MPI itself speaks PMIx, if it loads it only in
/// PMPI_Init; else null.
const char* pmix_to_come();

/// Whether MPI may be initialised with MPI_THREAD_MULTIPLE although the program
/// asked for less; otherwise `why` says what would break.
bool may_raise_thread_level(std::string* why);

/// The level that MPI_Init gives, by the environment: MPI_THREAD_SINGLE where that says nothing.
int default_thread_level();

/// Finds what the inline functions of flavour.hpp need. Cheap, idempotent.
void prepare();

}  // namespace lapwing::mpi
