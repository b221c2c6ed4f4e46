// SPDX-License-Identifier: Apache-2.0
// A step in words, for whoever reads a failure.
#include <cstdio>

#include "script.hpp"

namespace lapwing::fuzz {

const char* name_of(Kind kind) {
  static const char* names[] = {"ordered",  "posted",       "eager",        "wild",
                                "sendrecv", "persistent",   "threads",      "truncate",
                                "cancel",   "request_free", "causality",    "collective",
                                "local",    "touch",        "null_process", "window"};
  return names[static_cast<int>(kind)];
}

namespace {

std::string part_text(const Part& part) {
  static const char* homes[] = {"small heap", "heap", "anonymous", "static",         "common",
                                "shared",     "file", "stack",     "temporary heap", "temporary map"};
  static const char* layouts[] = {"plain", "contiguous", "vector", "struct", "bottom"};
  static const char* touches[] = {"none",
                                  "ascending",
                                  "descending",
                                  "random",
                                  "strided",
                                  "first",
                                  "last",
                                  "middle",
                                  "memcpy out",
                                  "memcmp",
                                  "by thread",
                                  "pwrite",
                                  "fwrite",
                                  "pipe",
                                  "socket",
                                  "pwritev",
                                  "fork",
                                  "spawn",
                                  "write ascending",
                                  "write descending",
                                  "write first",
                                  "write last",
                                  "write middle",
                                  "memset",
                                  "memmove",
                                  "memcpy in",
                                  "write by thread",
                                  "increment",
                                  "pread",
                                  "preadv",
                                  "fread",
                                  "recv"};
  static const char* fills[] = {"as is", "generated", "from file"};
  static const char* releases[] = {"free", "realloc up", "shrink", "mremap", "map over", "discard", "hold"};
  std::string text = "rank " + std::to_string(part.world) + " " + homes[static_cast<int>(part.region.home)] +
                     "+" + std::to_string(part.region.offset) + " [" + std::to_string(part.region.bytes) +
                     "] " + layouts[static_cast<int>(part.layout.kind)] + " x" +
                     std::to_string(part.elements) + " " + fills[static_cast<int>(part.fill)];
  for (Touch touch : part.touches) text += std::string(", ") + touches[static_cast<int>(touch)];
  if (is_temporary(part.region.home)) text += std::string("; ") + releases[static_cast<int>(part.release)];
  return text;
}

}  // namespace

std::string describe(const Program& program, const Step& step) {
  static const char* groups[] = {"world", "duplicate", "reversed", "subset", "inter"};
  static const char* sends[] = {"send",      "ssend",      "isend",  "issend", "sendrecv",
                                "send_init", "ssend_init", "bsend",  "ibsend", "bsend_init",
                                "rsend",     "irsend",     "send_c", "isend_c"};
  static const char* receives[] = {"recv",   "irecv",   "sendrecv",      "recv_init", "probe",  "iprobe",
                                   "mprobe", "improbe", "mprobe+imrecv", "recv_c",    "irecv_c"};
  std::string text = "step " + std::to_string(step.index) + " " + name_of(step.kind) + " on " +
                     groups[static_cast<int>(program.groups[step.group].making)] +
                     (step.transient ? " (a duplicate freed after)" : "") +
                     (step.barrier ? " with barrier" : "") + " variant " + std::to_string(step.variant) +
                     " rounds " + std::to_string(step.rounds) + "\n";
  for (const Message& m : step.messages) {
    text += "  " + std::to_string(m.count * size_of(m.elem)) + " bytes, tag " + std::to_string(m.tag) +
            (m.any_source ? ", any source" : "") + (m.any_tag ? ", any tag" : "") + "\n";
    text += std::string("    ") + sends[static_cast<int>(m.send.send)] + ": " + part_text(m.send) + "\n";
    text += std::string("    ") + receives[static_cast<int>(m.recv.recv)] + ": " + part_text(m.recv) + "\n";
  }
  if (!step.parts.empty())
    text += "  " + std::to_string(step.bytes) + " bytes, root " + std::to_string(step.root) + "\n";
  for (const Part& part : step.parts) text += "    " + part_text(part) + "\n";
  return text;
}

}  // namespace lapwing::fuzz
