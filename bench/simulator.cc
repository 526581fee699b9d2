// How fast the simulator is: one named run, timed, as one JSON object on standard output.
//
//   simulator NAME FLOWS BYTES [BUDGET [THREADS]]
//
// NAME is permutation_<hosts>_<family>, incast_<family> or ring_<hosts>_<family>; FLOWS is a file with a permutation
// ("source, destination, size" as scenarios read it; "-" otherwise); BYTES is per host; BUDGET limits the events, for
// counting instructions; 0: nothing but set-up and the first instant, in which connections open. With THREADS it is set
// up and run to its end on so many. The run itself is `timed_run`, so that callgrind can be told to look at that alone.
#include <fmt/core.h>
#include <sys/resource.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>

#include "study/run/simulation.h"
#include "study/scenario/catalogue.h"
#include "study/scenario/scenario_load.h"

namespace weft {
namespace {

class Finished final : public workload::MessageSink {
 public:
  void on_message(const workload::MessageRecord& record) override {
    ++messages;
    failed += record.status == verbs::WcStatus::kSuccess ? 0 : 1;
  }
  std::uint64_t messages = 0;
  std::uint64_t failed = 0;
};

struct Request {
  std::string name;
  std::string flows;
  std::uint64_t bytes = 0;
  std::uint64_t budget = 0;
  std::uint32_t threads = 1;
};

/// "permutation", 128, "rocev2" of "permutation_128_rocev2"; no number: 0.
struct NameParts {
  std::string_view pattern;
  std::uint32_t hosts = 0;
  std::string_view family;
};

NameParts parts_of(std::string_view name) {
  NameParts parts;
  parts.pattern = name.substr(0, name.find('_'));
  parts.family = name.substr(name.rfind('_') + 1);
  const std::string_view middle = name.substr(name.find('_') + 1);
  std::from_chars(middle.data(), middle.data() + middle.size(), parts.hosts);
  return parts;
}

/// What a family's links and senders are told.
std::string_view link_text(std::string_view family) {
  if (family == "uet") {
    return R"([uet]
path_selector = "mixed"
paths = 128
ack_every = "1 B"
)";
  }
  if (family == "rocev2") {
    return R"([ethernet.priority.3]
lossless = true
ecn = true
kmin = "1600 kB"
kmax = "6400 kB"
pmax = "20%"
)";
  }
  return R"([infiniband]
vl_buffer = "128 KiB"
)";
}

// k-ary fat-trees of three tiers, 400 Gb/s, 1 us per link, MTU 4096, an acknowledgement per packet; a window of about
// one bandwidth-delay product, or what NSCC makes of it. Unsuitable for studies of networks: switches without latency,
// thresholds for speed.
std::string scenario_text(const Request& request, const NameParts& parts) {
  const bool incast = parts.pattern == "incast";
  const std::uint32_t hosts = incast ? 128 : parts.hosts;
  const std::uint32_t radix = hosts > 8192 ? 64 : hosts > 1024 ? 32 : hosts > 128 ? 16 : 8;
  std::string text = fmt::format(R"(name = "{}"
hardware = "as-sold"
[fabric]
family = "{}"
[topology]
kind = "fat-tree"
tiers = 3
radix = {}
[link.host]
rate = "400 Gbps"
propagation = "1 us"
[link.leaf]
rate = "400 Gbps"
propagation = "1 us"
[link.spine]
rate = "400 Gbps"
propagation = "1 us"
[switch]
latency = "0 ns"
forwarding = "store-and-forward"
buffer = "256 MiB"
[nic]
doorbell_latency = "0 ns"
pcie_latency = "0 ns"
tx_latency = "0 ns"
rx_latency = "0 ns"
completion_latency = "0 ns"
)",
                                 request.name, parts.family, radix);
  if (parts.family != "uet") {
    text += fmt::format(R"([transport]
ack_interval = 1
ack_timeout = 20
[congestion_control]
algorithm = "{}"
window = "{} KiB"
)",
                        parts.family == "rocev2" ? "dcqcn" : "static-window", radix == 32 ? 160 : 640);
  }
  text += link_text(parts.family);
  const std::string size = fmt::format("size = \"{} B\"\n", request.bytes);
  if (parts.pattern == "permutation") {
    text += "[[traffic]]\nkind = \"flows\"\nfile = \"" + request.flows + "\"\n" + size;
  } else if (incast) {
    text += "[[traffic]]\nkind = \"incast\"\nfan_in = 64\n" + size;
  } else {
    text += "[[traffic]]\nkind = \"ring-all-reduce\"\n" + size;
  }
  return text;
}

[[gnu::noinline]] study::world::World::Stop timed_run(study::world::World& world, std::uint64_t budget) {
  return world.run(Time::never(), budget);
}

study::world::World::Stop first_instant(study::world::World& world) {
  return world.runs_in_windows() ? world.run_first_instant() : study::world::World::Stop::kLimit;
}

/// To its end, on several threads.
study::world::World::Stop threaded_run(study::run::Simulation& simulation, std::uint32_t threads) {
  simulation.set_threads(threads);
  const auto end = simulation.run([](const study::run::Progress&) { return true; });
  return end == study::run::Simulation::End::kFinished ? study::world::World::Stop::kBudget
                                                       : study::world::World::Stop::kError;
}

int fail_with(std::string_view message) {
  fmt::print(stderr, "simulator: {}\n", message);
  return 1;
}

int run(const Request& request) {
  const auto begin = std::chrono::steady_clock::now();
  const NameParts parts = parts_of(request.name);
  Result<study::scenario::Catalogue> catalogue = study::scenario::Catalogue::load(std::nullopt);
  if (!catalogue) {
    return fail_with(catalogue.error().message);
  }
  Result<study::scenario::Scenario> scenario = study::scenario::parse_scenario(
      scenario_text(request, parts), {.file = "benchmark", .case_name = {}, .settings = {}}, *catalogue);
  if (!scenario) {
    return fail_with(scenario.error().message);
  }
  Finished finished;
  auto simulation = study::run::Simulation::create(*scenario, finished, study::run::Payload::kLengths,
                                                   study::world::Division::kWhereItPays, request.threads);
  if (!simulation) {
    return fail_with(simulation.error().message);
  }
  study::world::World& world = (*simulation)->world();
  const auto ready = std::chrono::steady_clock::now();
  const study::world::World::Stop stop = request.budget == 0   ? first_instant(world)
                                         : request.threads > 1 ? threaded_run(**simulation, request.threads)
                                                               : timed_run(world, request.budget);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - ready;
  const std::chrono::duration<double> setup = ready - begin;
  if (finished.failed > 0 || (request.budget == ~std::uint64_t{0} && stop != study::world::World::Stop::kBudget)) {
    return fail_with("the run did not end well");
  }
  std::uint64_t payload_packets = 0;
  for (std::uint32_t i = 0; i < world.graph().endpoints; ++i) {
    payload_packets += world.nic(EndpointId(i)).counters().data_sent;
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto rss = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  const auto hops = static_cast<double>(world.packet_hops());
  fmt::print(
      "{{\"name\": \"{}\", \"packet_hops\": {}, \"seconds\": {:.3f}, \"packet_hops_per_second\": {:.0f}, "
      "\"payload_packets_per_second\": {:.0f}, \"setup_seconds\": {:.3f}, \"peak_rss_bytes\": {}, \"bytes_per_host\": "
      "{}, \"simulated_seconds\": {:.9f}}}\n",
      request.name, world.packet_hops(), seconds.count(), hops / seconds.count(),
      static_cast<double>(payload_packets) / seconds.count(), setup.count(), rss, rss / world.graph().endpoints,
      world.now().since_start().seconds());
  return 0;
}

}  // namespace
}  // namespace weft

int main(int argc, char** argv) {
  if (argc < 4 || argc > 6) {
    fmt::print(stderr, "usage: simulator NAME FLOWS BYTES [BUDGET [THREADS]]\n");
    return 2;
  }
  weft::Request request{.name = argv[1], .flows = argv[2], .bytes = 0, .budget = ~std::uint64_t{0}};
  const std::string_view bytes = argv[3];
  std::from_chars(bytes.data(), bytes.data() + bytes.size(), request.bytes);
  if (argc >= 5) {
    const std::string_view budget = argv[4];
    std::from_chars(budget.data(), budget.data() + budget.size(), request.budget);
  }
  if (argc == 6) {
    const std::string_view threads = argv[5];
    std::from_chars(threads.data(), threads.data() + threads.size(), request.threads);
  }
  return weft::run(request);
}
