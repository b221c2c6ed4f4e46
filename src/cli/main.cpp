// SPDX-License-Identifier: Apache-2.0
// lapwing: run, report, pages, doctor, demo, bench, reproduce, tune, check.
#include <signal.h>

#include <algorithm>
#include <cstring>
#include <iostream>
#include <memory>

#include "cli/commands.hpp"
#include "cli/interrupted.hpp"
#include "cli/say.hpp"
#include "options/nearest.hpp"

namespace lapwing::cli {

std::string examples(const std::vector<std::pair<const char*, const char*>>& lines) {
  std::size_t width = 0;
  for (const auto& [command, meaning] : lines) width = std::max(width, std::strlen(command));
  std::string text = "Examples:\n";
  for (const auto& [command, meaning] : lines) text += fmt::format("  {:<{}}  {}\n", command, width, meaning);
  return text;
}

namespace {

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const auto& name : option->get_snames()) names.push_back("-" + name);
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

[[noreturn]] void reject(const std::string& word, const CLI::App& app, const std::string& title) {
  const std::string name = word.substr(0, word.find('='));
  if (name.starts_with("-")) {
    throw Failure(kUsage,
                  fmt::format("unknown option {}{}{}", name, options::did_you_mean(name, option_names(app)),
                              " See: " + title + " --help"));
  }
  std::vector<std::string> commands;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; })) {
    commands.push_back(sub->get_name());
  }
  if (commands.empty())
    throw Failure(kUsage, fmt::format("unexpected argument {}. See: {} --help", word, title));
  throw Failure(kUsage, fmt::format("unknown command {}{} See: lapwing --help", word,
                                    options::did_you_mean(word, commands)));
}

/// CLI11's own help, but with the usage lines of commands that end in a program.
class Help : public CLI::Formatter {
 public:
  std::string make_usage(const CLI::App* app, std::string name) const override {
    if (app->get_name() == "run" || app->get_name() == "check") {
      return fmt::format(
          "Usage: lapwing {0} [options] -- mpiexec ... ./program ...\n"
          "       lapwing {0} [options] -n RANKS ./program ...\n",
          app->get_name());
    }
    if (app->get_name() == "tune") return "Usage: lapwing tune [options] [-- mpiexec -n 2 ...]\n";
    if (app->get_name() == "bench")
      return "Usage: lapwing bench NAME [options] [-- options of the benchmark]\n";
    return CLI::Formatter::make_usage(app, name);
  }
};

int dispatch(int argc, char** argv) {
  CLI::App app(
      "Lapwing hides communication: an MPI program, as it is, waits for data where it uses them\n"
      "and not where it asks for them.",
      "lapwing");
  app.set_version_flag("--version", "lapwing " LAPWING_VERSION);
  app.allow_extras();
  auto help = std::make_shared<Help>();
  help->column_width(34);
  app.formatter(help);
  app.footer(examples({{"lapwing demo", "see it work"},
                       {"lapwing doctor", "what this machine permits"},
                       {"lapwing run -n 2 ./heat", "run a program with its waiting hidden"},
                       {"lapwing run --compare -n 2 ./heat", "is the output equal, and what is gained?"},
                       {"lapwing check -n 4 ./heat", "do its collectives match, does it deadlock?"},
                       {"lapwing run --report r.json -n 2 ./heat", "then: lapwing report r.json"}}) +
             "\nlapwing COMMAND --help says more.\n");
  const std::vector<Command> commands{add_run(app),  add_report(app), add_doctor(app),
                                      add_demo(app), add_bench(app),  add_reproduce(app),
                                      add_tune(app), add_check(app),  add_pages(app)};
  for (const Command& command : commands) {
    if (!command.takes_words) command.app->allow_extras();
  }

  // A first `--` ends the options, unless the program's name came before it.
  int separator = 1;
  while (separator < argc && std::strcmp(argv[separator], "--") != 0) ++separator;
  try {
    app.parse(separator, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    throw Failure(kUsage, error.what());
  }
  const auto chosen = std::find_if(commands.begin(), commands.end(),
                                   [](const Command& command) { return command.app->parsed(); });
  if (chosen == commands.end()) {
    if (app.remaining_size() > 0) reject(app.remaining().front(), app, "lapwing");
    std::cout << app.help();
    return separator == 1 && argc == 1 ? 0 : static_cast<int>(kUsage);
  }
  const std::string title = "lapwing " + chosen->app->get_name();
  std::vector<std::string> words = chosen->app->remaining();
  if (!words.empty() && (words.front().starts_with("-") || !chosen->takes_words)) {
    reject(words.front(), *chosen->app, title);
  }
  for (int i = words.empty() ? separator + 1 : separator; i < argc; ++i) words.emplace_back(argv[i]);
  if (!words.empty() && !chosen->takes_words) reject(words.front(), *chosen->app, title);
  return chosen->call(words);
}

}  // namespace
}  // namespace lapwing::cli

int main(int argc, char** argv) {
  using namespace lapwing::cli;
  try {
    return dispatch(argc, argv);
  } catch (const Failure& failure) {
    say("{}", failure.what());
    return failure.status;
  } catch (const Interrupted& interrupted) {
    // End as the signal would have ended us, so that shells and scripts see it.
    ::signal(interrupted.signal, SIG_DFL);
    ::raise(interrupted.signal);
    return 128 + interrupted.signal;
  } catch (const std::exception& error) {
    say("{}", error.what());
    return kFailed;
  }
}
