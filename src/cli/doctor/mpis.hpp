// SPDX-License-Identifier: Apache-2.0
// What `lapwing doctor` says of MPIs and of Slurm.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/doctor/machine_facts.hpp"
#include "cli/doctor/mpi_search.hpp"

namespace lapwing::cli {

/// One line for each MPI; one that says so if there is none.
std::vector<Fact> facts_of(const std::vector<FoundMpi>& mpis);

struct Slurm {
  bool there = false;  ///< srun is in PATH
  std::string version;
  bool answers = false;              ///< it has a configuration
  std::vector<std::string> plugins;  ///< what --mpi= takes
};
Slurm slurm_here();
Fact fact_of(const Slurm& slurm, const std::vector<FoundMpi>& mpis);

/// How a job of this MPI is started under Slurm.
std::string line_under(const Slurm& slurm, const FoundMpi& mpi);

/// A field for each thing that the table says in a sentence; null: it is not known.
nlohmann::json as_json(const FoundMpi& mpi, const Slurm& slurm);
nlohmann::json as_json(const Slurm& slurm);

}  // namespace lapwing::cli
