// SPDX-License-Identifier: Apache-2.0
#include "arrays/view.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstring>

#include "arrays/schedules/index_list.hpp"
#include "arrays/schedules/local.hpp"
#include "guard/devices.hpp"
#include "transfer/accounts/places.hpp"

namespace lapwing::arrays {
namespace {

void append(std::string* to, std::uint64_t number) {
  to->append(reinterpret_cast<const char*>(&number), sizeof number);
}

void append(std::string* to, const std::vector<std::byte>& bytes) {
  append(to, bytes.size());
  to->append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

class WireReader {
 public:
  explicit WireReader(std::span<const char> bytes) : rest_(bytes) {}
  std::uint64_t number() {
    std::uint64_t value = 0;
    if (rest_.size() < sizeof value) return fail();
    std::memcpy(&value, rest_.data(), sizeof value);
    rest_ = rest_.subspan(sizeof value);
    return value;
  }
  std::span<const std::byte> bytes() {
    const std::uint64_t size = number();
    if (size > rest_.size()) {
      fail();
      return {};
    }
    const auto here = std::as_bytes(rest_.first(size));
    rest_ = rest_.subspan(size);
    return here;
  }
  bool good() const { return good_; }

 private:
  std::uint64_t fail() {
    good_ = false;
    rest_ = {};
    return 0;
  }
  std::span<const char> rest_;
  bool good_ = true;
};

std::string extents_of(const LocalPart& part) {
  if (part.allocation.empty()) return {};
  return fmt::format(": {} in dimensions 0 to {}", fmt::join(part.allocation, " x "),
                     part.allocation.size() - 1);
}

}  // namespace

std::shared_ptr<const Descriptor> Descriptor::of(std::vector<std::shared_ptr<const View>> views) {
  auto made = std::make_shared<Descriptor>();
  append(&made->bytes, views.size());
  for (const auto& view : views) {
    append(&made->bytes, view->converts ? 1 : 0);
    // Ghosts are each process' own matter, as leading dimensions are: no other process needs them.
    Distribution shared = view->distribution;
    for (Dimension& dimension : shared.dimensions) dimension.ghost_below = dimension.ghost_above = 0;
    append(&made->bytes, encode(shared));
    append(&made->bytes, encode(view->section));
  }
  made->key = made->bytes;
  for (const auto& view : views) {
    for (const Dimension& dimension : view->distribution.dimensions) {
      append(&made->key, static_cast<std::uint64_t>(dimension.ghost_below));
      append(&made->key, static_cast<std::uint64_t>(dimension.ghost_above));
    }
    for (const std::int64_t extent : view->distribution.leading)
      append(&made->key, static_cast<std::uint64_t>(extent));
  }
  made->views = std::move(views);
  return made;
}

std::shared_ptr<const Descriptor> Descriptor::read(std::span<const char> bytes, std::string* problem) {
  WireReader reader(bytes);
  const std::uint64_t count = reader.number();
  std::vector<std::shared_ptr<const View>> views;
  for (std::uint64_t i = 0; i < count && reader.good(); ++i) {
    const bool converts = reader.number() != 0;
    Decoded distribution = decode(reader.bytes());
    DecodedSection section = decode_section(reader.bytes());
    if (!reader.good()) break;
    if (!distribution.distribution || !section.section) {
      *problem = distribution.distribution ? section.problem : distribution.problem;
      return nullptr;
    }
    views.push_back(std::make_shared<View>(
        View{std::move(*distribution.distribution), std::move(*section.section), converts}));
  }
  if (!reader.good()) {
    *problem = "an array descriptor ends too early";
    return nullptr;
  }
  auto made = std::make_shared<Descriptor>();
  made->bytes.assign(bytes.data(), bytes.size());
  made->key = made->bytes;
  made->views = std::move(views);
  return made;
}

Error compare(const Descriptor& from, const Party& sender, const Descriptor& to, const Party& receiver,
              int tag) {
  const std::string who =
      fmt::format("task {} (ranks 0 to {}) sends to task {} (ranks 0 to {}), tag {}: ", sender.task,
                  sender.processes - 1, receiver.task, receiver.processes - 1, tag);
  if (from.views.size() != to.views.size())
    return {Code::shape, fmt::format("{}task {} sends {} arrays at once, task {} receives {}", who,
                                     sender.task, from.views.size(), receiver.task, to.views.size())};
  for (std::size_t i = 0; i < from.views.size(); ++i) {
    const View &a = *from.views[i], &b = *to.views[i];
    const std::string which =
        from.views.size() == 1 ? who : fmt::format("{}array {} of {}: ", who, i, from.views.size());
    if (std::string why = validate(a.distribution, sender.processes); !why.empty())
      return {Code::grid, fmt::format("{}task {}: {}", which, sender.task, why)};
    if (std::string why = validate(b.distribution, receiver.processes); !why.empty())
      return {Code::grid, fmt::format("{}task {}: {}", which, receiver.task, why)};
    if (std::string why = cannot_send(a.distribution); !why.empty())
      return {Code::argument, fmt::format("{}task {}: {}", which, sender.task, why)};
    const bool same_type = a.distribution.type == b.distribution.type &&
                           a.distribution.opaque_bytes == b.distribution.opaque_bytes;
    if (!same_type && !b.converts)
      return {Code::type,
              fmt::format("{}task {} sends elements of {} ({} bytes), task {} receives {} ({} bytes); "
                          "lapwing_distribution_converting() makes an array that converts",
                          which, sender.task, name_of(a.distribution.type), a.distribution.element_bytes(),
                          receiver.task, name_of(b.distribution.type), b.distribution.element_bytes())};
    if (std::string why = mismatch(a.distribution, a.section, b.distribution, b.section); !why.empty())
      return {same_type ? Code::shape : Code::type, which + why};
  }
  return {};
}

Error check_reachable(const void* memory, std::int64_t bytes, const char* name) {
  if (guard::reachable(memory, static_cast<std::size_t>(bytes))) return {};
  const std::string line = transfer::program_line();
  return {Code::buffer,
          fmt::format("{}{} at {} is a device's, which the processor cannot read: copy it to host "
                      "memory and give that, or allocate it so that both reach it "
                      "(cudaMallocManaged, cudaMallocHost and their like)",
                      line.empty() ? line : fmt::format("at {}, ", line), name, memory)};
}

Error check_local(const View& view, const Party& mine, int rank, const void* local, std::int64_t elements) {
  const std::string who = fmt::format("task {}, rank {}: ", mine.task, rank);
  if (std::string why = validate(view.distribution, mine.processes); !why.empty())
    return {Code::grid, who + why};
  if (std::string why = wrong_lists(view.distribution, rank); !why.empty()) return {Code::grid, who + why};
  if (std::string why = validate_leading(view.distribution, rank); !why.empty())
    return {Code::buffer, who + why};
  const LocalPart part = local_part(view.distribution, rank);
  if (part.elements == 0) return {};
  if (elements < part.allocated)
    return {Code::buffer,
            fmt::format("{}the local memory has {} elements, {} needs {} there{}", who, elements,
                        describe(view.distribution), part.allocated, extents_of(part))};
  if (!local) return {Code::buffer, fmt::format("{}the local memory is null", who)};
  if (Error error = check_reachable(local, part.allocated * view.distribution.element_bytes(),
                                    "the local memory of the array"))
    return {error.code, who + error.text};
  return {};
}

View gathered(const View& view) {
  const Section section = filled(view.section, view.distribution);
  View whole;
  whole.distribution.type = view.distribution.type;
  whole.distribution.opaque_bytes = view.distribution.opaque_bytes;
  for (const SectionDimension& dimension : section.dimensions)
    whole.distribution.dimensions.push_back(collapsed(dimension.count));
  whole.distribution.grid = make_grid({1});
  whole.section = filled({}, whole.distribution);
  return whole;
}

}  // namespace lapwing::arrays
