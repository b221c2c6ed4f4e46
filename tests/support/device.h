/* SPDX-License-Identifier: Apache-2.0
 *
 * Something that keeps hold of pages of this process and reads and writes them
 * without asking the page table, as accelerators do with registered host memory:
 * a CUDA device where there is one, otherwise the kernel's io_uring with its fixed
 * buffers. In C, for programs and tests alike.
 */
#pragma once

#include <dlfcn.h>
#include <linux/io_uring.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

struct device {
  /* Both: where the device keeps what it reads. */
  size_t room;
  /* io_uring */
  int ring, store;
  struct io_uring_params parameters;
  struct io_uring_sqe* entries;
  char *queue, *answers;
  /* CUDA */
  int (*register_host)(void*, size_t, unsigned);
  int (*unregister_host)(void*);
  int (*to_device)(unsigned long long, const void*, size_t);
  int (*to_host)(void*, unsigned long long, size_t);
  unsigned long long memory;
};

static inline int device_open_uring(struct device* d, size_t room) {
  memset(d, 0, sizeof *d);
  d->room = room;
  d->ring = (int)syscall(SYS_io_uring_setup, 4, &d->parameters);
  if (d->ring < 0) return 0;
  d->store = memfd_create("device", 0);
  if (d->store < 0 || ftruncate(d->store, (off_t)room) != 0) return 0;
  const int access = PROT_READ | PROT_WRITE;
  d->entries =
      (struct io_uring_sqe*)mmap(NULL, 4 * sizeof *d->entries, access, MAP_SHARED, d->ring, IORING_OFF_SQES);
  const size_t size = d->parameters.sq_off.array + d->parameters.sq_entries * sizeof(unsigned);
  d->queue = (char*)mmap(NULL, size, access, MAP_SHARED, d->ring, IORING_OFF_SQ_RING);
  const size_t answers = d->parameters.cq_off.cqes + d->parameters.cq_entries * sizeof(struct io_uring_cqe);
  d->answers = (char*)mmap(NULL, answers, access, MAP_SHARED, d->ring, IORING_OFF_CQ_RING);
  return d->entries != MAP_FAILED && d->queue != MAP_FAILED && d->answers != MAP_FAILED;
}

/* The CUDA driver's own interface, which needs none of its headers. */
static inline int device_open_cuda(struct device* d, size_t room) {
  memset(d, 0, sizeof *d);
  d->room = room;
  d->ring = -1;
  void* driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (!driver) return 0;
  int (*init)(unsigned) = (int (*)(unsigned))dlsym(driver, "cuInit");
  int (*retain)(void**, int) = (int (*)(void**, int))dlsym(driver, "cuDevicePrimaryCtxRetain");
  int (*enter)(void*) = (int (*)(void*))dlsym(driver, "cuCtxSetCurrent");
  int (*allocate)(unsigned long long*, size_t) =
      (int (*)(unsigned long long*, size_t))dlsym(driver, "cuMemAlloc_v2");
  d->register_host = (int (*)(void*, size_t, unsigned))dlsym(driver, "cuMemHostRegister_v2");
  d->unregister_host = (int (*)(void*))dlsym(driver, "cuMemHostUnregister");
  d->to_device = (int (*)(unsigned long long, const void*, size_t))dlsym(driver, "cuMemcpyHtoD_v2");
  d->to_host = (int (*)(void*, unsigned long long, size_t))dlsym(driver, "cuMemcpyDtoH_v2");
  void* context = NULL;
  return init && retain && enter && allocate && d->register_host && d->unregister_host && d->to_device &&
         d->to_host && init(0) == 0 && retain(&context, 0) == 0 && enter(context) == 0 &&
         allocate(&d->memory, room) == 0;
}

/* Takes hold of the pages of [begin, begin+length), until they are released. */
static inline int device_hold(struct device* d, void* begin, size_t length) {
  if (d->register_host) return d->register_host(begin, length, 0) == 0;
  struct iovec piece = {begin, length};
  return syscall(SYS_io_uring_register, d->ring, IORING_REGISTER_BUFFERS, &piece, 1) == 0;
}

static inline int device_release(struct device* d, void* begin) {
  if (d->unregister_host) return d->unregister_host(begin) == 0;
  return syscall(SYS_io_uring_register, d->ring, IORING_UNREGISTER_BUFFERS, NULL, 0) == 0;
}

static inline int device_uring_moves(struct device* d, int operation, void* held, size_t length) {
  unsigned* tail = (unsigned*)(d->queue + d->parameters.sq_off.tail);
  unsigned* array = (unsigned*)(d->queue + d->parameters.sq_off.array);
  for (size_t done = 0; done < length;) {
    const size_t piece = length - done < (1u << 20) ? length - done : (1u << 20);
    const unsigned index = *tail & (d->parameters.sq_entries - 1);
    struct io_uring_sqe* e = &d->entries[index];
    memset(e, 0, sizeof *e);
    e->opcode = (uint8_t)operation;
    e->fd = d->store;
    e->off = done;
    e->addr = (uint64_t)(uintptr_t)held + done;
    e->len = (unsigned)piece;
    array[index] = index;
    __atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
    if (syscall(SYS_io_uring_enter, d->ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1) return 0;
    unsigned* head = (unsigned*)(d->answers + d->parameters.cq_off.head);
    const struct io_uring_cqe* all = (const struct io_uring_cqe*)(d->answers + d->parameters.cq_off.cqes);
    const int moved = all[*head & (d->parameters.cq_entries - 1)].res;
    __atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
    if (moved <= 0) return 0;
    done += (size_t)moved;
  }
  return 1;
}

/* What the device finds in the pages that it holds, into ordinary memory. */
static inline int device_reads(struct device* d, void* held, void* copy, size_t length) {
  if (d->to_device)
    return d->to_device(d->memory, held, length) == 0 && d->to_host(copy, d->memory, length) == 0;
  return device_uring_moves(d, IORING_OP_WRITE_FIXED, held, length) &&
         pread(d->store, copy, length, 0) == (ssize_t)length;
}

/* The device writes these bytes into the pages that it holds. */
static inline int device_writes(struct device* d, void* held, const void* bytes, size_t length) {
  if (d->to_device)
    return d->to_device(d->memory, bytes, length) == 0 && d->to_host(held, d->memory, length) == 0;
  return pwrite(d->store, bytes, length, 0) == (ssize_t)length &&
         device_uring_moves(d, IORING_OP_READ_FIXED, held, length);
}
