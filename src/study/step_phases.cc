#include "study/step_phases.h"

#include <algorithm>
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

StepPhases::Place StepPhases::place_of(const StepOperation& operation, std::size_t members) {
  const auto [place, is_new] = places_.try_emplace(operation);
  if (is_new) {
    place->second = {.phase = phases_, .sliced = operation.size > options_.slice};
    if (place->second.sliced) {
      const Bytes longer = slice_of(options_.slice, members);
      samples_.push_back({.operation = operation, .size = slice_of(longer / 2, members)});
      samples_.push_back({.operation = operation, .size = longer});
    } else {
      samples_.push_back({.operation = operation, .size = operation.size});
    }
    phases_ = static_cast<std::uint32_t>(samples_.size());
  }
  return place->second;
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
  const Place place = place_of(operation, communicator.members.size());
  const Source source{.communicator = sends ? request.communicator : stand_in(operation, request.communicator),
                      .phase = place.phase,
                      .sliced = place.sliced};
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
  for (std::uint32_t phase = source.phase; phase <= source.phase + (source.sliced ? 1U : 0U); ++phase) {
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
  return place.phase + (place.sliced ? 1U : 0U);
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
  if (!source.sliced) {
    return time_of(source.phase);
  }
  const Duration shorter = time_of(source.phase);
  const Duration longer = time_of(source.phase + 1);
  const std::int64_t span = (samples_[source.phase + 1].size - samples_[source.phase].size).count();
  const std::int64_t rest = (operation.request.size - samples_[source.phase + 1].size).count();
  const Int128 more = static_cast<Int128>((longer - shorter).picoseconds()) * rest / span;
  return longer + Duration::picoseconds(static_cast<std::int64_t>(more));
}

}  // namespace weft::study
