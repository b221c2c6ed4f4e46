// SPDX-License-Identifier: Apache-2.0
#include "transfer/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <type_traits>

#include "options/check.hpp"
#include "transfer/wire/wire.hpp"

extern char** environ;

namespace lapwing::transfer {
namespace {

using options::Option;
using options::Part;

/// Where the value of one variable goes. The table of options says which values
/// there are; a row of `readers` that does not agree with it does not compile.
struct Reader {
  std::string_view name;
  void (*read)(Settings&, const Option&, const std::string& value);  ///< of a value that suits
};

/// The settings that the choices of the table stand for, in its order.
template <auto Member, auto... Meanings>
consteval Reader choice(std::string_view name) {
  const Option* option = options::find(name);
  if (option->choices() != sizeof...(Meanings)) throw "another number of choices than in the table";
  return {name, [](Settings& settings, const Option& known, const std::string& value) {
            constexpr std::common_type_t<decltype(Meanings)...> meanings[] = {Meanings...};
            settings.*Member = meanings[known.index_of(value)];
          }};
}

template <auto Member>
consteval Reader bytes(std::string_view name) {
  return {name, [](Settings& settings, const Option&, const std::string& value) {
            options::parse_bytes(value, &(settings.*Member));
          }};
}

template <auto Member>
consteval Reader text(std::string_view name) {
  return {name,
          [](Settings& settings, const Option&, const std::string& value) { settings.*Member = value; }};
}

template <auto Member>
consteval Reader number(std::string_view name) {
  return {name, [](Settings& settings, const Option& known, const std::string& value) {
            settings.*Member = static_cast<std::uint32_t>(*options::number_of(known, value));
          }};
}

using S = Settings;
constexpr Reader readers[] = {
    choice<&S::enabled, true, false, true, false>("LAPWING"),
    choice<&S::defer, Defer::automatic, Defer::on, Defer::off>("LAPWING_DEFER"),
    choice<&S::collectives, Defer::automatic, Defer::on, Defer::off>("LAPWING_COLLECTIVES"),
    text<&S::guard>("LAPWING_GUARD"),
    choice<&S::helper, true, false, true, false>("LAPWING_HELPER"),
    choice<&S::one_sided, Defer::automatic, Defer::on, Defer::off>("LAPWING_ONE_SIDED"),
    choice<&S::transport_tuned, true, false>("LAPWING_TRANSPORT"),
    choice<&S::accelerators_ignored, false, true>("LAPWING_ACCELERATORS"),
    bytes<&S::guard_threshold>("LAPWING_THRESHOLD_GUARD"),
    bytes<&S::strip_threshold>("LAPWING_THRESHOLD_STRIP"),
    bytes<&S::proved_threshold>("LAPWING_THRESHOLD_PROVED"),
    bytes<&S::strip_first>("LAPWING_STRIP_FIRST"),
    bytes<&S::strip_largest>("LAPWING_STRIP_MAX"),
    bytes<&S::window>("LAPWING_WINDOW"),
    bytes<&S::staging>("LAPWING_STAGING"),
    choice<&S::order, Order::automatic, Order::up, Order::down>("LAPWING_DIRECTION"),
    choice<&S::protect, Protect::all, Protect::first, Protect::last>("LAPWING_PROTECT"),
    choice<&S::sets, Sets::off, Sets::check, Sets::run>("LAPWING_SETS"),
    choice<&S::split, Split::automatic, Split::overlap, Split::messages, Split::static_, Split::blocking>(
        "LAPWING_SPLIT"),
    text<&S::check_json>("LAPWING_CHECK_JSON"),
    choice<&S::leaks, Severity::error, Severity::warning, Severity::off>("LAPWING_CHECK_LEAKS"),
    choice<&S::unsafe_sends, Severity::error, Severity::warning, Severity::off>("LAPWING_CHECK_SENDS"),
    choice<&S::races, Severity::error, Severity::warning, Severity::off>("LAPWING_CHECK_RACES"),
    choice<&S::overlaps, Severity::error, Severity::warning, Severity::off>("LAPWING_CHECK_OVERLAPS"),
    choice<&S::check_buffers, false, true>("LAPWING_CHECK_BUFFERS"),
    text<&S::profile>("LAPWING_PROFILE"),
    text<&S::report>("LAPWING_REPORT"),
    number<&S::train>("LAPWING_TRAIN"),
    text<&S::hints>("LAPWING_HINTS"),
    text<&S::pages>("LAPWING_PAGES"),
    choice<&S::verbose, 0, 1, 2>("LAPWING_VERBOSE"),
    choice<&S::declared_trace, false, true>("LAPWING_DECLARED"),
    choice<&S::uniform_job, true>("LAPWING_JOB"),
    choice<&S::testing, false, true>("LAPWING_TESTING"),
    text<&S::fault>("LAPWING_FAULT"),
};

/// The other parts of Lapwing read, and check, their variables themselves.
constexpr bool is_read_here(const Option& option) {
  return option.part != Part::tasks && option.part != Part::wrappers;
}

constexpr const Reader* reader_of(const Option& option) {
  for (const Reader& reader : readers) {
    if (reader.name == option.name) return &reader;
  }
  return nullptr;
}

constexpr bool every_option_has_a_reader() {
  for (const Option& option : options::table) {
    if (is_read_here(option) != (reader_of(option) != nullptr)) return false;
  }
  return true;
}
static_assert(every_option_has_a_reader());

constexpr std::size_t least_bytes(std::string_view name) {
  std::size_t bytes = 0;
  options::parse_bytes(options::find(name)->values, &bytes);
  return bytes;
}
static_assert(least_bytes("LAPWING_THRESHOLD_GUARD") == header_bytes);
static_assert(least_bytes("LAPWING_THRESHOLD_STRIP") == header_bytes);

}  // namespace

Settings read_settings() {
  Settings s;
  for (char** entry = environ; entry && *entry; ++entry) {
    if (std::strncmp(*entry, "LAPWING", 7) != 0) continue;
    const char* equals = std::strchr(*entry, '=');
    if (!equals) continue;
    const std::string name(*entry, static_cast<std::size_t>(equals - *entry)), value(equals + 1);
    if (name != "LAPWING" && name.compare(0, 8, "LAPWING_") != 0) continue;
    const Option* const known = options::find(name);
    if (known != nullptr && !is_read_here(*known)) continue;
    // The library of tasks names those that there are.
    if (known == nullptr && name.starts_with("LAPWING_TASKS_")) continue;
    if (known == nullptr) {
      const std::string nearest = options::nearest_variable(name);
      s.complaints.push_back(fmt::format("{} is not a variable of Lapwing and changes nothing{}{}", name,
                                         nearest.empty() ? "" : "; the nearest is ", nearest));
      continue;
    }
    if (const std::string wanted = options::complaint(*known, value); !wanted.empty()) {
      s.complaints.push_back(
          fmt::format("{}={} is not understood and changes nothing: it takes {}", name, value, wanted));
      continue;
    }
    reader_of(*known)->read(s, *known, value);
    if (name.starts_with("LAPWING_STRIP_")) s.strips_given = true;
    s.guard_given |= name == "LAPWING_THRESHOLD_GUARD";
    s.strip_given |= name == "LAPWING_THRESHOLD_STRIP";
    s.first_given |= name == "LAPWING_STRIP_FIRST";
  }
  s.strip_largest = std::max(s.strip_largest, s.strip_first);
  s.strip_threshold = std::max(s.strip_threshold, s.guard_threshold);
  if (!s.fault.empty() && !s.testing) {
    s.complaints.push_back(
        "LAPWING_FAULT plants a defect for tests and is refused without LAPWING_TESTING=1");
    s.fault.clear();
  }
  return s;
}

}  // namespace lapwing::transfer
