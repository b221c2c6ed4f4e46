// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor/mpis.hpp"

#include <algorithm>
#include <sstream>

#include "cli/launch/launcher.hpp"
#include "cli/launch/paths.hpp"
#include "cli/launch/process.hpp"
#include "cli/say.hpp"

namespace lapwing::cli {

namespace {

std::string joined(const std::vector<std::string>& parts, const char* between = ", ") {
  std::string text;
  for (const auto& part : parts) text += (text.empty() ? "" : between) + part;
  return text;
}

/// The names of each layer behind it: "pml ob1 ucx; btl tcp self". One name alone stays as it is.
std::string by_layer(const std::vector<std::string>& transports) {
  if (transports.size() == 1) return transports.front();
  std::string text, last;
  for (const auto& transport : transports) {
    const std::string layer = transport.substr(0, transport.find(':'));
    if (layer != last) text += (text.empty() ? "" : "; ") + layer;
    text += " " + transport.substr(transport.find(':') + 1);
    last = layer;
  }
  return text;
}

/// Whether programs of an MPI get Lapwing here, and why.
struct Service {
  bool served = false;
  Level level = Level::ok;
  std::string why;
};

Service service_of(const FoundMpi& mpi) {
  if (!mpi.engine) {
    return {false, Level::no,
            fmt::format("{} is missing: its programs run plainly",
                        engine_library(flavour_of(mpi.family)).filename().string())};
  }
  if (!mpi.thread_level.empty() && mpi.thread_level != "MPI_THREAD_MULTIPLE") {
    return {false, Level::warn, "without MPI_THREAD_MULTIPLE nothing is deferred: its programs run plainly"};
  }
  if (!mpi.launcher) {
    return {true, Level::warn,
            fmt::format("its launcher is missing (Debian: apt install {})",
                        mpi.family == Mpi::openmpi ? "openmpi-bin" : "mpich")};
  }
  if (mpi.thread_level.empty()) {
    return {true, Level::warn,
            "it did not start as a job of one process; its programs may need their environment set up"};
  }
  return {true, Level::ok, "its programs can be run with Lapwing"};
}

Fact fact_of(const FoundMpi& mpi) {
  const Service service = service_of(mpi);
  Fact fact{mpi.product, service.level, "", service.why};
  std::vector<std::string> parts{
      fmt::format("{} in {}", mpi.version.empty() ? "of unknown version" : mpi.version, mpi.prefix.string()),
      mpi.launcher ? "launcher " + *mpi.launcher : "no launcher",
      mpi.thread_level.empty() ? "it could not be initialised" : mpi.thread_level};
  if (!mpi.transports.empty()) parts.push_back("transports: " + by_layer(mpi.transports));
  fact.found = joined(parts) + "; Fortran: " + (mpi.fortran.empty() ? "none" : joined(mpi.fortran));
  if (mpi.family == Mpi::standard) fact.found += "; the standard ABI";
  return fact;
}

std::string plugin_for(const FoundMpi& mpi) { return mpi.family == Mpi::openmpi ? "pmix" : "pmi2"; }

}  // namespace

std::vector<Fact> facts_of(const std::vector<FoundMpi>& mpis) {
  if (mpis.empty()) {
    return {
        {"MPI", Level::warn, "none found",
         "no MPI program can run here (Debian: apt install mpich, or openmpi-bin); one elsewhere is found by "
         "its mpiexec in PATH, by LD_LIBRARY_PATH, or by MPI_HOMES=/a:/b"}};
  }
  std::vector<Fact> facts;
  for (const auto& mpi : mpis) facts.push_back(fact_of(mpi));
  return facts;
}

Slurm slurm_here() {
  Slurm slurm;
  slurm.there = find_executable("srun").has_value();
  if (!slurm.there) return slurm;
  if (const auto answer = capture({"srun", "--version"}, 10)) {
    const auto digit = answer->output.find_first_of("0123456789");
    if (digit != std::string::npos)
      slurm.version =
          answer->output.substr(digit, answer->output.find_first_not_of("0123456789.", digit) - digit);
  }
  const auto answer = capture({"srun", "--mpi=list"}, 20);
  if (!answer || answer->status != 0) return slurm;
  slurm.answers = true;
  std::istringstream words(answer->output);
  for (std::string word; words >> word;) {
    const bool known = word == "none" || word == "pmi2" || word.starts_with("pmix") || word == "cray_shasta";
    if (known && word != "pmix_v" &&
        std::find(slurm.plugins.begin(), slurm.plugins.end(), word) == slurm.plugins.end() &&
        answer->output.find(word + " plugin") == std::string::npos)
      slurm.plugins.push_back(word);
  }
  return slurm;
}

namespace {

bool has_plugin(const Slurm& slurm, const std::string& plugin) {
  return std::find(slurm.plugins.begin(), slurm.plugins.end(), plugin) != slurm.plugins.end();
}

}  // namespace

std::string line_under(const Slurm& slurm, const FoundMpi& mpi) {
  const std::string plugin = plugin_for(mpi);
  return !slurm.answers || has_plugin(slurm, plugin)
             ? "srun --mpi=" + plugin
             : "mpiexec inside an allocation: srun has no --mpi=" + plugin;
}

Fact fact_of(const Slurm& slurm, const std::vector<FoundMpi>& mpis) {
  if (!slurm.there)
    return {"Slurm", Level::ok, "not here",
            "in a Slurm job: lapwing run --launcher srun -n 4 ./program, or mpiexec inside the allocation"};
  Fact fact{"Slurm", Level::ok, slurm.version.empty() ? "of unknown version" : slurm.version, ""};
  if (!slurm.answers) {
    fact.level = Level::warn;
    fact.found += ", but srun finds no configuration";
    fact.follows = "set SLURM_CONF, or ask where the cluster's login nodes are";
    return fact;
  }
  fact.found += "; --mpi: " + joined(slurm.plugins);
  std::vector<std::string> lines;
  for (const auto& mpi : mpis) {
    const std::string line = mpi.product + ": " + line_under(slurm, mpi);
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
  }
  fact.follows = "lapwing run --launcher srun -n 4 ./program adds what it needs. " + joined(lines, "; ");
  return fact;
}

nlohmann::json as_json(const FoundMpi& mpi, const Slurm& slurm) {
  const Service service = service_of(mpi);
  const std::string plugin = plugin_for(mpi);
  const auto known = [](const std::string& text) {
    return text.empty() ? nlohmann::json() : nlohmann::json(text);
  };
  return {{"product", mpi.product},
          {"family", flavour_of(mpi.family)},
          {"version", known(mpi.version)},
          {"prefix", mpi.prefix.string()},
          {"library", mpi.library.string()},
          {"launcher", known(mpi.launcher.value_or(""))},
          {"thread_level", known(mpi.thread_level)},
          {"transports", mpi.transports},
          {"fortran", mpi.fortran},
          {"served", service.served},
          {"why", service.why},
          {"slurm",
           {{"start", line_under(slurm, mpi)},
            {"plugin", plugin},
            {"plugin_there", slurm.answers ? nlohmann::json(has_plugin(slurm, plugin)) : nlohmann::json()}}}};
}

nlohmann::json as_json(const Slurm& slurm) {
  return {{"there", slurm.there},
          {"version", slurm.version},
          {"answers", slurm.answers},
          {"mpi_plugins", slurm.plugins}};
}

}  // namespace lapwing::cli
