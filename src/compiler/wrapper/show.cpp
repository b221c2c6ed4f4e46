// SPDX-License-Identifier: Apache-2.0
#include "show.hpp"

#include "say.hpp"

namespace lapwing::wrapper {

namespace {

Words without_prefix(const Words& words, const Words& prefixes) {
  Words out;
  for (const auto& word : words) {
    for (const auto& prefix : prefixes) {
      if (word.starts_with(prefix) && word.size() > prefix.size()) out.push_back(word.substr(prefix.size()));
    }
  }
  return out;
}

}  // namespace

std::string shown(Show show, const Plan& plan) {
  Words compile = plan.compile_before;
  append(compile, plan.compile_after);
  Words link = plan.link_before;
  append(link, plan.link_after);
  switch (show) {
    case Show::command:
      return quoted(plan.compiler);
    case Show::compile:
      return quoted(compile);
    case Show::link:
      return quoted(link);
    case Show::include_dirs:
      return quoted(without_prefix(compile, {"-I", "-idirafter"}));
    case Show::library_dirs:
      return quoted(without_prefix(link, {"-L"}));
    case Show::libraries:
      return quoted(without_prefix(link, {"-l"}));
    case Show::lapwing:
      return with_environment(plan);
    default:
      return quoted(plan.command());
  }
}

std::string with_environment(const Plan& plan) {
  const std::string command = quoted(plan.command());
  return plan.pass.empty() ? command : "LAPWING_PASS=" + quoted({plan.pass}) + " " + command;
}

std::string showme_help() {
  return my_name() + R"( [-showme[:<command,compile,link,incdirs,libdirs,libs,version,help>]] args

  -showme            Show the whole command
  -showme:command    Show the compiler
  -showme:compile    Show flags added when compiling
  -showme:link       Show flags added when linking
  -showme:incdirs    Show list of include dirs added when compiling
  -showme:libdirs    Show list of library dirs added when linking
  -showme:libs       Show list of libraries added when linking
  -showme:version    Show which MPI this compiles for
  -showme:help       This help message
--lapwing-help lists Lapwing's options.
)";
}

}  // namespace lapwing::wrapper
