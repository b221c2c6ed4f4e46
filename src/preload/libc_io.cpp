// SPDX-License-Identifier: Apache-2.0
// Where the guards watch system calls, they do so thread by thread. A thread
// that is older than the guards, or that libc made for itself (thrd_create,
// notifications of timers), is made known when it first reads or writes while a
// page is closed: by then it may have been handed a message that has not landed.
#include <aio.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include "preload/hooks.h"

namespace {

using lapwing::preload::anything_closed;
using lapwing::preload::Next;

inline void meet() {
  if (anything_closed()) lapwing::preload::make_thread_known();
}

}  // namespace

// A definition that lets the guards know the thread and goes on to the next one.
// The names behind fortified calls (`__read_chk`) are not declared anywhere.
#define MEETS(result, name, parameters, arguments)    \
  namespace {                                         \
  LAPWING_NEXT<result parameters> next_##name(#name); \
  }                                                   \
  extern "C" LAPWING_EXPORT result name parameters {  \
    meet();                                           \
    return next_##name.get() arguments;               \
  }

#pragma GCC diagnostic ignored "-Wmissing-declarations"

MEETS(ssize_t, read, (int fd, void* to, size_t n), (fd, to, n))
MEETS(ssize_t, write, (int fd, const void* from, size_t n), (fd, from, n))
MEETS(ssize_t, pread, (int fd, void* to, size_t n, off_t at), (fd, to, n, at))
MEETS(ssize_t, pread64, (int fd, void* to, size_t n, off64_t at), (fd, to, n, at))
MEETS(ssize_t, pwrite, (int fd, const void* from, size_t n, off_t at), (fd, from, n, at))
MEETS(ssize_t, pwrite64, (int fd, const void* from, size_t n, off64_t at), (fd, from, n, at))
MEETS(ssize_t, readv, (int fd, const iovec* v, int n), (fd, v, n))
MEETS(ssize_t, writev, (int fd, const iovec* v, int n), (fd, v, n))
MEETS(ssize_t, preadv, (int fd, const iovec* v, int n, off_t at), (fd, v, n, at))
MEETS(ssize_t, preadv64, (int fd, const iovec* v, int n, off64_t at), (fd, v, n, at))
MEETS(ssize_t, pwritev, (int fd, const iovec* v, int n, off_t at), (fd, v, n, at))
MEETS(ssize_t, pwritev64, (int fd, const iovec* v, int n, off64_t at), (fd, v, n, at))
MEETS(ssize_t, send, (int fd, const void* from, size_t n, int flags), (fd, from, n, flags))
MEETS(ssize_t, recv, (int fd, void* to, size_t n, int flags), (fd, to, n, flags))
MEETS(ssize_t, sendto,
      (int fd, const void* from, size_t n, int flags, const sockaddr* name, socklen_t length),
      (fd, from, n, flags, name, length))
MEETS(ssize_t, recvfrom, (int fd, void* to, size_t n, int flags, sockaddr* name, socklen_t* length),
      (fd, to, n, flags, name, length))
MEETS(ssize_t, sendmsg, (int fd, const msghdr* m, int flags), (fd, m, flags))
MEETS(ssize_t, recvmsg, (int fd, msghdr* m, int flags), (fd, m, flags))
MEETS(int, sendmmsg, (int fd, mmsghdr* m, unsigned n, int flags), (fd, m, n, flags))
MEETS(int, recvmmsg, (int fd, mmsghdr* m, unsigned n, int flags, timespec* t), (fd, m, n, flags, t))
MEETS(ssize_t, __read_chk, (int fd, void* to, size_t n, size_t room), (fd, to, n, room))
MEETS(ssize_t, __pread_chk, (int fd, void* to, size_t n, off_t at, size_t room), (fd, to, n, at, room))
MEETS(ssize_t, __pread64_chk, (int fd, void* to, size_t n, off64_t at, size_t room), (fd, to, n, at, room))
MEETS(ssize_t, __recv_chk, (int fd, void* to, size_t n, size_t room, int flags), (fd, to, n, room, flags))
MEETS(ssize_t, __recvfrom_chk,
      (int fd, void* to, size_t n, size_t room, int flags, sockaddr* name, socklen_t* length),
      (fd, to, n, room, flags, name, length))

// Streams hand large pieces straight to the kernel.
MEETS(size_t, fread, (void* to, size_t size, size_t n, FILE* file), (to, size, n, file))
MEETS(size_t, fread_unlocked, (void* to, size_t size, size_t n, FILE* file), (to, size, n, file))
MEETS(size_t, __fread_chk, (void* to, size_t room, size_t size, size_t n, FILE* file),
      (to, room, size, n, file))
MEETS(size_t, __fread_unlocked_chk, (void* to, size_t room, size_t size, size_t n, FILE* file),
      (to, room, size, n, file))
MEETS(size_t, fwrite, (const void* from, size_t size, size_t n, FILE* file), (from, size, n, file))
MEETS(size_t, fwrite_unlocked, (const void* from, size_t size, size_t n, FILE* file), (from, size, n, file))
MEETS(int, fputs, (const char* text, FILE* file), (text, file))
MEETS(int, fputs_unlocked, (const char* text, FILE* file), (text, file))
MEETS(int, puts, (const char* text), (text))
MEETS(int, fflush, (FILE * file), (file))
MEETS(int, fclose, (FILE * file), (file))

// With any number of arguments, libc takes six, the last from the stack.
namespace {
LAPWING_NEXT<long(long, long, long, long, long, long, long)> next_syscall("syscall");
}
extern "C" LAPWING_EXPORT long own_syscall(long number, long a, long b, long c, long d, long e,
                                           long f) __asm__("syscall");
extern "C" long own_syscall(long number, long a, long b, long c, long d, long e, long f) {
  meet();
  return next_syscall.get()(number, a, b, c, d, e, f);
}

// libc reads and writes these in threads of its own, of which the engine cannot be told.
#define WAITS(name, type)                                                              \
  namespace {                                                                          \
  LAPWING_NEXT<int(type*)> next_##name(#name);                                         \
  }                                                                                    \
  extern "C" LAPWING_EXPORT int name(type* request) noexcept {                         \
    lapwing::preload::await(const_cast<void*>(request->aio_buf), request->aio_nbytes); \
    return next_##name.get()(request);                                                 \
  }

#define WAITS_FOR_LIST(name, type)                                                                    \
  namespace {                                                                                         \
  LAPWING_NEXT<int(int, type* const*, int, sigevent*)> next_##name(#name);                            \
  }                                                                                                   \
  extern "C" LAPWING_EXPORT int name(int mode, type* const list[], int n, sigevent* event) noexcept { \
    for (int i = 0; i < n; ++i)                                                                       \
      if (list[i]) lapwing::preload::await(const_cast<void*>(list[i]->aio_buf), list[i]->aio_nbytes); \
    return next_##name.get()(mode, list, n, event);                                                   \
  }

WAITS(aio_read, aiocb)
WAITS(aio_read64, aiocb64)
WAITS(aio_write, aiocb)
WAITS(aio_write64, aiocb64)
WAITS_FOR_LIST(lio_listio, aiocb)
WAITS_FOR_LIST(lio_listio64, aiocb64)
