// SPDX-License-Identifier: Apache-2.0
// The view of the process' TCP connections, over loopback.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <vector>

#include "transfer/windows/connections.hpp"

namespace {

using lapwing::transfer::Connections;

// Two ends of one connection, both in this process.
class Pair {
 public:
  Pair()
      : listener_(socket(AF_INET, SOCK_STREAM, 0)), writer(socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0)) {
    sockaddr_in address{};
    socklen_t length = sizeof address;
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const auto at = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(bind(listener_, at, sizeof address), 0);
    EXPECT_EQ(listen(listener_, 1), 0);
    EXPECT_EQ(getsockname(listener_, at, &length), 0);
    (void)connect(writer, at, sizeof address);
    reader = accept(listener_, nullptr, nullptr);
    EXPECT_GE(reader, 0);
    close(listener_);
  }
  ~Pair() {
    close(writer);
    close(reader);
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;
  // Until the connection takes no more.
  std::size_t fill() const {
    const std::vector<char> bytes(1 << 16);
    std::size_t sum = 0;
    for (ssize_t sent = 0; (sent = write(writer, bytes.data(), bytes.size())) > 0;)
      sum += static_cast<std::size_t>(sent);
    return sum;
  }
  void take(std::size_t bytes) const {
    std::vector<char> some(1 << 16);
    while (bytes > 0) {
      const ssize_t got = read(reader, some.data(), std::min(bytes, some.size()));
      ASSERT_GT(got, 0);
      bytes -= static_cast<std::size_t>(got);
    }
  }

 private:
  int listener_;

 public:
  int writer, reader = -1;
};

bool alarmed(const Connections& connections, int milliseconds) {
  pollfd alarm{connections.descriptor(), POLLIN, 0};
  return poll(&alarm, 1, milliseconds) > 0;
}

// A connection that is found begins with room: there may have been none before.
void find(Connections& connections) {
  connections.scan();
  EXPECT_TRUE(connections.has_room());
  EXPECT_FALSE(connections.has_room());
}

TEST(Connections, AreFoundOnceAndForgottenWhenClosed) {
  Connections connections;
  {
    const Pair pair;
    connections.scan();
    connections.scan();
    EXPECT_EQ(connections.count(), 2u);
  }
  const Pair other;  // takes the same descriptors
  connections.scan();
  EXPECT_EQ(connections.count(), 2u);
  EXPECT_EQ(write(other.writer, "x", 1), 1);
  pollfd arrives{other.reader, POLLIN, 0};
  EXPECT_EQ(poll(&arrives, 1, 5000), 1);
  EXPECT_TRUE(connections.readable());
}

TEST(Connections, TheAlarmReportsAnArrivalOnce) {
  const Pair pair;
  Connections connections;
  find(connections);
  connections.arm();
  EXPECT_FALSE(alarmed(connections, 0));
  EXPECT_FALSE(connections.readable());
  EXPECT_EQ(write(pair.writer, "x", 1), 1);
  EXPECT_TRUE(alarmed(connections, 5000));
  EXPECT_TRUE(connections.readable());
  connections.arm();
  EXPECT_TRUE(alarmed(connections, 5000));  // still unread
  pair.take(1);
  EXPECT_FALSE(connections.readable());
  connections.arm();
  EXPECT_FALSE(alarmed(connections, 20));
}

TEST(Connections, AFullConnectionThatHasRoomAgainIsReported) {
  const Pair pair;
  Connections connections;
  find(connections);
  const std::size_t bytes = pair.fill();
  ASSERT_TRUE(connections.readable());  // the other end's
  EXPECT_FALSE(connections.has_room());
  pair.take(bytes);
  connections.arm();
  EXPECT_TRUE(alarmed(connections, 5000));
  EXPECT_TRUE(connections.has_room());
  EXPECT_FALSE(connections.has_room());
}

TEST(Connections, AreLeftAloneWhereLooksTakeNothing) {
  const Pair pair;
  Connections connections;
  find(connections);
  EXPECT_EQ(write(pair.writer, "xyz", 3), 3);
  pollfd arrives{pair.reader, POLLIN, 0};
  ASSERT_EQ(poll(&arrives, 1, 5000), 1);
  int looks = 0;
  for (; looks < 100 && connections.readable(); ++looks) connections.note_looked();
  EXPECT_GT(looks, 10);
  EXPECT_LT(looks, 100);
  connections.scan();
  EXPECT_FALSE(connections.readable());
}

TEST(Connections, AreNotLeftAloneWhereEachLookTakesSome) {
  const Pair pair;
  Connections connections;
  find(connections);
  EXPECT_EQ(write(pair.writer, std::vector<char>(200).data(), 200), 200);
  pollfd arrives{pair.reader, POLLIN, 0};
  ASSERT_EQ(poll(&arrives, 1, 5000), 1);
  for (int look = 0; look < 100; ++look) {
    ASSERT_TRUE(connections.readable());
    pair.take(1);
    connections.note_looked();
  }
  EXPECT_TRUE(connections.readable());
}

}  // namespace
