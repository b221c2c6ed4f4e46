// SPDX-License-Identifier: Apache-2.0
// Calls through pointers part processes, and the library learns what they may call.
//
// RUN: %cxx_ir %s -o - | %sets -o %t.ll 2> %t.remarks
// RUN: FileCheck %s --input-file=%t.ll
// RUN: FileCheck %s --check-prefix=SAYS --input-file=%t.remarks
#include <mpi.h>

struct Base {
  virtual ~Base();
  virtual int quiet(int x) { return x; }
  virtual void step(double* x);
};
struct Derived : Base {
  void step(double* x) override { MPI_Barrier(MPI_COMM_WORLD); }
};
Base* make() { return new Derived; }

static void taken(int n) { MPI_Barrier(MPI_COMM_WORLD); }
void (*holder)(int) = taken;

// Step is the fourth entry, behind two destructors and what stays quiet, which reaches nothing.
// CHECK: @lapwing.targets = private constant
// CHECK-NOT: @_ZN4Base5quietEi,
// CHECK-SAME: { ptr @_ZL5takeni, ptr @{{[^ ]*}}, i32 -1, i32 3 }
// CHECK-SAME: { ptr @_ZN7Derived4stepEPd, ptr @{{[^ ]*}}, i32 3, i32 3 }

// CHECK-LABEL: define {{.*}}@_Z12by_a_virtualP4BasePd(
// CHECK: %[[depth:.*]] = call i32 @lapwing_sets_call_through(ptr @lapwing.pointer{{.*}}, ptr %[[target:.*]])
// CHECK-NEXT: call void %[[target]](
// CHECK-NEXT: call void @lapwing_sets_called(i32 %[[depth]])
// SAYS: pointers.cpp:[[@LINE+1]]:{{.*}} processes part that call different functions
void by_a_virtual(Base* base, double* x) { base->step(x); }

// One function on all processes parts nobody.
// CHECK-LABEL: define {{.*}}@_Z9by_a_namei(
// CHECK-NOT: lapwing_sets_call_through
// CHECK: ret void
void by_a_name(int n) {
  void (*always)(int) = taken;
  always(n);
}

// CHECK: call void @lapwing_sets_targets(ptr @lapwing.targets
