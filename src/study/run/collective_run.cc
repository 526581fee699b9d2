#include "study/run/collective_run.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/format_quantity.h"
#include "base/nearest_word.h"
#include "study/run/flow_probe.h"
#include "study/run/flow_run.h"
#include "study/scenario/scenario_load.h"
#include "study/scenario/scenario_words.h"

namespace weft::study::run {
namespace {

using workload::CollectiveKind;

constexpr std::int64_t kMaxRanks = 65'536;
constexpr std::int64_t kMaxIterations = 1'000'000;
/// Those that hosts and rails alone describe.
constexpr std::string_view kTopologies[] = {"rail-optimised", "single-switch"};

struct Times final : workload::MessageSink {
  void on_message(const workload::MessageRecord&) override {}
  void on_collective(const workload::CollectiveRecord& record) override {
    first = earlier(first, record.started);
    last = later(last, record.finished);
  }
  Time first = Time::never();
  Time last{};
};

struct Measured {
  Duration time{};
  Bytes scale_out{};  // of all ranks
  workload::CollectiveAlgorithm algorithm = workload::CollectiveAlgorithm::kAutomatic;
  std::string wrong{};
  FlowCheck flow{};
};

std::int64_t gpus_of(const CollectiveRun& run) { return std::min(run.ranks, run.gpus_per_host); }

/// At the flow level, with its error.
Result<Measured> drain(const CollectiveRun& run, const scenario::Scenario& scenario) {
  if (run.payload == Payload::kBytes) {
    return fail("at the flow level no numbers travel; verify them with packets");
  }
  Result<FlowRun> ran = run_as_flows(scenario, {.keep_going = [&run](const Progress&) { return run.go_on(); }});
  if (!ran) {
    return pass_on(ran);
  }
  const results::RunResults& results = ran->results;
  if (results.run.end != results::RunEnd::kFinished) {
    return results.run.end == results::RunEnd::kInterrupted ? fail("stopped") : fail("{}", results.run.error);
  }
  Times times;
  for (const workload::CollectiveRecord& record : results.collectives) {
    times.on_collective(record);
  }
  Measured measured{.time = (times.last - times.first) / run.iterations,
                    .scale_out = ran->scale_out / run.iterations,
                    .algorithm = ran->algorithm,
                    .flow = probe_flow_level(scenario, *ran, run.go_on)};
  measured.flow.what += ran->sampled.empty() ? "" : "; " + ran->sampled;
  return measured;
}

Result<Measured> simulate(const CollectiveRun& run, Bytes size, const scenario::Catalogue& catalogue) {
  Result<scenario::Scenario> scenario = read_collective_scenario(run, size, catalogue);
  if (!scenario) {
    return pass_on(scenario);
  }
  if (scenario->fidelity == scenario::Fidelity::kFlow) {
    return drain(run, *scenario);
  }
  Times times;
  Result<std::unique_ptr<Simulation>> made = Simulation::create(*scenario, times, run.payload);
  if (!made) {
    return pass_on(made);
  }
  Simulation& simulation = **made;
  const Simulation::End end = simulation.run([&run](const Progress&) { return run.go_on(); });
  if (end == Simulation::End::kInterrupted) {
    return fail("stopped");
  }
  if (end != Simulation::End::kFinished) {
    return fail("{} of {}: {}", to_string(run.kind), size, simulation.error());
  }
  Measured measured{.time = (times.last - times.first) / run.iterations,
                    .algorithm = simulation.collective_algorithm(0)};
  if (run.payload == Payload::kBytes) {
    if (Result<void> right = simulation.check_bytes(); !right) {
      measured.wrong = right.error().message;
    }
  }
  for (std::uint32_t rank = 0; rank < run.ranks; ++rank) {
    measured.scale_out += simulation.collective_bytes(0, rank).scale_out;
  }
  measured.scale_out = measured.scale_out / run.iterations;
  return measured;
}

/// 1 GB/s is one byte per nanosecond.
double gbytes_per_s(double bytes, Duration time) {
  return time > Duration::zero() ? bytes * 1e3 / static_cast<double>(time.picoseconds()) : 0;
}

CollectiveTime row_of(const CollectiveRun& run, Bytes size, const Measured& measured) {
  if (run.kind == CollectiveKind::kBarrier) {
    size = Bytes::zero();
  }
  CollectiveTime row{.size = size,
                     .time = measured.time,
                     .algorithm = measured.algorithm,
                     .wrong = measured.wrong,
                     .flow_error = measured.flow.error,
                     .flow_check = measured.flow.what};
  row.algbw_gbytes_per_s = gbytes_per_s(static_cast<double>(size.count()), measured.time);
  row.busbw_gbytes_per_s = row.algbw_gbytes_per_s * bus_factor(run.kind, run.ranks);
  const std::int64_t hosts = run.ranks / gpus_of(run);
  row.nic_gbytes_per_s = gbytes_per_s(
      static_cast<double>(measured.scale_out.count()) / static_cast<double>(hosts * run.rails), measured.time);
  return row;
}

/// Payload that all ranks send together, about.
double volume(const CollectiveRun& run, Bytes size) {
  return static_cast<double>(size.count()) * static_cast<double>(run.ranks) * static_cast<double>(run.iterations) *
         bus_factor(run.kind, run.ranks);
}

Bytes halved(const CollectiveRun& run, Bytes size) { return usable_size(run, size / 2); }

/// From the times of two sizes, on the straight line through them.
Duration on_line(const Measured& low, const Measured& high, double position) {
  const auto slope = static_cast<double>((high.time - low.time).picoseconds());
  return low.time + Duration::picoseconds(static_cast<std::int64_t>(slope * position));
}

double position_of(Bytes size, Bytes low, Bytes high) {
  return static_cast<double>((size - low).count()) / static_cast<double>((high - low).count());
}

Result<CollectiveTime> extrapolate(const CollectiveRun& run, Bytes size, Bytes largest,
                                   const scenario::Catalogue& catalogue) {
  const Bytes sizes[3] = {halved(run, largest), usable_size(run, largest / 4 * 3), largest};
  Measured measured[3];
  for (int i = 0; i < 3; ++i) {
    Result<Measured> one = simulate(run, sizes[i], catalogue);
    if (!one) {
      return pass_on(one);
    }
    measured[i] = *one;
  }
  const Duration predicted = on_line(measured[0], measured[1], position_of(sizes[2], sizes[0], sizes[1]));
  const double scale = static_cast<double>(size.count()) / static_cast<double>(largest.count());
  const Measured all{
      .time = on_line(measured[0], measured[2], position_of(size, sizes[0], sizes[2])),
      .scale_out = Bytes(static_cast<std::int64_t>(static_cast<double>(measured[2].scale_out.count()) * scale)),
      .algorithm = measured[2].algorithm};
  CollectiveTime row = row_of(run, size, all);
  row.extrapolation_error = static_cast<double>((predicted - measured[2].time).picoseconds()) /
                            static_cast<double>(measured[2].time.picoseconds());
  return row;
}

/// Rails of leaves with as many cables up as down: nothing is oversubscribed. The last hosts may be idle.
std::string topology_of(const CollectiveRun& run, std::int64_t hosts) {
  constexpr std::int64_t kHostsPerLeaf = 32;
  const std::int64_t per_leaf = std::min(hosts, kHostsPerLeaf);
  const bool rails = run.topology == "rail-optimised";
  const std::int64_t placed = rails ? (hosts + per_leaf - 1) / per_leaf * per_leaf : hosts;
  std::string text = fmt::format("\n[topology]\nkind = \"{}\"\nhosts = {}\nnics_per_host = {}\ngpus_per_host = {}\n",
                                 run.topology, placed, run.rails, gpus_of(run));
  if (rails) {
    text += fmt::format("hosts_per_leaf = {0}\nspines = {0}\n", per_leaf);
  }
  const std::int64_t ports = rails ? placed / per_leaf * run.rails : placed * run.rails;
  text += fmt::format("\n[switch]\nport_rate = \"{}\"\nports = {}\n", run.rate, std::max<std::int64_t>(64, ports));
  return text;
}

}  // namespace

double bus_factor(CollectiveKind kind, std::int64_t ranks) {
  const double others = static_cast<double>(ranks - 1) / static_cast<double>(ranks);
  switch (kind) {
    case CollectiveKind::kAllReduce:
      return 2 * others;
    case CollectiveKind::kReduceScatter:
    case CollectiveKind::kAllGather:
    case CollectiveKind::kAllToAll:
      return others;
    case CollectiveKind::kBroadcast:
    case CollectiveKind::kReduce:
    case CollectiveKind::kBarrier:
    case CollectiveKind::kSend:
    case CollectiveKind::kReceive:
      break;
  }
  return 1;
}

Result<void> check_collective_run(const CollectiveRun& run, Bytes size) {
  if (run.ranks < 1 || run.gpus_per_host < 1 || run.rails < 1 || run.iterations < 1) {
    return fail("{} ranks, {} GPUs per host, {} rails, {} iterations: at least one of each is needed", run.ranks,
                run.gpus_per_host, run.rails, run.iterations);
  }
  if (run.connections && (*run.connections < 0 || *run.connections > kMaxRanks)) {
    return fail("connections: {}; between 1 and {}, or 0 for all of them", *run.connections, kMaxRanks);
  }
  if (run.ranks > kMaxRanks || run.iterations > kMaxIterations) {
    return fail("{} ranks, {} iterations: at most {} and {}", run.ranks, run.iterations, kMaxRanks, kMaxIterations);
  }
  const std::int64_t gpus = gpus_of(run);
  if (run.ranks % gpus != 0) {
    return fail("{} ranks is not a multiple of {} GPUs per host", run.ranks, gpus);
  }
  if (std::ranges::find(kTopologies, run.topology) == std::end(kTopologies)) {
    return tl::unexpected<Error>(unknown_word({.kind = "topology", .word = run.topology, .valid = kTopologies}));
  }
  const bool repeats = run.kind != CollectiveKind::kReduceScatter && run.kind != CollectiveKind::kReduce;
  if (run.payload == Payload::kBytes && run.iterations > 1 && !repeats) {
    return fail(
        "{} iterations of {} whose numbers are checked: each would begin with what the one before left; only 1 can be",
        run.iterations, to_string(run.kind));
  }
  if (run.payload == Payload::kBytes && size > kMaxCheckedBytes / run.ranks) {
    return fail("the numbers of {} ranks with {} each take {}; at most {} can be checked", run.ranks, size,
                size * run.ranks, kMaxCheckedBytes);
  }
  return {};
}

Bytes usable_size(const CollectiveRun& run, Bytes size) {
  // Eight bytes hold any element.
  const Bytes unit(8 * run.ranks);
  return std::max(size / unit, std::int64_t{1}) * unit;
}

std::string collective_scenario(const CollectiveRun& run, Bytes size) {
  const std::int64_t gpus = gpus_of(run);
  const std::int64_t hosts = std::max<std::int64_t>(run.ranks / gpus, 2);
  std::string text = fmt::format("fidelity = \"{}\"\n\n[fabric]\nfamily = \"{}\"\n", run.fidelity, run.fabric);
  text += topology_of(run, hosts);
  // NICs acknowledge many packets at once; one for each would take a share of the wire.
  text += fmt::format(
      "\n[link]\nrate = \"{0}\"\n\n[nic]\nport_rate = \"{0}\"\n\n[transport]\nack_interval = 64\n\n"
      "[collectives]\nprofile = \"{1}\"\n",
      run.rate, run.profile);
  if (run.scale_up != "none" && gpus > 1) {
    text += fmt::format("\n[scale_up]\nentry = \"{}\"\n", run.scale_up);
  }
  if (run.algorithm == workload::CollectiveAlgorithm::kNvlsTree && gpus > 1 && run.scale_up != "none") {
    text += "reduction = true\n";
  }
  if (run.algorithm == workload::CollectiveAlgorithm::kInNetwork) {
    const bool in_domain = run.ranks == gpus && run.scale_up != "none" && gpus > 1;
    text += in_domain ? "reduction = true\n" : "\n[reduction]\nenabled = true\n";
  }
  text += fmt::format("\n[[job]]\nname = \"ranks\"\ngpus = {}\n", run.ranks);
  text += fmt::format(
      "\n[[traffic]]\nname = \"collective\"\nkind = \"collective\"\ncollective = \"{}\"\nalgorithm = \"{}\"\njob = "
      "\"ranks\"\nsize = \"{} B\"\ncount = {}\n",
      scenario::word_of(run.kind), scenario::word_of(run.algorithm), size.count(), run.iterations);
  return text;
}

Result<scenario::Scenario> read_collective_scenario(const CollectiveRun& run, Bytes size,
                                                    const scenario::Catalogue& catalogue) {
  Result<scenario::Scenario> scenario =
      scenario::parse_scenario(collective_scenario(run, size),
                               {.file = "collective", .case_name = std::nullopt, .settings = run.settings}, catalogue);
  if (!scenario) {
    return scenario;
  }
  const bool closes =
      scenario::has_ib_transport(scenario->fabric.family) && scenario->fidelity == scenario::Fidelity::kPacket;
  if (run.connections.value_or(0) > 0 && !closes) {
    return fail("connections: those of {} at fidelity \"{}\" cannot be closed; leave the number out, or 0",
                scenario::word_of(scenario->fabric.family), scenario::word_of(scenario->fidelity));
  }
  const std::int64_t usual = closes && run.ranks > kFewRanks ? kManyRanksConnections : 0;
  scenario->collectives.connections = run.connections.value_or(usual);
  return scenario;
}

Result<CollectiveTime> time_collective(const CollectiveRun& run, Bytes size, const scenario::Catalogue& catalogue) {
  if (Result<void> right = check_collective_run(run, size); !right) {
    return pass_on(right);
  }
  const Bytes usable = usable_size(run, size);
  Bytes largest = usable;
  Result<scenario::Scenario> scenario = read_collective_scenario(run, usable, catalogue);
  if (!scenario) {
    return pass_on(scenario);
  }
  while (scenario->fidelity == scenario::Fidelity::kPacket &&
         volume(run, largest) > static_cast<double>(run.longest.count())) {
    largest = halved(run, largest);
  }
  if (largest < usable) {
    return extrapolate(run, usable, largest, catalogue);
  }
  Result<Measured> measured = simulate(run, usable, catalogue);
  if (!measured) {
    return pass_on(measured);
  }
  return row_of(run, usable, *measured);
}

}  // namespace weft::study::run
