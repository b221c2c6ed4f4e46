// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <unistd.h>

#include <filesystem>
#include <map>

#include "arguments.hpp"
#include "say.hpp"

namespace lapwing::wrapper {

namespace {

const Words modes = {"conservative", "aggressive", "demand", "verify", "report"};
const Words own = {"--lapwing-off",          "--lapwing-show",
                   "--lapwing-verbose",      "--lapwing-mpi=mpich",
                   "--lapwing-mpi=openmpi",  "--lapwing-profile=FILE",
                   "--lapwing-help",         "-flapwing=aggressive",
                   "-flapwing=conservative", "-flapwing=demand",
                   "-flapwing=verify",       "-flapwing=report",
                   "-flapwing-interior",     "-fno-lapwing-interior",
                   "--sets=check",           "--sets=run",
                   "--sets=run,p2p",         "--sets=off",
                   "-Wno-lapwing-sets",      "--declared"};

const std::map<std::string, Show> shows = {
    {"-show", Show::line},
    {"-showme", Show::line},
    {"-compile_info", Show::line},
    {"-compile-info", Show::line},
    {"-link_info", Show::line},
    {"-link-info", Show::line},
    {"-show-compile-info", Show::compile},
    {"-show-link-info", Show::link},
    {"-showme:command", Show::command},
    {"-showme:compile", Show::compile},
    {"-showme:link", Show::link},
    {"-showme:incdirs", Show::include_dirs},
    {"-showme:libdirs", Show::library_dirs},
    {"-showme:libs", Show::libraries},
    {"-showme:version", Show::version},
    {"-showme:help", Show::mpi_help},
    {"--lapwing-show", Show::lapwing},
    {"--lapwing-help", Show::help},
};

/// The part behind `prefix`, if `word` begins with it.
std::optional<std::string> after(const std::string& word, const std::string& prefix) {
  if (!word.starts_with(prefix)) return std::nullopt;
  return word.substr(prefix.size());
}

bool read_show(const std::string& word, Options& options) {
  // Open MPI's wrappers take two dashes as well.
  const auto found = shows.find(word.starts_with("--show") ? word.substr(1) : word);
  if (found != shows.end()) {
    options.show = found->second;
    return true;
  }
  if (!word.starts_with("-showme:") && !word.starts_with("--showme:")) return false;
  Words known;
  for (const auto& [name, show] : shows) {
    if (name.starts_with("-showme:")) known.push_back(name);
  }
  throw Failure("the option " + word + " is unknown" + meant(word, known) + " There are " + all_of(known) +
                ".");
}

std::string absolute_profile(const std::string& file) {
  if (file.empty()) throw Failure("--lapwing-profile= names no file; write --lapwing-profile=FILE.");
  if (access(file.c_str(), R_OK) != 0) {
    throw Failure("the profile " + file + " of --lapwing-profile cannot be read; is the path right?");
  }
  // lld and a compiler that changes its folder must find it too; a comma would end it.
  auto path = std::filesystem::absolute(file).lexically_normal().string();
  if (path.find(',') != std::string::npos) {
    throw Failure("the path " + path +
                  " of --lapwing-profile has a comma, which separates the plugin's options.");
  }
  return path;
}

void read_mode(const std::string& mode, Options& options) {
  for (const auto& known : modes) {
    if (mode == known) {
      options.mode = mode;
      return;
    }
  }
  throw Failure("-flapwing=" + mode + " names no mode" + meant(mode, modes) + " There are " + all_of(modes) +
                ".");
}

void read_sets(const std::string& sets, Options& options) {
  if (sets != "off" && sets != "check" && sets != "run" && sets != "run,p2p") {
    throw Failure("--sets=" + sets + " is unknown" + meant(sets, {"check", "run", "run,p2p", "off"}) +
                  " There are check, run, run,p2p and off.");
  }
  options.p2p = sets == "run,p2p";
  options.sets = sets == "off" ? "" : options.p2p ? "run" : sets;
}

bool read_lapwing(const std::string& word, Options& options) {
  if (word == "--lapwing-off") {
    options.off = true;
  } else if (word == "--lapwing-verbose") {
    options.verbose = true;
  } else if (word == "-flapwing") {
    options.mode = "aggressive";
    options.mode_given = true;
  } else if (word == "-flapwing-interior" || word == "-fno-lapwing-interior") {
    options.interior = word == "-flapwing-interior";
  } else if (const auto mode = after(word, "-flapwing=")) {
    read_mode(*mode, options);
    options.mode_given = true;
  } else if (const auto mpi = after(word, "--lapwing-mpi=")) {
    options.mpi = mpi_named(*mpi);
    if (!options.mpi) {
      throw Failure("--lapwing-mpi=" + *mpi + " names no MPI" + meant(*mpi, {"mpich", "openmpi"}) +
                    " There are mpich and openmpi.");
    }
  } else if (const auto file = after(word, "--lapwing-profile=")) {
    options.profile = absolute_profile(*file);
  } else if (const auto sets = after(word, "--sets=")) {
    read_sets(*sets, options);
  } else if (word == "-Wlapwing-sets" || word == "-Wno-lapwing-sets") {
    options.warns = word == "-Wlapwing-sets";
  } else if (word == "-Werror=lapwing-sets" || word == "-Wno-error=lapwing-sets") {
    // clang knows no groups but its own, and these warnings are of this one.
    options.as_errors = word.starts_with("-Wno") ? "-Wno-error=pass-failed" : "-Werror=pass-failed";
  } else if (word == "--declared") {
    options.declared = true;
  } else if (word.starts_with("--lapwing") || word.starts_with("-flapwing") ||
             word.starts_with("-fno-lapwing") || word == "--sets") {
    const bool lacks_value = word == "--lapwing-mpi" || word == "--lapwing-profile" || word == "--sets";
    throw Failure(
        "the option " + word +
        (lacks_value ? " wants its value behind a '=', without a space." : " is unknown" + meant(word, own)) +
        " --lapwing-help lists Lapwing's options.");
  } else {
    return false;
  }
  return true;
}

/// Options of the MPIs' own wrappers.
bool read_mpi(const std::string& word, Options& options) {
  for (const char* prefix : {"-cc=", "-cxx=", "-CC=", "-fc=", "-f77=", "-f90="}) {
    if (const auto compiler = after(word, prefix)) {
      options.compiler = *compiler;
      return true;
    }
  }
  if (word == "-echo") {
    options.verbose = true;
  } else if (word == "-static-mpi" || word == "-nativelinking" || word.starts_with("-profile=") ||
             word.starts_with("-config=")) {
    options.mpich_only.push_back(word);
  } else {
    return false;
  }
  return true;
}

}  // namespace

Options read_options(const Words& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto& word = words[i];
    if (word == "--") {
      options.rest.insert(options.rest.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
      break;
    }
    if (takes_value(word) && i + 1 < words.size()) {
      options.rest.push_back(word);
      options.rest.push_back(words[++i]);
      continue;
    }
    if (read_show(word, options) || read_lapwing(word, options) || read_mpi(word, options)) continue;
    if (word == "-###") options.inner = true;
    if (word == "-v") options.tell_version = true;
    options.rest.push_back(word);
  }
  return options;
}

std::string help() {
  return "usage: " + my_name() +
         R"( [options] files...    as the MPI's own wrapper, with Lapwing's pass

  -flapwing=MODE           aggressive (default), conservative, demand, verify or report
  -fno-lapwing-interior    divide no loops into what needs messages and what runs while they travel
  --lapwing-off            the same compiler, without the pass and the library
  --lapwing-mpi=MPI        mpich or openmpi; also LAPWING_MPI, a name such as lwcc.mpich, or mpicc on PATH
  --lapwing-profile=FILE   work only at the sites where FILE has measured waiting
  --lapwing-show           print the command, run nothing
  --lapwing-verbose        print the command, then run it
  --sets=SETS              process sets: check names collectives that not all ranks reach, run makes them act
                           on those that do, off (default). Waits are then moved only if -flapwing is said too.
                           run,p2p: branches that only send and receive part processes as well
  -Wno-lapwing-sets        no warnings of --sets=check; -Werror=lapwing-sets makes them errors
  --declared               lapwing_use and lapwing_define before what is declared is read and written (declare.h)
  -show, -showme[:...]     what the MPI's own wrappers print
Everything else goes to clang or flang, of the version that --version names and the pass was built for.
LAPWING_CC, LAPWING_CXX and LAPWING_FC may name another one of that version. The pass works where the compiler optimises (-O1 and more).
)";
}

}  // namespace lapwing::wrapper
