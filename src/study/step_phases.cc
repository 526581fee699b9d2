#include "study/step_phases.h"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "base/assert.h"
#include "base/int128.h"

namespace weft::study {
namespace {

using workload::CollectiveKind;
using workload::CommunicatorId;
using workload::RankId;

/// A shorter operation of the same shape: whole elements of every member's part.
Bytes slice_of(Bytes wanted, std::size_t members) {
  const std::int64_t unit = 16 * static_cast<std::int64_t>(members);
  return Bytes(std::max<std::int64_t>(wanted.count() / unit, 1) * unit);
}

CollectiveKind both_ends(CollectiveKind kind) {
  return kind == CollectiveKind::kReceive ? CollectiveKind::kSend : kind;
}

std::uint32_t member_of(const workload::Communicator& communicator, RankId rank) {
  const auto found = std::ranges::find(communicator.members, rank);
  WEFT_ASSERT(found != communicator.members.end());
  return static_cast<std::uint32_t>(found - communicator.members.begin());
}

}  // namespace

StepPhases::StepPhases(const Options& options) : options_(options), requests_(options.ranks) {}

StepPhases StepPhases::make(const Options& options, const GraphOf& graph_of) {
  StepPhases phases(options);
  for (std::uint32_t rank = 0; rank < options.ranks; ++rank) {
    const std::unique_ptr<workload::StepGraph> graph = graph_of(RankId(rank));
    while (const std::optional<workload::GraphNode> node = graph->next()) {
      phases.take(RankId(rank), *node);
    }
  }
  phases.put_longer_ones_last();
  for (std::vector<workload::PhasedRequest>& requests : phases.requests_) {
    std::ranges::stable_sort(requests, {}, [](const workload::PhasedRequest& own) { return own.operation.phase; });
  }
  return phases;
}

bool StepPhases::inside_domain(const workload::Communicator& communicator) const {
  const workload::RankSite& first = (*options_.layout)[communicator.members.front().value()];
  return first.domain && std::ranges::all_of(communicator.members, [&](RankId rank) {
           const workload::RankSite& site = (*options_.layout)[rank.value()];
           return site.scale_up && site.domain == first.domain;
         });
}

CommunicatorId StepPhases::stand_in(const StepOperation& operation, CommunicatorId own) {
  const workload::Communicator& communicator = options_.communicators[own.value()];
  if (!inside_domain(communicator)) {
    return own;
  }
  return stand_ins_.try_emplace({operation, communicator.members.size()}, own).first->second;
}

void StepPhases::add_samples(const StepOperation& operation, std::size_t members) {
  const auto [found, is_new] = places_.try_emplace(operation);
  if (!is_new) {
    return;
  }
  Place& place = found->second;
  const auto add = [&](Bytes size) {
    samples_.push_back({.operation = operation, .size = size, .turn = static_cast<std::uint32_t>(place.size())});
    place.push_back(static_cast<std::uint32_t>(samples_.size() - 1));
  };
  if (operation.size <= options_.slice) {
    return add(operation.size);
  }
  // At least two units, so that one half is shorter.
  Bytes size = slice_of(std::max(options_.slice, slice_of(Bytes(1), members) * 2), members);
  add(slice_of(size / 2, members));
  add(size);
  while (options_.grows && size < operation.size) {
    size = size * 2 < operation.size ? slice_of(size * 2, members) : operation.size;
    add(size);
  }
}

// So that what may be spent on them is spent on all operations alike.
void StepPhases::put_longer_ones_last() {
  std::vector<std::uint32_t> order(samples_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [this](std::uint32_t phase) { return std::max(samples_[phase].turn, 1U); });
  std::vector<std::uint32_t> moved(order.size());
  std::vector<Sample> samples;
  for (const std::uint32_t phase : order) {
    moved[phase] = static_cast<std::uint32_t>(samples.size());
    samples.push_back(samples_[phase]);
  }
  samples_ = std::move(samples);
  for (auto& [operation, place] : places_) {
    for (std::uint32_t& phase : place) {
      phase = moved[phase];
    }
  }
  for (std::vector<workload::PhasedRequest>& requests : requests_) {
    for (workload::PhasedRequest& own : requests) {
      own.operation.phase = moved[own.operation.phase];
    }
  }
}

void StepPhases::take(RankId rank, const workload::GraphNode& node) {
  const auto* const work = std::get_if<workload::CommunicationNode>(&node.work);
  if (work == nullptr) {
    return;
  }
  const workload::CollectiveRequest& request = work->request;
  const workload::Communicator& communicator = options_.communicators[request.communicator.value()];
  const std::uint32_t self = member_of(communicator, rank);
  const bool sends = request.kind == CollectiveKind::kSend || request.kind == CollectiveKind::kReceive;
  const StepOperation operation{.purpose = node.label.purpose, .kind = both_ends(request.kind), .size = request.size};
  const std::uint32_t sender = !sends ? 0 : request.kind == CollectiveKind::kSend ? self : request.peer.value();
  const Key key{.communicator = request.communicator,
                .kind = operation.kind,
                .size = request.size,
                .sender = sends ? sender : self};
  // Each rank begins an operation once. Sends are known by their sender alone, so both ends come here once each.
  const Key own_end{.communicator = key.communicator,
                    .kind = request.kind == CollectiveKind::kReceive ? CollectiveKind::kReceive : key.kind,
                    .size = key.size,
                    .sender = key.sender};
  add_samples(operation, communicator.members.size());
  const Source source{.communicator = sends ? request.communicator : stand_in(operation, request.communicator),
                      .operation = operation};
  if (!sources_.try_emplace(own_end, source).second) {
    return;
  }
  if (source.communicator == request.communicator) {
    add_requests(rank, request, source);
  }
}

void StepPhases::add_requests(RankId rank, const workload::CollectiveRequest& request, const Source& source) {
  const bool sends = request.kind == CollectiveKind::kSend || request.kind == CollectiveKind::kReceive;
  const std::uint32_t self = member_of(options_.communicators[request.communicator.value()], rank);
  for (const std::uint32_t phase : places_.at(source.operation)) {
    workload::PhasedRequest phased{
        .operation = {.phase = phase,
                      .communicator = request.communicator,
                      .number = !sends                                  ? 0
                                : request.kind == CollectiveKind::kSend ? self
                                                                        : request.peer.value()},
        .request = request,
        .chosen_for = request.size};
    phased.request.size = samples_[phase].size;
    requests_[rank.value()].push_back(phased);
  }
}

std::uint32_t StepPhases::phase_of(const StepOperation& operation) const {
  const Place& place = places_.at(operation);
  const auto skipped = std::ranges::find_if(place, [this](std::uint32_t phase) { return samples_[phase].skipped; });
  return *(skipped - 1);
}

std::uint32_t StepPhases::sample_before(std::uint32_t phase) const {
  const Sample& own = samples_[phase];
  WEFT_ASSERT(own.turn > 0);
  return places_.at(own.operation)[own.turn - 1];
}

Duration StepPhases::cost(const workload::CostedOperation& operation,
                          const std::map<workload::PhasedOperation, Duration>& times) const {
  const bool sends = operation.request.kind == CollectiveKind::kSend;
  const std::uint32_t sender = sends ? member_of(operation.communicator, operation.sender) : 0;
  const auto found = sources_.lower_bound({.communicator = operation.request.communicator,
                                           .kind = operation.request.kind,
                                           .size = operation.request.size,
                                           .sender = sender});
  WEFT_ASSERT(found != sources_.end() && found->first.communicator == operation.request.communicator &&
              found->first.kind == operation.request.kind && found->first.size == operation.request.size);
  const Source& source = found->second;
  const auto time_of = [&](std::uint32_t phase) {
    const auto time = times.find({.phase = phase, .communicator = source.communicator, .number = sender});
    WEFT_ASSERT(time != times.end());
    return time->second;
  };
  return whole_time(phase_of(source.operation), time_of);
}

Duration StepPhases::whole_time(std::uint32_t last, const std::function<Duration(std::uint32_t)>& time_of) const {
  const Sample& longest = samples_[last];
  const std::int64_t rest = (longest.operation.size - longest.size).count();
  const Duration longer = time_of(last);
  if (rest <= 0) {
    return longer;
  }
  const std::uint32_t first = places_.at(longest.operation)[longest.turn > 1 ? 1 : 0];
  const std::int64_t span = (longest.size - samples_[first].size).count();
  const Int128 more = static_cast<Int128>((longer - time_of(first)).picoseconds()) * rest / span;
  return longer + Duration::picoseconds(static_cast<std::int64_t>(more));
}

}  // namespace weft::study
