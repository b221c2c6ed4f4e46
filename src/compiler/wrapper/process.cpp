// SPDX-License-Identifier: Apache-2.0
#include "process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "say.hpp"

extern char** environ;

namespace lapwing::wrapper {

namespace {

const std::string& myself() {
  static const std::string path = [] {
    std::array<char, PATH_MAX> buffer{};
    const ssize_t length = readlink("/proc/self/exe", buffer.data(), buffer.size() - 1);
    return length > 0 ? std::string(buffer.data(), static_cast<std::size_t>(length)) : std::string();
  }();
  return path;
}

bool same_file(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

bool runnable(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(path.c_str(), X_OK) == 0;
}

bool leads_to_me(const std::string& path) {
  struct stat mine {};
  struct stat its {};
  return stat(myself().c_str(), &mine) == 0 && stat(path.c_str(), &its) == 0 && same_file(mine, its);
}

/// The first place of `name` on PATH that `wanted` accepts.
template <typename Wanted>
std::optional<std::string> on_path(const std::string& name, Wanted wanted) {
  if (name.empty()) return std::nullopt;
  if (name.find('/') != std::string::npos)
    return runnable(name) && wanted(name) ? std::optional(name) : std::nullopt;
  const std::string path = variable("PATH").value_or("/usr/local/bin:/usr/bin:/bin");
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find(':', start), path.size());
    const std::string folder = path.substr(start, end - start);
    const std::string candidate = (folder.empty() ? "." : folder) + "/" + name;
    if (runnable(candidate) && wanted(candidate)) return candidate;
    start = end + 1;
  }
  return std::nullopt;
}

std::vector<char*> pointers(const Words& words) {
  std::vector<char*> out;
  out.reserve(words.size() + 1);
  for (const auto& word : words) out.push_back(const_cast<char*>(word.c_str()));
  out.push_back(nullptr);
  return out;
}

/// Reads both pipes to their ends.
void drain(int out, int err, Answer& answer) {
  std::array<pollfd, 2> fds = {{{out, POLLIN, 0}, {err, POLLIN, 0}}};
  std::array<std::string*, 2> texts = {&answer.out, &answer.err};
  std::array<char, 4096> buffer{};
  while (fds[0].fd >= 0 || fds[1].fd >= 0) {
    if (poll(fds.data(), fds.size(), -1) < 0 && errno != EINTR) return;
    for (std::size_t i = 0; i < fds.size(); ++i) {
      if (fds[i].fd < 0 || fds[i].revents == 0) continue;
      const ssize_t got = read(fds[i].fd, buffer.data(), buffer.size());
      if (got > 0) {
        texts[i]->append(buffer.data(), static_cast<std::size_t>(got));
      } else if (got == 0 || errno != EINTR) {
        fds[i].fd = -1;
      }
    }
  }
}

}  // namespace

std::optional<std::string> variable(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr || *value == 0) return std::nullopt;
  return std::string(value);
}

std::optional<std::string> find_program(const std::string& name) {
  return on_path(name, [](const std::string& path) { return !leads_to_me(path); });
}

bool is_myself(const std::string& name) {
  const auto path = on_path(name, [](const std::string&) { return true; });
  return path && leads_to_me(*path);
}

const std::string& my_folder() {
  static const std::string folder = myself().substr(0, myself().rfind('/'));
  return folder;
}

std::optional<Answer> ask(const Words& command, const Words& unset) {
  std::array<int, 2> out{};
  std::array<int, 2> err{};
  if (pipe2(out.data(), O_CLOEXEC) != 0) return std::nullopt;
  if (pipe2(err.data(), O_CLOEXEC) != 0) {
    close(out[0]);
    close(out[1]);
    return std::nullopt;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  posix_spawn_file_actions_adddup2(&actions, err[1], 2);
  std::vector<char*> environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const auto name = std::string(text.substr(0, text.find('=')));
    if (std::find(unset.begin(), unset.end(), name) == unset.end()) environment.push_back(*entry);
  }
  // A script may lead back here, as mpicc does that calls lwcc: main ends there, or each would ask the next.
  std::string asked = std::string(asked_by_itself) + "=1";
  environment.push_back(asked.data());
  environment.push_back(nullptr);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, command[0].c_str(), &actions, nullptr, pointers(command).data(),
                                  environment.data());
  posix_spawn_file_actions_destroy(&actions);
  close(out[1]);
  close(err[1]);
  Answer answer;
  if (failed == 0) drain(out[0], err[0], answer);
  close(out[0]);
  close(err[0]);
  if (failed != 0) return std::nullopt;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  answer.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return answer;
}

void become(const Words& command) {
  execvp(command[0].c_str(), pointers(command).data());
  const int why = errno;
  throw Failure("cannot start " + command[0] + ": " + std::strerror(why) + ".", why == ENOENT ? 127 : 126);
}

}  // namespace lapwing::wrapper
