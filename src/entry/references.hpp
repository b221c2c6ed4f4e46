// SPDX-License-Identifier: Apache-2.0
// What the program, and the libraries that it brought, refer to by name.
#pragma once

namespace lapwing::entry {

/// Whether anything in the process but Lapwing, and files whose path contains
/// one of `others`, refers to a symbol whose name begins with one of `prefixes`.
/// Both lists end with a null. Never loads anything.
inline constexpr const char* no_others[] = {nullptr};
bool refers_to(const char* const* prefixes, const char* const* others = no_others);

}  // namespace lapwing::entry
