// SPDX-License-Identifier: Apache-2.0
#include "machine/facts.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <memory>

namespace lapwing::machine {
namespace {

using OpenFile = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

std::string value_in_cpuinfo(const char* name) {
  const OpenFile file(std::fopen("/proc/cpuinfo", "re"), std::fclose);
  std::array<char, 512> line{};
  while (file && std::fgets(line.data(), line.size(), file.get())) {
    if (std::strncmp(line.data(), name, std::strlen(name)) != 0) continue;
    const char* value = std::strchr(line.data(), ':');
    if (!value) continue;
    std::string text(value + 1);
    text.erase(0, text.find_first_not_of(" \t"));
    text.erase(text.find_last_not_of(" \t\n") + 1);
    return text;
  }
  return {};
}

}  // namespace

Machine this_machine() {
  Machine machine;
  utsname names{};
  if (uname(&names) == 0) {
    machine.host = names.nodename;
    machine.kernel = names.release;
  }
  machine.cpu = value_in_cpuinfo("model name");
  if (machine.cpu.empty()) machine.cpu = names.machine;
  machine.cores = sysconf(_SC_NPROCESSORS_ONLN);
  return machine;
}

std::string kind_of_host(const std::string& name) {
  std::string kind = name.substr(0, name.find('.'));
  const std::size_t last = kind.find_last_not_of("0123456789");
  return last == std::string::npos ? kind : kind.substr(0, last + 1);
}

std::string difference(const Machine& measured, const Machine& here) {
  if (kind_of_host(measured.host) != kind_of_host(here.host))
    return fmt::format("on another host ({}; here: {})", measured.host, here.host);
  if (measured.cpu != here.cpu)
    return fmt::format("on a machine with another processor ({}; here: {})", measured.cpu, here.cpu);
  if (measured.cores != here.cores)
    return fmt::format("on a machine with another number of cores ({}; here: {})", measured.cores,
                       here.cores);
  if (measured.kernel != here.kernel)
    return fmt::format("under another kernel ({}; here: {})", measured.kernel, here.kernel);
  return {};
}

}  // namespace lapwing::machine
