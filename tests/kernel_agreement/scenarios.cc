// Runs a list of whole scenarios and prints, for each, a hash of every event (time and actor, in order) and the final
// counters. Built twice, on the event set of the simulator and on that of tests/reference: both must print the same.
#include <fmt/core.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "fabric/topology/fat_tree.h"
#include "fabric/topology/single_switch.h"
#include "tests/simulation/sim_world.h"
#include "transport/congestion/dcqcn_test_parameters.h"

namespace weft::testing {
namespace {

using fabric::Cable;

const transport::DcqcnParameters& dcqcn() {
  static const transport::DcqcnParameters kParameters = transport::dcqcn_connectx(100_gbps);
  return kParameters;
}

fabric::Graph tree(std::uint32_t radix) {
  const Cable cable{100_gbps, 700_ns};
  return *fabric::build_graph(
      fabric::FatTreeOptions{.radix = radix, .host_link = cable, .leaf_link = cable, .core_link = cable});
}

fabric::Graph one_switch(std::uint32_t hosts) {
  return *fabric::build_graph(fabric::SingleSwitchOptions{.hosts = hosts, .host_link = {100_gbps, 1_us}});
}

SimOptions permutation(SimOptions options, Bytes size) {
  const std::uint32_t hosts = options.graph.endpoints;
  for (std::uint32_t i = 0; i < hosts; ++i) {
    options.flows.push_back(write(i, (i + hosts / 2 + 1) % hosts, size));
  }
  return options;
}

SimOptions incast(SimOptions options, Bytes size) {
  for (std::uint32_t i = 1; i < options.graph.endpoints; ++i) {
    options.flows.push_back(write(i, 0, size));
  }
  return options;
}

SimOptions all_to_all(SimOptions options, Bytes size) {
  const auto ports = static_cast<std::uint32_t>(options.scale_up->domains[0].ports.size());
  for (std::uint32_t i = 0; i < ports; ++i) {
    for (std::uint32_t j = 0; j < ports; ++j) {
      if (i != j) {
        options.flows.push_back(write(i, j, size));
        options.flows.back().shape.operation =
            (i + j) % 3 == 0 ? workload::Operation::kRead : workload::Operation::kWrite;
      }
    }
  }
  return options;
}

SimOptions meshed(SimOptions options) {
  options.scale_up->domains[0].shape = fabric::ScaleUpShape::kMesh;
  return options;
}

SimOptions cramped(SimOptions options) {
  options.scale_up->domains[0].switch_buffer = 20_kib;
  for (fabric::ScaleUpPort& port : options.scale_up->domains[0].ports) {
    port.buffer = 10_kib;
  }
  return options;
}

SimOptions marked(SimOptions options) {
  options.ethernet.ports[0].priorities[kDataLane].ecn =
      fabric::RedOptions{Bytes(20'000), Bytes(80'000), Probability::from_ratio({1, 5})};
  return options;
}

SimOptions with_pauses(SimOptions options) {
  auto& port = options.ethernet.ports[0];
  port.priorities[kDataLane].ingress_limit = Bytes(30'000);
  port.pause_quanta = 300;
  options.ethernet.deadlock_check = 50_us;
  return options;
}

SimOptions lossy(SimOptions options) {
  options.ethernet.ports[0].priorities[kDataLane].lossless = false;
  options.ethernet.switches[0].buffer = Bytes(60'000);
  options.connection.timeout = 5;
  return options;
}

SimOptions noisy(SimOptions options) {
  options.ethernet.bit_error_rate.assign(options.graph.links.size(), Probability::from_ratio({1, 5'000'000}));
  options.connection.timeout = 5;
  return options;
}

SimOptions failing(SimOptions options) {
  using fabric::LinkEvent;
  const fabric::LinkIndex last(static_cast<std::uint32_t>(options.graph.links.size() - 1));
  options.ethernet.events = {
      {.at = Time::zero() + 10_us, .link = last, .kind = LinkEvent::Kind::kFail, .rate = {}, .reroute_delay = 20_us},
      {.at = Time::zero() + 90_us, .link = last, .kind = LinkEvent::Kind::kRestore, .rate = {}, .reroute_delay = 9_us}};
  options.connection.timeout = 5;
  return options;
}

SimOptions cut_through(SimOptions options) {
  options.ethernet.switches[0].forwarding = fabric::Forwarding::kCutThrough;
  options.ethernet.switches[0].latency = 300_ns;
  options.ethernet.switches[0].path = fabric::PathPolicy::kAdaptive;
  return options;
}

void run(const std::string& name, SimOptions options) {
  SimWorld sim(std::move(options));
  std::uint64_t hash = 0;
  const auto observe = [&](sim::ActorId actor, Time now) {
    hash = (hash ^ actor.value() ^ static_cast<std::uint64_t>(now.picoseconds()) << 20U) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 29U;
  };
  (void)sim.world().run_observed(Time::zero() + 1_s, ~std::uint64_t{0}, observe);
  std::uint64_t messages = 0;
  for (const workload::MessageRecord& record : sim.messages()) {
    messages = messages * 31 + static_cast<std::uint64_t>(record.finished.picoseconds()) + record.number;
  }
  fmt::print("{}: events {} hash {:016x} end {} ps hops {} messages {} {:016x} drops {} pauses {} marks {}\n", name,
             sim.world().events(), hash, sim.now().picoseconds(), sim.world().packet_hops(), sim.messages().size(),
             messages, sim.fabric().drops().total(), sim.pauses_sent(), sim.marks());
}

}  // namespace
}  // namespace weft::testing

int main() {
  using namespace weft;
  using namespace weft::testing;
  run("scale-up all to all", all_to_all(scale_up(9), Bytes(200'000)));
  run("scale-up mesh", all_to_all(meshed(scale_up(5)), Bytes(200'000)));
  run("scale-up short buffers", all_to_all(cramped(scale_up(9)), Bytes(200'000)));
  run("permutation", permutation(roce(tree(4)), Bytes(300'000)));
  run("permutation dcqcn", permutation(marked(roce(tree(4), &dcqcn())), Bytes(300'000)));
  run("permutation cut-through adaptive", permutation(cut_through(roce(tree(4))), Bytes(200'000)));
  run("incast pfc", incast(with_pauses(roce(one_switch(9))), Bytes(200'000)));
  run("incast pfc tree", incast(with_pauses(roce(tree(4))), Bytes(100'000)));
  run("incast pfc dcqcn", incast(marked(with_pauses(roce(one_switch(9), &dcqcn()))), Bytes(300'000)));
  run("incast lossy", incast(lossy(roce(one_switch(5))), Bytes(200'000)));
  run("permutation noisy", permutation(noisy(roce(tree(4))), Bytes(200'000)));
  for (const host::Service service : {host::Service::kTcp, host::Service::kIwarp}) {
    const std::string name = service == host::Service::kTcp ? "tcp" : "iwarp";
    run(name + " permutation", permutation(streams(tree(4), service), Bytes(300'000)));
    run(name + " incast", incast(lossy(streams(one_switch(5), service)), Bytes(200'000)));
    run(name + " permutation noisy", permutation(noisy(streams(tree(4), service)), Bytes(200'000)));
  }
  run("permutation failing", permutation(failing(roce(tree(4))), Bytes(1'000'000)));
  return 0;
}
