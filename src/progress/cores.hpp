// SPDX-License-Identifier: Apache-2.0
// On how many processors of this node the job's processes and their threads can run at the same time. All
// parts that ask whether a helper, a poll or one more worker has a processor ask here.
#pragma once

#include <sched.h>

#include <string>

namespace lapwing::progress {

/// How many ranks of the job this node has, as the launcher says (Hydra and Open MPI's do); 0 where none says
/// so.
int launched_ranks_of_node();

/// The processors on which this process may run.
cpu_set_t processors_of_process();

/// The processors of this node on which the job's processes may run: those of this process and, where a
/// launcher says that it has started this process, those of the parent. That is the launcher's daemon, which
/// may bind each rank to one processor but not itself.
cpu_set_t processors_of_node();

/// How many threads of the job's processes on this node can run at the same time: as many as
/// processors_of_node(), of Slurm's own tasks as many as Slurm gives the job on this node, and no more than
/// cpu_quota() paid for when it was first asked. At least 1.
int cores_of_node();

/// The same for this process alone.
int cores_of_process();

/// The processors that share a memory (a NUMA node) with one of these; every number where the kernel tells of
/// no such memories. Tests give another `root` of the file system.
cpu_set_t processors_near(const cpu_set_t& processors, const std::string& root = {});

/// The CPU time per time that the control groups around this process allow (`cpu.max`, `cpu.cfs_quota_us`);
/// infinity without a quota. Tests give another `root` of the file system.
double cpu_quota(const std::string& root = {});

}  // namespace lapwing::progress
