// SPDX-License-Identifier: Apache-2.0
// The Linux interfaces that the guards stand on, newest ones spelt out here
// because Debian 12's headers are older than the kernels Lapwing meets. All go
// straight to the kernel: a preloaded munmap or mprotect must not see them.
#pragma once

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

extern "C" long lapwing_kernel_call(long, long, long, long, long, long, long number);

namespace lapwing::guard {

constexpr std::size_t page_size = 4096;  // x86-64; start() refuses any other

inline std::uintptr_t address_of(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }
inline char* pointer_to(std::uintptr_t a) { return reinterpret_cast<char*>(a); }
inline std::uintptr_t page_down(std::uintptr_t a) { return a & ~(page_size - 1); }
inline std::uintptr_t page_up(std::uintptr_t a) { return (a + page_size - 1) & ~(page_size - 1); }

namespace kernel {

// userfaultfd: features and the MOVE request (Linux 6.8).
constexpr std::uint64_t feature_wp = 1u << 0;
constexpr std::uint64_t feature_thread_id = 1u << 8;
constexpr std::uint64_t feature_exact_address = 1u << 11;
constexpr std::uint64_t feature_wp_unpopulated = 1u << 13;
constexpr std::uint64_t feature_move = 1u << 16;

struct Move {
  std::uint64_t dst, src, len, mode;
  std::int64_t moved;
};
constexpr std::uint64_t move_allow_holes = 1u << 1;
constexpr unsigned long move_request = _IOWR(UFFDIO, 0x05, Move);
constexpr unsigned long new_descriptor_request = _IO(UFFDIO, 0x00);  // on /dev/userfaultfd

// PROCMAP_QUERY on /proc/self/maps (Linux 6.11).
struct MapQuery {
  std::uint64_t size, query_flags, query_addr;
  std::uint64_t vma_start, vma_end, vma_flags, vma_page_size, vma_offset, inode;
  std::uint32_t dev_major, dev_minor, vma_name_size, build_id_size;
  std::uint64_t vma_name_addr, build_id_addr;
};
constexpr unsigned long map_query_request = _IOWR('f', 17, MapQuery);
constexpr std::uint64_t vma_readable = 1, vma_writable = 2, vma_executable = 4, vma_shared = 8;

constexpr int mremap_dontunmap = 4;

/// A system call that returns -errno and that Syscall User Dispatch lets pass.
template <class... T>
long call(long number, T... arguments) {
  long a[6] = {(long)(arguments)...};
  return lapwing_kernel_call(a[0], a[1], a[2], a[3], a[4], a[5], number);
}

inline void* map_anonymous(std::size_t length, int protection) {
  long r = call(SYS_mmap, 0, length, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return r < 0 && r > -4096 ? nullptr : reinterpret_cast<void*>(r);
}
inline void unmap(void* p, std::size_t length) { call(SYS_munmap, p, length); }
inline bool protect(void* p, std::size_t length, int protection) {
  return call(SYS_mprotect, p, length, protection) == 0;
}
// Of memory that is locked, too (Linux 5.18). Before, the pages in front of a locked one are lost when this
// fails.
inline bool forget(void* p, std::size_t length) {
  constexpr int even_locked = 24;
  return call(SYS_madvise, p, length, even_locked) == 0 || call(SYS_madvise, p, length, MADV_DONTNEED) == 0;
}

/// Moves the pages of [p, p+length) to a new place and leaves a hole behind.
inline void* move_away(void* p, std::size_t length) {
  long r = call(SYS_mremap, p, length, length, MREMAP_MAYMOVE | mremap_dontunmap, 0);
  return r < 0 && r > -4096 ? nullptr : reinterpret_cast<void*>(r);
}

/// Moves a mapping over another, at once for all who look.
inline bool move_over(void* from, std::size_t length, void* target) {
  return call(SYS_mremap, from, length, length, MREMAP_MAYMOVE | MREMAP_FIXED, target) == (long)target;
}

}  // namespace kernel
}  // namespace lapwing::guard
