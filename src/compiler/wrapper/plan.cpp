// SPDX-License-Identifier: Apache-2.0
#include "plan.hpp"

#include <algorithm>
#include <sstream>

#include "compiler.hpp"
#include "modules.hpp"
#include "process.hpp"
#include "say.hpp"

namespace lapwing::wrapper {

namespace {

const char* remedy = " Build or install Lapwing again, or say --lapwing-off.";

/// Options of the plugin. Those of the user's LAPWING_PASS come last.
std::string pass_options(const Options& options, bool sinks) {
  std::string pass = "mode=" + options.mode;
  if (!options.sets.empty()) pass += ",sets=" + options.sets;
  if (options.p2p) pass += ",p2p=on";
  if (options.sets == "check" && !options.warns) pass += ",warnings=off";
  if (options.declared) pass += ",declared=on";
  if (!options.interior) pass += ",interior=off";
  if (!sinks) pass += ",sink=off";
  if (!options.profile.empty()) pass += ",profile=" + options.profile;
  if (const auto more = variable("LAPWING_PASS")) pass += "," + *more;
  return pass;
}

bool is_lld(const std::string& linker) {
  const std::string name = linker.substr(linker.rfind('/') + 1);
  return name.empty() || name == "lld" || name.starts_with("lld-") ||
         name.find("ld.lld") != std::string::npos;
}

/// Whether a word of the user's is one of an MPI's own libraries, as a name or
/// as a file. Where languages are mixed, build systems name them all.
bool is_mpi_library(const std::string& word) {
  std::string name = word.substr(word.rfind('/') + 1);
  if (word.starts_with("-l")) {
    name = word.substr(2);
    if (name.starts_with(":")) return is_mpi_library(name.substr(1));
  } else if (name.starts_with("lib") && (name.find(".so") != std::string::npos || name.ends_with(".a"))) {
    name = name.substr(3, name.find('.') - 3);
  } else {
    return false;
  }
  return name == "mpi" || name.starts_with("mpi_") || name.starts_with("mpich") || name == "mpifort" ||
         name == "mpicxx" || name == "fmpich";
}

/// The same of an option and, where that takes one, its value.
bool names_mpi_library(const std::string& word, const std::string& next) {
  if (word == "-l") return is_mpi_library(word + next);
  if (word == "-Xlinker") return is_mpi_library(next);
  if (!word.starts_with("-Wl,")) return is_mpi_library(word);
  std::istringstream parts(word.substr(4));
  for (std::string part; std::getline(parts, part, ',');)
    if (is_mpi_library(part)) return true;
  return false;
}

/// Works one matter after the other into the plan.
class Planner {
 public:
  Planner(Language language, const Options& options, const Asked& asked, const Added& added,
          const Pieces& pieces)
      : language_(language),
        options_(options),
        asked_(asked),
        added_(added),
        pieces_(pieces),
        links_(asked.links && !asked.relocatable) {}

  Plan make(const Words& compiler) {
    plan_.compiler = compiler;
    plan_.user = options_.rest;
    if (!options_.as_errors.empty()) {
      if (language_ != Language::fortran) {
        plan_.user.insert(plan_.user.begin(), options_.as_errors);
      } else {
        say("-Werror=lapwing-sets has no effect in Fortran: flang does not count the warnings of a pass.");
      }
    }
    if (asked_.bare) return plan_;
    thin_or_full();
    if (!options_.off) {
      together();
      pass();
    } else if (!options_.sets.empty()) {
      say("--sets=" + options_.sets + " has no effect beside --lapwing-off.");
    } else if (options_.declared) {
      say("--declared has no effect beside --lapwing-off.");
    }
    if (links_ && asked_.lto != Lto::none && asked_.linker.empty() && has_lld(compiler)) {
      // Off as well as on, so that the two differ by the pass alone.
      plan_.link_before.emplace_back("-fuse-ld=lld");
    }
    mpi();
    return plan_;
  }

 private:
  void thin_or_full() {
    if (asked_.lto == Lto::thin && !options_.off && asked_.compiles && asked_.optimises && sinks()) {
      say("the pass runs at link time with full LTO (-flto) only; with -flto=thin it works on each file by "
          "itself.");
    }
  }

  /// Whether waits are moved as well: with sets only where the user says so.
  bool sinks() const {
    if (options_.declared && asked_.lto == Lto::full) return false;
    if (options_.sets.empty()) return true;
    return options_.mode_given && options_.sets == "run" && asked_.lto != Lto::full;
  }

  void together() {
    if (options_.declared && options_.mode_given && asked_.lto == Lto::full && asked_.compiles) {
      say("--declared works on each file and -flapwing on the whole program with -flto, so no wait is moved; "
          "leave one of the three out.");
      return;
    }
    if (options_.sets.empty() || !options_.mode_given || sinks() || !asked_.compiles) return;
    say(options_.sets == "check"
            ? "--sets=check watches the calls that -flapwing would move, so no wait is moved."
            : "--sets=run works on each file and -flapwing on the whole program with -flto, so no wait is "
              "moved; leave one of the three out.");
  }

  /// Whether the pass may be loaded into a step that it is wanted in.
  bool can_load() {
    if (pieces_.has_plugin && pieces_.has_library) return true;
    say(pieces_.has_plugin
            ? pieces_.library + " is missing, so the pass, whose calls it answers, is left out." + remedy
            : pieces_.plugin + " is missing, so this is a plain compile." + remedy);
    return false;
  }

  void load(Words& where, const std::string& flag) {
    where.push_back(flag + pieces_.plugin);
    plan_.pass = pass_options(options_, sinks());
  }

  void pass() {
    // With full LTO each file is only prepared: the pass then runs once, at the
    // link, where all files are one.
    const bool at_link = asked_.lto == Lto::full;
    const bool sets = !options_.sets.empty();
    const bool in_compile = asked_.compiles && (sets || options_.declared || (asked_.optimises && !at_link));
    const bool in_link =
        links_ && at_link && sinks() && !asked_.never_optimises && (asked_.optimises || !asked_.compiles);
    if (at_link && asked_.compiles && asked_.optimises && sinks() && options_.interior) leave_loops();
    bool loaded = in_compile || in_link;
    if (loaded && links_ && asked_.fully_static) {
      say("liblapwing is a shared library, which -static cannot link: Lapwing's pass is left out.");
      return;
    }
    loaded = loaded && can_load();
    if (loaded && in_compile) load(plan_.compile_before, "-fpass-plugin=");
    // Reports name lines. The user's own -g comes later and counts.
    // With full LTO the compile step loads no pass, and its lines are wanted all the same.
    const bool verifies = options_.mode == "verify" && asked_.compiles && asked_.optimises && sinks();
    if ((loaded && in_compile && sets) || verifies) plan_.compile_before.emplace_back("-gline-tables-only");
    // The end of a variable's life is a place where ways meet, and there are such ends only in optimised
    // code: sets would depend on -O.
    if (loaded && in_compile && sets && language_ != Language::fortran)
      append(plan_.compile_before, {"-Xclang", "-disable-lifetime-markers"});
    if (loaded && in_link && lld()) load(plan_.link_before, "-Wl,--load-pass-plugin=");
    if (links_ && !asked_.fully_static) library(in_compile || in_link);
  }

  /// Loops are vectorised and unrolled at the link, behind the pass, which could not divide them any more.
  /// Not where that might change results.
  void leave_loops() {
    if (asked_.reassociates || asked_.tunes_llvm) return;
    for (const char* one : {"-force-vector-width=1", "-force-vector-interleave=1", "-vectorize-slp=false",
                            "-unroll-runtime=false", "-unroll-allow-partial=false"})
      append(plan_.compile_before, {"-mllvm", one});
  }

  /// Only lld loads a pass for LTO.
  bool lld() {
    if (!is_lld(asked_.linker)) {
      say("the pass runs at link time in lld only, and this link uses " + asked_.linker +
          "; leave -fuse-ld= out, or say --lapwing-off.");
      return false;
    }
    if (has_lld(plan_.compiler)) return true;
    say("there is no ld.lld, which runs the pass at link time, so it is left out. On Debian, install "
        "lld-" +
        std::string(llvm_version) + ".");
    return false;
  }

  /// The engine, before the MPI's libraries, whose calls it takes.
  void library(bool already_said) {
    if (!pieces_.has_library) {
      if (!already_said) say(pieces_.library + " is missing, so the program is linked without it." + remedy);
      return;
    }
    if (options_.mode == "demand" || options_.mode == "verify") {
      if (pieces_.has_preload) {
        // First of all libraries: it takes calls of libc.
        append(plan_.link_before, {"-L" + pieces_.folder, "-Wl,--push-state,--no-as-needed",
                                   "-llapwing-preload", "-Wl,--pop-state"});
      } else {
        say(pieces_.preload + " is missing, so the program has no guards for -flapwing=" + options_.mode +
            "." + remedy);
      }
    }
    append(engine_, {"-Wl,--push-state,--no-as-needed", "-llapwing-" + pieces_.flavour, "-Wl,--pop-state",
                     "-Wl,-rpath," + pieces_.folder});
  }

  static bool of_link(const std::string& word) {
    return word[0] != '-' || word.starts_with("-L") || word.starts_with("-l") || word.starts_with("-Wl,");
  }

  static void sort(const Words& words, Words& compile, Words& link) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const bool pair =
          (words[i] == "-Xlinker" || words[i] == "-rpath" || words[i] == "-isystem") && i + 1 < words.size();
      Words& to = of_link(words[i]) || (pair && words[i] != "-isystem") ? link : compile;
      to.push_back(words[i]);
      if (pair) to.push_back(words[++i]);
    }
  }

  /// Open MPI 5 names -pthread for every step, and clang warns where that has no meaning: when it only
  /// assembles, or links a relocatable file.
  static void without_warning(Words& words) {
    const auto found = std::find(words.begin(), words.end(), "-pthread");
    if (found == words.end()) return;
    words.insert(found + 1, "--end-no-unused-arguments");
    words.insert(std::find(words.begin(), words.end(), "-pthread"), "--start-no-unused-arguments");
  }

  void mpi() {
    const bool fortran = language_ == Language::fortran;
    Words ignored;
    sort(added_.before, plan_.compile_before, links_ ? plan_.link_before : ignored);
    // Before the MPI's own folder, whose modules are gfortran's; the user may name it as well.
    if (fortran && pieces_.has_modules) {
      plan_.compile_after.push_back("-I" + pieces_.modules);
      const auto at = static_cast<std::ptrdiff_t>(gfortran_modules(plan_.user));
      if (at < std::ssize(plan_.user)) plan_.user.insert(plan_.user.begin() + at, "-I" + pieces_.modules);
    }
    Words libraries;
    sort(added_.after, plan_.compile_after, libraries);
    // Behind every folder of the user's and the system's, so that these hold what they held.
    if (!fortran && asked_.reads_headers && pieces_.has_headers)
      plan_.compile_after.push_back("-idirafter" + pieces_.headers);
    if (!links_ && !asked_.compiles && !fortran) {
      without_warning(plan_.compile_before);
      without_warning(plan_.compile_after);
    }
    if (!links_) return;
    // The user's -x does not hold for a library named as a file.
    const auto file = [](const std::string& word) { return word[0] != '-'; };
    if (asked_.reads_as && std::any_of(libraries.begin(), libraries.end(), file)) {
      append(plan_.link_after, {"-x", "none"});
    }
    const bool module_library = fortran && pieces_.has_module_library;
    if (module_library || !engine_.empty()) plan_.link_after.push_back("-L" + pieces_.folder);
    if (module_library) plan_.link_after.push_back("-llapwing-mpifort-" + pieces_.flavour);
    place_engine();
    keep_fortran_library();
    append(plan_.link_after, libraries);
  }

  /// Before the MPI's libraries, wherever they stand; but behind what else the
  /// user links, which may be a profiler that wants to be called first.
  void place_engine() {
    auto& user = plan_.user;
    for (auto word = user.begin(); word != user.end(); ++word) {
      const bool has_value = takes_value(*word) && word + 1 != user.end();
      if (names_mpi_library(*word, has_value ? *(word + 1) : std::string())) {
        user.insert(word, engine_.begin(), engine_.end());
        return;
      }
      if (has_value) ++word;
    }
    append(plan_.link_after, engine_);
  }

  /// The engine answers the Fortran calls by that library of Open MPI's, of which the linker then sees no
  /// use: --as-needed would leave it out.
  void keep_fortran_library() {
    static const std::string name = "-lmpi_mpifh";
    const auto named = [](const std::string& word) {
      return word == name || word.find("libmpi_mpifh.") != std::string::npos;
    };
    if (engine_.empty()) return;
    if (std::any_of(added_.after.begin(), added_.after.end(), named) ||
        std::any_of(plan_.user.begin(), plan_.user.end(), named)) {
      for (const auto& word : added_.after)
        if (word.starts_with("-L")) plan_.link_after.push_back(word);
      append(plan_.link_after, {"-Wl,--push-state,--no-as-needed", name, "-Wl,--pop-state"});
    }
  }

  Language language_;
  const Options& options_;
  const Asked& asked_;
  const Added& added_;
  const Pieces& pieces_;
  bool links_;  ///< a link that libraries belong to
  Plan plan_;
  Words engine_;
};

}  // namespace

Words Plan::command() const {
  Words words = compiler;
  for (const Words* part : {&compile_before, &link_before, &user, &compile_after, &link_after})
    append(words, *part);
  return words;
}

Plan make_plan(Language language, const Options& options, const Asked& asked, const Words& compiler,
               const Added& added, const Pieces& pieces) {
  return Planner(language, options, asked, added, pieces).make(compiler);
}

}  // namespace lapwing::wrapper
