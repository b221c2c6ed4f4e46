// SPDX-License-Identifier: Apache-2.0
// Tasks with declared accesses: a serial program says what each of its parts
// reads and writes, and those parts run in parallel with the meaning of the
// serial program. docs/tasks.md teaches it.
//
// Link with liblapwing-tasks (CMake: Lapwing::tasks). With LAPWING_SERIAL
// defined nothing is linked: the same program compiles to the serial one.
#pragma once

#ifdef LAPWING_SERIAL
#include <lapwing/tasks/serial.hpp>
#else
#include <lapwing/tasks/access.hpp>
#include <lapwing/tasks/program.hpp>
#include <lapwing/tasks/shared.hpp>
#include <lapwing/tasks/spawn.hpp>
#include <lapwing/tasks/specification.hpp>
#endif
