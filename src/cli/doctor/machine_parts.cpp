// SPDX-License-Identifier: Apache-2.0
// Facts about what is installed: networks, Lapwing's own parts.
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/doctor/machine_facts.hpp"
#include "cli/launch/paths.hpp"
#include "cli/launch/process.hpp"
#include "cli/say.hpp"
#include "machine/profile.hpp"

namespace lapwing::cli {

namespace fs = std::filesystem;

namespace {

Fact rdma_fact() {
  std::string devices;
  std::error_code none;
  for (const auto& entry : fs::directory_iterator("/sys/class/infiniband", none)) {
    devices += (devices.empty() ? "" : ", ") + entry.path().filename().string();
  }
  if (devices.empty()) {
    return {"RDMA devices", Level::ok, "none", "shared memory and TCP are tested"};
  }
  return {"RDMA devices", Level::warn, devices,
          "untested: over such a transport Lapwing stands aside, and programs run plainly"};
}

Fact accelerator_fact() {
  std::string devices;
  for (const char* device : {"/dev/nvidiactl", "/dev/kfd", "/dev/dxg"})
    if (fs::exists(device)) devices += (devices.empty() ? "" : ", ") + std::string(device);
  if (devices.empty()) return {"accelerators", Level::ok, "none", ""};
  return {"accelerators", Level::warn, devices,
          "they read host memory past any guard: in programs that load a driver of theirs receives are not "
          "deferred, unless LAPWING_ACCELERATORS=ignore says that they never touch what is received"};
}

Fact netlab_fact() {
  const auto tool = netlab();
  if (!tool) {
    return {"emulated hosts", Level::warn, "the netlab tool is not installed",
            "demo and bench use this host's own transport"};
  }
  const auto answer = capture({tool->string(), "check", "--json"}, 30);
  const auto found = answer ? nlohmann::json::parse(answer->output, nullptr, false) : nlohmann::json();
  if (!found.is_object() || !found.contains("findings")) {
    return {"emulated hosts", Level::warn, "netlab cannot tell",
            "see: " + tool->string() + " check; demo and bench use this host's own transport"};
  }
  std::string lacking;
  for (const auto& [name, finding] : found["findings"].items()) {
    const bool there = finding.value("there", false);
    if (name == "lab" || name == "latency" || there) continue;
    lacking += " " + finding.value("text", "");
  }
  const auto& lab = found["findings"].contains("lab") ? found["findings"]["lab"] : nlohmann::json::object();
  if (!lab.value("there", false)) {
    return {"emulated hosts", Level::warn, lab.value("text", "no lab can be made") + lacking,
            "demo and bench use this host's own transport"};
  }
  const bool latency =
      found["findings"].contains("latency") && found["findings"]["latency"].value("there", false);
  return {
      "emulated hosts", Level::ok, lab.value("text", ""),
      latency
          ? "demo and bench can use two hosts with limited bandwidth and added latency"
          : "demo and bench can use two hosts with limited bandwidth; this kernel adds no latency (netem)"};
}

Fact profile_fact() {
  const fs::path path = default_profile();
  std::error_code none;
  if (!fs::exists(path, none)) {
    return {"profile", Level::warn, "none at " + path.string(),
            "safe defaults are used; `lapwing tune` measures this machine in some seconds"};
  }
  machine::Profile profile;
  std::string why;
  if (!machine::read_profile(path.string(), &profile, &why))
    return {"profile", Level::no, why, "it is ignored; make it anew: lapwing tune"};
  const machine::Machine here = machine::this_machine();
  std::string fitting, differs = "it holds no record";
  for (const machine::Measured& record : profile.records) {
    const std::string difference = machine::difference(record.key.machine, here);
    if (difference.empty())
      fitting += fmt::format("{}{} with {}", fitting.empty() ? "" : ", ", machine::name_of(record.key.link),
                             record.key.mpi);
    else
      differs = "measured " + difference;
  }
  if (fitting.empty())
    return {"profile", Level::warn, fmt::format("{}: {}", path.string(), differs),
            "safe defaults are used; `lapwing tune` measures this machine in some seconds"};
  return {"profile", Level::ok, fmt::format("{}: {}", path.string(), fitting),
          "thresholds and strips follow what was measured"};
}

}  // namespace

std::vector<Fact> network_facts() { return {accelerator_fact(), rdma_fact(), netlab_fact()}; }

std::vector<Fact> installation_facts() {
  const fs::path preload = prefix() / "lib" / "liblapwing-preload.so";
  const bool there = fs::exists(preload);
  return {{"preload library", there ? Level::ok : Level::no,
           there ? preload.string() : preload.string() + " is missing",
           there ? "lapwing run, or LD_PRELOAD of this file with any launcher"
                 : "nothing can be run with Lapwing"},
          profile_fact()};
}

}  // namespace lapwing::cli
