// SPDX-License-Identifier: Apache-2.0
// Libraries that go, programs that are replaced and programs that are started:
// nothing may be closed then. (fork has its own hook in the guards, by
// pthread_atfork.)
#include <dlfcn.h>
#include <errno.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "preload/hooks.h"

extern char** environ;

namespace {

using lapwing::preload::await_all;
using lapwing::preload::Next;
using lapwing::preload::SignalsBlocked;

using Spawn = int(pid_t*, const char*, const posix_spawn_file_actions_t*, const posix_spawnattr_t*,
                  char* const*, char* const*);

LAPWING_NEXT<int(void*)> next_dlclose("dlclose");
LAPWING_NEXT<int(const char*, char* const*, char* const*)> next_execve("execve");
LAPWING_NEXT<int(const char*, char* const*, char* const*)> next_execvpe("execvpe");
LAPWING_NEXT<int(int, char* const*, char* const*)> next_fexecve("fexecve");
LAPWING_NEXT<int(int, const char*, char* const*, char* const*, int)> next_execveat("execveat");
LAPWING_NEXT<Spawn> next_spawn("posix_spawn");
LAPWING_NEXT<Spawn> next_spawnp("posix_spawnp");
LAPWING_NEXT<int(const char*)> next_system("system");
LAPWING_NEXT<FILE*(const char*, const char*)> next_popen("popen");

// The arguments of an execl() call as an array on the caller's stack.
size_t count_arguments(va_list rest) {
  size_t n = 1;
  while (va_arg(rest, char*)) ++n;
  return n;
}

void collect(const char* first, va_list rest, char** out) {
  *out++ = const_cast<char*>(first);
  while ((*out++ = va_arg(rest, char*))) {
  }
}

}  // namespace

extern "C" {

LAPWING_EXPORT int dlclose(void* library) noexcept {
  await_all();
  return next_dlclose.get()(library);
}

LAPWING_EXPORT int execve(const char* path, char* const argv[], char* const env[]) noexcept {
  await_all();
  return next_execve.get()(path, argv, env);
}

LAPWING_EXPORT int execv(const char* path, char* const argv[]) noexcept {
  return execve(path, argv, environ);
}

LAPWING_EXPORT int execvpe(const char* file, char* const argv[], char* const env[]) noexcept {
  await_all();
  return next_execvpe.get()(file, argv, env);
}

LAPWING_EXPORT int execvp(const char* file, char* const argv[]) noexcept {
  return execvpe(file, argv, environ);
}

LAPWING_EXPORT int fexecve(int fd, char* const argv[], char* const env[]) noexcept {
  await_all();
  return next_fexecve.get()(fd, argv, env);
}

LAPWING_EXPORT int execveat(int fd, const char* path, char* const argv[], char* const env[],
                            int flags) noexcept {
  await_all();
  if (auto next = next_execveat.get()) return next(fd, path, argv, env, flags);
  errno = ENOSYS;
  return -1;
}

LAPWING_EXPORT int execl(const char* path, const char* argument, ...) noexcept {
  va_list rest;
  va_start(rest, argument);
  va_list again;
  va_copy(again, rest);
  char* argv[count_arguments(rest) + 1];
  va_end(rest);
  collect(argument, again, argv);
  va_end(again);
  return execve(path, argv, environ);
}

LAPWING_EXPORT int execlp(const char* file, const char* argument, ...) noexcept {
  va_list rest;
  va_start(rest, argument);
  va_list again;
  va_copy(again, rest);
  char* argv[count_arguments(rest) + 1];
  va_end(rest);
  collect(argument, again, argv);
  va_end(again);
  return execvpe(file, argv, environ);
}

LAPWING_EXPORT int execle(const char* path, const char* argument, ...) noexcept {
  va_list rest;
  va_start(rest, argument);
  va_list again;
  va_copy(again, rest);
  char* argv[count_arguments(rest) + 1];
  char** env = va_arg(rest, char**);  // count_arguments() has read up to it
  va_end(rest);
  collect(argument, again, argv);
  va_end(again);
  return execve(path, argv, env);
}

LAPWING_EXPORT int posix_spawn(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
                               const posix_spawnattr_t* attributes, char* const argv[],
                               char* const env[]) noexcept {
  await_all();
  SignalsBlocked blocked;
  return next_spawn.get()(child, path, actions, attributes, argv, env);
}

LAPWING_EXPORT int posix_spawnp(pid_t* child, const char* file, const posix_spawn_file_actions_t* actions,
                                const posix_spawnattr_t* attributes, char* const argv[],
                                char* const env[]) noexcept {
  await_all();
  SignalsBlocked blocked;
  return next_spawnp.get()(child, file, actions, attributes, argv, env);
}

LAPWING_EXPORT int system(const char* command) {
  await_all();
  SignalsBlocked blocked;
  return next_system.get()(command);
}

LAPWING_EXPORT FILE* popen(const char* command, const char* mode) {
  await_all();
  SignalsBlocked blocked;
  return next_popen.get()(command, mode);
}

}  // extern "C"
