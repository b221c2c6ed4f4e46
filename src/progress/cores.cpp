// SPDX-License-Identifier: Apache-2.0
#include "progress/cores.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>

namespace lapwing::progress {
namespace {

constexpr int most_memories = 64;
constexpr double unlimited = std::numeric_limits<double>::infinity();

// Empty where the kernel does not say.
cpu_set_t processors_of(pid_t process) {
  cpu_set_t processors;
  CPU_ZERO(&processors);
  if (sched_getaffinity(process, sizeof processors, &processors) != 0) CPU_ZERO(&processors);
  return processors;
}

// More processors than a cpu_set_t holds leave it empty.
int count(const cpu_set_t& processors) {
  const int some = CPU_COUNT(&processors);
  return some > 0 ? some : static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
}

int within_quota(int processors) {
  static const double quota = cpu_quota();  // a dozen files, and each communicator of arrays asks
  return std::max(1, static_cast<int>(std::min<double>(processors, quota)));
}

// Of one control group: version 2 writes "QUOTA PERIOD" or "max PERIOD", version 1 a file each, -1 for none.
double quota_of_group(const std::string& folder) {
  double quota = 0, period = 0;
  if (std::ifstream both(folder + "/cpu.max"); both >> quota >> period && quota > 0 && period > 0)
    return quota / period;
  std::ifstream first(folder + "/cpu.cfs_quota_us"), second(folder + "/cpu.cfs_period_us");
  return first >> quota && second >> period && quota > 0 && period > 0 ? quota / period : unlimited;
}

// A container may see its own group as the root of the tree, whatever its path outside is: groups that cannot
// be found there set no limit.
double least_quota(const std::string& tree, std::string path) {
  double least = unlimited;
  while (true) {
    while (!path.empty() && path.back() == '/') path.pop_back();
    least = std::min(least, quota_of_group(tree + path));
    if (path.empty()) return least;
    path.resize(path.find_last_of('/') == std::string::npos ? 0 : path.find_last_of('/'));
  }
}

// From a list such as "0-3,8": numbers and ranges.
cpu_set_t processors_in(std::istream& list) {
  cpu_set_t processors;
  CPU_ZERO(&processors);
  for (int first = 0; list >> first; list.ignore()) {
    int last = first;
    if (list.peek() == '-') list.ignore(), list >> last;
    for (int each = first; each <= std::min(last, CPU_SETSIZE - 1); ++each) CPU_SET(each, &processors);
  }
  return processors;
}

}  // namespace

cpu_set_t processors_near(const cpu_set_t& processors, const std::string& root) {
  cpu_set_t near, all;
  CPU_ZERO(&near);
  memset(&all, 0xff, sizeof all);
  bool tells = false;
  for (int memory = 0; memory < most_memories; ++memory) {
    std::ifstream list(root + "/sys/devices/system/node/node" + std::to_string(memory) + "/cpulist");
    if (!list) continue;
    tells = true;
    const cpu_set_t here = processors_in(list);
    cpu_set_t both;
    CPU_AND(&both, &here, &processors);
    if (CPU_COUNT(&both) > 0) CPU_OR(&near, &near, &here);
  }
  return tells ? near : all;
}

int launched_ranks_of_node() {
  for (const char* const name : {"MPI_LOCALNRANKS", "OMPI_COMM_WORLD_LOCAL_SIZE"}) {
    const char* const ranks = std::getenv(name);
    if (ranks && std::atoi(ranks) > 0) return std::atoi(ranks);
  }
  return 0;
}

cpu_set_t processors_of_process() { return processors_of(0); }

cpu_set_t processors_of_node() {
  cpu_set_t processors = processors_of_process();
  if (launched_ranks_of_node() == 0) return processors;
  const cpu_set_t launcher = processors_of(getppid());
  CPU_OR(&processors, &processors, &launcher);
  return processors;
}

int cores_of_node() {
  const bool is_slurm_task = launched_ranks_of_node() == 0 && std::getenv("SLURM_PROCID");
  const char* const given = is_slurm_task ? std::getenv("SLURM_CPUS_ON_NODE") : nullptr;
  const int number = given ? std::atoi(given) : 0;
  return within_quota(std::max(number, count(processors_of_node())));
}

int cores_of_process() { return within_quota(count(processors_of_process())); }

double cpu_quota(const std::string& root) {
  double least = unlimited;
  std::ifstream groups(root + "/proc/self/cgroup");
  for (std::string line; std::getline(groups, line);) {
    std::istringstream fields(line);
    std::string number, controllers, path;
    std::getline(fields, number, ':');
    std::getline(fields, controllers, ':');
    std::getline(fields, path);
    const std::string trees = root + "/sys/fs/cgroup";
    if (controllers.empty()) {
      least = std::min({least, least_quota(trees, path), least_quota(trees + "/unified", path)});
    } else if (("," + controllers + ",").find(",cpu,") != std::string::npos) {
      least =
          std::min({least, least_quota(trees + "/" + controllers, path), least_quota(trees + "/cpu", path)});
    }
  }
  return least;
}

}  // namespace lapwing::progress
