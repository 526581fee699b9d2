#include "study/assembly/base_round_trip.h"

#include <gtest/gtest.h>

#include "study/assembly/build_hosts.h"
#include "study/assembly/build_topology.h"
#include "study/assembly/congestion/dcqcn.h"
#include "study/scenario/scenario_test_support.h"
#include "wire/encapsulation.h"
#include "wire/opcode.h"

namespace weft::study::assembly {
namespace {

scenario::Scenario at_rate(int gbps, const std::vector<std::string>& more = {}) {
  scenario::ScenarioRequest request;
  for (const char* key : {"link.rate", "switch.port_rate", "nic.port_rate"}) {
    request.settings.push_back(fmt::format("{}={} Gbps", key, gbps));
  }
  request.settings.insert(request.settings.end(), more.begin(), more.end());
  const auto scenario = scenario::scenario_with("", request);
  EXPECT_TRUE(scenario.has_value()) << scenario::message_of(scenario);
  return scenario ? *scenario : scenario::Scenario{};
}

Bytes wire_size(wire::Operation operation, Bytes payload) {
  return wire::sizes(wire::Encapsulation::kRoceV2Ipv4, wire::make_opcode(wire::Service::kRc, operation), payload).wire;
}

TEST(BaseRoundTrip, IsCableSwitchNicAndSerialisationOfASingleSwitch) {
  const scenario::Scenario scenario = at_rate(100);
  const scenario::DeviceSettings& devices = scenario.devices;
  const Rate rate = 100_gbps;
  const std::int64_t slots = devices.switch_.forwarding == scenario::Forwarding::kStoreAndForward ? 2 : 1;
  const Duration expected = (devices.link(scenario::LinkTier::kHost).propagation * 2 + devices.switch_.latency) * 2 +
                            devices.nic.rx_latency * 2 +
                            rate.transmit_time(wire_size(wire::Operation::kWriteMiddle, Bytes(4096))) * slots +
                            rate.transmit_time(wire_size(wire::Operation::kAcknowledge, Bytes(0))) * slots;
  const BaseRoundTrip trip = base_round_trip(scenario, *build_topology(scenario));
  EXPECT_EQ(trip.time, expected);
  EXPECT_EQ(trip.switches, 1);
}

TEST(BaseRoundTrip, TssAddsItsBytesAndItsLatencyAtBothEndsOfEachWay) {
  const auto trip = [](const std::vector<std::string>& more) {
    std::vector<std::string> settings = {"fabric.family=uet"};
    settings.insert(settings.end(), more.begin(), more.end());
    const scenario::Scenario scenario = at_rate(100, settings);
    return base_round_trip(scenario, *build_topology(scenario)).time;
  };
  const Duration bytes = trip({"uet.security=tss"}) - trip({});
  EXPECT_GE(bytes, (100_gbps).transmit_time(Bytes(2 * 24)));
  EXPECT_GT(trip({"uet.security=tss-source"}), trip({"uet.security=tss"}));
  EXPECT_EQ(trip({"uet.security=tss", "uet.security_latency=250 ns"}) - trip({"uet.security=tss"}), 1_us);
}

TEST(WindowSize, InUnitsOfBdpFollowsTheRate) {
  const auto window = [](int gbps) {
    const scenario::Scenario scenario = at_rate(gbps, {"congestion_control.window=10 BDP"});
    const fabric::Graph graph = *build_topology(scenario);
    HostBuilder hosts(scenario, graph);
    return hosts.nic(EndpointId(0)).congestion_control()->window(Time::zero());
  };
  const Duration trip = base_round_trip(at_rate(400), *build_topology(at_rate(400))).time;
  const Bytes ten = bandwidth_delay_product(400_gbps, trip) * 10;
  EXPECT_GE(window(400), ten);
  EXPECT_LE(window(400), ten + Bytes(2 * 4096));
  EXPECT_GT(window(400), window(100) * 2);
}

TEST(WindowSize, HoldsWithoutACongestionControlToo) {
  const scenario::Scenario scenario =
      at_rate(100, {"congestion_control.algorithm=none", "congestion_control.window=64 KiB"});
  HostBuilder hosts(scenario, *build_topology(scenario));
  EXPECT_EQ(hosts.nic(EndpointId(0)).congestion_control()->window(Time::zero()), 64_kib);
}

TEST(WindowSize, AutoIsOneBdpAndNonsenseIsRefused) {
  EXPECT_EQ(at_rate(100, {"congestion_control.window=auto"}).congestion.window->bdp_millis, 1'000);
  for (const char* wrong : {"0 BDP", "1.2345 BDP", "-1 BDP", "BDP", "2000 BDP", "1e3 BDP"}) {
    const auto refused = scenario::scenario_with(fmt::format("[congestion_control]\nwindow = \"{}\"\n", wrong));
    EXPECT_NE(scenario::message_of(refused).find("expected 0.001 BDP to 1000 BDP"), std::string::npos)
        << scenario::message_of(refused);
  }
}

TEST(DcqcnScaled, StepsAndTimerFollowTheLine) {
  for (const int gbps : {100, 200, 400, 800}) {
    const scenario::Scenario scenario = at_rate(gbps);
    const Rate line = Rate::bits_per_second(std::int64_t{gbps} * 1'000'000'000);
    const auto parameters = dcqcn_parameters(scenario, line, std::nullopt);
    EXPECT_EQ(parameters.additive_increase.bits_per_second(), line.bits_per_second() / 200);
    EXPECT_EQ(parameters.hyper_increase.bits_per_second(), line.bits_per_second() / 40);
    EXPECT_EQ(line.bytes_in(parameters.increase_timer), Bytes(1'250'000));
  }
}

}  // namespace
}  // namespace weft::study::assembly
