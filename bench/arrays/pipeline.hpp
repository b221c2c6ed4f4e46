// SPDX-License-Identifier: Apache-2.0
// The parts of the program `pipeline`.
#pragma once

namespace lapwing::bench {

/// The second task waits for the whole image, or for the rows that it needs next;
/// false if a result was wrong.
bool measure_landed(int n, int rounds);

}  // namespace lapwing::bench
