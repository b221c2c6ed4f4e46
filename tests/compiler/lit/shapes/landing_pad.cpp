// SPDX-License-Identifier: Apache-2.0
// A start rises to the landing pad that its call is in, and not before: that stands first in its block.
// RUN: %cxx_ir %s -o - | opt -S -passes=always-inline | %clean | %lapwing -passes=lapwing,verify | FileCheck %s
// MPICH's, as C, which throws nothing, would know it.
extern "C" int MPI_Send(const void*, int, int, int, int, int) noexcept;
constexpr int as_double = 0x4c00080b, world = 0x44000000;

constexpr int many = 65536;
double a[many], work[many];
void throws(int n);

struct Guard {
  __attribute__((always_inline)) ~Guard() {
    for (int i = 1; i < many; ++i) work[i] = work[i] * 0.5 + work[i - 1];
    MPI_Send(a, many, as_double, 1, 7, world);
  }
};

// CHECK-LABEL: define {{.*}}guarded
// CHECK: landingpad { ptr, i32 }
// CHECK-NEXT: cleanup
// CHECK: call ptr @lapwing_start_send(
// CHECK: call void @lapwing_wait(
void guarded(int n) {
  Guard guard;
  throws(n);
}
