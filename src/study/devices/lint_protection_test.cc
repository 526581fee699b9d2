// Protection that a plan relies on, and interfaces that lines are for: what configurations lack of them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "study/devices/key_lines.h"
#include "study/devices/reference.h"
#include "study/devices/test_network.h"

namespace weft::study::devices {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::string_view kProtected = R"([fabric]
family = "rocev2"
[topology]
kind = "leaf-spine"
hosts = 2
hosts_per_leaf = 1
spines = 2
[control]
kind = "bgp"
bfd = true
bfd_interval = "100 ms"
bfd_multiplier = 4
[keys]
bgp_password = true
bgp_ttl_security = true
[[traffic]]
kind = "permutation"
)";

constexpr std::string_view kTwoNics = R"([fabric]
family = "rocev2"
nic = "connectx-7"
[topology]
kind = "rail-optimised"
hosts = 2
nics_per_host = 2
hosts_per_leaf = 2
[[traffic]]
kind = "permutation"
)";

constexpr std::string_view kPartitioned = R"([fabric]
family = "infiniband"
[topology]
kind = "leaf-spine"
hosts = 6
hosts_per_leaf = 3
spines = 2
[keys]
partitions = "per-job"
m_key = true
cc_key = true
switch_enforcement = true
[[job]]
name = "a"
gpus = 3
[[job]]
name = "b"
gpus = 2
placement = "listed"
places = ["host4/gpu0", "host5/gpu0"]
[[traffic]]
kind = "permutation"
job = "a"
[[traffic]]
kind = "permutation"
job = "b"
)";

/// The devices of a plan in one syntax, and what lint says of one of them with another text.
class Emission {
 public:
  Emission(std::string_view scenario, Syntax syntax)
      : network_(scenario),
        devices_(network_.described(syntax)),
        reference_(Reference::of_plan(network_.plan(), devices_).value()) {}

  [[nodiscard]] std::string text(const std::string& name) const { return config_text(device(name)); }

  [[nodiscard]] std::string lint_of(const std::string& name, const std::string& text) const {
    const auto read = read_config({.text = text, .name = file_name_of(device(name))});
    return read ? shown(lint_against(reference_, {*read})) : "error: " + read.error().message;
  }
  [[nodiscard]] std::string replaced(const std::string& name, std::string_view before, std::string_view after) const {
    return lint_of(name, with(text(name), before, after));
  }

  /// All devices without the plan, one with another text.
  [[nodiscard]] std::string without_plan(const std::string& name, const std::string& text) const {
    std::vector<DeviceConfig> read;
    for (const DeviceConfig& one : devices_) {
      const std::string own = one.name == name ? text : config_text(one);
      read.push_back(read_config({.text = own, .name = file_name_of(one)}).value());
    }
    return shown(lint(read, nullptr).value());
  }

  static std::string shown(const std::vector<Finding>& findings) {
    std::string text;
    for (const Finding& one : findings) {
      text += one.rule + " | " + one.place + " | " + one.what + " | " + one.right + "\n";
    }
    return text;
  }

 private:
  [[nodiscard]] const DeviceConfig& device(const std::string& name) const {
    return *std::ranges::find(devices_, name, &DeviceConfig::name);
  }

  TestNetwork network_;
  std::vector<DeviceConfig> devices_;
  Reference reference_;
};

std::vector<std::string> all_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    lines.push_back(text.substr(at, end - at + 1));
    at = end + 1;
  }
  return lines;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += line;
  }
  return text;
}

std::string every(std::string text, std::string_view before, std::string_view after) {
  for (std::size_t at = 0; (at = text.find(before, at)) != std::string::npos; at += after.size()) {
    text.replace(at, before.size(), after);
  }
  return text;
}

TEST(EmittedProtection, HasTheLineOfEachSyntax) {
  const std::string eos = Emission(kProtected, Syntax::kEos).text("leaf0");
  EXPECT_THAT(eos, HasSubstr(" password CHANGE-ME\n"));
  EXPECT_THAT(eos, HasSubstr(" ttl maximum-hops 1\n"));
  EXPECT_THAT(eos, HasSubstr(" bfd interval 100 min-rx 100 multiplier 4\n"));
  EXPECT_THAT(eos, HasSubstr("! CHANGE-ME is a placeholder"));
  const std::string nvue = Emission(kProtected, Syntax::kNvue).text("leaf0");
  for (const char* line : {" password CHANGE-ME\n", " ttl-security enable on\n", " ttl-security hops 1\n",
                           " bfd min-tx-interval 100\n", " bfd min-rx-interval 100\n", " bfd detect-multiplier 4\n"}) {
    EXPECT_THAT(nvue, HasSubstr(line));
  }
  const std::string sonic = Emission(kProtected, Syntax::kSonic).text("leaf0");
  for (const char* field :
       {"\"auth_password\": \"CHANGE-ME\"", "\"ttl_security_hops\": \"1\"", "\"desired_minimum_tx_interval\": \"100\"",
        "\"required_minimum_receive\": \"100\"", "\"detection_multiplier\": \"4\""}) {
    EXPECT_THAT(sonic, HasSubstr(field));
  }
}

TEST(EmittedProtection, IsNotThereWhereThePlanHasNone) {
  for (const Syntax syntax : {Syntax::kEos, Syntax::kNvue, Syntax::kSonic}) {
    const std::string text = Emission(kRoce, syntax).text("leaf0");
    EXPECT_THAT(text, Not(HasSubstr("password")));
    EXPECT_THAT(text, Not(HasSubstr("ttl")));
    EXPECT_THAT(text, Not(HasSubstr("multiplier")));
  }
}

TEST(EmittedProtection, IsReadBackWithoutAFinding) {
  for (const Syntax syntax : {Syntax::kEos, Syntax::kNvue, Syntax::kSonic}) {
    const Emission emitted(kProtected, syntax);
    EXPECT_THAT(emitted.lint_of("leaf0", emitted.text("leaf0")), IsEmpty());
    EXPECT_THAT(emitted.without_plan("leaf0", emitted.text("leaf0")), IsEmpty());
    EXPECT_THAT(emitted.lint_of("leaf0", every(emitted.text("leaf0"), "CHANGE-ME", "hunter2")), IsEmpty());
  }
}

TEST(EmittedProtection, TimersOfBfdAreWithinWhatTheDeviceTakes) {
  const TestNetwork network(
      with(std::string(kProtected), "\"100 ms\"\nbfd_multiplier = 4", "\"1 ms\"\nbfd_multiplier = 200"));
  const Described eos = describe_switches(network.scenario, network.graph, Syntax::kEos).value();
  EXPECT_EQ(eos.devices[0].bridge.neighbours[0].bfd_interval, 50U);
  EXPECT_EQ(eos.devices[0].bridge.neighbours[0].bfd_multiplier, 50U);
  EXPECT_THAT(eos.rounded, testing::Contains("control.bfd_interval: 1 ms is outside of what the device takes, 50 to "
                                             "60000 ms, and is written as 50 ms"));
  const Described sonic = describe_switches(network.scenario, network.graph, Syntax::kSonic).value();
  EXPECT_EQ(sonic.devices[0].bridge.neighbours[0].bfd_multiplier, 200U);
}

TEST(LintProtection, FindsSessionsWithoutAPasswordAndWhatThatExposes) {
  for (const auto& [syntax, line] :
       {std::pair(Syntax::kEos, " password CHANGE-ME"), std::pair(Syntax::kNvue, " password CHANGE-ME"),
        std::pair(Syntax::kSonic, "\"auth_password\": \"CHANGE-ME\",")}) {
    const Emission emitted(kProtected, syntax);
    const std::string none = every(emitted.text("leaf0"), line, syntax == Syntax::kSonic ? "" : " description x");
    for (const std::string& found : {emitted.lint_of("leaf0", none), emitted.without_plan("leaf0", none)}) {
      EXPECT_THAT(found, HasSubstr("bgp-password | leaf0."));
      EXPECT_THAT(found, HasSubstr("no password | one, as "));
      EXPECT_THAT(found, HasSubstr("can reset the session"));
    }
    EXPECT_THAT(emitted.lint_of("leaf0", none), HasSubstr(" and 1 more: no password"));
  }
}

TEST(LintProtection, FindsPasswordsThatDifferAtTheTwoEnds) {
  const Emission emitted(kProtected, Syntax::kEos);
  const std::string found =
      emitted.without_plan("leaf0", with(emitted.text("leaf0"), "password CHANGE-ME", "password x"));
  EXPECT_THAT(found, HasSubstr("another password than spine"));
  EXPECT_THAT(found, Not(HasSubstr("CHANGE-ME")));
  const std::string encrypted =
      emitted.without_plan("leaf0", with(emitted.text("leaf0"), "password CHANGE-ME", "password 7 0A1B2C"));
  EXPECT_THAT(encrypted, IsEmpty());
}

TEST(LintProtection, FindsTtlSecurityThatIsOffOrWider) {
  const Emission eos(kProtected, Syntax::kEos);
  EXPECT_THAT(eos.replaced("leaf0", "ttl maximum-hops 1", "description x"),
              HasSubstr("no TTL security | TTL security of 1 hop, as the plan has it: without it the session takes"));
  EXPECT_THAT(eos.replaced("leaf0", "ttl maximum-hops 1", "ttl maximum-hops 9"), HasSubstr("TTL security of 9 hops"));
  const Emission nvue(kProtected, Syntax::kNvue);
  EXPECT_THAT(nvue.replaced("leaf0", "ttl-security enable on", "ttl-security enable off"),
              HasSubstr("no TTL security"));
  const Emission sonic(kProtected, Syntax::kSonic);
  EXPECT_THAT(sonic.replaced("leaf0", "\"ttl_security_hops\": \"1\"", "\"ttl_security_hops\": \"3\""),
              HasSubstr("bgp-ttl-security"));
}

TEST(LintProtection, FindsTimersOfBfdThatAreNotThePlans) {
  const Emission eos(kProtected, Syntax::kEos);
  EXPECT_THAT(eos.replaced("leaf0", "bfd interval 100 min-rx 100 multiplier 4", "description x"),
              HasSubstr("BFD on with 300 ms x 3 | "));
  EXPECT_THAT(eos.replaced("leaf0", "min-rx 100", "min-rx 500"), HasSubstr("BFD on with 100 ms x 4, 500 ms at least"));
  EXPECT_THAT(eos.replaced("leaf0", "min-rx 100", "min-rx 5"), HasSubstr("error: leaf0.eos:"));
  const Emission nvue(kProtected, Syntax::kNvue);
  EXPECT_THAT(nvue.replaced("leaf0", "bfd detect-multiplier 4", "bfd detect-multiplier 9"), HasSubstr("100 ms x 9"));
  const Emission sonic(kProtected, Syntax::kSonic);
  EXPECT_THAT(sonic.replaced("leaf0", "\"detection_multiplier\": \"4\"", "\"detection_multiplier\": \"9\""),
              HasSubstr("100 ms x 9"));
}

TEST(LintProtection, MissesEveryLineOfASessionThatIsTakenAway) {
  for (const Syntax syntax : {Syntax::kEos, Syntax::kNvue}) {
    const Emission emitted(kProtected, syntax);
    const std::vector<std::string> lines = all_lines(emitted.text("leaf0"));
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const bool of_session = lines[i].find("neighbor ") != std::string::npos;
      const bool is_default = lines[i].find("out-delay 0") != std::string::npos ||
                              lines[i].find("route-advertisement 0") != std::string::npos;
      if (of_session && !is_default) {
        std::vector<std::string> left = lines;
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
        EXPECT_THAT(emitted.lint_of("leaf0", joined(left)), Not(IsEmpty())) << lines[i];
      }
    }
  }
}

TEST(EmittedManager, HasKeysAsPlaceholdersAndAPartitionPerJob) {
  const Emission emitted(kPartitioned, Syntax::kOpensm);
  const std::string conf = emitted.text("opensm");
  for (const char* line : {"m_key 0x0123456789abcdef\n", "m_key_protection_level 2\n", "m_key_lease_period 0\n",
                           "cc_key 0x0123456789abcdef\n", "congestion_control TRUE\n", "part_enforce both\n",
                           "# 0x0123456789abcdef is a placeholder"}) {
    EXPECT_THAT(conf, HasSubstr(line));
  }
  const std::string text = emitted.text("partitions");
  EXPECT_THAT(text, Not(HasSubstr("ALL=full")));
  const DeviceConfig read = read_config({.text = text, .name = "partitions.conf"}).value();
  ASSERT_EQ(read.manager.partitions.size(), 3U) << text;
  EXPECT_EQ(read.manager.partitions[0].p_key, 0x7fff);
  EXPECT_EQ(read.manager.partitions[1].members.size(), 3U);
  EXPECT_EQ(read.manager.partitions[2].members.size(), 2U);
  EXPECT_NE(read.manager.partitions[1].p_key, read.manager.partitions[2].p_key);
  for (const PartitionMember& member : read.manager.partitions[2].members) {
    EXPECT_TRUE(member.full);
    EXPECT_EQ(std::ranges::count(read.manager.partitions[1].members, member.who, &PartitionMember::who), 0);
  }
}

TEST(EmittedManager, IsReadBackWithoutAFinding) {
  const Emission emitted(kPartitioned, Syntax::kOpensm);
  for (const char* name : {"opensm", "partitions", "qos-policy"}) {
    EXPECT_THAT(emitted.lint_of(name, emitted.text(name)), IsEmpty()) << name;
  }
  EXPECT_THAT(emitted.lint_of("opensm", every(emitted.text("opensm"), "0x0123456789abcdef", "0x77")), IsEmpty());
}

TEST(LintManager, FindsKeysThatLackAndWhatThatExposes) {
  const Emission emitted(kPartitioned, Syntax::kOpensm);
  EXPECT_THAT(emitted.replaced("opensm", "\nm_key 0x0123456789abcdef", ""),
              HasSubstr("m-key | opensm.conf | m_key is not given | a key of your own, as the plan has it: without it "
                        "every host can set routes"));
  EXPECT_THAT(emitted.replaced("opensm", "\nm_key 0x0123456789abcdef", "\nm_key 0x0"), HasSubstr("m_key is 0x0"));
  EXPECT_THAT(emitted.replaced("opensm", "\nm_key 0x0123456789abcdef", "\nm_key KEY"), HasSubstr("m_key is KEY"));
  EXPECT_THAT(emitted.replaced("opensm", "protection_level 2", "protection_level 0"),
              HasSubstr("every host can read the key"));
  EXPECT_THAT(emitted.replaced("opensm", "protection_level 2", "protection_level 4"), HasSubstr("error: opensm.conf:"));
  EXPECT_THAT(emitted.replaced("opensm", "lease_period 0", "lease_period 60"), HasSubstr("after a lease"));
  EXPECT_THAT(emitted.replaced("opensm", "part_enforce both", "part_enforce off"),
              HasSubstr("switches pass packets of any partition"));
}

TEST(LintManager, FindsPartitionsThatLetJobsReachEachOther) {
  const Emission emitted(kPartitioned, Syntax::kOpensm);
  const std::string text = emitted.text("partitions");
  EXPECT_THAT(emitted.lint_of("partitions", with(text, "ALL=limited", "ALL=full")),
              HasSubstr("partitions | partitions.conf:3 | ALL=full in the default partition | ALL=limited"));
  const std::string open = emitted.lint_of("partitions", "Default=0x7fff, ipoib : ALL=full, SELF=full ;\n");
  EXPECT_THAT(open, HasSubstr("ALL=full in the default partition"));
  EXPECT_THAT(open, HasSubstr("| no partition 0x"));
  const DeviceConfig read = read_config({.text = text, .name = "x"}).value();
  const std::string a = read.manager.partitions[1].members[0].who;
  const std::string b = read.manager.partitions[2].members[0].who;
  const std::string both = emitted.lint_of("partitions", with(text, b + "=full", b + "=full,\n    " + a + "=full"));
  EXPECT_THAT(both, HasSubstr(a + " is in partition 0x"));
  EXPECT_THAT(both, HasSubstr("it reaches the hosts of that job"));
  EXPECT_THAT(emitted.lint_of("partitions", with(text, b + "=full", b + "=limited")), HasSubstr("a limited member"));
}

TEST(LintManager, CountsMembersWhereGuidsAreThoseOfRealHosts) {
  const Emission emitted(kPartitioned, Syntax::kOpensm);
  const std::string real = every(emitted.text("partitions"), "0x0002c9", "0x0c42a1");
  EXPECT_THAT(emitted.lint_of("partitions", real), IsEmpty());
  const DeviceConfig read = read_config({.text = real, .name = "x"}).value();
  const std::string a = read.manager.partitions[1].members[0].who;
  const std::string b = read.manager.partitions[2].members[0].who;
  EXPECT_THAT(emitted.lint_of("partitions", with(real, b, a)), HasSubstr("is in a second job's partition"));
  EXPECT_THAT(emitted.lint_of("partitions", with(real, b + "=full", b + "=full,\n    0x1=full")),
              HasSubstr("3 members of partition 0x"));
}

/// The plan kPartitioned with partitions of a file: hosts are limited members beside a full one, which all reach.
class FilePartitions {
 public:
  explicit FilePartitions(const std::string& full) {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "partitions.conf")
        << "Default=0x7fff : ALL=full, SELF=full ;\nstorage=0x80 : ALL_CAS, " << full << "=full ;\n";
  }
  FilePartitions(const FilePartitions&) = delete;
  FilePartitions& operator=(const FilePartitions&) = delete;
  ~FilePartitions() { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string scenario() const {
    return with(std::string(kPartitioned), "\"per-job\"",
                "\"file\"\npartition_file = \"" + (folder_ / "partitions.conf").string() + "\"");
  }

 private:
  std::filesystem::path folder_ =
      std::filesystem::path(testing::TempDir()) / ("weft_lint_partitions_" + std::to_string(getpid()));
};

/// The defect: lint asked for full members where the plan's file has limited ones, and passed full ones.
TEST(LintManager, LimitedMembersOfAPlansFileAreLimited) {
  const Emission jobs(kPartitioned, Syntax::kOpensm);
  const std::string guid =
      read_config({.text = jobs.text("partitions"), .name = "x"}).value().manager.partitions[2].members[0].who;
  for (const std::string& full : {guid, std::string("SELF")}) {
    const FilePartitions file(full);
    const Emission emitted(file.scenario(), Syntax::kOpensm);
    const std::string text = emitted.text("partitions");
    EXPECT_THAT(emitted.lint_of("partitions", text), IsEmpty()) << text;
    EXPECT_THAT(emitted.lint_of("partitions", every(text, "0x0002c9", "0x0c42a1")), IsEmpty()) << text;
    EXPECT_THAT(
        emitted.lint_of("partitions", with(text, "ALL_CAS=limited", "ALL_CAS=full")),
        HasSubstr("ALL_CAS is a full member of partition 0x0080 (storage) | ALL_CAS=limited, as the plan has it"));
    EXPECT_THAT(emitted.lint_of("partitions", with(text, "ALL_CAS=limited,", "")),
                HasSubstr("ALL_CAS is no member of partition 0x0080 (storage) | ALL_CAS=limited"));
    const std::size_t storage = text.find("storage");
    const std::string lesser = text.substr(0, storage) + with(text.substr(storage), full + "=full", full + "=limited");
    EXPECT_THAT(emitted.lint_of("partitions", lesser),
                HasSubstr(full + " is a limited member of partition 0x0080 (storage)"));
  }
}

TEST(LintManager, MissesEveryLineThatIsTakenAway) {
  const Emission emitted(kPartitioned, Syntax::kOpensm);
  for (const char* name : {"opensm", "partitions"}) {
    const std::vector<std::string> lines = all_lines(emitted.text(name));
    for (std::size_t i = 0; i < lines.size(); ++i) {
      std::vector<std::string> left = lines;
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
      if (!lines[i].starts_with('#')) {
        EXPECT_THAT(emitted.lint_of(name, joined(left)), Not(IsEmpty())) << name << " without " << lines[i];
      }
    }
  }
}

TEST(LintInterfaces, FindsAScriptThatWasCopiedForAnotherNic) {
  const Emission emitted(kTwoNics, Syntax::kNic);
  EXPECT_THAT(emitted.lint_of("host0/nic1", emitted.text("host0/nic1")), IsEmpty());
  const std::string copied = every(every(emitted.text("host0/nic1"), "eth1", "eth0"), "mlx5_1", "mlx5_0");
  const std::string found = emitted.lint_of("host0/nic1", copied);
  EXPECT_THAT(found, HasSubstr("nic-interface | host0-nic1.sh:3 | all "));
  EXPECT_THAT(found, HasSubstr(" are for eth0 | eth1, as the plan has it; it has no line\n"));
  EXPECT_THAT(found, HasSubstr(" are for mlx5_0 | mlx5_1, as the plan has it"));
  EXPECT_THAT(emitted.without_plan("host0/nic1", copied),
              HasSubstr("eth0 is configured here too | another: host0/nic0 has it (host0-nic0.sh)"));
}

TEST(LintInterfaces, FindsEveryLineForAnotherInterface) {
  const Emission emitted(kTwoNics, Syntax::kNic);
  const std::vector<std::string> lines = all_lines(emitted.text("host0/nic1"));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::vector<std::string> other = lines;
    other[i] = every(every(lines[i], "eth1", "eth0"), "mlx5_1", "mlx5_0");
    if (other[i] != lines[i]) {
      EXPECT_THAT(emitted.lint_of("host0/nic1", joined(other)), HasSubstr("nic-interface")) << lines[i];
      if (lines[i].find("mlx5") == std::string::npos) {  // of few lines most cannot be told
        EXPECT_THAT(emitted.without_plan("host0/nic1", joined(other)), HasSubstr("a line for eth0")) << lines[i];
      }
    }
  }
}

TEST(LintInterfaces, AreOfAnyNameAsLongAsAllLinesAgree) {
  const Emission emitted(kTwoNics, Syntax::kNic);
  const std::string named = every(emitted.text("host0/nic1"), "eth1", "ens3f0np0");
  EXPECT_THAT(emitted.lint_of("host0/nic1", named), IsEmpty());
  EXPECT_THAT(emitted.lint_of("host0/nic1", with(named, "ens3f0np0", "ens3f1np1")),
              HasSubstr("a line for ens3f1np1 | ens3f0np0, as most lines have it"));
}

TEST(LintInterfaces, FindsAnotherLaneOfAPort) {
  const Emission eos(kRoce, Syntax::kEos);
  EXPECT_THAT(eos.replaced("leaf0", "interface Ethernet1/1\n", "interface Ethernet1/2\n"),
              HasSubstr("port-lane | leaf0.eos:11 | Ethernet1/2 is another lane of the port | Ethernet1/1"));
  EXPECT_THAT(eos.replaced("leaf0", "interface Ethernet1/1\n", "interface Ethernet1\n"), IsEmpty());
  const Emission nvue(kRoce, Syntax::kNvue);
  EXPECT_THAT(nvue.lint_of("leaf0", every(nvue.text("leaf0"), "interface swp2 ", "interface swp2s1 ")),
              HasSubstr("swp2s1 is another lane of the port | swp2"));
}

TEST(LintInterfaces, FindsAPortThatStandsTwice) {
  const Emission eos(kRoce, Syntax::kEos);
  const std::string found = eos.replaced("leaf0", "interface Ethernet1/1\n", "interface Ethernet2/1\n");
  EXPECT_THAT(found, HasSubstr("Ethernet2/1 stands a second time here"));
  EXPECT_THAT(found, HasSubstr("port-missing"));
  EXPECT_THAT(found, HasSubstr("there is no port Ethernet1/1"));
}

TEST(LintInterfaces, FindsEveryLineOfNvueForAnotherPort) {
  const Emission nvue(kProtected, Syntax::kNvue);
  const std::vector<std::string> lines = all_lines(nvue.text("leaf0"));
  for (std::size_t i = 0; i < lines.size(); ++i) {
    std::vector<std::string> other = lines;
    other[i] = every(lines[i], "interface swp2 ", "interface swp1 ");
    const bool is_description = lines[i].find(" description ") != std::string::npos;
    if (other[i] != lines[i] && !is_description) {
      EXPECT_THAT(nvue.lint_of("leaf0", joined(other)), Not(IsEmpty())) << lines[i];
    }
  }
}

TEST(LintHeadroom, FindsMoreThanThePlansAsWellAsLess) {
  const Emission nvue(kRoce, Syntax::kNvue);
  EXPECT_THAT(nvue.replaced("leaf0", " port-buffer ", " port-buffer 9"),
              HasSubstr(", as the plan has it: the shared buffer lacks what is more"));
  const Emission eos(kRoce, Syntax::kEos);
  EXPECT_THAT(eos.replaced("leaf0", " out-delay 0", " out-delay 30"), HasSubstr("MRAI 30 s"));
}

TEST(KeyLinesOfProtection, NameTheLineOrWhyThereIsNone) {
  const auto of = [](std::string_view scenario, Syntax syntax, const std::string& key) {
    const TestNetwork network(scenario);
    for (const KeyLine& row : key_lines(network.scenario, network.graph, syntax)) {
      if (row.key == key) {
        return row.line.empty() ? "none: " + row.note : row.line;
      }
    }
    return std::string("no such key");
  };
  EXPECT_THAT(of(kProtected, Syntax::kEos, "keys.bgp_password"), HasSubstr("neighbor password"));
  EXPECT_THAT(of(kProtected, Syntax::kNvue, "control.bfd_multiplier"), "neighbor bfd detect-multiplier");
  EXPECT_THAT(of(kProtected, Syntax::kEos, "keys.source_check"), HasSubstr("none: IP source guard"));
  EXPECT_THAT(of(kPartitioned, Syntax::kOpensm, "keys.partitions"), HasSubstr("partitions.conf"));
  EXPECT_THAT(of(kPartitioned, Syntax::kOpensm, "keys.bgp_password"), HasSubstr("none: a setting of switches"));
}

}  // namespace
}  // namespace weft::study::devices
