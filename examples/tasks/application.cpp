// SPDX-License-Identifier: Apache-2.0
#include "application.hpp"

#include <CLI/CLI.hpp>

namespace example {

std::string Checksum::text() const {
  char out[17];
  std::snprintf(out, sizeof out, "%016llx", static_cast<unsigned long long>(hash_));
  return out;
}

Application::Application(const std::string& name, const std::string& what)
    : app_(std::make_unique<CLI::App>(what, name)), name_(name) {
  app_->add_option("--workers", workers_,
                   "Threads; else what LAPWING_TASKS_WORKERS says, or one for each core")
      ->check(CLI::Range(1, 4096));
  app_->add_flag("--json", json_, "The report as one JSON object");
  app_->add_flag("--work-free", work_free,
                 "The same tasks, which compute nothing, with objects that have no contents: what is left is "
                 "the management of tasks");
}

Application::~Application() = default;

void Application::option(const std::string& name, int& value, const std::string& what, double least,
                         double most) {
  app_->add_option(name, value, what)->check(CLI::Range(least, most))->capture_default_str();
}
void Application::option(const std::string& name, double& value, const std::string& what, double least,
                         double most) {
  app_->add_option(name, value, what)->check(CLI::Range(least, most))->capture_default_str();
}
void Application::flag(const std::string& name, bool& value, const std::string& what) {
  app_->add_flag(name, value, what);
}
void Application::file(const std::string& name, std::string& value, const std::string& what) {
  app_->add_option(name, value, what)->check(CLI::ExistingFile);
}

int Application::parse(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app_->exit(error) == 0 ? 0 : 2;
  }
  return -1;
}

void Application::say(const std::string& what, const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  fields_.emplace_back(what, quoted + '"');
}

void Application::say(const std::string& what, double value) {
  char out[40];
  std::snprintf(out, sizeof out, "%.9g", value);
  fields_.emplace_back(what, out);
}

void Application::check(const std::string& what, bool good) {
  if (!good) std::fprintf(stderr, "%s: wrong: %s\n", name_.c_str(), what.c_str());
  verified_ = verified_ && good;
}

void Application::print() const {
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
