#include "study/run/step_traffic.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "base/int128.h"

namespace weft::study::run {
namespace {

using workload::RankId;

/// Of a run of every packet: those that are kept to say what a step waited for, some 100 MB.
constexpr std::size_t kMaxMessages = 1'000'000;

/// Operations of each kind in a step, over all communicators.
std::map<StepOperation, std::uint64_t> count_operations(std::span<const workload::Communicator> communicators,
                                                        const workload::NodeLog& log, std::uint64_t steps,
                                                        const StepTraffic::Weight& weight) {
  std::map<StepOperation, double> sums;
  for (std::uint32_t rank = 0; rank < log.ranks(); ++rank) {
    for (const workload::NodeRecord& record : log.of(RankId(rank))) {
      if (record.is_compute() || record.kind == workload::CollectiveKind::kReceive) {
        continue;
      }
      // Each send counts, and each collective once, at its first member.
      const auto& members = communicators[record.communicator.value()].members;
      if (record.kind == workload::CollectiveKind::kSend || members.front() == RankId(rank)) {
        sums[{.purpose = record.label.purpose, .kind = record.kind, .size = record.size}] +=
            weight(record.communicator);
      }
    }
  }
  std::map<StepOperation, std::uint64_t> counts;
  for (const auto& [operation, sum] : sums) {
    counts[operation] = static_cast<std::uint64_t>(std::llround(sum)) / steps;
  }
  return counts;
}

void add_tier(results::StepRow& row, const std::string& name, Bytes sent, Rate rate) {
  if (sent == Bytes::zero()) {
    return;
  }
  const Bytes each(sent.count() / static_cast<std::int64_t>(std::max<std::uint64_t>(row.gpus, 1)));
  row.tiers.push_back(
      {.name = name, .sent = sent, .wire_time = rate > Rate::zero() ? rate.transmit_time(each) : Duration::zero()});
}

}  // namespace

Bytes StepTraffic::Scale::larger(Bytes bytes) const {
  return Bytes(static_cast<std::int64_t>(static_cast<Int128>(bytes.count()) * whole / pair_part));
}

Bytes StepTraffic::Scale::of(Bytes bytes) const {
  return Bytes(static_cast<std::int64_t>(static_cast<Int128>(bytes.count()) * whole * static_cast<Int128>(instances) /
                                         part / static_cast<Int128>(run)));
}

bool StepTraffic::add(const workload::MessageRecord& message) {
  const workload::RankSite& from = (*options_.layout)[message.flow.source.value()];
  const workload::RankSite& to = (*options_.layout)[message.flow.destination.value()];
  const std::uint32_t phase = options_.board != nullptr ? options_.board->phase_at(message.posted) : 0;
  PhaseTraffic& traffic = phases_[phase];
  keep_end(message, traffic);
  if (from.scale_up && to.scale_up && from.domain == to.domain) {
    traffic.scale_up += message.size;
    return false;
  }
  traffic.flows[{message.flow.source, message.flow.destination}] += message.size;
  traffic.demands[message.flow] += message.size;
  return true;
}

std::vector<world::FlowDemand> StepTraffic::demands_of(std::uint32_t phase) const {
  std::vector<world::FlowDemand> made;
  if (const auto found = phases_.find(phase); found != phases_.end()) {
    for (const auto& [flow, bytes] : found->second.demands) {
      made.push_back({.flow = flow, .bytes = bytes});
    }
  }
  return made;
}

void StepTraffic::keep_end(const workload::MessageRecord& message, PhaseTraffic& traffic) {
  if (options_.board != nullptr) {
    Time& end = traffic.ends[{message.flow.source, message.flow.destination}];
    end = std::max(end, message.finished);
  } else if (messages_.size() < kMaxMessages) {
    messages_.push_back(message);
  }
}

std::optional<StepTraffic::Pair> StepTraffic::last_of_phase(
    const workload::NodeRecord& record, std::span<const workload::Communicator> communicators) const {
  const StepOperation operation{
      .purpose = record.label.purpose,
      .kind = record.kind == workload::CollectiveKind::kReceive ? workload::CollectiveKind::kSend : record.kind,
      .size = record.size};
  const auto phase = phases_.find(options_.phases->probe_of(operation));
  if (phase == phases_.end()) {
    return std::nullopt;
  }
  const auto& members = communicators[record.communicator.value()].members;
  const auto is_member = [&members](RankId rank) { return std::ranges::find(members, rank) != members.end(); };
  std::optional<Pair> own;
  std::optional<Pair> any;
  Time own_end;
  Time any_end;
  for (const auto& [pair, end] : phase->second.ends) {
    if (!any || end > any_end) {
      any = pair;
      any_end = end;
    }
    if (is_member(pair.first) && is_member(pair.second) && (!own || end > own_end)) {
      own = pair;
      own_end = end;
    }
  }
  return own ? own : any;
}

std::optional<StepTraffic::Pair> StepTraffic::flow_behind(const workload::PathPart& part, const workload::NodeLog& log,
                                                          std::span<const workload::Communicator> communicators) const {
  const workload::NodeRecord& record = log.at(part.rank, part.node);
  if (record.is_compute()) {
    return std::nullopt;
  }
  if (options_.phases != nullptr) {
    return last_of_phase(record, communicators);
  }
  if (messages_.size() == kMaxMessages) {
    return std::nullopt;  // the one may be among those that were not kept
  }
  const workload::MessageRecord* last = workload::message_behind(part, log, communicators, messages_);
  return last == nullptr ? std::nullopt : std::optional<Pair>({last->flow.source, last->flow.destination});
}

std::span<const workload::MessageRecord> StepTraffic::all_messages() const {
  return messages_.size() < kMaxMessages ? std::span(messages_) : std::span<const workload::MessageRecord>();
}

StepTraffic::Scale StepTraffic::scale_of(std::uint32_t phase, const Instances& instances) const {
  if (phase >= options_.phases->phases()) {
    return {};  // run once more, beside another job
  }
  const StepPhases::Sample& sample = options_.phases->sample(phase);
  // Of several samples the longest probe counts.
  const auto found = instances.find(sample.operation);
  if (phase != options_.phases->probe_of(sample.operation) || found == instances.end()) {
    return {};
  }
  std::uint64_t run = 0;
  for (const auto& [operation, time] : options_.board->times()) {
    run += operation.phase == phase ? 1 : 0;
  }
  return {.operation = sample.operation,
          .instances = found->second,
          .run = std::max<std::uint64_t>(run, 1),
          .whole = sample.operation.size.count(),
          .part = std::max<std::int64_t>(sample.amount.count(), 1),
          .pair_part = std::max<std::int64_t>(sample.some_peers ? sample.size.count() : sample.amount.count(), 1)};
}

void StepTraffic::add_flows(results::StepRow& row, const PhaseTraffic& traffic, const Scale& scale) const {
  std::map<Bytes, std::uint64_t> sizes;
  for (const auto& [pair, bytes] : traffic.flows) {
    ++sizes[scale.larger(bytes)];
  }
  const bool whole_step = options_.phases == nullptr;
  for (const auto& [size, count] : sizes) {
    const Int128 pairs = static_cast<Int128>(count) * static_cast<Int128>(scale.instances) * scale.pair_part /
                         scale.part / static_cast<Int128>(scale.run);
    row.flows.push_back({.purpose = whole_step ? "all" : std::string(to_string(scale.operation.purpose)),
                         .kind = whole_step ? "step" : std::string(to_string(scale.operation.kind)),
                         .operation = scale.operation.size,
                         .size = size,
                         .flows = static_cast<std::uint64_t>(pairs)});
  }
}

void StepTraffic::report(results::StepRow& row, std::span<const workload::Communicator> communicators,
                         const workload::NodeLog& log, const Weight& weight) const {
  const Instances instances = count_operations(communicators, log, row.steps, weight);
  Bytes network;
  Bytes scale_up;
  for (const auto& [phase, traffic] : phases_) {
    const Scale scale = options_.phases != nullptr ? scale_of(phase, instances)
                                                   : Scale{.instances = 1,
                                                           .part = static_cast<std::int64_t>(row.steps),
                                                           .pair_part = static_cast<std::int64_t>(row.steps)};
    if (scale.instances == 0) {
      continue;
    }
    scale_up += scale.of(traffic.scale_up);
    for (const auto& [pair, bytes] : traffic.flows) {
      network += scale.of(bytes);
    }
    add_flows(row, traffic, scale);
  }
  add_tier(row, "scale-up", scale_up, options_.scale_up_rate);
  add_tier(row, "network", network, options_.network_rate);
  std::ranges::stable_sort(row.flows, std::greater<>(), &results::StepFlow::size);
}

}  // namespace weft::study::run
