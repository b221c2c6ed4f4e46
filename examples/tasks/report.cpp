// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>

namespace example {

std::string Checksum::text() const {
  char out[17];
  std::snprintf(out, sizeof out, "%016llx", static_cast<unsigned long long>(hash_));
  return out;
}

Report::Report(const std::string& name, const std::string& what)
    : app_(std::make_unique<CLI::App>(what, name)), name_(name) {
  app_->add_option("--workers", workers_,
                   "Threads; else what LAPWING_TASKS_WORKERS says, or one for each core")
      ->check(CLI::Range(1, 4096));
  app_->add_flag("--json", json_, "The report as one JSON object");
  app_->add_flag("--work-free", work_free,
                 "The same tasks, which compute nothing, with objects that have no contents: what is left is "
                 "the management of tasks");
}

Report::~Report() = default;

void Report::option(const std::string& name, int& value, const std::string& what, double least, double most) {
  app_->add_option(name, value, what)->check(CLI::Range(least, most))->capture_default_str();
}
void Report::option(const std::string& name, double& value, const std::string& what, double least,
                    double most) {
  app_->add_option(name, value, what)->check(CLI::Range(least, most))->capture_default_str();
}
void Report::flag(const std::string& name, bool& value, const std::string& what) {
  app_->add_flag(name, value, what);
}
void Report::file(const std::string& name, std::string& value, const std::string& what) {
  app_->add_option(name, value, what)->check(CLI::ExistingFile);
}

int Report::parse(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app_->exit(error) == 0 ? 0 : 2;
  }
  return -1;
}

void Report::say(const std::string& what, const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  fields_.emplace_back(what, quoted + '"');
}

void Report::say(const std::string& what, double value) {
  char out[40];
  std::snprintf(out, sizeof out, "%.9g", value);
  fields_.emplace_back(what, out);
}

void Report::check(const std::string& what, bool good) {
  if (!good) complain("wrong: " + what);
  verified_ = verified_ && good;
}

void Report::complain(const std::string& what) const {
  std::fprintf(stderr, "%s: %s\n", name_.c_str(), what.c_str());
}

void Report::print() const {
  std::string line = json_ ? "{\"application\":\"" + name_ + "\"" : name_ + ":";
  for (const auto& [what, value] : fields_) {
    line += json_ ? ",\"" + what + "\":" + value : " " + what + " " + value + ",";
  }
  if (json_) {
    line += std::string(",\"verified\":") + (work_free ? "null" : verified_ ? "true" : "false") + "}";
  } else {
    line += work_free ? " nothing computed" : verified_ ? " verified" : " WRONG";
  }
  std::printf("%s\n", line.c_str());
  std::fflush(stdout);
}

}  // namespace example
