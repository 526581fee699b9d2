#include "study/collective_run.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/format_quantity.h"
#include "study/scenario_load.h"
#include "study/scenario_words.h"

namespace weft::study {
namespace {

using workload::CollectiveKind;

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
};

Result<void> check(const CollectiveRun& run) {
  if (run.ranks < 1 || run.gpus_per_host < 1 || run.rails < 1 || run.iterations < 1) {
    return fail("{} ranks, {} GPUs per host, {} rails, {} iterations: at least one of each", run.ranks,
                run.gpus_per_host, run.rails, run.iterations);
  }
  if (run.ranks % std::min(run.ranks, run.gpus_per_host) != 0) {
    return fail("{} ranks do not fill hosts of {} GPUs", run.ranks, run.gpus_per_host);
  }
  return {};
}

Result<Measured> simulate(const CollectiveRun& run, Bytes size, const Catalogue& catalogue) {
  Result<Scenario> scenario =
      parse_scenario(collective_scenario(run, size),
                     {.file = "collective", .case_name = std::nullopt, .settings = run.settings}, catalogue);
  if (!scenario) {
    return pass_on(scenario);
  }
  Times times;
  Result<std::unique_ptr<Simulation>> made = Simulation::create(*scenario, times, run.payload);
  if (!made) {
    return pass_on(made);
  }
  Simulation& simulation = **made;
  if (simulation.run([](const Progress&) { return true; }) != Simulation::End::kFinished) {
    return fail("{} of {}: {}", to_string(run.kind), size, simulation.error());
  }
  if (run.payload == Payload::kBytes) {
    if (Result<void> right = simulation.check_bytes(); !right) {
      return fail("{} of {}: wrong result: {}", to_string(run.kind), size, right.error().message);
    }
  }
  Measured measured{.time = (times.last - times.first) / run.iterations};
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
  CollectiveTime row{.size = size, .time = measured.time};
  row.algbw_gbytes_per_s = gbytes_per_s(static_cast<double>(size.count()), measured.time);
  row.busbw_gbytes_per_s = row.algbw_gbytes_per_s * bus_factor(run.kind, run.ranks);
  const std::int64_t hosts = run.ranks / std::min(run.ranks, run.gpus_per_host);
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

Result<CollectiveTime> extrapolate(const CollectiveRun& run, Bytes size, Bytes largest, const Catalogue& catalogue) {
  const Bytes sizes[3] = {halved(run, halved(run, largest)), halved(run, largest), largest};
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
      .time = on_line(measured[1], measured[2], position_of(size, sizes[1], sizes[2])),
      .scale_out = Bytes(static_cast<std::int64_t>(static_cast<double>(measured[2].scale_out.count()) * scale))};
  CollectiveTime row = row_of(run, size, all);
  row.extrapolation_error = static_cast<double>((predicted - measured[2].time).picoseconds()) /
                            static_cast<double>(measured[2].time.picoseconds());
  return row;
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

Bytes usable_size(const CollectiveRun& run, Bytes size) {
  // Eight bytes hold any element.
  const Bytes unit(8 * run.ranks);
  return std::max(size / unit, std::int64_t{1}) * unit;
}

std::string collective_scenario(const CollectiveRun& run, Bytes size) {
  const std::int64_t gpus = std::min(run.ranks, run.gpus_per_host);
  const std::int64_t hosts = run.ranks / gpus;
  std::string text = fmt::format(
      "[fabric]\nfamily = \"{}\"\n\n[topology]\nkind = \"{}\"\nhosts = {}\nnics_per_host = {}\ngpus_per_host = {}\n",
      run.fabric, run.topology, std::max<std::int64_t>(hosts, 2), run.rails, gpus);
  if (run.topology == "rail-optimised") {
    // One leaf per rail and as many cables up as down: nothing is oversubscribed.
    text += fmt::format("hosts_per_leaf = {0}\nspines = {0}\n", std::max<std::int64_t>(hosts, 2));
  }
  text += fmt::format("\n[link]\nrate = \"{}\"\n\n[collectives]\nprofile = \"{}\"\n", run.rate, run.profile);
  if (!run.scale_up.empty()) {
    text += fmt::format("\n[scale_up]\nkind = \"{}\"\n", run.scale_up);
  }
  text += fmt::format("\n[[job]]\nname = \"ranks\"\nranks = {}\n", run.ranks);
  text += fmt::format(
      "\n[[traffic]]\nname = \"collective\"\nkind = \"collective\"\ncollective = \"{}\"\nalgorithm = \"{}\"\njob = "
      "\"ranks\"\nsize = \"{} B\"\ncount = {}\n",
      word_of(run.kind), word_of(run.algorithm), size.count(), run.iterations);
  return text;
}

Result<CollectiveTime> time_collective(const CollectiveRun& run, Bytes size, const Catalogue& catalogue) {
  if (Result<void> right = check(run); !right) {
    return pass_on(right);
  }
  const Bytes usable = usable_size(run, size);
  Bytes largest = usable;
  while (volume(run, largest) > static_cast<double>(run.longest.count())) {
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

}  // namespace weft::study
