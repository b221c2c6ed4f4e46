// SPDX-License-Identifier: Apache-2.0
// lapwing doctor: what this machine permits and what follows.
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/doctor/machine_facts.hpp"
#include "cli/doctor/mpi_search.hpp"
#include "cli/doctor/mpis.hpp"
#include "cli/say.hpp"
#include "report/table.hpp"

namespace lapwing::cli {

namespace {

namespace room = lapwing::report;

struct Findings {
  std::vector<FoundMpi> mpis;
  Slurm slurm;
  std::vector<Fact> facts;
};

Findings find_all() {
  Findings found{mpis_here(), slurm_here(), {guard_fact()}};
  for (const auto& group :
       {kernel_facts(), std::vector<Fact>{core_fact()}, facts_of(found.mpis),
        std::vector<Fact>{fact_of(found.slurm, found.mpis)}, network_facts(), installation_facts()}) {
    found.facts.insert(found.facts.end(), group.begin(), group.end());
  }
  return found;
}

std::string conclusion(const Findings& findings) {
  bool guarded = false, parts = false, ready = false;
  for (const Fact& fact : findings.facts) {
    if (fact.name == "guard") guarded = fact.level != Level::no;
    if (fact.name == "preload library") parts = fact.level == Level::ok;
  }
  for (const Fact& fact : facts_of(findings.mpis)) ready = ready || fact.level == Level::ok;
  if (findings.mpis.empty()) return "Lapwing can hide nothing here until an MPI is installed.";
  if (!parts) return "Lapwing is not completely built or installed: programs would run plainly.";
  if (!guarded)
    return "Lapwing runs programs here, but must complete every transfer at once: nothing is hidden.";
  if (!ready) return "Lapwing may hide waiting here; see the notes on the MPIs.";
  return "Lapwing can hide waiting here. See it: lapwing demo";
}

int doctor(bool json) {
  const Findings findings = find_all();
  const std::vector<Fact>& facts = findings.facts;
  if (json) {
    nlohmann::json out{{"lapwing", LAPWING_VERSION},
                       {"conclusion", conclusion(findings)},
                       {"mpis", nlohmann::json::array()},
                       {"slurm", as_json(findings.slurm)}};
    for (const FoundMpi& mpi : findings.mpis) out["mpis"].push_back(as_json(mpi, findings.slurm));
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
  fmt::print("\n{}\n", conclusion(findings));
  return 0;
}

}  // namespace

Command add_doctor(CLI::App& app) {
  CLI::App* command = app.add_subcommand("doctor", "Say what this machine permits and what follows");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "One JSON object");
  // The command asks each MPI in a process of its own.
  auto library = std::make_shared<std::string>();
  command->add_option("--ask", *library)->group("");
  return {command, false, [json, library](const std::vector<std::string>&) {
            return library->empty() ? doctor(*json) : ask_library(*library);
          }};
}

}  // namespace lapwing::cli
