// SPDX-License-Identifier: Apache-2.0
#include "touching.hpp"

#include <spawn.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>

#include "memory.hpp"

extern char** environ;

namespace lapwing::fuzz {
namespace {

constexpr size_t kChunk = 24 * 1024;  // fits a pipe and a socket without a reader

uint64_t read_at(const char* at, size_t i) {
  return static_cast<unsigned char>(*static_cast<const volatile char*>(at + i));
}
void write_at(char* at, size_t i, uint64_t value) {
  *static_cast<volatile char*>(at + i) = static_cast<char>(value);
}

uint64_t read_loop(Touch how, const char* at, size_t n, uint64_t key) {
  uint64_t h = key;
  auto see = [&](size_t i) { h = (h ^ read_at(at, i)) * 0xff51afd7ed558ccdULL + (h >> 29); };
  Random random(key);
  switch (how) {
    case Touch::ascending:
      return digest(at, n, key);
    case Touch::descending:
      for (size_t i = n; i-- > 0;) see(i);
      break;
    case Touch::random:
      for (size_t k = 0; k < 1 + n / 700; ++k) see(random.below(n));
      break;
    case Touch::strided:
      for (size_t i = random.below(std::min<size_t>(n, 4096)); i < n; i += 1000 + key % 5000) see(i);
      break;
    case Touch::first_byte:
      see(0);
      break;
    case Touch::last_byte:
      see(n - 1);
      break;
    default:
      return digest(at + n / 3, n / 3, key);  // the middle
  }
  return mix(h);
}

void write_loop(Touch how, char* at, size_t n, uint64_t key) {
  switch (how) {
    case Touch::write_ascending:
      fill(at, n, key);
      break;
    case Touch::write_descending:
      for (size_t i = n; i-- > 0;) write_at(at, i, key >> (i % 57));
      break;
    case Touch::write_first:
      write_at(at, 0, key);
      break;
    case Touch::write_last:
      write_at(at, n - 1, key);
      break;
    case Touch::write_middle:
      fill(at + n / 3, n / 3, key);
      break;
    case Touch::set:
      std::memset(at, static_cast<int>(key), n);
      break;
    case Touch::move_inside: {
      size_t by = 1 + key % (n / 2 + 1);
      if (by < n) std::memmove(at + by, at, n - by);
      break;
    }
    case Touch::copy_in: {
      std::unique_ptr<char[]> other(new char[n]);
      fill(other.get(), n, key);
      std::memcpy(at, other.get(), n);
      break;
    }
    default:  // increment: reads and writes each byte
      for (size_t i = 0; i < n; ++i) write_at(at, i, read_at(at, i) + key);
  }
}

uint64_t in_child(const char* at, size_t n, uint64_t key) {
  int ends[2];
  if (pipe(ends) != 0) return 1;
  pid_t child = fork();
  if (child == 0) {
    uint64_t seen = digest(at, n, key);
    // What the child writes is its own.
    fill(const_cast<char*>(at), std::min<size_t>(n, 100), key);
    ssize_t sent = write(ends[1], &seen, sizeof seen);
    _exit(sent == sizeof seen ? 0 : 1);
  }
  close(ends[1]);
  uint64_t seen = 2;
  ssize_t got = read(ends[0], &seen, sizeof seen);
  close(ends[0]);
  int status = -1;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return combine(seen, static_cast<uint64_t>(got), WIFEXITED(status) ? WEXITSTATUS(status) : 99);
}

uint64_t spawn_other(const char* at, size_t n, uint64_t key) {
  char name[] = "/bin/true";
  char* arguments[] = {name, nullptr};
  pid_t child = 0;
  int status = -1;
  if (posix_spawn(&child, name, nullptr, nullptr, arguments, environ) == 0)
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
  return combine(static_cast<uint64_t>(status), digest(at, n, key));
}

// Through a pipe or a socket and back, piece by piece; short counts and errors are seen.
uint64_t through(int in, int out, const char* at, size_t n, bool socket_call) {
  uint64_t h = n;
  std::unique_ptr<char[]> back(new char[kChunk]);
  for (size_t done = 0; done < n; done += kChunk) {
    size_t part = std::min(kChunk, n - done);
    ssize_t sent = socket_call ? send(in, at + done, part, 0) : write(in, at + done, part);
    h = combine(h, static_cast<uint64_t>(sent), sent < 0 ? errno : 0);
    if (sent <= 0) break;
    for (ssize_t got = 0; got < sent;) {
      ssize_t some = read(out, back.get() + got, static_cast<size_t>(sent - got));
      if (some <= 0) return combine(h, 77);
      got += some;
    }
    h = digest(back.get(), static_cast<size_t>(sent), h);
  }
  return h;
}

uint64_t from_socket(char* at, size_t n, uint64_t key) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 1;
  std::unique_ptr<char[]> data(new char[kChunk]);
  uint64_t h = n;
  for (size_t done = 0; done < n;) {
    size_t part = std::min(kChunk, n - done);
    fill(data.get(), part, combine(key, done));
    if (write(ends[0], data.get(), part) != static_cast<ssize_t>(part)) h = combine(h, 55);
    ssize_t got = recv(ends[1], at + done, part, MSG_WAITALL);
    if (got != static_cast<ssize_t>(part)) {
      h = combine(h, static_cast<uint64_t>(got), errno);
      break;
    }
    done += part;
  }
  close(ends[0]);
  close(ends[1]);
  return h;
}

}  // namespace

Toucher::Toucher(const std::string& directory) : file_(nameless_file(directory)) {}

Toucher::~Toucher() { close(file_); }

uint64_t Toucher::touch(Touch how, char* at, size_t n, uint64_t key) {
  if (n == 0 || how == Touch::none) return 0;
  if (how >= Touch::ascending && how <= Touch::middle) return read_loop(how, at, n, key);
  switch (how) {
    case Touch::copy_out: {
      std::unique_ptr<char[]> other(new char[n]);
      std::memcpy(other.get(), at, n);
      return digest(other.get(), n, key);
    }
    case Touch::compare: {
      std::unique_ptr<char[]> other(new char[n]());
      return combine(std::memcmp(at, other.get(), n) == 0,
                     std::memchr(at, static_cast<int>(key & 255), n) == nullptr, strnlen(at, n));
    }
    case Touch::by_thread: {
      uint64_t seen = 0;
      std::thread([&] { seen = read_loop(Touch::ascending, at, n, key); }).join();
      return seen;
    }
    case Touch::write_by_thread: {
      // One thread writes the upper half while this one reads the lower.
      std::thread other([&] { fill(at + n / 2, n - n / 2, key); });
      uint64_t seen = digest(at, n / 2, key);
      other.join();
      return seen;
    }
    case Touch::fork_child:
      return in_child(at, n, key);
    case Touch::spawn:
      return spawn_other(at, n, key);
    default:
      break;
  }
  if ((how >= Touch::to_file && how <= Touch::gather_write) || how >= Touch::from_file)
    return by_system_call(how, at, n, key);
  write_loop(how, at, n, key);
  return 0;
}

uint64_t Toucher::by_system_call(Touch how, char* at, size_t n, uint64_t key) {
  std::unique_ptr<char[]> other(new char[n]);
  int ends[2];
  uint64_t h = 0;
  auto read_back = [&](ssize_t wrote) {
    ssize_t got = pread(file_, other.get(), n, 0);
    h = combine(static_cast<uint64_t>(wrote), wrote < 0 ? errno : 0, static_cast<uint64_t>(got));
    return digest(other.get(), n, h);
  };
  auto prepare = [&] {
    fill(other.get(), n, key);
    return ftruncate(file_, 0) == 0 && pwrite(file_, other.get(), n, 0) == static_cast<ssize_t>(n);
  };
  switch (how) {
    case Touch::to_file:
      return read_back(pwrite(file_, at, n, 0));
    case Touch::gather_write: {
      iovec pieces[3] = {{at, n / 4}, {at + n / 4, n / 2}, {at + n / 4 + n / 2, n - n / 4 - n / 2}};
      return read_back(pwritev(file_, pieces, 3, 0));
    }
    case Touch::to_file_stdio: {
      lseek(file_, 0, SEEK_SET);
      FILE* stream = fdopen(dup(file_), "r+");
      size_t wrote = fwrite(at, 1, n, stream);
      fclose(stream);
      return read_back(static_cast<ssize_t>(wrote));
    }
    case Touch::to_pipe:
      if (pipe(ends) != 0) return 1;
      h = through(ends[1], ends[0], at, n, false);
      break;
    case Touch::to_socket:
      if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return 1;
      h = through(ends[0], ends[1], at, n, true);
      break;
    case Touch::from_socket:
      return from_socket(at, n, key);
    case Touch::from_file:
      h = prepare();
      return combine(h, static_cast<uint64_t>(pread(file_, at, n, 0)));
    case Touch::from_file_vector: {
      iovec pieces[2] = {{at + n / 2, n - n / 2}, {at, n / 2}};
      h = prepare();
      return combine(h, static_cast<uint64_t>(preadv(file_, pieces, 2, 0)));
    }
    default: {  // from_file_stdio
      bool good = prepare();
      lseek(file_, 0, SEEK_SET);
      FILE* stream = fdopen(dup(file_), "r+");
      size_t got = fread(at, 1, n, stream);
      fclose(stream);
      return combine(good, got);
    }
  }
  close(ends[0]);
  close(ends[1]);
  return h;
}

}  // namespace lapwing::fuzz
