// A GPU's memory between its NIC and its scale-up port.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "study/run/simulation.h"
#include "study/scenario/scenario_test_support.h"

namespace weft::study::run {
namespace {

/// The rate of each traffic from its first message to its last completion.
struct Rates final : workload::MessageSink {
  void on_message(const workload::MessageRecord& record) override {
    Span& span = spans[record.flow.job.value()];
    span.bytes += record.size;
    span.end = later(span.end, record.finished);
  }
  [[nodiscard]] double gbytes_per_s(std::uint32_t traffic) const {
    const Span& span = spans.at(traffic);
    return static_cast<double>(span.bytes.count()) / span.end.since_start().seconds() * 1e-9;
  }
  struct Span {
    Bytes bytes{};
    Time end;
  };
  std::map<std::uint32_t, Span> spans;
};

struct Flow {
  std::string_view over;
  std::string_view from;
  std::string_view to;
  std::string_view size;
};

/// Two hosts of four GPUs, a NIC of 400 Gb/s for the first, NVLink 4 inside, and a memory that is far too slow.
Rates rates_of(std::string_view memory, const std::vector<Flow>& flows, std::string_view family = "infiniband",
               std::string_view more = "") {
  std::string text = fmt::format(R"([fabric]
family = "{}"
nic = "{}"
[host]
profile = "modern"
memory = "gpu"
gpu_memory_rate = "{}"
{}
[topology]
kind = "single-switch"
hosts = 2
gpus_per_host = 4
[scale_up]
entry = "nvlink4"
)",
                                 family, family == "uet" ? "pollara-400" : "connectx-7", memory, more);
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const Flow& flow = flows[i];
    text += fmt::format(
        "[[traffic]]\nname = \"t{}\"\nkind = \"flows\"\nover = \"{}\"\nsources = [\"{}\"]\ndestinations = "
        "[\"{}\"]\nsize = \"1 MiB\"\ncount = {}\ndepth = 2\n",
        i, flow.over, flow.from, flow.to, flow.size);
  }
  Rates rates;
  const auto scenario = scenario::parse_scenario(text, {.file = "test.toml", .case_name = {}, .settings = {}},
                                                 scenario::test_catalogue());
  EXPECT_TRUE(scenario) << scenario.error().message;
  if (!scenario) {
    return rates;
  }
  auto simulation = Simulation::create(*scenario, rates);
  EXPECT_TRUE(simulation) << simulation.error().message;
  if (simulation) {
    EXPECT_EQ((*simulation)->run([](const Progress&) { return true; }), Simulation::End::kFinished);
  }
  return rates;
}

constexpr Flow kOut{"fabric", "host0", "host1", "16"};
constexpr Flow kIn{"fabric", "host1", "host0", "16"};
constexpr Flow kLong{"scale-up", "host0/gpu1", "host0/gpu0", "64"};
constexpr Flow kAnother{"scale-up", "host0/gpu2", "host0/gpu0", "64"};
constexpr Flow kAway{"scale-up", "host0/gpu0", "host0/gpu3", "64"};

/// The defect: what leaves and arrives by a context of Ultra Ethernet had no place, and went through the host's memory.
TEST(GpuMemory, NoFamilysBytesGoThroughTheHostsMemory) {
  for (const std::string_view family : {"infiniband", "rocev2", "uet"}) {
    const std::string_view slow_host = "memory_rate = \"80 Gbps\"";
    const double made = rates_of("3350 GB/s", {kOut}, family, slow_host).gbytes_per_s(0);
    EXPECT_GT(made, 40) << family;
  }
}

// The port writes what comes in and reads what goes out: with the NIC's DMA, three users of the memory.
TEST(GpuMemory, TheNicGetsAsMuchOfASlowMemoryAsEachOfItsOtherUsers) {
  const double alone = rates_of("3350 GB/s", {kOut}).gbytes_per_s(0);
  EXPECT_GT(alone, 48);
  const double of_two = rates_of("60 GB/s", {kOut, kLong, kAnother}).gbytes_per_s(0);
  EXPECT_NEAR(of_two, 60.0 / 2, 1.5);
  const double of_three = rates_of("60 GB/s", {kOut, kLong, kAnother, kAway}).gbytes_per_s(0);
  EXPECT_NEAR(of_three, 60.0 / 3, 1);
}

TEST(GpuMemory, AShareThatIsMoreThanTheNicsRateIsLeftToTheOthers) {
  const double alone = rates_of("3350 GB/s", {kOut}).gbytes_per_s(0);
  const Rates shared = rates_of("180 GB/s", {{"fabric", "host0", "host1", "64"}, kLong});
  EXPECT_NEAR(shared.gbytes_per_s(0), alone, 0.02 * alone);
  EXPECT_NEAR(shared.gbytes_per_s(1), 180 - alone, 0.03 * 180);
}

// Nothing can pause the wire towards a NIC: it writes what comes, and the port has the rest.
TEST(GpuMemory, WhatComesOverTheNetworkIsWrittenAtTheRateOfTheWire) {
  const double alone = rates_of("3350 GB/s", {kIn}).gbytes_per_s(0);
  const Rates shared = rates_of("100 GB/s", {{"fabric", "host1", "host0", "64"}, kLong});
  EXPECT_NEAR(shared.gbytes_per_s(0), alone, 0.02 * alone);
  EXPECT_NEAR(shared.gbytes_per_s(1), 100 - alone, 0.03 * 100);
}

}  // namespace
}  // namespace weft::study::run
