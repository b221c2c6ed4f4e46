// SPDX-License-Identifier: Apache-2.0
// Numbers as people read them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace lapwing::report {

/// "950 ns", "12.3 us", "4.56 ms", "7.89 s", "1250 s"
std::string seconds(double s);
/// "512 B", "64.0 KiB", "1.50 GiB"
std::string bytes(std::uint64_t count);
/// "83 %"; "-" for none
std::string share(std::optional<double> value);
/// "1234" as "1,234"
std::string grouped(std::uint64_t count);

}  // namespace lapwing::report
