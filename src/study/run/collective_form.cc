#include "study/run/collective_form.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "base/format_quantity.h"
#include "study/assembly/build_scale_up.h"
#include "study/scenario/scenario_load.h"
#include "wire/encapsulation.h"
#include "wire/memory_format.h"
#include "wire/opcode.h"

namespace weft::study::run {
namespace {

using workload::CollectiveAlgorithm;
using workload::CollectiveKind;
using workload::LinkCost;

constexpr Rate kNic = Rate::bits_per_second(400'000'000'000);
constexpr Rate kScaleUp = Rate::bits_per_second(16'000'000'000'000);
constexpr Bytes kChunk = Bytes(512 << 10);
constexpr std::int64_t kMtu = 4'096;
/// To all others at once.
constexpr std::uint32_t kInFlight = 1024;

struct Ends final : workload::MessageSink {
  void on_message(const workload::MessageRecord&) override {}
  void on_collective(const workload::CollectiveRecord& record) override {
    by_rank.resize(std::max<std::size_t>(by_rank.size(), record.rank.value() + 1));
    by_rank[record.rank.value()] = record.finished.since_start();
  }
  std::vector<Duration> by_rank;
};

Result<std::vector<Duration>> ends(const CollectiveRun& run, Bytes size, const scenario::Catalogue& catalogue) {
  auto scenario = read_collective_scenario(run, size, catalogue);
  if (!scenario) {
    return pass_on(scenario);
  }
  Ends sink;
  auto simulation = Simulation::create(*scenario, sink);
  if (!simulation) {
    return pass_on(simulation);
  }
  if ((*simulation)->run([](const Progress&) { return true; }) != Simulation::End::kFinished) {
    return fail("{}", (*simulation)->error());
  }
  return sink.by_rank;
}

/// Of a WRITE with immediate data.
Duration nic_time(wire::Encapsulation encapsulation, Bytes message) {
  const std::int64_t packets = std::max<std::int64_t>((message.count() + kMtu - 1) / kMtu, 1);
  const auto wire_bytes = [encapsulation](wire::Operation operation, Bytes payload) {
    return wire::sizes(encapsulation, wire::make_opcode(wire::Service::kRc, operation), payload).wire;
  };
  if (packets == 1) {
    return kNic.transmit_time(wire_bytes(wire::Operation::kWriteOnlyImmediate, message));
  }
  return kNic.transmit_time(wire_bytes(wire::Operation::kWriteFirst, Bytes(kMtu)) +
                            wire_bytes(wire::Operation::kWriteMiddle, Bytes(kMtu)) * (packets - 2) +
                            wire_bytes(wire::Operation::kWriteLastImmediate, message - Bytes(kMtu * (packets - 1))));
}

Duration scale_up_time(const wire::MemoryFormat& format, Bytes message) {
  Duration sum;
  for (std::int64_t left = message.count(); left > 0; left -= format.unit) {
    const auto payload = static_cast<std::uint32_t>(std::min<std::int64_t>(left, format.unit));
    sum = sum + kScaleUp.transmit_time(Bytes(wire::data_wire_bytes(format, payload)));
  }
  return sum;
}

/// From one message of this size between two ranks.
Result<LinkCost> measured(CollectiveRun pair, Bytes message, const scenario::Catalogue& catalogue,
                          const std::function<Duration(Bytes)>& wire_time) {
  pair.kind = CollectiveKind::kSend;
  auto times = ends(pair, message, catalogue);
  if (!times) {
    return pass_on(times);
  }
  return LinkCost{
      .startup = times->at(1) - wire_time(message), .ack_latency = times->at(0) - times->at(1), .wire_time = wire_time};
}

/// From one piece that a domain's switch adds up and gives back; further ones come behind it.
Result<LinkCost> measured_reducer(std::int64_t locals, Bytes piece, const scenario::Catalogue& catalogue,
                                  const std::function<Duration(Bytes)>& wire_time) {
  CollectiveRun domain = form_run(locals, locals);
  domain.algorithm = CollectiveAlgorithm::kInNetwork;
  auto times = ends(domain, piece, catalogue);
  if (!times) {
    return pass_on(times);
  }
  return LinkCost{.startup = std::ranges::max(*times) - wire_time(piece), .ack_latency = {}, .wire_time = wire_time};
}

/// The largest message that the operation has.
Bytes largest_message(const CollectiveRun& run, Bytes size, Bytes chunk, FormTrees trees) {
  const bool whole = run.kind == CollectiveKind::kBroadcast || run.kind == CollectiveKind::kReduce ||
                     run.kind == CollectiveKind::kSend || run.algorithm == CollectiveAlgorithm::kTree;
  if (run.kind == CollectiveKind::kBarrier) {
    return Bytes(1);
  }
  std::int64_t parts = whole ? 1 : run.ranks;
  if (run.algorithm == CollectiveAlgorithm::kHalvingDoubling ||
      run.algorithm == CollectiveAlgorithm::kRecursiveDoubling) {
    parts = 2;
  } else if (run.algorithm == CollectiveAlgorithm::kNvlsTree) {
    parts = run.gpus_per_host;
  }
  return std::clamp(size / (trees == FormTrees::kDouble ? 2 * parts : parts), Bytes(1), chunk);
}

/// A double tree's messages share links that are full in both directions. Queues serve them evenly in the long run, so
/// where there are several chunks there should be many. And with less room in an InfiniBand switch packets that wait
/// for a full link hold the credits of those behind them, whose links idle.
Bytes set_double_tree(Bytes size, std::vector<std::string>& settings) {
  constexpr Bytes kPipelined = Bytes(1536 << 10);  // less is one chunk or two
  constexpr Bytes kShortChunk = Bytes(64 << 10);
  constexpr std::int64_t kSlots = 4;
  const Bytes chunk = size < kPipelined ? kChunk : kShortChunk;
  settings.push_back(fmt::format("collectives.chunk={} B", chunk.count()));
  settings.push_back(fmt::format("collectives.buffer={} B", chunk.count() * kSlots));
  settings.emplace_back("infiniband.vl_buffer=1 MiB");
  return chunk;
}

struct DomainCosts {
  LinkCost peer{};
  LinkCost reducer{};
};

/// Of what the collective uses inside its domains.
Result<DomainCosts> measured_domain(const CollectiveRun& run, Bytes message, const scenario::Catalogue& catalogue) {
  DomainCosts costs;
  if (run.gpus_per_host == 1) {
    return costs;
  }
  auto scenario = read_collective_scenario(run, message, catalogue);
  if (!scenario) {
    return pass_on(scenario);
  }
  const wire::MemoryFormat format = assembly::memory_options(scenario->scale_up).format;
  const auto wire_time = [format](Bytes bytes) { return scale_up_time(format, bytes); };
  auto peer = measured(form_run(2, 2), message, catalogue, wire_time);
  if (!peer) {
    return pass_on(peer);
  }
  costs.peer = *peer;
  if (run.algorithm == CollectiveAlgorithm::kNvlsTree) {
    const Bytes piece = std::min(message, scenario->scale_up.reduction_size);
    auto reducer = measured_reducer(run.gpus_per_host, piece / 8 * 8, catalogue, wire_time);
    if (!reducer) {
      return pass_on(reducer);
    }
    costs.reducer = *reducer;
  }
  return costs;
}

}  // namespace

CollectiveRun form_run(std::int64_t ranks, std::int64_t locals) {
  CollectiveRun run;
  run.ranks = ranks;
  run.gpus_per_host = locals;
  run.rails = locals;
  run.topology = "single-switch";
  run.profile = "ideal";
  run.settings = {fmt::format("collectives.in_flight={}", kInFlight)};
  if (locals > 1) {
    run.settings.push_back(fmt::format("scale_up.rate={} bps", kScaleUp.bits_per_second()));
  }
  return run;
}

Result<FormComparison> compare_with_form(CollectiveRun run, Bytes size, const scenario::Catalogue& catalogue,
                                         FormTrees trees) {
  const std::uint32_t channels = trees == FormTrees::kDouble ? 2 : 1;
  run.settings.push_back(fmt::format("traffic[0].channels={}", channels));
  // Each GPU of a domain has a double tree of its own for its share.
  const Bytes per_tree = run.algorithm == CollectiveAlgorithm::kNvlsTree ? size / run.gpus_per_host : size;
  const Bytes chunk = trees == FormTrees::kDouble ? set_double_tree(per_tree, run.settings) : kChunk;
  const Bytes message = largest_message(run, size, chunk, trees);
  const auto encapsulation =
      run.fabric == "infiniband" ? wire::Encapsulation::kIbLocal : wire::Encapsulation::kRoceV2Ipv4;
  CollectiveRun pair = form_run(2);
  pair.fabric = run.fabric;
  auto scale_out =
      measured(pair, message, catalogue, [encapsulation](Bytes bytes) { return nic_time(encapsulation, bytes); });
  if (!scale_out) {
    return pass_on(scale_out);
  }
  const auto ack_latency = wire::make_opcode(wire::Service::kRc, wire::Operation::kAcknowledge);
  const auto middle = wire::make_opcode(wire::Service::kRc, wire::Operation::kWriteMiddle);
  scale_out->packet = kNic.transmit_time(wire::sizes(encapsulation, middle, Bytes(kMtu)).wire);
  scale_out->acknowledgement = kNic.transmit_time(wire::sizes(encapsulation, ack_latency, Bytes::zero()).wire);
  Result<DomainCosts> domain = measured_domain(run, message, catalogue);
  if (!domain) {
    return pass_on(domain);
  }
  const auto form = workload::closed_form({.kind = run.kind,
                                           .algorithm = run.algorithm,
                                           .ranks = static_cast<std::uint32_t>(run.ranks),
                                           .locals = static_cast<std::uint32_t>(run.gpus_per_host),
                                           .size = size,
                                           .chunk = chunk,
                                           .channels = channels,
                                           .in_flight = kInFlight,
                                           .scale_out = *scale_out,
                                           .scale_up = domain->peer,
                                           .reducer = domain->reducer});
  if (!form) {
    return fail("{} {}: no closed form", to_string(run.kind), to_string(run.algorithm));
  }
  auto times = ends(run, size, catalogue);
  if (!times) {
    return pass_on(times);
  }
  return FormComparison{.simulated = std::ranges::max(*times), .form = *form};
}

}  // namespace weft::study::run
