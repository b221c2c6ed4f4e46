// SPDX-License-Identifier: Apache-2.0
#include "tasks/replay/machine.hpp"

namespace lapwing::tasks::replay {

namespace {
constexpr double us = 1e-6;
constexpr double dash_cycle = 1 / 33e6;
}  // namespace

// Appendix B: 16-byte lines; 29, 101 and 132 cycles at 33 MHz; clusters of four.
Machine dash() {
  Machine m;
  m.name = "DASH";
  m.create = 200 * us;
  m.run = 300 * us;
  m.line = 16;
  m.cluster = 4;
  m.near = 29 * dash_cycle;
  m.far = 101 * dash_cycle;
  m.far_dirty = 132 * dash_cycle;
  return m;
}

// Appendix A: 47 microseconds for a short message, 2.8 megabytes a second;
// section 5.3: 0.07 s for 165,888 bytes.
Machine ipsc() {
  Machine m;
  m.name = "iPSC/860";
  m.messages = true;
  m.create = 350 * us;
  m.run = 150 * us;
  m.assign = 550 * us;
  m.accept = 100 * us;
  m.completion = 450 * us;
  m.latency = 5 * us;
  m.overhead = 42 * us;
  m.per_byte = 0.07 / 165888;
  m.copy = 6e-8;
  return m;
}

Machine threads() {
  Machine m;
  m.name = "threads";
  m.create = 0.3 * us;
  m.run = 0.2 * us;
  m.cluster = 16;
  m.near = 0.02 * us;
  m.far = m.far_dirty = 0.1 * us;
  return m;
}

Machine ranks() {
  Machine m;
  m.name = "ranks";
  m.messages = true;
  m.create = 0.5 * us;
  m.run = 0.5 * us;
  m.assign = 1 * us;
  m.accept = 0.5 * us;
  m.completion = 0.7 * us;
  m.latency = 1 * us;
  m.overhead = 0.5 * us;
  m.per_byte = 1e-10;  // 10 gigabytes a second
  return m;
}

}  // namespace lapwing::tasks::replay
