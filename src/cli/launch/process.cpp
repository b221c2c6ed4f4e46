// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/process.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>

#include "cli/launch/paths.hpp"
#include "cli/say.hpp"

namespace lapwing::cli {

namespace {

constexpr int kForwarded[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};

volatile sig_atomic_t child_pid = 0;
volatile sig_atomic_t caught = 0;

/// The terminal sends Ctrl-C to the whole foreground group, the job included;
/// only what somebody sent to this process alone has to be passed on. (Two
/// interrupts in a row make launchers give up without cleaning.)
void forward(int number, siginfo_t* info, void*) {
  caught = number;
  if (child_pid > 0 && info->si_code != SI_KERNEL) ::kill(static_cast<pid_t>(child_pid), number);
}

class Forwarding {
 public:
  Forwarding() {
    caught = 0;
    struct sigaction action {};
    action.sa_sigaction = forward;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    ::sigemptyset(&action.sa_mask);
    for (std::size_t i = 0; i < std::size(kForwarded); ++i) {
      ::sigaction(kForwarded[i], nullptr, &old_[i]);
      if (old_[i].sa_handler != SIG_IGN) ::sigaction(kForwarded[i], &action, nullptr);
    }
  }
  ~Forwarding() {
    child_pid = 0;
    for (std::size_t i = 0; i < std::size(kForwarded); ++i) ::sigaction(kForwarded[i], &old_[i], nullptr);
  }
  void in_child() const {
    for (std::size_t i = 0; i < std::size(kForwarded); ++i) ::sigaction(kForwarded[i], &old_[i], nullptr);
  }

 private:
  struct sigaction old_[std::size(kForwarded)];
};

[[noreturn]] void execute(const Job& job) {
  for (const auto& [name, value] : job.set) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> arguments;
  for (const auto& word : job.words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execvp(arguments[0], arguments.data());
  const int error = errno;
  const int status = error == ENOENT ? kNotFound : kNotExecutable;
  throw Failure(status, fmt::format("cannot start {}: {}", job.words.front(), std::strerror(error)));
}

void redirect(const std::filesystem::path& path, int flags, int to) {
  const int file = ::open(path.c_str(), flags | O_CLOEXEC, 0600);
  if (file < 0)
    throw Failure(kFailed, fmt::format("cannot open {}: {}", path.string(), std::strerror(errno)));
  ::dup2(file, to);
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

void become(const Job& job) {
  std::fflush(nullptr);
  execute(job);
}

Outcome run(const Job& job) {
  std::fflush(nullptr);
  Outcome outcome;
  const Forwarding forwarding;
  const auto start = std::chrono::steady_clock::now();
  const pid_t parent = ::getpid();
  const pid_t pid = ::fork();
  if (pid < 0)
    throw Failure(kFailed, fmt::format("cannot start {}: {}", job.words.front(), std::strerror(errno)));
  if (pid == 0) {
    forwarding.in_child();
    // A job does not outlive the command that waits for it.
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) ::_exit(kFailed);
    try {
      if (!job.input.empty()) redirect(job.input, O_RDONLY, STDIN_FILENO);
      if (!job.output.empty()) redirect(job.output, O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
      if (!job.errors.empty()) redirect(job.errors, O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
      execute(job);
    } catch (const Failure& failure) {
      say("{}", failure.what());
      ::_exit(failure.status);
    }
  }
  child_pid = static_cast<sig_atomic_t>(pid);
  int status = 0;
  int asked_to_end = 0;
  for (;;) {
    const pid_t done = ::waitpid(pid, &status, job.limit_s > 0 ? WNOHANG : 0);
    if (done == pid) break;
    if (done < 0 && errno != EINTR) break;
    if (done == 0) {
      // SIGTERM first, so that launchers take their ranks along.
      const double late = seconds_since(start) - job.limit_s;
      if (late > 0 && asked_to_end == 0) ::kill(pid, SIGTERM), asked_to_end = 1;
      if (late > 5 && asked_to_end == 1) ::kill(pid, SIGKILL), asked_to_end = 2;
      ::usleep(1000);
    }
  }
  outcome.wall_s = seconds_since(start);
  outcome.timed_out = asked_to_end != 0;
  outcome.interrupted = caught;
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + outcome.signal;
  return outcome;
}

std::optional<Captured> capture(const std::vector<std::string>& words, double limit_s) {
  const TemporaryFile output;
  Job job;
  job.words = {"/bin/sh", "-c", "exec \"$@\" 2>&1", "sh"};
  job.words.insert(job.words.end(), words.begin(), words.end());
  job.input = "/dev/null";
  job.output = output.path();
  job.errors = "/dev/null";
  job.limit_s = limit_s;
  const Outcome outcome = run(job);
  if (outcome.timed_out || outcome.status == kNotFound) return std::nullopt;
  return Captured{outcome.status, read_file(output.path()).value_or("")};
}

std::string quoted(const std::vector<std::string>& words) {
  std::string line;
  for (const auto& word : words) {
    if (!line.empty()) line += ' ';
    const bool plain = !word.empty() && word.find_first_not_of(
                                            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                            "0123456789_-+=./:,@%") == std::string::npos;
    if (plain) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

std::vector<std::string> split_words(const std::string& line) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
      if (inside) words.push_back(word);
      word.clear();
      inside = false;
      continue;
    }
    inside = true;
    if (c == quote) {
      quote = 0;
    } else if (quote == 0 && (c == '\'' || c == '"')) {
      quote = c;
    } else if (c == '\\' && quote != '\'' && i + 1 < line.size()) {
      word += line[++i];
    } else {
      word += c;
    }
  }
  if (inside) words.push_back(word);
  return words;
}

}  // namespace lapwing::cli
