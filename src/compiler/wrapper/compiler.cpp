// SPDX-License-Identifier: Apache-2.0
#include "compiler.hpp"

#include <algorithm>
#include <cstdlib>

#include "process.hpp"
#include "say.hpp"

namespace lapwing::wrapper {

namespace {

struct Family {
  std::string title;
  std::string package;
  const char* own_variable;
  const char* mpich_variable;
  const char* openmpi_variable;
  Words versioned;  ///< names that say the version
  Words plain;      ///< names that may be of that version
};

const Family& family(Language language) {
  const std::string v = llvm_version;
  static const Family c = {"clang " + v, "clang-" + v,   "LAPWING_CC", "MPICH_CC",
                           "OMPI_CC",    {"clang-" + v}, {"clang"}};
  static const Family cxx = {"clang " + v, "clang-" + v,     "LAPWING_CXX", "MPICH_CXX",
                             "OMPI_CXX",   {"clang++-" + v}, {"clang++"}};
  static const Family fortran = {"flang " + v,
                                 "flang-" + v,
                                 "LAPWING_FC",
                                 "MPICH_FC",
                                 "OMPI_FC",
                                 {"flang-new-" + v, "flang-" + v},
                                 {"flang-new", "flang"}};
  return language == Language::c ? c : language == Language::cxx ? cxx : fortran;
}

/// Whether these words run a compiler of the family.
bool fits(const Words& words, const Family& wanted) {
  if (words.empty() || !find_program(words[0])) return false;
  const std::string name = words[0].substr(words[0].rfind('/') + 1);
  if (words.size() == 1 && contains(wanted.versioned, name)) return true;
  Words command = words;
  command.emplace_back("--version");
  const auto answer = ask(command);
  if (!answer || answer->status != 0) return false;
  for (const char* name : {"clang", "flang-new", "flang"}) {
    const bool of_flang = name[0] == 'f';
    const std::string says = std::string(name) + " version " + llvm_version + ".";
    if (of_flang == (wanted.title[0] == 'f') && answer->out.find(says) != std::string::npos) return true;
  }
  return false;
}

Words installed(const Family& wanted) {
  for (const auto& name : wanted.versioned) {
    if (find_program(name)) return {name};
  }
  for (const auto& name : wanted.plain) {
    if (fits({name}, wanted)) return {name};
  }
  throw Failure("there is no " + wanted.title + " on PATH, which this wrapper drives. On Debian, install " +
                    wanted.package + "; or name one in " + wanted.own_variable + ".",
                127);
}

}  // namespace

Words find_compiler(Language language, Mpi mpi, const std::string& by_option) {
  const Family& wanted = family(language);
  if (const auto value = variable(wanted.own_variable)) {
    const Words words = split_plain(*value);
    if (fits(words, wanted)) return words;
    throw Failure(std::string(wanted.own_variable) + " is '" + *value + "', which is not " + wanted.title +
                  "; the pass can be loaded by no other.");
  }
  const char* name = mpi == Mpi::mpich ? wanted.mpich_variable : wanted.openmpi_variable;
  const auto value = by_option.empty() ? variable(name) : std::optional(by_option);
  if (value) {
    const Words words = split_plain(*value);
    if (fits(words, wanted)) return words;
    // mpicc told to run this wrapper: what it names is here.
    if (words.empty() || !is_myself(words[0])) {
      say((by_option.empty() ? std::string(name) + " names " : "the compiler option names ") + *value +
          ", which is not followed: the pass needs " + wanted.title + ". Another one can be named in " +
          wanted.own_variable + ".");
    }
  }
  return installed(wanted);
}

bool has_lld(const Words& compiler) {
  if (find_program("ld.lld")) return true;
  for (const auto& word : compiler) {
    const auto program = find_program(word);
    if (!program) continue;
    char* real = realpath(program->c_str(), nullptr);
    if (real == nullptr) continue;
    const std::string path(real);
    std::free(real);
    if (find_program(path.substr(0, path.rfind('/')) + "/ld.lld")) return true;
  }
  return false;
}

}  // namespace lapwing::wrapper
