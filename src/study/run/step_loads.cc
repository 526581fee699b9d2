#include "study/run/step_loads.h"

#include <algorithm>
#include <set>
#include <utility>

#include "workload/collective/edges.h"

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

// The operation of a flow is known by its communicator, whose connections are its own, and of sends by the sender: the
// same two ranks may be at once in two of them, as stages of an interleaved pipeline are.
void StepLoads::add(const StepOperation& operation, std::uint32_t probe) {
  const StepPhases::Sample& sample = options_.phases.sample(probe);
  const double scale = static_cast<double>(operation.size.count()) /
                       static_cast<double>(std::max<std::int64_t>(sample.amount.count(), 1));
  const bool sends = sample.operation.kind == CollectiveKind::kSend;
  std::map<Place, LinkSum> sums;
  for (const world::FlowLoad& load : options_.loads(probe, options_.traffic.demands_of(probe))) {
    const workload::CommunicatorId communicator = workload::communicator_of(load.flow.index);
    const auto& members = options_.communicators[communicator.value()].members;
    const auto number = sends ? std::ranges::find(members, load.flow.source) - members.begin() : 0;
    sums[{probe, communicator, static_cast<std::uint32_t>(number)}].add(load, scale);
  }
  for (const auto& [place, sum] : sums) {
    places_[place] = static_cast<std::uint32_t>(members_.size());
    members_.push_back(sum.member(operation, kind_of(operation)));
  }
}

std::vector<StepOverlap::Member> StepLoads::members_standing_for_all(const IsLeft& is_left) const {
  std::vector<bool> left(members_.size());
  for (const auto& [place, number] : places_) {
    left[number] = is_left(std::get<workload::CommunicatorId>(place));
  }
  std::map<std::pair<std::uint32_t, fabric::PortIndex>, std::pair<double, double>> sums;  // of all, of those left
  for (std::size_t i = 0; i < members_.size(); ++i) {
    for (const auto& use : members_[i].uses) {
      auto& [all, own] = sums[{members_[i].kind, use.link}];
      all += use.seconds;
      own += left[i] ? use.seconds : 0;
    }
  }
  std::vector<StepOverlap::Member> made = members_;
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (!left[i]) {
      made[i].uses.clear();  // it never begins
    }
    for (auto& use : made[i].uses) {
      const auto& [all, own] = sums.at({made[i].kind, use.link});
      use.seconds *= own > 0 ? all / own : 1;
    }
  }
  return made;
}

std::uint32_t StepLoads::member_of(const workload::CostedOperation& operation) const {
  const Place place{options_.phases.probe_of(options_.phases.kind_of(operation)), operation.request.communicator,
                    StepPhases::sender_of(operation)};
  const auto found = places_.find(place);
  return found == places_.end() ? 0 : found->second;
}

}  // namespace weft::study::run
