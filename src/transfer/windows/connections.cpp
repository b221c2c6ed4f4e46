// SPDX-License-Identifier: Apache-2.0
#include "transfer/windows/connections.hpp"

#include <dirent.h>
#include <linux/sockios.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace lapwing::transfer {
namespace {

template <typename Value>
bool option(int socket, int level, int name, Value* value) {
  socklen_t length = sizeof *value;
  return getsockopt(socket, level, name, value, &length) == 0;
}

bool is_tcp(int descriptor) {
  int domain = 0, type = 0, protocol = 0;
  return option(descriptor, SOL_SOCKET, SO_DOMAIN, &domain) && (domain == AF_INET || domain == AF_INET6) &&
         option(descriptor, SOL_SOCKET, SO_TYPE, &type) && type == SOCK_STREAM &&
         option(descriptor, SOL_SOCKET, SO_PROTOCOL, &protocol) && protocol == IPPROTO_TCP;
}

bool listens(int socket) {
  int answer = 0;
  return option(socket, SOL_SOCKET, SO_ACCEPTCONN, &answer) && answer != 0;
}

// Bytes that a thread of this process has read so far.
std::uint64_t bytes_taken(int socket) {
  tcp_info info{};
  int unread = 0;
  if (!option(socket, IPPROTO_TCP, TCP_INFO, &info) || ioctl(socket, FIONREAD, &unread) != 0) return 0;
  return info.tcpi_bytes_received - static_cast<std::uint64_t>(unread);
}

// Bytes that a thread of this process has written so far.
std::uint64_t bytes_given(int socket) {
  tcp_info info{};
  int waiting = 0;
  if (!option(socket, IPPROTO_TCP, TCP_INFO, &info) || ioctl(socket, SIOCOUTQ, &waiting) != 0) return 0;
  return info.tcpi_bytes_acked + static_cast<std::uint64_t>(waiting);
}

bool change(int set, int operation, int descriptor, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = descriptor;
  return epoll_ctl(set, operation, descriptor, &event) == 0;
}

}  // namespace

Connections::Connections()
    : incoming_(epoll_create1(EPOLL_CLOEXEC)),
      outgoing_(epoll_create1(EPOLL_CLOEXEC)),
      alarm_(epoll_create1(EPOLL_CLOEXEC)) {
  if (change(alarm_, EPOLL_CTL_ADD, incoming_, 0) && change(alarm_, EPOLL_CTL_ADD, outgoing_, 0)) return;
  if (alarm_ >= 0) close(alarm_);
  alarm_ = -1;
}

Connections::~Connections() {
  for (const int descriptor : {alarm_, outgoing_, incoming_})
    if (descriptor >= 0) close(descriptor);
}

void Connections::arm() {
  change(alarm_, EPOLL_CTL_MOD, incoming_, EPOLLIN | EPOLLONESHOT);
  change(alarm_, EPOLL_CTL_MOD, outgoing_, EPOLLIN | EPOLLONESHOT);
}

// The kernel silences a set in alarm_ when it reports it, and a poll() of alarm_ is no report.
void Connections::silence() {
  epoll_event events[2];
  while (epoll_wait(alarm_, events, 2, 0) > 0) {
  }
}

void Connections::scan() {
  DIR* const directory = opendir("/proc/self/fd");
  if (!directory) return;
  while (const dirent* entry = readdir(directory)) {
    char* end = nullptr;
    const long number = std::strtol(entry->d_name, &end, 10);
    const int descriptor = static_cast<int>(number);
    struct stat file {};
    if (end == entry->d_name || *end != 0 || fstat(descriptor, &file) != 0 || !S_ISSOCK(file.st_mode))
      continue;
    const auto known = known_.find(descriptor);
    if (known != known_.end() && known->second.inode == file.st_ino) continue;
    if (known != known_.end()) known_.erase(known);  // closed, and thereby out of the set
    if (!is_tcp(descriptor)) continue;
    if (!change(incoming_, EPOLL_CTL_ADD, descriptor, EPOLLIN)) continue;
    Connection connection;
    connection.inode = file.st_ino;
    connection.listens = listens(descriptor);
    if (!connection.listens) change(outgoing_, EPOLL_CTL_ADD, descriptor, EPOLLOUT | EPOLLET);
    known_.emplace(descriptor, connection);
  }
  closedir(directory);
}

bool Connections::readable() {
  epoll_event events[at_once];
  const int found = epoll_wait(incoming_, events, at_once, 0);
  for (int i = 0; i < found; ++i) known_[events[i].data.fd].was_readable = true;
  return found > 0;
}

bool Connections::has_room() {
  for (auto& [socket, connection] : known_) connection.got_room = false;
  epoll_event events[at_once];
  const int found = epoll_wait(outgoing_, events, at_once, 0);
  for (int i = 0; i < found; ++i) known_[events[i].data.fd].got_room = true;
  return found > 0;
}

bool Connections::still_has_room() const {
  return std::any_of(known_.begin(), known_.end(), [](const auto& each) {
    pollfd room{each.first, POLLOUT, 0};
    return each.second.got_room && poll(&room, 1, 0) > 0 && (room.revents & POLLOUT);
  });
}

Connections::Traffic Connections::traffic() const {
  Traffic sum;
  for (const auto& [socket, connection] : known_) {
    if (connection.listens) continue;
    sum.taken += bytes_taken(socket);
    sum.given += bytes_given(socket);
  }
  return sum;
}

void Connections::note_looked() {
  for (auto& [socket, connection] : known_) {
    if (!std::exchange(connection.was_readable, false)) continue;
    const std::uint64_t taken = bytes_taken(socket);
    pollfd still{socket, POLLIN, 0};
    const bool in_vain = taken == std::exchange(connection.taken, taken) && poll(&still, 1, 0) > 0;
    connection.in_vain = in_vain ? connection.in_vain + 1 : 0;
    if (connection.in_vain == looks_until_foreign) change(incoming_, EPOLL_CTL_DEL, socket, 0);
  }
}

}  // namespace lapwing::transfer
