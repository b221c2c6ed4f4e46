// SPDX-License-Identifier: Apache-2.0
// Hooks that another library has patched.
//
// UCX, under MPICH, watches mmap, munmap, mremap and their kin by writing a jump
// over the first bytes of whatever definition it finds, which is ours. Its
// watching is kept: the jump's target becomes the next definition after ours,
// and our bytes are put back, as they stand in the library's file: UCX does this
// before any code of ours has run.
#pragma once

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace lapwing::preload {

class PatchedFunction {
 public:
  /// `next` is where the hook keeps the definition that it calls.
  constexpr PatchedFunction(void* function, void** next)
      : function_(static_cast<unsigned char*>(function)), next_(next) {}

  void heal() {
    if (!read_original() || memcmp(original_, function_, sizeof original_) == 0) return;
    void* target = jump_target();
    if (!target) return;  // a patch of another kind: better leave it
    __atomic_store_n(next_, target, __ATOMIC_RELEASE);
    const auto page = reinterpret_cast<uintptr_t>(function_) & ~uintptr_t{4095};
    const size_t length = reinterpret_cast<uintptr_t>(function_) + sizeof original_ - page;
    // Not through libc's mprotect, which is one of the hooks.
    if (syscall(SYS_mprotect, page, length, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return;
    memcpy(function_, original_, sizeof original_);
    syscall(SYS_mprotect, page, length, PROT_READ | PROT_EXEC);
  }

 private:
  void* jump_target() const {
    if (function_[0] == 0xe9) {  // jmp rel32
      int32_t distance;
      memcpy(&distance, function_ + 1, sizeof distance);
      return function_ + 5 + distance;
    }
    if (function_[0] == 0x49 && function_[1] == 0xbb) {  // mov $target,%r11; jmp *%r11
      void* target;
      memcpy(&target, function_ + 2, sizeof target);
      return target;
    }
    return nullptr;
  }

  bool read_original() {
    Dl_info info;
    if (!dladdr(function_, &info) || !info.dli_fbase || !info.dli_fname) return false;
    const auto* base = static_cast<const unsigned char*>(info.dli_fbase);
    const auto* file = static_cast<const Elf64_Ehdr*>(info.dli_fbase);
    const auto* segments = reinterpret_cast<const Elf64_Phdr*>(base + file->e_phoff);
    const auto address = static_cast<uint64_t>(function_ - base);
    for (int i = 0; i < file->e_phnum; ++i) {
      const Elf64_Phdr& s = segments[i];
      if (s.p_type != PT_LOAD || address < s.p_vaddr || address + sizeof original_ > s.p_vaddr + s.p_filesz)
        continue;
      const int fd = open(info.dli_fname, O_RDONLY | O_CLOEXEC);
      if (fd < 0) return false;
      const ssize_t got =
          pread(fd, original_, sizeof original_, static_cast<off_t>(s.p_offset + address - s.p_vaddr));
      close(fd);
      return got == static_cast<ssize_t>(sizeof original_);
    }
    return false;
  }

  unsigned char* function_;
  void** next_;
  unsigned char original_[16] = {};
};

}  // namespace lapwing::preload
