// How operations of one step that are under way at the same time change one another's speed, by the links that they
// share.
//
// What an operation takes alone was measured together with all others of its kind, as its phase ran them. Some of that
// time its bytes need on the link that its kind loads most; the rest are latencies and what its protocol costs. Where
// fewer of its kind are under way than in the phase, the first part is shorter by what the others do not put on its
// links. Where operations of other kinds use the same links, and all of them together need more than a link has, the
// link is shared max-min fair among their flows (study/world/max_min.h). An operation goes on as fast as its slowest
// flow, because members of a collective wait for one another, and no faster than without the other kinds.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "study/world/flow_paths.h"
#include "workload/collective/shared_progress.h"

namespace weft::study::run {

class StepOverlap final : public workload::SharedProgress::Overlap {
 public:
  using Id = workload::SharedProgress::Id;
  /// One kind of operation on one communicator; of sends, from one member.
  struct Member {
    std::uint32_t kind = 0;
    double flow_bytes = 1;                     // of one of those of its flows that send at once, above 0
    std::vector<world::FlowLoad::Use> uses{};  // by all its flows, each link once
  };
  explicit StepOverlap(const std::vector<Member>& members);

  /// Whether any two share a link. Otherwise every factor is 1.
  [[nodiscard]] bool any_meet() const { return any_meet_; }

  /// `place` of an operation is the number of its member.
  std::vector<Change> begin(Id id, const workload::SharedProgress::Operation& operation, Duration alone) override;
  std::vector<Change> end(Id id) override;

  /// Operations of this kind, or of any, have been under way while a link of theirs was short for several kinds.
  [[nodiscard]] bool has_met(std::uint32_t kind) const { return met_.contains(kind); }
  [[nodiscard]] bool has_met() const { return !met_.empty(); }

 private:
  using Link = std::uint32_t;
  struct Use {
    Link link = 0;
    double seconds = 0;
  };
  struct Known {
    std::uint32_t kind = 0;
    double flow_bytes = 1;
    double floor = 0;         // seconds that it needs on one of its links by itself
    double with_all = 0;      // the same together with all of its kind
    std::vector<Use> uses{};  // links that others use as well
  };
  struct Active {
    Id id = 0;
    const Known* known = nullptr;
    double alone = 0;   // seconds
    double time = 0;    // that it takes without other kinds
    double factor = 1;  // of `alone`
  };
  struct OnLink {
    Active* active = nullptr;
    double seconds = 0;
  };

  [[nodiscard]] double time_of(const Active& active) const;
  /// Operations of several kinds need more of it than it has.
  [[nodiscard]] bool is_short(Link link) const;
  [[nodiscard]] std::vector<Change> adapt(const Known& changed);
  [[nodiscard]] std::map<Id, Active*> reached_from(std::set<Link> links) const;
  static void share(const std::vector<Active*>& reached, const std::map<Link, std::uint32_t>& short_links,
                    std::vector<double>& factors);

  std::vector<Known> known_;
  bool any_meet_ = false;
  std::map<Id, Active> active_;
  std::vector<std::vector<OnLink>> on_link_;  // of those that several use
  std::vector<bool> short_;                   // by link, as is_short says
  std::set<std::uint32_t> met_;               // kinds
};

}  // namespace weft::study::run
