// SPDX-License-Identifier: Apache-2.0
// What the MPI's own wrapper adds to a command.
#include <algorithm>

#include "mpi.hpp"
#include "process.hpp"
#include "say.hpp"

namespace lapwing::wrapper {

namespace {

// Stands for the user's arguments in what the wrapper shows.
constexpr const char* placeholder = "LAPWING_ARGUMENTS";

/// Built by gfortran, and so waiting for gfortran's descriptors: flang's must
/// not reach them. Lapwing's own modules take their place.
bool only_gfortran(const std::string& word) { return word.starts_with("-lmpi_usempi"); }

bool about_headers_or_libraries(const std::string& word, Language language) {
  if (word.empty() || word[0] != '-') return !word.empty();
  if (language == Language::fortran && only_gfortran(word)) return false;
  for (const char* prefix : {"-I", "-L", "-l", "-D", "-U", "-Wl,"}) {
    if (word.starts_with(prefix)) return true;
  }
  return false;
}

/// -pthread does something in a link only, and flang complains elsewhere.
bool threads(const std::string& word, Language language, bool links) {
  return word == "-pthread" && (links || language != Language::fortran);
}

Words wanted(const Words& words, std::size_t first, std::size_t last, Language language, bool links,
             const Words& ambient) {
  Words kept;
  for (std::size_t i = first; i < last; ++i) {
    const auto& word = words[i];
    const bool has_value = (word == "-Xlinker" || word == "-isystem" || word == "-rpath") && i + 1 < last;
    if (has_value) {
      kept.push_back(word);
      kept.push_back(words[++i]);
    } else if (contains(ambient, word) || about_headers_or_libraries(word, language) ||
               threads(word, language, links)) {
      // MPICH's Fortran wrapper names its folder twice, once for modules.
      if (!word.starts_with("-I") || !contains(kept, word)) kept.push_back(word);
    }
  }
  return kept;
}

/// "mpicc for MPICH version 4.0.2" under our name.
std::string renamed(const std::string& line) {
  const std::size_t space = line.find(' ');
  return space == std::string::npos ? line : my_name() + line.substr(space);
}

}  // namespace

Words override_variables() {
  return {"MPICH_CC",
          "MPICH_CXX",
          "MPICH_FC",
          "MPICH_F77",
          "MPICH_F90",
          "OMPI_CC",
          "OMPI_CXX",
          "OMPI_FC",
          "OMPI_F77",
          "OMPI_F90",
          "OMPI_MPICC",
          "OMPI_MPICXX",
          "MPICH_RECURSION_CHECK"};
}

Words ambient_flags(Mpi mpi, Language language) {
  Words flags;
  if (mpi != Mpi::openmpi) return flags;
  const char* by_language = language == Language::c     ? "OMPI_CFLAGS"
                            : language == Language::cxx ? "OMPI_CXXFLAGS"
                                                        : "OMPI_FCFLAGS";
  for (const char* name : {"OMPI_CPPFLAGS", by_language, "OMPI_LDFLAGS", "OMPI_LIBS"}) {
    // Open MPI's wrappers split at spaces, whatever quotes there are.
    if (const auto value = variable(name)) append(flags, split_plain(*value));
  }
  return flags;
}

Added ask_mpi(const Chosen& chosen, Language language, bool links, bool fully_static,
              const Options& options) {
  Words command = {chosen.wrapper, "-show"};
  if (chosen.mpi == Mpi::mpich) {
    append(command, options.mpich_only);
    if (options.tell_version) command.emplace_back("-v");
  } else if (!options.mpich_only.empty()) {
    throw Failure("the option " + options.mpich_only[0] +
                  " is one of MPICH's wrappers, but this compiles for Open MPI.");
  }
  if (fully_static) command.emplace_back("-static");
  if (!links) command.emplace_back("-c");
  command.emplace_back(placeholder);
  const auto answer = ask(command, override_variables());
  if (!answer) throw Failure("cannot start " + chosen.wrapper + ", which knows where the MPI is.");

  Added added;
  for (std::size_t start = 0; start < answer->out.size();) {
    const std::size_t end = std::min(answer->out.find('\n', start), answer->out.size());
    const std::string line = answer->out.substr(start, end - start);
    start = end + 1;
    const Words words = split_plain(line);
    const auto at =
        static_cast<std::size_t>(std::find(words.begin(), words.end(), placeholder) - words.begin());
    if (at == 0 || at == words.size()) {
      // MPICH's wrapper says its version, or what is wrong with its options.
      if (line.find("MPICH version") != std::string::npos) {
        added.version = renamed(line);
      } else if (!words.empty()) {
        say(line);
      }
      continue;
    }
    const Words ambient = ambient_flags(chosen.mpi, language);
    added.before = wanted(words, 1, at, language, links, ambient);
    added.after = wanted(words, at + 1, words.size(), language, links, ambient);
    return added;
  }
  throw Failure(quoted(command) + " does not say what it would run" +
                (answer->err.empty() ? "." : ": " + answer->err));
}

std::string version_of(const Chosen& chosen) {
  if (chosen.mpi == Mpi::openmpi) {
    const auto answer = ask({chosen.wrapper, "-showme:version"}, override_variables());
    const std::string text = answer ? answer->out + answer->err : "";
    const Words words = split_plain(text);
    for (std::size_t i = 0; i + 2 < words.size(); ++i) {
      if (words[i] == "Open" && words[i + 1] == "MPI") return "Open MPI " + words[i + 2];
    }
    return "Open MPI";
  }
  Options options;
  options.tell_version = true;
  const Added added = ask_mpi(chosen, Language::c, false, false, options);
  const Words words = split_plain(added.version);
  return words.empty() ? "MPICH" : "MPICH " + words.back();
}

}  // namespace lapwing::wrapper
