// SPDX-License-Identifier: Apache-2.0
#include "machine/profile.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <memory>

#include "machine/json.hpp"

namespace lapwing::machine {
namespace {

constexpr int form = 2;  // of the file; 1 was one record without a key
constexpr const char* again = "measure again with `lapwing tune`";

template <typename Of>
struct Field {
  const char* name;
  double Of::*value;
};
constexpr Field<Costs> cost_fields[] = {
    {"send_overhead_us", &Costs::send_overhead_us},
    {"receive_overhead_us", &Costs::receive_overhead_us},
    {"send_ns_per_byte", &Costs::send_ns_per_byte},
    {"receive_ns_per_byte", &Costs::receive_ns_per_byte},
    {"gap_us", &Costs::gap_us},
    {"round_trip_us", &Costs::round_trip_us},
    {"gap_ns_per_byte", &Costs::gap_ns_per_byte},
    {"copy_ns_per_byte", &Costs::copy_ns_per_byte},
    {"spare_cores", &Costs::spare_cores},
};
constexpr Field<GuardCosts> guard_fields[] = {
    {"close_us", &GuardCosts::close_us}, {"close_ns_per_byte", &GuardCosts::close_ns_per_byte},
    {"open_us", &GuardCosts::open_us},   {"open_ns_per_byte", &GuardCosts::open_ns_per_byte},
    {"fault_us", &GuardCosts::fault_us},
};
struct GuardField {
  const char* name;
  GuardCosts Costs::*value;
};
constexpr GuardField guards[] = {{"userfaultfd", &Costs::userfaultfd}, {"mprotect", &Costs::mprotect}};
struct TextField {
  const char* name;
  std::string& (*value)(Measured&);
};
constexpr TextField texts[] = {
    {"host", [](Measured& m) -> std::string& { return m.key.machine.host; }},
    {"cpu", [](Measured& m) -> std::string& { return m.key.machine.cpu; }},
    {"kernel", [](Measured& m) -> std::string& { return m.key.machine.kernel; }},
    {"mpi", [](Measured& m) -> std::string& { return m.key.mpi; }},
    {"transport", [](Measured& m) -> std::string& { return m.key.transport; }},
    {"date", [](Measured& m) -> std::string& { return m.date; }},
};

bool is_cost(const Json& value) {
  return value.is(Json::Kind::number) && std::isfinite(value.number) && value.number >= 0 &&
         value.number <= 1e12;
}

/// Takes the members of an object one by one, each of which must be there, with nothing besides.
class Members {
 public:
  Members(const Json& object, std::string* why) : object_(object), why_(why) {
    if (!object.is(Json::Kind::object)) fail("holds no record where one should be");
  }

  const Json* take(const char* name, Json::Kind kind) {
    const Json* value = object_.member(name);
    if (!value || !value->is(kind)) return fail(fmt::format("has no \"{}\"", name)), nullptr;
    names_.emplace_back(name);
    return value;
  }
  template <typename Of>
  void take(const Field<Of>& field, Of& out) {
    const Json* value = take(field.name, Json::Kind::number);
    if (!value) return;
    if (!is_cost(*value)) return fail(fmt::format("says {} for \"{}\"", value->number, field.name));
    out.*field.value = value->number;
  }
  bool done() {
    for (const auto& [name, value] : object_.members) {
      if (std::find(names_.begin(), names_.end(), name) == names_.end())
        fail(fmt::format("holds \"{}\", which this version of Lapwing does not know", name));
    }
    if (object_.members.size() > names_.size()) fail("holds something twice");
    return why_->empty();
  }

 private:
  void fail(const std::string& reason) {
    if (why_->empty()) *why_ = reason;
  }
  const Json& object_;
  std::string* why_;
  std::vector<std::string> names_;
};

bool parse_record(const Json& object, Measured* record, std::string* why) {
  Members members(object, why);
  if (const Json* link = members.take("link", Json::Kind::string)) {
    if (link->text != name_of(Link::node) && link->text != name_of(Link::network) && why->empty())
      *why = fmt::format("holds a record of the link \"{}\"", link->text);
    record->key.link = link->text == name_of(Link::node) ? Link::node : Link::network;
  }
  for (const TextField& field : texts) {
    if (const Json* value = members.take(field.name, Json::Kind::string)) field.value(*record) = value->text;
  }
  if (const Json* cores = members.take("cores", Json::Kind::number)) {
    if (!is_cost(*cores) && why->empty()) *why = fmt::format("says {} for \"cores\"", cores->number);
    record->key.machine.cores = is_cost(*cores) ? static_cast<long>(cores->number) : 0;
  }
  for (const auto& field : cost_fields) members.take(field, record->costs);
  for (const GuardField& guard : guards) {
    const Json* costs = members.take(guard.name, Json::Kind::object);
    if (!costs) continue;
    Members inner(*costs, why);
    for (const auto& field : guard_fields) inner.take(field, record->costs.*guard.value);
    inner.done();
  }
  return members.done();
}

std::string record_json(const Measured& record) {
  Measured copy = record;
  std::string out = fmt::format("{{\"link\": \"{}\"", name_of(record.key.link));
  for (const TextField& field : texts)
    out += fmt::format(", \"{}\": {}", field.name, json_text(field.value(copy)));
  out += fmt::format(", \"cores\": {}", record.key.machine.cores);
  for (const auto& field : cost_fields)
    out += fmt::format(", \"{}\": {:.6g}", field.name, record.costs.*field.value);
  for (const GuardField& guard : guards) {
    out += fmt::format(", \"{}\": {{", guard.name);
    const char* comma = "";
    for (const auto& field : guard_fields) {
      out += fmt::format("{}\"{}\": {:.6g}", comma, field.name, record.costs.*guard.value.*field.value);
      comma = ", ";
    }
    out += '}';
  }
  return out + '}';
}

/// How a record differs from what is wanted, and how much of it fits.
std::string key_difference(const Key& measured, const Key& wanted, int* fits) {
  const std::string machine = difference(measured.machine, wanted.machine);
  *fits = 0;
  if (!machine.empty()) return machine;
  *fits = 1;
  if (measured.mpi != wanted.mpi)
    return fmt::format("with another MPI ({}; here: {})", measured.mpi, wanted.mpi);
  *fits = 2;
  if (measured.transport != wanted.transport)
    return fmt::format("over another transport ({}; here: {})", measured.transport, wanted.transport);
  *fits = 3;
  return {};
}

bool write_all(int file, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote = ::write(file, text.data() + done, text.size() - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    done += static_cast<std::size_t>(wrote);
  }
  return true;
}

}  // namespace

const char* name_of(Link link) { return link == Link::node ? "same node" : "network"; }

void Profile::keep(const Measured& record) {
  std::erase_if(records, [&](const Measured& old) {
    int fits = 0;
    return old.key.link == record.key.link && key_difference(old.key, record.key, &fits).empty();
  });
  records.push_back(record);
}

const Measured* Profile::find(const Key& wanted, std::string* why) const {
  int nearest = -1;
  for (const Measured& record : records) {
    if (record.key.link != wanted.link) continue;
    int fits = 0;
    const std::string differs = key_difference(record.key, wanted, &fits);
    if (differs.empty()) return &record;
    if (fits > nearest) *why = differs;
    nearest = std::max(nearest, fits);
  }
  return nullptr;
}

bool parse_profile(const std::string& text, Profile* profile, std::string* why) {
  why->clear();
  Json file;
  if (!read_json(text, &file) || !file.is(Json::Kind::object)) {
    *why = fmt::format("is damaged or cut off; {}", again);
    return false;
  }
  const Json* version = file.member("lapwing_profile");
  if (!version || !version->is(Json::Kind::number) || version->number != form) {
    *why = fmt::format("was written by another version of Lapwing; {}", again);
    return false;
  }
  Profile found;
  Members members(file, why);
  members.take("lapwing_profile", Json::Kind::number);
  if (const Json* records = members.take("records", Json::Kind::array)) {
    for (const Json& object : records->items) {
      if (!parse_record(object, &found.records.emplace_back(), why)) break;
    }
  }
  if (!members.done()) {
    *why += fmt::format("; {}", again);
    return false;
  }
  *profile = std::move(found);
  return true;
}

bool read_profile(const std::string& path, Profile* profile, std::string* why) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "re"), std::fclose);
  std::string text;
  char block[4096];
  std::size_t got = 0;
  constexpr std::size_t longest = 1 << 20;
  while (file && text.size() < longest && (got = std::fread(block, 1, sizeof block, file.get())) > 0)
    text.append(block, got);
  if (!file || std::ferror(file.get())) {
    *why = fmt::format("the profile {} cannot be read: {}", path, std::strerror(errno));
    return false;
  }
  if (parse_profile(text, profile, why)) return true;
  *why = fmt::format("the profile {} {}", path, *why);
  return false;
}

std::string as_json(const Measured& record) { return record_json(record); }

std::string as_json(const Profile& profile) {
  std::string out = fmt::format("{{\"lapwing_profile\": {}, \"records\": [", form);
  const char* comma = "\n";
  for (const Measured& record : profile.records) {
    out += comma + record_json(record);
    comma = ",\n";
  }
  return out + "\n]}\n";
}

bool parse_record(const std::string& text, Measured* record, std::string* why) {
  why->clear();
  Json object;
  if (read_json(text, &object)) return parse_record(object, record, why);
  *why = "is no JSON";
  return false;
}

bool write_profile(const std::string& path, const Profile& profile, std::string* why) {
  struct stat there {};
  // A device, or a pipe, is written to and not replaced.
  const bool replaces = ::stat(path.c_str(), &there) != 0 || S_ISREG(there.st_mode);
  std::string name = replaces ? path + ".XXXXXX" : path;
  const int file = replaces ? ::mkostemp(name.data(), O_CLOEXEC) : ::open(name.c_str(), O_WRONLY | O_CLOEXEC);
  bool written = file >= 0 && write_all(file, as_json(profile));
  int error = errno;
  if (file >= 0) {
    if (written && replaces) ::fchmod(file, 0644);
    if (::close(file) != 0 && written) {
      written = false;
      error = errno;
    }
  }
  if (written && replaces && ::rename(name.c_str(), path.c_str()) != 0) {
    written = false;
    error = errno;
  }
  if (written) return true;
  if (file >= 0 && replaces) ::unlink(name.c_str());
  *why = fmt::format("the profile cannot be written to {}: {}", path, std::strerror(error));
  return false;
}

}  // namespace lapwing::machine
