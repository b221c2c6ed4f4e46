// SPDX-License-Identifier: Apache-2.0
// lwcc, lwc++ and lwfc: in the place of mpicc, mpic++ and mpifort of either
// MPI, with clang 19 and flang 19, which are given Lapwing's pass. One program;
// the name that it is called by says the language, and may say the MPI.
//
// A command stays one command: the wrapper becomes the compiler, so exit
// status, signals and standard input are the compiler's own.
#include <cstdio>
#include <cstdlib>

#include "arguments.hpp"
#include "ccache.hpp"
#include "compiler.hpp"
#include "modules.hpp"
#include "mpi.hpp"
#include "openmp.hpp"
#include "options.hpp"
#include "pieces.hpp"
#include "plan.hpp"
#include "process.hpp"
#include "response.hpp"
#include "say.hpp"
#include "show.hpp"

namespace lapwing::wrapper {

namespace {

struct Called {
  Language language = Language::c;
  std::optional<Mpi> mpi;
};

Called read_name(const std::string& path) {
  Called called;
  std::string name = path.substr(path.rfind('/') + 1);
  call_me(name);
  const std::size_t dot = name.rfind('.');
  if (dot != std::string::npos) called.mpi = mpi_named(name.substr(dot + 1));
  if (called.mpi) name.erase(dot);
  if (name == "lwcc") {
    called.language = Language::c;
  } else if (name == "lwc++") {
    called.language = Language::cxx;
  } else if (name == "lwfc") {
    called.language = Language::fortran;
  } else {
    throw Failure(
        "this program is lwcc, lwc++ or lwfc by the name that it is called by, with or without .mpich or "
        ".openmpi at the end; '" +
        my_name() + "' is none of these.");
  }
  return called;
}

void print(const std::string& text) { std::printf("%s\n", text.c_str()); }

/// Whether a question was answered for which no command is made up.
bool answered(const Options& options, const Chosen& chosen, Language language) {
  if (options.show == Show::mpi_help) {
    std::fputs(showme_help().c_str(), stdout);
  } else if (options.show == Show::version) {
    print(my_name() + ": " + version_of(chosen) + " (Language: " + name_of(language) + ")");
  } else {
    return false;
  }
  return true;
}

int run(int argc, char** argv) {
  const Called called = read_name(argc > 0 ? argv[0] : "");
  if (variable(asked_by_itself))
    throw Failure("this wrapper is what it asks which MPI or compiler there is.");
  Options options = read_options(expand_responses(Words(argv + 1, argv + argc)));
  if (options.show == Show::help) {
    std::fputs(help().c_str(), stdout);
    return 0;
  }
  const bool for_programs = options.show != Show::nothing && options.show != Show::lapwing;
  const Chosen chosen = choose_mpi(options.mpi, called.mpi, called.language);
  if (answered(options, chosen, called.language)) return 0;

  if (for_programs) say_no_more();
  const Words compiler = find_compiler(called.language, chosen.mpi, options.compiler);
  Words all = ambient_flags(chosen.mpi, called.language);
  append(all, options.rest);
  // Without a file nothing is added; but flags that are printed for others are those for a program.
  const bool of_nothing = read_arguments(options.rest, called.language, false).bare;
  const Asked asked = of_nothing && !for_programs ? read_arguments(options.rest, called.language, false)
                                                  : read_arguments(all, called.language, of_nothing);
  if (!asked.c_source.empty()) {
    throw Failure(std::string("flang ") + llvm_version + " compiles no C: compile " + asked.c_source +
                  " with lwcc -c, and give lwfc the object.");
  }
  Added added;
  if (!asked.bare || options.tell_version) {
    added = ask_mpi(chosen, called.language, asked.links, asked.fully_static, options);
  }
  const Pieces pieces = find_pieces(chosen.mpi);
  if (asked.compiles) need_modules(asked.fortran, options.rest, pieces.modules);
  Plan plan = make_plan(called.language, options, asked, compiler, added, pieces);
  if (options.show != Show::nothing) {
    print(shown(options.show, plan));
    return 0;
  }
  // A compile may write its result to stdout (-E), where a line of ours would be in it.
  if (!added.version.empty()) std::fprintf(asked.bare ? stdout : stderr, "%s\n", added.version.c_str());
  if (options.verbose || options.inner) std::fprintf(stderr, "%s\n", with_environment(plan).c_str());
  std::fflush(nullptr);
  if (plan.pass.empty()) {
    unsetenv("LAPWING_PASS");
  } else {
    setenv("LAPWING_PASS", plan.pass.c_str(), 1);
    tell_ccache(compiler, plan.pass, {pieces.plugin, options.profile});
  }
  if (asked.links) miss_openmp(compiler, all);
  plan.user = shorten(plan.user);
  become(plan.command());
}

}  // namespace

}  // namespace lapwing::wrapper

int main(int argc, char** argv) {
  try {
    return lapwing::wrapper::run(argc, argv);
  } catch (const lapwing::wrapper::Failure& failure) {
    std::fprintf(stderr, "%s: %s\n", lapwing::wrapper::my_name().c_str(), failure.what());
    return failure.status;
  }
}
