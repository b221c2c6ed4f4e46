// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/launcher.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "cli/launch/paths.hpp"
#include "cli/launch/process.hpp"

namespace lapwing::cli {

namespace fs = std::filesystem;

namespace {

Launcher by_name(const std::string& name) {
  static const std::map<std::string, Launcher> names{
      {"mpiexec.mpich", Launcher::hydra}, {"mpirun.mpich", Launcher::hydra},
      {"mpiexec.hydra", Launcher::hydra}, {"mpiexec.openmpi", Launcher::orte},
      {"mpirun.openmpi", Launcher::orte}, {"orterun", Launcher::orte},
      {"prterun", Launcher::orte},        {"oshrun", Launcher::orte},
      {"srun", Launcher::srun},           {"mpiexec", Launcher::unknown},
      {"mpirun", Launcher::unknown},
  };
  const auto entry = names.find(name);
  return entry == names.end() ? Launcher::none : entry->second;
}

using Names = std::set<std::string>;

Names names_in(const char* text) {
  const std::vector<std::string> words = split_words(text);
  return {words.begin(), words.end()};
}

/// Options that take a value as a word of their own, without leading dashes.
const Names& options_with_value(Launcher launcher) {
  static const Names hydra = names_in(
      "genvlist envlist n np f hosts host hostfile machinefile machine wdir configfile launcher "
      "bootstrap launcher-exec bootstrap-exec rmk topolib bind-to binding map-by membind demux "
      "iface ppn perhost prepend-pattern outfile-pattern outfile errfile-pattern errfile localhost "
      "usize order-nodes arch path gpus-per-proc pmi-args timeout");
  static const Names orte = names_in(
      "x n np c H host hostfile machinefile default-hostfile rf rankfile wdir wd path prefix "
      "bind-to map-by rank-by app am tune cpus-per-proc cpus-per-rank N npernode npersocket "
      "output-filename stdin report-uri ompi-server server-wait-time tmpdir timeout max-restarts "
      "preload-files slot-list cpu-set cpu-list launch-agent max-vm-size personality dvm hnp ppr "
      "report-state-on-timeout ofi xml-file fwd-environment display runtime-options output pset");
  static const Names srun = names_in(
      "A B c C d D e G i J K L m M n N o p q r S t T w x account chdir cpus-per-task constraint "
      "dependency error export gpus input job-name jobid mem mem-per-cpu mpi nodelist nodes ntasks "
      "ntasks-per-node output partition qos time distribution cpu-bind exclude threads-per-core "
      "relative task-prolog");
  static const Names none;
  switch (launcher) {
    case Launcher::hydra:
      return hydra;
    case Launcher::orte:
      return orte;
    case Launcher::srun:
      return srun;
    default:
      return none;
  }
}

std::string option_name(const std::string& word) {
  std::string name =
      word.substr(word.find_first_not_of('-') == std::string::npos ? 0 : word.find_first_not_of('-'));
  return name.substr(0, name.find('='));
}

/// How many of the words after the option belong to it.
std::size_t values_of(Launcher launcher, const std::string& word) {
  const std::string name = option_name(word);
  if (word.find('=') != std::string::npos) return 0;
  if (launcher == Launcher::hydra && (name == "genv" || name == "env")) return 2;
  if (launcher == Launcher::orte && (name == "mca" || name == "gmca" || name == "omca" || name == "pmca"))
    return 2;
  return options_with_value(launcher).contains(name) ? 1 : 0;
}

/// Options that say how variables reach the ranks.
void note_option(CommandLine& line, std::size_t at, std::size_t values) {
  const std::string name = option_name(line.words[at]);
  if (line.launcher == Launcher::hydra) {
    if (name == "env" || name == "envlist" || name == "envnone") line.own_environment = true;
    if (name == "configfile") line.from_file = true;
    if (values == 2 && line.words[at + 1] == "LD_PRELOAD") line.user_preload = line.words[at + 2];
  } else if (line.launcher == Launcher::orte) {
    if (name == "app") line.from_file = true;
    if (name == "x" && values == 1 && line.words[at + 1].starts_with("LD_PRELOAD=")) {
      line.user_preload = line.words[at + 1].substr(sizeof "LD_PRELOAD=" - 1);
    }
  }
}

Segment parse_segment(CommandLine& line, std::size_t begin, std::size_t end) {
  Segment segment{begin, begin, end};
  std::size_t at = begin;
  bool guessing = false;  // after an option that is in no table, its value may look like the program
  while (at < end) {
    const std::string& word = line.words[at];
    if (word.size() < 2 || word[0] != '-') {
      if (!guessing || at + 1 == end || find_executable(word)) break;
      guessing = false;
      ++at;
      continue;
    }
    const std::size_t values = std::min(values_of(line.launcher, word), end - at - 1);
    note_option(line, at, values);
    guessing = values == 0 && word.find('=') == std::string::npos;
    at += 1 + values;
  }
  segment.program = at;
  return segment;
}

}  // namespace

bool launcher_name(const std::string& word) { return by_name(base_name(word)) != Launcher::none; }

Launcher recognise(const std::string& word) {
  const Launcher named = by_name(base_name(word));
  const auto path = find_executable(word);
  if (named != Launcher::unknown || !path) return named;
  std::error_code failed;
  const fs::path real = fs::canonical(*path, failed);
  if (!failed) {
    const Launcher linked = by_name(real.filename().string());
    if (linked != Launcher::none && linked != Launcher::unknown) return linked;
  }
  if (const auto answer = capture({path->string(), "--version"}, 10.0)) {
    const std::string& text = answer->output;
    const auto says = [&](const char* part) { return text.find(part) != std::string::npos; };
    if (says("OpenRTE") || says("Open MPI") || says("PRRTE")) return Launcher::orte;
    if (says("HYDRA") || says("MPICH") || says("Intel(R) MPI")) return Launcher::hydra;
    if (says("slurm")) return Launcher::srun;
  }
  return Launcher::unknown;
}

Mpi mpi_of(Launcher launcher) {
  switch (launcher) {
    case Launcher::hydra:
      return Mpi::mpich;
    case Launcher::orte:
      return Mpi::openmpi;
    default:
      return Mpi::unknown;
  }
}

std::vector<std::string> CommandLine::program_words(std::size_t segment) const {
  const auto at = [&](std::size_t i) { return words.begin() + static_cast<std::ptrdiff_t>(i); };
  return {at(segments[segment].program), at(segments[segment].end)};
}

CommandLine parse_command(std::vector<std::string> words) {
  CommandLine line;
  line.words = std::move(words);
  if (line.words.empty()) return line;
  // `env`, `timeout` and the like may stand before the launcher.
  std::size_t at = 0;
  if (is_wrapper(line.words[0])) {
    while (at < line.words.size() && !launcher_name(line.words[at])) ++at;
    if (at == line.words.size()) at = 0;
  }
  line.launcher = recognise(line.words[at]);
  line.launcher_at = at;
  if (line.launcher == Launcher::none) {
    line.segments.push_back({0, 0, line.words.size()});
    return line;
  }
  std::size_t begin = at + 1;
  for (std::size_t i = begin; i <= line.words.size(); ++i) {
    if (i < line.words.size() && line.words[i] != ":") continue;
    line.segments.push_back(parse_segment(line, begin, i));
    begin = i + 1;
  }
  return line;
}

}  // namespace lapwing::cli
