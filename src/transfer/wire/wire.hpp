// SPDX-License-Identifier: Apache-2.0
// What travels: the header of a stripped message.
//
// The sender alone chooses to strip. It announces the message on the user's
// own communicator and tag, so that matching, wildcards, probes and order stay
// MPI's, by a header of exactly `header_bytes` bytes:
//
//     first 4096 bytes of the payload | last 4096 bytes | trailer
//
// Both ends of the payload travel in it so that the partial pages at the edges
// of any buffer are complete when the receive returns, whatever its alignment.
// The bytes between, the *middle*, follow in strips on a private communicator.
//
// A message of this size whose trailer carries the job's mark (mark.hpp) is a header.
// Messages of the program's that happen to have this size travel as they are.
#pragma once

#include <cstddef>
#include <cstdint>

namespace lapwing::transfer {

inline constexpr std::size_t edge_bytes = 4096;  ///< at least a page less one byte
inline constexpr std::size_t trailer_bytes = 96;
inline constexpr std::size_t header_bytes = 2 * edge_bytes + trailer_bytes;
/// A header ends with a whole element of whatever basic type receives it: MPICH
/// takes a rest of an element, in a buffer with gaps, for a truncation.
inline constexpr std::size_t header_multiple = 32;
static_assert(header_bytes % header_multiple == 0);

enum class Direction : std::uint8_t { up = 0, down = 1 };

/// The trailer, at the end of the header; written and read with memcpy.
struct Trailer {
  std::uint64_t mark[2];  ///< of this job: see mark.hpp
  std::uint32_t magic;    ///< guards against a peer of another version
  std::uint32_t id;       ///< names the transfer between this sender and receiver
  std::uint64_t total;    ///< bytes of the whole payload
  std::uint32_t site;     ///< sender's call site, echoed in hints about it
  std::uint32_t first;    ///< bytes of the first strip
  std::uint32_t largest;  ///< strips double up to this size
  std::uint8_t direction;
};
static_assert(sizeof(Trailer) <= trailer_bytes);

inline constexpr std::uint32_t trailer_magic = 0x4c500003;

/// Tag of a transfer's strips on the private communicator; MPI guarantees
/// tags up to 32767. Strips of two transfers with equal tags between the same
/// two ranks still arrive in order, and are posted in order, as MPI promises.
inline int strip_tag(std::uint32_t id) { return static_cast<int>(id & 0x7fff); }

}  // namespace lapwing::transfer
