// SPDX-License-Identifier: Apache-2.0
// dlsym, for programs that find out which MPI there is, or whether there is one, by asking
// for a name. They see what they would see without this library, whose names of MPI's
// would else be found in every process; and where there is an MPI they get its functions
// as a linked program gets them, by way of Lapwing.
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <string.h>

#include "preload/choose.hpp"
#include "preload/hooks.h"

namespace lapwing::preload {
namespace {

bool is_own(const link_map* file) { return file && strstr(file->l_name, "liblapwing"); }

// A function of the one MPI that the process has, which no other hides from linked programs.
bool is_function_of_mpi(void* address, const char* name) {
  if (strncmp(name, "MPI_", 4) != 0 && strncmp(name, "MPIX_", 5) != 0) return false;
  void* const linked = next_definition(name);
  if (linked && linked != address) return false;
  const mpi::LoadedMpis found = mpi::loaded_mpis(libc_dlsym());
  return found.count == 1 && found.at[0].family != mpi::Family::unknown &&
         file_of(address) == found.at[0].library;
}

}  // namespace

struct Answer {
  uint64_t known;  // 0: ask libc
  void* address;
};

extern "C" __attribute__((visibility("hidden"))) Answer lapwing_preload_lookup(void* handle, const char* name,
                                                                               const void* caller) {
  constexpr Answer ask_libc{0, nullptr};
  if (!__atomic_load_n(&initialised, __ATOMIC_ACQUIRE)) return ask_libc;
  // A program that loads a library asks for its functions before it runs them.
  clear_weak_references();
  if (!name || !strpbrk(name, "Mm")) return ask_libc;
  void* const stub = stub_of(name);
  if (!stub) return ask_libc;
  const link_map* const from = file_of(caller);
  if (is_own(from)) return ask_libc;
  const bool from_program = from == _r_debug.r_map;
  if (handle == RTLD_NEXT && !from_program) return ask_libc;
  if (handle == RTLD_DEFAULT || handle == RTLD_NEXT || handle == _r_debug.r_map) {
    // The program's file itself may have one, and others before this library.
    void* const first = libc_dlsym()(RTLD_DEFAULT, name);
    if (first && !is_stub(first)) return ask_libc;
    const bool as_all = handle != RTLD_DEFAULT;
    if (plain_definition(name, as_all ? nullptr : caller)) return {1, stub};
    // Leaves the error that dlerror gives.
    if (void* const libc = dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD)) libc_dlsym()(libc, name);
    return {1, nullptr};
  }
  void* const found = libc_dlsym()(handle, name);
  return {1, found && is_function_of_mpi(found, name) ? stub : found};
}

extern "C" __attribute__((visibility("hidden"))) mpi::Lookup* lapwing_preload_libc_dlsym() {
  return libc_dlsym();
}

}  // namespace lapwing::preload

// Libc gets the call with the caller's return address, by which it tells who asks.
asm(R"(
  .pushsection .text
  .p2align 4
  .globl dlsym
  .type dlsym, @function
dlsym:
  .cfi_startproc
  pushq %rdi
  .cfi_adjust_cfa_offset 8
  pushq %rsi
  .cfi_adjust_cfa_offset 8
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  movq 24(%rsp), %rdx
  call lapwing_preload_lookup
  testq %rax, %rax
  jz 1f
  addq $24, %rsp
  .cfi_adjust_cfa_offset -24
  movq %rdx, %rax
  ret
1:
  .cfi_adjust_cfa_offset 24
  call lapwing_preload_libc_dlsym
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  popq %rsi
  .cfi_adjust_cfa_offset -8
  popq %rdi
  .cfi_adjust_cfa_offset -8
  jmp *%rax
  .cfi_endproc
  .size dlsym, .-dlsym
  .popsection
)");
