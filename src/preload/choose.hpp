// SPDX-License-Identifier: Apache-2.0
// Which of Lapwing's libraries this process uses.
#pragma once

/// Handle of liblapwing-<mpi>.so, or nullptr before the first MPI call and where
/// Lapwing stands aside. Never loads anything.
__attribute__((visibility("hidden"))) void* lapwing_preload_library();
