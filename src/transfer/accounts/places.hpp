// SPDX-License-Identifier: Apache-2.0
// Addresses of code as a person reads them.
#pragma once

#include <string>

namespace lapwing::transfer {

struct Place {
  std::string site;      ///< "file:line", or "module+0xoffset" without debug information
  std::string function;  ///< the caller's name, or ""
  std::string module;    ///< path of the program or library
  std::string offset;    ///< of the address in it, "0x..."
};

/// Looks into debug information: milliseconds the first time. `address` is where
/// a call returns to.
Place place_of(const void* address);

/// The "file:line" of the program's own call that this thread is in: the innermost one
/// outside of Lapwing's libraries, headers and Fortran modules. "" where there is none with
/// a line, as in Python, whose exceptions have one.
std::string program_line();

}  // namespace lapwing::transfer
