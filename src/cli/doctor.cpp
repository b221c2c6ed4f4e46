// SPDX-License-Identifier: Apache-2.0
// lapwing doctor: what this machine permits and what follows.
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/machine_facts.hpp"
#include "cli/program.hpp"
#include "cli/say.hpp"
#include "report/table.hpp"

namespace lapwing::cli {

namespace {

namespace room = lapwing::report;

std::vector<Fact> all_facts() {
  std::vector<Fact> facts{guard_fact()};
  for (const auto& group :
       {kernel_facts(), std::vector<Fact>{core_fact()}, mpi_facts(), network_facts(), installation_facts()}) {
    facts.insert(facts.end(), group.begin(), group.end());
  }
  return facts;
}

std::string conclusion(const std::vector<Fact>& facts) {
  bool guarded = false, parts = false, ready = false;
  int mpis = 0;
  for (const Fact& fact : facts) {
    if (fact.name == "guard") guarded = fact.level != Level::no;
    if (fact.name == "preload library") parts = fact.level == Level::ok;
    if (fact.name == name_of(Mpi::mpich) || fact.name == name_of(Mpi::openmpi)) {
      mpis += fact.found == "not found" ? 0 : 1;
      ready = ready || fact.level == Level::ok;
    }
  }
  if (mpis == 0) return "Lapwing can hide nothing here until an MPI is installed.";
  if (!parts) return "Lapwing is not completely built or installed: programs would run plainly.";
  if (!guarded)
    return "Lapwing runs programs here, but must complete every transfer at once: nothing is hidden.";
  if (!ready) return "Lapwing may hide waiting here; see the notes on the MPIs.";
  return "Lapwing can hide waiting here. See it: lapwing demo";
}

int doctor(bool json) {
  const std::vector<Fact> facts = all_facts();
  if (json) {
    nlohmann::json out{{"lapwing", LAPWING_VERSION}, {"conclusion", conclusion(facts)}};
    for (const Fact& fact : facts) {
      out["facts"].push_back({{"name", fact.name},
                              {"level", word_of(fact.level)},
                              {"found", fact.found},
                              {"follows", fact.follows}});
    }
    fmt::print("{}\n", out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    return 0;
  }
  const bool colours = room::colour_wanted(STDOUT_FILENO);
  for (const Fact& fact : facts) {
    const room::Colour colour = fact.level == Level::ok     ? room::Colour::good
                                : fact.level == Level::warn ? room::Colour::warn
                                                            : room::Colour::bad;
    fmt::print("{}  {}: {}\n", room::painted(fmt::format("{:<4}", word_of(fact.level)), colour, colours),
               room::painted(fact.name, room::Colour::bold, colours), fact.found);
    if (!fact.follows.empty()) fmt::print("{}", room::wrapped(fact.follows, 100, "      "));
  }
  fmt::print("\n{}\n", conclusion(facts));
  return 0;
}

}  // namespace

Command add_doctor(CLI::App& app) {
  CLI::App* command = app.add_subcommand("doctor", "Say what this machine permits and what follows");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "One JSON object");
  return {command, false, [json](const std::vector<std::string>&) { return doctor(*json); }};
}

}  // namespace lapwing::cli
