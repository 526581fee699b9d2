// Max-min fair rates of flows that share links, kept up to date while flows come and go.
//
// Equal flows are one class with a number of flows. A class has a weight, by which its flows' rates stand to those of
// others, and a cap, which a rate never passes. A flow may load a link with a part of its rate only. `update` solves
// the classes that changed again and, of the others, only those whose bottleneck has moved: all others keep their
// rates, which is the max-min allocation as long as each flow has its cap or a full link on which none has a higher
// rate per weight (Bertsekas and Gallager, Data Networks, 6.5.2). Rates are in the unit of the capacities. The same
// calls give the same rates on every platform.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "base/ids.h"

namespace weft::flow {

using ClassId = Id<struct FlowClassTag>;

/// One link that a flow uses: `part` of its rate goes over it, above 0.
struct LinkUse {
  std::uint32_t link = 0;
  float part = 1;

  friend auto operator<=>(const LinkUse&, const LinkUse&) = default;
};

struct ClassOptions {
  double cap = std::numeric_limits<double>::infinity();  // of each flow, above 0
  double weight = 1;                                     // above 0
};

/// A class with flows, on a link.
struct ClassOnLink {
  ClassId flows{};
  double part = 1;    // of its rate
  bool held = false;  // back by this link
};

class FairShares {
 public:
  /// Of the links, above 0; one of 0 lets nothing pass.
  explicit FairShares(std::vector<double> capacities);

  /// Without flows at first. Each link once; none: only the cap limits the flows.
  [[nodiscard]] ClassId add_class(std::span<const LinkUse> links, const ClassOptions& options = {});

  /// Of an update of what moved: what a link may lack of being full, and by how much rates on it may stand above those
  /// that it holds back, before it is looked at again; 1e-9 at first, which is for rounding. Every class then has its
  /// cap or such a link.
  void set_tolerance(double tolerance) { tolerance_ = tolerance; }

  // Changes, which `rate` shows after the next update.

  void set_flows(ClassId flows, std::uint32_t count);
  /// Another path.
  void set_links(ClassId flows, std::span<const LinkUse> links);
  void set_capacity(std::uint32_t link, double capacity);

  /// Nothing has changed since the last update.
  [[nodiscard]] bool is_settled() const { return dirty_.empty() && dirty_links_.empty(); }
  /// What an update solves: what moved, found step by step, or all classes with flows, once. Both give the same rates
  /// but for rounding; which is cheaper depends on how many have changed.
  enum class Reach : std::uint8_t { kWhatMoved, kAll };
  /// The classes with flows whose rate is another now, each once; valid until the next change.
  std::span<const ClassId> update(Reach reach = Reach::kWhatMoved);
  /// Until the next update, for a class that has flows again and had none: what is left on its links, or a share of
  /// what those with the highest rates have there, each link by itself. `rate` is that then.
  double estimate(ClassId flows);

  /// Of one flow; 0 of a class without any, infinite without links and cap.
  [[nodiscard]] double rate(ClassId flows) const { return classes_[flows.value()].rate; }
  [[nodiscard]] std::uint32_t flows(ClassId flows) const { return classes_[flows.value()].count; }
  /// Classes that have flows.
  [[nodiscard]] std::size_t active() const { return active_.size(); }
  /// The classes that have flows and use that link, as of the last update; valid until the next change.
  [[nodiscard]] std::span<const ClassOnLink> classes_on(std::uint32_t link);
  [[nodiscard]] std::span<const double> capacities() const { return capacities_; }
  [[nodiscard]] std::size_t classes() const { return classes_.size(); }
  /// Classes solved in all updates together: what they have cost.
  [[nodiscard]] std::uint64_t solved() const { return solved_; }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  struct Use {
    std::uint32_t link = 0;
    float part = 1;
    std::uint32_t position = 0;  // in the link's list
  };
  struct Class {
    double rate = 0;
    double level = 0;  // rate per weight
    double cap = 0;
    double weight = 1;
    std::uint32_t first_use = 0;
    std::uint32_t room = 0;  // of uses
    std::uint32_t uses = 0;
    std::uint32_t count = 0;
    std::uint32_t bottleneck = kNone;  // a link; none: the cap
    std::uint32_t epoch = 0;           // of the last update that solved it
    std::uint32_t position = 0;        // in active_
    bool dirty = false;
    bool frozen = false;
  };
  /// A class with flows, on a link.
  struct Entry {
    std::uint32_t flows = 0;
    std::uint32_t use = 0;
    double parts = 0;   // of all its flows together
    double weight = 0;  // the same, times that of each
  };
  /// A link that the present update looks at.
  struct alignas(64) Touched {  // a cache line
    double left = 0;            // of its capacity, for classes that still grow
    double load = 0;            // that these put on it per unit of level
    double full_at = -1;        // the level that it gave its classes; negative: it was none's bottleneck
    std::uint32_t link = 0;
    std::uint32_t growing = 0;
    // Before any class has stopped growing, as of the last weigh(); `joined`: others have been taken in since.
    bool joined = true;
    std::uint32_t members = 0;
    double weight = 0;   // of all members
    double outside = 0;  // what classes that are not solved take
  };
  struct Member {
    std::uint32_t flows = 0;
    double rate_before = 0;
  };

  [[nodiscard]] std::span<Use> uses_of(const Class& flows) { return {uses_.data() + flows.first_use, flows.uses}; }
  void enlist(std::uint32_t flows);
  void delist(std::uint32_t flows);
  void mark(std::uint32_t flows);
  void mark_link(std::uint32_t link);
  void touch(std::uint32_t link);
  void join(std::uint32_t flows);
  void join_all();
  void solve();
  void weigh(Touched& link);
  /// Takes in the classes of a link whose bottleneck is none any more, or all.
  void expand_over(const Touched& link, bool all);
  void freeze(std::uint32_t flows, double level, std::uint32_t bottleneck);
  /// Whether classes joined whose bottleneck is none any more.
  [[nodiscard]] bool expand(bool all);
  /// The next link to be full and the level at which it is; kNone: none will be.
  [[nodiscard]] std::pair<double, std::uint32_t> next_full();

  std::vector<double> capacities_;
  std::vector<std::vector<Entry>> entries_;  // by link
  std::vector<std::uint32_t> place_;         // by link: in touched_, where link_epoch_ is the present one
  std::vector<std::uint32_t> link_epoch_;
  std::vector<Class> classes_;
  std::vector<std::uint32_t> active_;  // classes that have flows
  std::vector<Use> uses_;
  std::vector<std::uint32_t> dirty_;
  std::vector<std::uint32_t> dirty_links_;
  std::vector<Touched> touched_;
  std::vector<Member> members_;
  std::vector<std::pair<double, std::uint32_t>> heap_;    // by level, then place in touched_
  std::vector<std::pair<double, std::uint32_t>> capped_;  // by level, then class
  std::vector<ClassId> changed_;
  std::vector<ClassOnLink> on_link_;
  double tolerance_ = 1e-9;
  bool solves_all_ = false;  // in the present update
  std::uint32_t epoch_ = 0;
  std::uint32_t growing_ = 0;
  std::uint64_t solved_ = 0;
};

}  // namespace weft::flow
