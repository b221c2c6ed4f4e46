// SPDX-License-Identifier: Apache-2.0
// The file in which `lapwing tune` keeps what it measured: one record for each kind of link, machine, MPI and
// transport.
#pragma once

#include <string>
#include <vector>

#include "machine/costs.hpp"
#include "machine/facts.hpp"

namespace lapwing::machine {

enum class Link { node, network };  ///< between two ranks of one node, or of two
const char* name_of(Link link);

/// Names a record.
struct Key {
  Link link = Link::node;
  Machine machine;
  std::string mpi;        ///< its product and version
  std::string transport;  ///< as the user has chosen it (mpi/product.hpp)
};

struct Measured {
  Key key;
  std::string date;  ///< for readers
  Costs costs;
};

struct Profile {
  std::vector<Measured> records;

  /// Adds a record; one of the same link, kind of machine, MPI and transport goes.
  void keep(const Measured& record);
  /// The record that holds for `wanted`; null where there is none. `why` then says how the nearest record of
  /// this link differs; it is empty where there is none of this link.
  const Measured* find(const Key& wanted, std::string* why) const;
};

/// False with a sentence, without its full stop, where the file cannot be read, is no profile of this
/// version, or holds anything else besides.
bool read_profile(const std::string& path, Profile* profile, std::string* why);
bool parse_profile(const std::string& text, Profile* profile, std::string* why);

std::string as_json(const Profile& profile);
/// One line.
std::string as_json(const Measured& record);
bool parse_record(const std::string& text, Measured* record, std::string* why);

/// Replaces the file as a whole: it holds the old profile or the new one, whatever happens. False with a
/// sentence, without its full stop, where it cannot be written.
bool write_profile(const std::string& path, const Profile& profile, std::string* why);

}  // namespace lapwing::machine
