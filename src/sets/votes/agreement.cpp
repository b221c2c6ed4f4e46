// SPDX-License-Identifier: Apache-2.0
#include "sets/votes/agreement.hpp"

#include <fmt/format.h>

#include <cstring>

#include "sets/check/kinds.hpp"
#include "sets/messages.hpp"
#include "sets/report/report.hpp"

namespace lapwing::sets {

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = (a ^ (b + 0x9e3779b97f4a7c15u + (a << 6) + (a >> 2))) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 29)) * 0x94d049bb133111ebu;
  return (x ^ (x >> 32)) | 1;
}

void Signature::say(Field f, std::uint64_t value) {
  if (value == 0 || value == ~std::uint64_t{0}) return;
  if (field[f] == 0) {
    field[f] = value;
  } else if (field[f] != value) {
    wrong |= 1u << f;
  }
}

void Signature::combine(const Signature& other) {
  for (int f = 0; f < fields; ++f) say(static_cast<Field>(f), other.field[static_cast<std::size_t>(f)]);
  wrong |= other.wrong;
}

Circle::Circle(std::uint64_t circle_id, std::vector<int> who, int where)
    : id(circle_id), members(std::move(who)), me(where) {
  while ((1 << rounds_) < size()) ++rounds_;
}

int Circle::from(int round) const {
  const int n = size();
  return (me - (1 << round) % n + n) % n;
}

void Circle::send(std::uint64_t call, const Opened& opened) const {
  const RoundMessage message{id, call, opened.round, 0, opened.combined};
  const int to = (me + (1 << opened.round)) % size();
  Messages::send(members[static_cast<std::size_t>(to)], round_kind, &message, sizeof message);
}

std::uint64_t Circle::open(const Signature& signature, const Told& told, const Blocks& blocks) {
  const std::uint64_t call = calls_++;
  Opened& opened = opened_[call];
  opened.combined = signature;
  opened.told = told;
  opened.expected = blocks.expected;
  for (const std::uint64_t value : blocks.expected) opened.missing += value != 0;
  for (Amount amount : blocks.outgoing) {
    amount.circle = id;
    amount.call = call;
    amount.from = me;
    Messages::send(members[static_cast<std::size_t>(amount.to)], amount_kind, &amount, sizeof amount);
  }
  if (rounds_ > 0) send(call, opened);
  opened.done = rounds_ == 0;
  if (opened.done && signature.wrong) note_mismatch(*this, call);
  advance(call, opened);
  const auto [from, to] = early_amounts_.equal_range(call);
  for (auto amount = from; amount != to; ++amount) compare(call, opened, amount->second);
  early_amounts_.erase(from, to);
  return call;
}

void Circle::next_round(std::uint64_t call, Opened& opened) {
  if (++opened.round < rounds_) {
    send(call, opened);
    return;
  }
  opened.done = true;
  if (opened.combined.wrong) note_mismatch(*this, call);
}

void Circle::advance(std::uint64_t call, Opened& opened) {
  while (!opened.done && !early_.empty()) {
    const auto found = early_.find({call, opened.round});
    if (found == early_.end()) return;
    opened.combined.combine(found->second);
    early_.erase(found);
    next_round(call, opened);
  }
}

Opened* Circle::find(std::uint64_t call) {
  const auto found = opened_.find(call);
  return found == opened_.end() ? nullptr : &found->second;
}

void Circle::close(std::uint64_t call) { opened_.erase(call); }

void Circle::take(const RoundMessage& message) {
  Opened* opened = find(message.call);
  if (!opened || opened->done || opened->round != message.round) {
    early_[{message.call, message.round}] = message.signature;
    return;
  }
  opened->combined.combine(message.signature);
  next_round(message.call, *opened);
  advance(message.call, *opened);
}

void Circle::take(const Amount& amount) {
  if (Opened* opened = find(amount.call)) {
    compare(amount.call, *opened, amount);
  } else if (amount.call >= calls_) {
    early_amounts_.emplace(amount.call, amount);
  }
}

void Circle::compare(std::uint64_t call, Opened& opened, const Amount& amount) {
  const auto from = static_cast<std::size_t>(amount.from);
  // A process that calls something else expects nothing: the signature tells that.
  if (from >= opened.expected.size() || opened.expected[from] == 0) return;
  const std::uint64_t expected = opened.expected[from];
  opened.expected[from] = 0;
  --opened.missing;
  const std::uint64_t any = ~std::uint64_t{0};
  if (amount.value != expected && amount.value != any && expected != any)
    note_wrong_amount(*this, call, amount);
}

bool Circle::has_sent(std::uint64_t call, int round) const {
  if (call >= calls_) return false;
  const auto found = opened_.find(call);
  return found == opened_.end() || found->second.done || found->second.round >= round;
}

std::string Circle::described() const {
  if (!name.empty()) return name;
  return fmt::format("the {} made by {} at {}", kind_made(maker.operation), maker.name, site_text(maker));
}

void Circles::start() {
  Messages::on(round_kind, [](int, const char* data, std::size_t size) {
    RoundMessage message;
    if (size != sizeof message) return;
    std::memcpy(&message, data, sizeof message);
    if (Circle* circle = by_id(message.circle)) {
      circle->take(message);
    } else {
      strays_[message.circle].push_back(message);
    }
  });
  Messages::on(amount_kind, [](int, const char* data, std::size_t size) {
    Amount amount;
    if (size != sizeof amount) return;
    std::memcpy(&amount, data, sizeof amount);
    if (Circle* circle = by_id(amount.circle)) {
      circle->take(amount);
    } else {
      stray_amounts_[amount.circle].push_back(amount);
    }
  });
}

Circle* Circles::add(std::uint64_t id, std::vector<int> members, int me) {
  Circle*& circle = by_id_[id];
  if (circle) return circle;
  circle = new Circle(id, std::move(members), me);
  if (const auto found = strays_.find(id); found != strays_.end()) {
    const std::vector<RoundMessage> messages = std::move(found->second);
    strays_.erase(found);
    for (const RoundMessage& message : messages) circle->take(message);
  }
  if (const auto found = stray_amounts_.find(id); found != stray_amounts_.end()) {
    const std::vector<Amount> amounts = std::move(found->second);
    stray_amounts_.erase(found);
    for (const Amount& amount : amounts) circle->take(amount);
  }
  return circle;
}

Circle* Circles::by_id(std::uint64_t id) {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second;
}

std::uint64_t Circles::key(const void* handle, std::size_t size) {
  // Handles of different kinds never share a value that both maps would hold:
  // integers in MPICH carry their kind, and pointers are to different objects.
  std::uint64_t value = 0;
  std::memcpy(&value, handle, size);
  return value;
}

Circle* Circles::look_up(std::uint64_t key) {
  const auto found = bound_.find(key);
  if (found == bound_.end()) return nullptr;
  last_key_ = key;
  last_ = found->second;
  return last_;
}

}  // namespace lapwing::sets
