// SPDX-License-Identifier: Apache-2.0
#include "placing.hpp"

#include <algorithm>

namespace lapwing::fuzz {

size_t slot_size(Home home) {
  switch (home) {
    case Home::heap_small:
      return 96 * 1024;
    case Home::heap:
      return 640 * 1024;
    case Home::anonymous:
      return 512 * 1024;
    case Home::static_array:
      return 600 * 1024;
    case Home::common:
      return 520 * 1024;
    case Home::shared:
      return 256 * 1024;
    case Home::file:
      return 256 * 1024;
    case Home::stack:
      return kStackBytes;
    default:
      return 0;
  }
}

size_t choose_bytes(Random& random) {
  static const std::vector<size_t> edges = {0,     1,     2,      7,      8,      64,    4095,  4096,  4097,
                                            8191,  8192,  8193,   8256,   8287,   8288,  8289,  12287, 12288,
                                            12289, 12363, 16383,  16384,  16385,  20480, 32768, 32771, 65535,
                                            65536, 65537, 131072, 131101, 262144, 262147};
  static const std::vector<size_t> primes = {8269,  8273,  12289, 12301, 17389,
                                             20483, 40961, 65521, 99991, 196613};
  uint64_t die = random.below(1000);
  if (die < 350) return random.pick(edges);
  if (die < 450) return random.pick(primes);
  if (die < 470) return random.pick<size_t>({1 << 20, (1 << 20) - 1, (1 << 20) + 4099, 524309});
  if (die < 474) return random.pick<size_t>({4 << 20, (4 << 20) + 1});
  // Anything, each power of two being as likely as the next.
  size_t power = random.between(10, 18);
  return (size_t{1} << power) + random.below(size_t{1} << power) / 2;
}

bool Placer::fits(int world, Home home, size_t begin, size_t end) const {
  if (end > slot_size(home)) return false;
  auto found = used_.find({world, home});
  if (found == used_.end()) return true;
  return std::none_of(found->second.begin(), found->second.end(),
                      [&](const Range& r) { return begin < r.end && r.begin < end; });
}

Region Placer::place(Random& random, int world, size_t bytes, size_t align, bool temporary) {
  Region region;
  region.bytes = bytes;
  for (int attempt = 0; attempt < 6 && !temporary; ++attempt) {
    Home home = static_cast<Home>(random.below(kSlots + 1));
    if (home == Home::stack && !stack_allowed_) continue;
    if (random.chance(12)) break;
    if (bytes > slot_size(home)) continue;
    size_t room = slot_size(home) - bytes;
    auto& taken = used_[{world, home}];
    size_t at = random.below(room + 1);
    uint64_t die = random.below(100);
    if (die < 25 && !taken.empty())
      at = random.pick(taken).end;  // its neighbour's next byte
    else if (die < 45)
      at &= ~size_t{4095};
    else if (die < 55)
      at = (at & ~size_t{4095}) + random.below(16) * align;
    else if (die < 65)
      at = room;  // to the slot's very end
    at -= at % align;
    if (!fits(world, home, at, at + bytes)) continue;
    taken.push_back({at, at + bytes});
    region.home = home;
    region.offset = at;
    return region;
  }
  region.home = random.chance(55) ? Home::temp_heap : Home::temp_map;
  region.offset = random.chance(40) ? 0 : random.below(4200) / align * align;
  return region;
}

std::vector<Piece> pieces_of(const Layout& layout, size_t elements) {
  std::vector<Piece> pieces;
  if (layout.kind == LayoutKind::vector) {
    for (size_t done = 0, at = 0; done < elements; done += layout.block, at += layout.block + layout.gap)
      pieces.push_back({at, layout.block});
  } else if (layout.kind == LayoutKind::structure || layout.kind == LayoutKind::bottom) {
    size_t second = (elements - layout.block) / 3, third = elements - layout.block - second;
    pieces.push_back({0, layout.block});
    pieces.push_back({layout.block + layout.gap, second});
    pieces.push_back({layout.block + second + 2 * layout.gap, third});
  } else {
    pieces.push_back({0, elements});
  }
  return pieces;
}

size_t span_of(const Layout& layout, size_t elements) {
  if (elements == 0) return 0;
  Piece last = pieces_of(layout, elements).back();
  return last.at + last.length;
}

Layout choose_layout(Random& random, size_t elements) {
  Layout layout;
  if (elements < 4 || random.chance(70)) return layout;
  layout.kind = random.pick<LayoutKind>({LayoutKind::derived, LayoutKind::derived, LayoutKind::vector,
                                         LayoutKind::vector, LayoutKind::structure, LayoutKind::bottom});
  layout.gap = random.pick<size_t>({0, 1, 3, 64, 999});
  if (layout.kind == LayoutKind::vector) {
    layout.gap = std::min<size_t>(layout.gap, 64);
    for (size_t block : {size_t{7}, size_t{64}, size_t{1024}, size_t{3}, size_t{5}, size_t{61}})
      if (layout.block == 0 && block * 2 <= elements && elements % block == 0) layout.block = block;
    if (layout.block == 0)
      layout.kind = LayoutKind::structure;
    else if (layout.block < layout.gap)
      layout.gap = layout.block;
  }
  if (layout.kind == LayoutKind::structure || layout.kind == LayoutKind::bottom)
    layout.block = random.chance(30) ? elements - random.below(std::min<size_t>(elements, 9))
                                     : 1 + random.below(elements - 1);
  return layout;
}

std::vector<Touch> choose_touches(Random& random, bool received) {
  std::vector<Touch> touches;
  int wanted = random.pick<int>({0, 1, 1, 1, 2});
  if (!received && random.chance(20)) wanted = 0;
  for (int i = 0; i < wanted; ++i) {
    auto from = [&](Touch low, Touch high) {
      return static_cast<Touch>(random.between(static_cast<uint64_t>(low), static_cast<uint64_t>(high)));
    };
    bool write = random.chance(received ? 30 : 75);
    Touch touch = write ? from(Touch::write_ascending, Touch::from_socket)
                        : from(Touch::ascending, Touch::gather_write);
    if (random.chance(2)) touch = random.chance(70) ? Touch::fork_child : Touch::spawn;
    touches.push_back(touch);
  }
  return touches;
}

Release choose_release(Random& random, Home home) {
  if (home == Home::temp_heap)
    return random.pick<Release>(
        {Release::free_now, Release::free_now, Release::resize, Release::shrink, Release::hold});
  return random.pick<Release>(
      {Release::free_now, Release::move, Release::over, Release::discard, Release::shrink, Release::hold});
}

SendCall choose_send(Random& random, size_t bytes, bool blocking_only, bool ready, bool buffered) {
  using S = SendCall;
  if (ready && random.chance(40)) return random.chance(50) && !blocking_only ? S::irsend : S::rsend;
  if (buffered && bytes <= 96 * 1024 && random.chance(15))
    return blocking_only ? S::bsend : random.pick<S>({S::bsend, S::ibsend, S::binit});
  if (blocking_only)
    return random.pick<S>({S::send, S::send, S::send, S::send, S::ssend, S::isend, S::issend,
                           S::sendrecv_null, S::init, S::sinit, S::send_c, S::isend_c});
  return random.pick<S>(
      {S::send, S::send, S::isend, S::isend, S::isend, S::issend, S::init, S::sinit, S::isend_c});
}

RecvCall choose_recv(Random& random, bool posted) {
  using R = RecvCall;
  if (posted) return random.pick<R>({R::irecv, R::irecv, R::irecv, R::irecv, R::init, R::irecv_c});
  return random.pick<R>({R::recv, R::recv, R::recv, R::recv, R::recv, R::irecv, R::irecv, R::sendrecv_null,
                         R::init, R::probe, R::iprobe, R::mprobe, R::improbe, R::mprobe_imrecv, R::recv_c,
                         R::irecv_c});
}

}  // namespace lapwing::fuzz
