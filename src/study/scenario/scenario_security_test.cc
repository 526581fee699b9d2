// [security]: what each key becomes, and what is refused with what would be right.
#include <gmock/gmock.h>

#include "study/scenario/packet_sizes.h"
#include "study/scenario/scenario_listing.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::scenario {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr std::string_view kFlow = "[[traffic]]\nkind = \"flows\"\nsources = [\"host0\"]\ndestinations = [\"host1\"]\n";

Result<Scenario> of_family(std::string_view family, std::string_view more) {
  return scenario_with(more, {.file = {}, .case_name = {}, .settings = {fmt::format("fabric.family={}", family)}});
}

TEST(Security, EntriesOfTheCatalogueSetBytesAndLayers) {
  const Result<Scenario> plain = scenario_with("");
  const auto added = [&](std::string_view encryption) {
    const Result<Scenario> made = scenario_with(fmt::format("[security]\nencryption = \"{}\"\n", encryption));
    EXPECT_TRUE(made) << message_of(made);
    return (data_packet(*made, Bytes(4096)).wire - data_packet(*plain, Bytes(4096)).wire).count();
  };
  EXPECT_EQ(added("macsec"), 8 + 16);
  EXPECT_EQ(added("macsec-sci"), 16 + 16);
  EXPECT_EQ(added("ipsec"), 8 + 8 + 2 + 2 + 16);
  EXPECT_EQ(added("ipsec-udp"), 8 + 8 + 8 + 2 + 2 + 16);
  EXPECT_EQ(added("ipsec-tunnel"), 20 + 8 + 8 + 2 + 2 + 16);
  EXPECT_EQ(added("psp"), 8 + 16 + 16);
  EXPECT_EQ(added("psp-tunnel"), 20 + 8 + 16 + 16);
}

TEST(Security, ValuesOfAnEntryMayBeChanged) {
  const Result<Scenario> made =
      scenario_with("[security]\nencryption = \"psp\"\nencryption_bytes = 100\nencryption_rate = \"100 Gbps\"\n");
  ASSERT_TRUE(made) << message_of(made);
  EXPECT_EQ(protection_of(*made).frame, 100);
  EXPECT_EQ(made->security.encryption_rate, Rate::bits_per_second(100'000'000'000));
}

TEST(Security, TssIsThatOfUltraEthernet) {
  const Result<Scenario> made = of_family("uet", "[security]\nencryption = \"tss\"\n");
  ASSERT_TRUE(made) << message_of(made);
  EXPECT_EQ(made->uet.security, UetSecurity::kTss);
  EXPECT_EQ(security_bytes(*made), Bytes(24));
  EXPECT_EQ(made->uet.security_latency, made->security.encryption_latency);
  const Result<Scenario> source = of_family("uet", "[security]\nencryption = \"tss-source\"\n");
  ASSERT_TRUE(source) << message_of(source);
  EXPECT_EQ(security_bytes(*source), Bytes(28));
}

TEST(Security, WhatAFamilyCannotHaveIsRefused) {
  EXPECT_THAT(message_of(scenario_with("[security]\nencryption = \"tss\"\n")),
              AllOf(HasSubstr("security.encryption"), HasSubstr("does not serve rocev2"), HasSubstr("macsec")));
  EXPECT_THAT(message_of(of_family("infiniband", "[security]\nencryption = \"ipsec\"\n")),
              AllOf(HasSubstr("security.encryption"), HasSubstr("InfiniBand encrypts neither")));
  EXPECT_THAT(message_of(of_family("infiniband", "[security]\nfirewall = \"dpu-cores\"\n")),
              AllOf(HasSubstr("security.firewall"), HasSubstr("partitions")));
  EXPECT_THAT(message_of(of_family("uet", "[security]\nencryption = \"psp\"\n")),
              AllOf(HasSubstr("does not serve uet"), HasSubstr("tss")));
  EXPECT_THAT(message_of(of_family("rocev1", "[security]\nencryption = \"macsec\"\nencryption_layer = \"ip\"\n")),
              AllOf(HasSubstr("security.encryption_layer"), HasSubstr("no IP header"), HasSubstr("macsec")));
  EXPECT_THAT(message_of(scenario_with("[security]\nencryption = \"wireguard\"\n")), HasSubstr("wireguard"));
}

TEST(Security, WhatHasNoEffectIsRefused) {
  EXPECT_THAT(message_of(scenario_with("[security]\nencryption_bytes = 10\n")),
              AllOf(HasSubstr("security.encryption_bytes"), HasSubstr("no effect")));
  EXPECT_THAT(message_of(scenario_with("[security]\nfirewall_rate = \"10 Gbps\"\n")),
              AllOf(HasSubstr("security.firewall_rate"), HasSubstr("dpu-offloaded")));
  EXPECT_THAT(message_of(scenario_with("[security]\nbuffer = \"1 MiB\"\n")), HasSubstr("security.buffer"));
  EXPECT_THAT(message_of(scenario_with("[security]\nmanagement_rate = \"1 Gbps\"\n")),
              AllOf(HasSubstr("security.management_rate"), HasSubstr("in-band")));
}

TEST(Security, APauseNeedsALosslessPriority) {
  EXPECT_THAT(message_of(scenario_with("[security]\nfirewall = \"appliance\"\noverflow = \"pause\"\n"
                                       "[ethernet.priority]\nlossless = false\n")),
              AllOf(HasSubstr("security.overflow"), HasSubstr("lossless")));
}

TEST(Security, ABufferThatPausesHasRoomForWhatComesAfterThat) {
  const auto with = [](const char* buffer) {
    return message_of(
        scenario_with("[security]\nfirewall = \"dpu-cores\"\n",
                      {.file = {}, .case_name = {}, .settings = {std::string("security.buffer=") + buffer}}));
  };
  EXPECT_THAT(with("64 KiB"), AllOf(HasSubstr("security.buffer"), HasSubstr("at least"), HasSubstr("drop")));
  EXPECT_EQ(with("16 MiB"), "no error");
}

TEST(Security, PausesOfACatalogueEntryAreLeftOutWhereNothingIsLossless) {
  const Result<Scenario> made = of_family("tcp", "[security]\nfirewall = \"dpu-cores\"\n");
  EXPECT_TRUE(made) << message_of(made);
}

TEST(Security, ManagementInBandIsATrafficBehindTheOthers) {
  const Result<Scenario> made =
      scenario_with(fmt::format("[security]\nmanagement = \"in-band\"\nmanagement_rate = \"4 Gbps\"\n{}", kFlow),
                    {.file = {}, .case_name = {}, .settings = {"stop=1 ms", "link.host.rate=400 Gbps"}});
  ASSERT_TRUE(made) << message_of(made);
  ASSERT_EQ(made->traffic.size(), 2U);
  EXPECT_EQ(made->traffic[1].name, "management");
  EXPECT_EQ(made->traffic[1].kind, TrafficKind::kPoisson);
  EXPECT_EQ(made->traffic[1].load, Probability::from_ratio({.numerator = 1, .denominator = 100}));
  EXPECT_EQ(made->traffic[1].size, Bytes(16 * 1024));
}

TEST(Security, ManagementInBandNeedsAnEnd) {
  EXPECT_THAT(message_of(scenario_with(fmt::format("[security]\nmanagement = \"in-band\"\n{}", kFlow))),
              AllOf(HasSubstr("security.management"), HasSubstr("stop")));
}

TEST(Security, ManagementIsSlowerThanTheLine) {
  EXPECT_THAT(message_of(scenario_with("[security]\nmanagement = \"in-band\"\nmanagement_rate = \"10 Tbps\"\n",
                                       {.file = {}, .case_name = {}, .settings = {"stop=1 ms"}})),
              HasSubstr("security.management_rate"));
}

TEST(Security, NothingOfItIsListedWhereItIsOff) {
  const Result<Scenario> made = scenario_with("");
  ASSERT_TRUE(made) << message_of(made);
  for (const ListedValue& value : list_values(*made, Listing::kRelevant)) {
    EXPECT_FALSE(value.path.starts_with("security.")) << value.path;
  }
}

}  // namespace
}  // namespace weft::study::scenario
