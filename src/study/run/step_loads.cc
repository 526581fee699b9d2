#include "study/run/step_loads.h"

#include <algorithm>
#include <set>

namespace weft::study::run {
namespace {

using workload::CollectiveKind;
using workload::RankId;

/// What several flows put on links together.
class LinkSum {
 public:
  void add(const world::FlowLoad& load, double scale) {
    for (const auto& use : load.uses) {
      uses_[use.link] += use.seconds * scale;
    }
    bytes_ += load.bytes * scale;
    ++flows_;
    senders_.insert(load.flow.source);
  }

  [[nodiscard]] StepOverlap::Member member(const StepOperation& operation, std::uint32_t kind) const {
    StepOverlap::Member made{.kind = kind};
    // An exchange goes from one peer to the next; flows of all others send at once.
    const std::size_t at_once = operation.kind == CollectiveKind::kAllToAll ? senders_.size() : flows_;
    made.flow_bytes = std::max(bytes_ / static_cast<double>(std::max<std::size_t>(at_once, 1)), 1.0);
    for (const auto& [link, seconds] : uses_) {
      made.uses.push_back({.link = link, .seconds = seconds});
    }
    return made;
  }

 private:
  std::map<fabric::PortIndex, double> uses_;
  double bytes_ = 0;
  std::size_t flows_ = 0;
  std::set<RankId> senders_;
};

}  // namespace

StepLoads::StepLoads(const Options& options) : options_(options) {
  members_.emplace_back();  // of all that send nothing through the network
  for (const auto& [operation, phases] : options_.phases.operations()) {
    add(operation, options_.phases.probe_of(operation));
  }
}

// The operation of a flow is known by its ends: no two communicators of a phase have both, and no two senders.
std::map<StepLoads::Ends, const workload::PhasedOperation*> StepLoads::by_ends(std::uint32_t probe) const {
  std::map<Ends, const workload::PhasedOperation*> made;
  for (const workload::PhasedOperation& phased : options_.phases.operations_in(probe)) {
    const auto& members = options_.communicators[phased.communicator.value()].members;
    const bool sends = options_.phases.sample(probe).operation.kind == CollectiveKind::kSend;
    for (const workload::PhasedRequest& own : options_.phases.requests_of(members[sends ? phased.number : 0])) {
      if (sends && own.operation == phased && own.request.kind == CollectiveKind::kSend) {
        made[{members[phased.number], members[own.request.peer.value()]}] = &phased;
      }
    }
    for (const RankId from : members) {
      for (const RankId to : members) {
        if (!sends) {
          made[{from, to}] = &phased;
        }
      }
    }
  }
  return made;
}

void StepLoads::add(const StepOperation& operation, std::uint32_t probe) {
  const std::map<Ends, const workload::PhasedOperation*> operations = by_ends(probe);
  const StepPhases::Sample& sample = options_.phases.sample(probe);
  const double scale = static_cast<double>(operation.size.count()) /
                       static_cast<double>(std::max<std::int64_t>(sample.amount.count(), 1));
  std::map<Place, LinkSum> sums;
  for (const world::FlowLoad& load : options_.loads(options_.traffic.demands_of(probe))) {
    const auto found = operations.find({load.flow.source, load.flow.destination});
    if (found == operations.end()) {
      continue;
    }
    const Place place{probe, found->second->communicator, found->second->number};
    sums[place].add(load, scale);
  }
  for (const auto& [place, sum] : sums) {
    places_[place] = static_cast<std::uint32_t>(members_.size());
    members_.push_back(sum.member(operation, probe + 1));
  }
}

std::uint32_t StepLoads::member_of(const workload::CostedOperation& operation) const {
  const Place place{options_.phases.probe_of(options_.phases.kind_of(operation)), operation.request.communicator,
                    StepPhases::sender_of(operation)};
  const auto found = places_.find(place);
  return found == places_.end() ? 0 : found->second;
}

}  // namespace weft::study::run
