// SPDX-License-Identifier: Apache-2.0
// Which hint, or which change of the source, would pay at a call site.
#pragma once

#include "report/pages.hpp"

namespace lapwing::report {

/// Fills `hint`, `saves_s` and `advice` in from the other fields.
void advise(PagedSite& site);

}  // namespace lapwing::report
