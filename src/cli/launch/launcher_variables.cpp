// SPDX-License-Identifier: Apache-2.0
// How each launcher is told to hand variables to its ranks.
#include <algorithm>
#include <cstdlib>

#include "cli/launch/launcher.hpp"

namespace lapwing::cli {

namespace {

using Words = std::vector<std::string>;

bool names_variable(const Variables& variables, const std::string& name) {
  return std::any_of(variables.begin(), variables.end(),
                     [&](const auto& entry) { return entry.first == name; });
}

/// Hydra hands its whole environment on, unless told not to; -genv works in
/// either case and for all programs of the job.
Words for_hydra(const CommandLine& line, const Variables& variables) {
  Words words(line.words.begin(), line.words.begin() + static_cast<std::ptrdiff_t>(line.launcher_at) + 1);
  for (const auto& [name, value] : variables) words.insert(words.end(), {"-genv", name, value});
  std::size_t program_end = line.launcher_at + 1;
  for (const Segment& segment : line.segments) {
    for (std::size_t i = program_end; i < segment.end; ++i) {
      const std::string& word = line.words[i];
      const bool option = i < segment.program && i + 2 < segment.end;
      // The user's own preload has been merged into ours; a later one would win.
      if (option && (word == "-genv" || word == "--genv" || word == "-env" || word == "--env") &&
          line.words[i + 1] == "LD_PRELOAD") {
        i += 2;
        continue;
      }
      words.push_back(word);
    }
    program_end = segment.end;
  }
  return words;
}

/// Open MPI hands on what -x names, for each program of the job by itself. It
/// refuses -x where the MCA parameter mca_base_env_list is in use: then the
/// variables join that list.
Words for_orte(const CommandLine& line, const Variables& variables, Variables& local) {
  std::string list;
  for (const auto& [name, value] : variables) list += (list.empty() ? "" : ";") + name;
  bool listed = false;
  if (const char* chosen = std::getenv("OMPI_MCA_mca_base_env_list"); chosen != nullptr && *chosen != 0) {
    listed = true;
    local.emplace_back("OMPI_MCA_mca_base_env_list", std::string(chosen) + ";" + list);
  }
  for (std::size_t i = 0; i + 1 < line.words.size(); ++i) {
    if (line.words[i] == "mca_base_env_list") listed = true;
  }
  // Ranks on this host, and those named in an application file, inherit.
  if (listed || line.from_file) local.insert(local.end(), variables.begin(), variables.end());
  Words words(line.words.begin(), line.words.begin() + static_cast<std::ptrdiff_t>(line.launcher_at) + 1);
  for (std::size_t s = 0; s < line.segments.size(); ++s) {
    const Segment& segment = line.segments[s];
    if (s > 0) words.emplace_back(":");
    if (!listed) {
      for (const auto& [name, value] : variables) words.insert(words.end(), {"-x", name + "=" + value});
    }
    for (std::size_t i = segment.begin; i < segment.end; ++i) {
      const std::string& word = line.words[i];
      const bool option = i < segment.program && i + 1 < segment.end;
      if (option && (word == "-x" || word == "--x")) {
        const std::string name = line.words[i + 1].substr(0, line.words[i + 1].find('='));
        const bool ours =
            name == "LD_PRELOAD" || (line.words[i + 1] == name && names_variable(variables, name));
        if (ours) {
          ++i;
          continue;
        }
      }
      words.push_back(word);
      if (option && word == "mca_base_env_list") words.push_back(line.words[++i] + ";" + list);
    }
  }
  return words;
}

/// Slurm hands on what --export says; ALL is its default.
Words for_srun(const CommandLine& line, const Variables& variables, Variables& local) {
  std::string additions;
  for (const auto& [name, value] : variables) {
    // A comma would end the value: leave such a variable to the environment.
    if (value.find(',') == std::string::npos) {
      additions += "," + name + "=" + value;
    } else {
      local.emplace_back(name, value);
      additions += "," + name;
    }
  }
  // The variable counts where no option does: sbatch sets it when a job is to have no environment.
  const char* chosen = std::getenv("SLURM_EXPORT_ENV");
  const auto joined = [&](const std::string& old) {
    return old == "NONE" || old == "NIL" ? additions.substr(1) : old + additions;
  };
  Words words = line.words;
  // Each program of the job has options of its own. From the last on, so that places stay.
  for (std::size_t s = line.segments.size(); s-- > 0;) {
    const Segment& segment = line.segments[s];
    bool done = false;
    for (std::size_t i = segment.begin; i < segment.program; ++i) {
      const std::string flag = "--export=";
      if (words[i].starts_with(flag)) {
        words[i] = flag + joined(words[i].substr(flag.size()));
        done = true;
      } else if (words[i] == "--export" && i + 1 < segment.program) {
        ++i;
        words[i] = joined(words[i]);
        done = true;
      }
    }
    if (!done)
      words.insert(words.begin() + static_cast<std::ptrdiff_t>(segment.begin),
                   "--export=" + joined(chosen != nullptr && *chosen != 0 ? chosen : "ALL"));
  }
  return words;
}

}  // namespace

std::vector<std::string> with_variables(const CommandLine& line, const Variables& variables,
                                        Variables& local) {
  switch (line.launcher) {
    case Launcher::hydra:
      return for_hydra(line, variables);
    case Launcher::orte:
      return for_orte(line, variables, local);
    case Launcher::srun:
      return for_srun(line, variables, local);
    default:
      break;
  }
  local.insert(local.end(), variables.begin(), variables.end());
  return line.words;
}

}  // namespace lapwing::cli
