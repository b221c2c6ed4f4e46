/* SPDX-License-Identifier: Apache-2.0
 * Memory of a device that only MPI reaches; see device_mpi.c. */
#pragma once

#include <stddef.h>

/** Once in a process; NULL where it cannot be had. */
void* device_memory(size_t length);
/** What the device itself sees at an address of it; any other address as it is. */
void* device_view(const void* address);
