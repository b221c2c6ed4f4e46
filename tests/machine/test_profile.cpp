// SPDX-License-Identifier: Apache-2.0
// The file of records: what is kept, what holds where, and files that are no profiles.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <sstream>

#include "costs_support.hpp"
#include "machine/profile.hpp"

namespace lapwing::machine {
namespace {

const Machine node7{"node07.cluster.example", "Processor \"X\"", "6.1.0", 8};

Measured record_of(Link link, const std::string& mpi, double gap) {
  return {{link, node7, mpi, "default"}, "2026-11-26", link_of(gap, 0.3)};
}

Profile two_records() {
  Profile profile;
  profile.keep(record_of(Link::node, "MPICH 4.0.2", 0.15));
  profile.keep(record_of(Link::network, "MPICH 4.0.2", 8.5));
  return profile;
}

std::string path_of(const char* name) {
  return testing::TempDir() + "lapwing-" + name + "-" + std::to_string(getpid());
}

std::string complaint_about(const std::string& text) {
  Profile profile = two_records();
  std::string why;
  EXPECT_FALSE(parse_profile(text, &profile, &why)) << text;
  EXPECT_EQ(profile.records.size(), 2u) << "what was there before stays";
  EXPECT_NE(why.find("lapwing tune"), std::string::npos) << why;
  return why;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Profile, ReadsWhatItWrites) {
  const std::string path = path_of("profile");
  std::string why;
  ASSERT_TRUE(write_profile(path, two_records(), &why)) << why;
  Profile read;
  ASSERT_TRUE(read_profile(path, &read, &why)) << why;
  ASSERT_EQ(read.records.size(), 2u);
  const Profile written = two_records();
  const Measured &wrote = written.records[1], &got = read.records[1];
  EXPECT_EQ(got.key.link, Link::network);
  EXPECT_EQ(got.key.machine.cpu, node7.cpu);
  EXPECT_EQ(got.key.machine.cores, 8);
  EXPECT_EQ(got.date, wrote.date);
  EXPECT_DOUBLE_EQ(got.costs.gap_ns_per_byte, 8.5);
  EXPECT_DOUBLE_EQ(got.costs.mprotect.fault_us, wrote.costs.mprotect.fault_us);
  EXPECT_EQ(as_json(read), as_json(two_records()));
  std::remove(path.c_str());
}

TEST(Profile, KeepsOneRecordOfEachKey) {
  Profile profile = two_records();
  profile.keep(record_of(Link::network, "Open MPI v4.1.4", 9));
  EXPECT_EQ(profile.records.size(), 3u);
  Measured sibling = record_of(Link::network, "MPICH 4.0.2", 4);
  sibling.key.machine.host = "node12";
  profile.keep(sibling);
  EXPECT_EQ(profile.records.size(), 3u);
  std::string why;
  const Measured* found = profile.find({Link::network, node7, "MPICH 4.0.2", "default"}, &why);
  ASSERT_NE(found, nullptr) << why;
  EXPECT_DOUBLE_EQ(found->costs.gap_ns_per_byte, 4);
}

TEST(Profile, HoldsOnlyWhereItWasMeasured) {
  const Profile profile = two_records();
  const Key here{Link::network, node7, "MPICH 4.0.2", "default"};
  const auto refused = [&](Key other) {
    std::string why;
    EXPECT_EQ(profile.find(other, &why), nullptr);
    return why;
  };
  Key other = here;
  other.machine.host = "laptop";
  EXPECT_NE(refused(other).find("another host (node07"), std::string::npos) << refused(other);
  other = here;
  other.machine.cpu = "Y";
  EXPECT_NE(refused(other).find("another processor"), std::string::npos);
  other = here;
  other.machine.kernel = "6.18";
  EXPECT_NE(refused(other).find("another kernel (6.1.0; here: 6.18)"), std::string::npos);
  other = here;
  other.machine.cores = 4;
  EXPECT_NE(refused(other).find("number of cores (8; here: 4)"), std::string::npos);
  other = here;
  other.mpi = "Open MPI v4.1.4";
  EXPECT_NE(refused(other).find("another MPI (MPICH 4.0.2"), std::string::npos);
  other = here;
  other.transport = "UCX_TLS=tcp";
  EXPECT_NE(refused(other).find("another transport (default"), std::string::npos);
  // Without a record of that link nothing is wrong.
  std::string why;
  EXPECT_EQ(Profile{}.find(here, &why), nullptr);
  EXPECT_TRUE(why.empty());
}

TEST(Profile, NodesOfAClusterAreOfOneKind) {
  EXPECT_EQ(kind_of_host("node017.example.org"), "node");
  EXPECT_EQ(kind_of_host("node3"), "node");
  EXPECT_EQ(kind_of_host("rack2-node"), "rack2-node");
  EXPECT_EQ(kind_of_host("12"), "12");
  const Machine here = this_machine();
  EXPECT_FALSE(here.cpu.empty());
  EXPECT_GT(here.cores, 0);
  EXPECT_TRUE(difference(here, this_machine()).empty());
}

TEST(Profile, RefusesFilesThatAreCutOff) {
  const std::string text = as_json(two_records());
  Profile read;
  std::string why;
  for (std::size_t length = 0; length + 2 < text.size(); ++length)
    ASSERT_FALSE(parse_profile(text.substr(0, length), &read, &why)) << length;
  EXPECT_NE(complaint_about("").find("cut off"), std::string::npos);
}

TEST(Profile, RefusesOtherFiles) {
  complaint_about("no json at all");
  complaint_about("{}");
  complaint_about("[1, 2]");
  // As versions before wrote it.
  EXPECT_NE(complaint_about(R"({"mpi": "mpich", "overhead_us": 6.0, "round_trip_us": 15.0})")
                .find("another version"),
            std::string::npos);
  const std::string text = as_json(two_records());
  EXPECT_NE(complaint_about(replaced(text, "\"gap_us\"", "\"gasp_us\"")).find("\"gap_us\""),
            std::string::npos);
  EXPECT_NE(complaint_about(replaced(text, "\"gap_us\"", "\"lag_us\": 3, \"gap_us\"")).find("\"lag_us\""),
            std::string::npos);
  EXPECT_NE(complaint_about(replaced(text, "\"fault_us\"", "\"speed\": 3, \"fault_us\"")).find("\"speed\""),
            std::string::npos);
  complaint_about(replaced(text, "\"records\"", "\"comment\": \"\", \"records\""));
  complaint_about(replaced(text, "\"gap_us\"", "\"gap_us\": 2, \"gap_us\""));
  complaint_about(replaced(text, "\"gap_us\": 2", "\"gap_us\": -2"));
  complaint_about(replaced(text, "\"gap_us\": 2", "\"gap_us\": 1e400"));
  complaint_about(replaced(text, "\"gap_us\": 2", "\"gap_us\": \"2\""));
  complaint_about(replaced(text, "\"cores\": 8", "\"cores\": -8"));
  complaint_about(replaced(text, "same node", "moon"));
  complaint_about(std::string(100000, '['));
}

TEST(Profile, SaysWhatCannotBeReadOrWritten) {
  Profile profile;
  std::string why;
  EXPECT_FALSE(read_profile("/nonexistent/profile", &profile, &why));
  EXPECT_NE(why.find("/nonexistent/profile cannot be read: No such file"), std::string::npos) << why;
  EXPECT_FALSE(read_profile("/", &profile, &why));
  EXPECT_NE(why.find("cannot be read"), std::string::npos) << why;
  EXPECT_FALSE(write_profile("/nonexistent/profile", two_records(), &why));
  EXPECT_NE(why.find("No such file"), std::string::npos) << why;
  EXPECT_FALSE(write_profile("/dev/full", two_records(), &why));
  EXPECT_NE(why.find("No space left"), std::string::npos) << why;
}

TEST(Profile, IsReplacedAsAWhole) {
  const std::string path = path_of("replaced");
  std::string why;
  ASSERT_TRUE(write_profile(path, two_records(), &why)) << why;
  Profile one;
  one.keep(record_of(Link::node, "MPICH 4.0.2", 0.1));
  ASSERT_TRUE(write_profile(path, one, &why)) << why;
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), as_json(one));
  std::remove(path.c_str());
}

TEST(Profile, OneRecordIsOneLine) {
  const std::string line = as_json(two_records().records[0]);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  Measured read;
  std::string why;
  ASSERT_TRUE(parse_record(line, &read, &why)) << why;
  EXPECT_EQ(as_json(read), line);
  EXPECT_FALSE(parse_record("{\"link\": \"same node\"}", &read, &why));
}

}  // namespace
}  // namespace lapwing::machine
