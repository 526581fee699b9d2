// Amounts of data that flows carry at their fair rates, and when each has been carried.
//
// A transfer belongs to a class of fair_shares.h and is one of its flows until its bits have passed. All flows of a
// class have one rate, so a class keeps one count of bits served, and a transfer is a mark on it. One that follows
// another at once takes its place in the class, and no rate changes. Instants are whole picoseconds, rounded up.
// Changes take effect in `settle`, which is called before time goes on.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/indexed_heap.h"
#include "base/state_record.h"
#include "base/time.h"
#include "flow/fair_shares.h"

namespace weft::flow {

class Transfers {
 public:
  explicit Transfers(std::vector<double> capacities);

  /// Capacities and caps are bits per second. `answers`: what each bit per second of a flow takes of other links, for
  /// acknowledgements; it lowers their capacity, and is no flow there.
  [[nodiscard]] ClassId add_class(std::span<const LinkUse> links, const ClassOptions& options = {},
                                  std::span<const LinkUse> answers = {});
  /// Another path, of a class without flows.
  void set_path(ClassId flows, std::span<const LinkUse> links, std::span<const LinkUse> answers = {});
  void set_capacity(std::uint32_t link, double capacity);

  /// `owner` is the caller's own name for it.
  void begin(ClassId flows, std::uint32_t owner, double bits, Time now);

  // Queues, once they have limits; without, they are empty. What a flow has sent, at its share of the first of its
  // links, and was not served yet stands in the queue of the first link that such rates fill; if there is none, or it
  // loads links in parts, of the one that holds it back. What waits stands there too. A class has one transfer at a
  // time then.

  /// The most that stands in queues, in bits.
  struct QueueLimits {
    double flow = 0;  // of one flow
    double link = 0;  // of all
  };
  void limit_queues(const QueueLimits& limits);
  [[nodiscard]] double queued_at(std::uint32_t link, Time now);
  /// One that does not begin before what stands in the queue of a link has left it.
  struct Waiting {
    ClassId flows{};
    std::uint32_t link = 0;
    double bits = 0;
    Time since{};
  };
  void wait(const Waiting& waiting);
  /// Its wait is over.
  void begin_waiting(ClassId flows, std::uint32_t owner, Time now);

  /// One that has been carried.
  struct Finished {
    std::uint32_t owner = 0;
    ClassId flows{};
    double mark = 0;
  };
  /// The next one that is finished at `now`, in order of time, class, beginning.
  [[nodiscard]] std::optional<Finished> take_finished(Time now);
  /// The owner goes on without a break. Only before the next settle().
  void follow(const Finished& before, double bits);

  /// Applies all changes; `now` is not before the last call.
  void settle(Time now);
  /// Rates need not follow at once: what begins has about what its links have left for it (FairShares::estimate), what
  /// ends leaves its share unused, and others keep their rates. They are solved when this part of the time that one's
  /// bits take has passed since they last were, so each takes and leaves no more than that part of its own bits. Below
  /// 1; before anything begins. With limits of queues it does nothing.
  void put_off(double part);
  /// When changes that were put off are to be applied, by settle(); never(): there are none.
  [[nodiscard]] Time next_settle() const { return settles_at_; }
  /// When the next transfer is finished, as rates are since settle(); never(): none will be.
  [[nodiscard]] Time next_finish() const;

  [[nodiscard]] const FairShares& shares() const { return shares_; }

  // Without limits of queues, after settle(): transfers_state.cc.

  /// The owners of all that is under way.
  [[nodiscard]] std::vector<std::uint32_t> owners() const;
  /// What is left of each, and at which rate it goes on.
  void record(StateRecord& state) const;
  /// All that is under way, so much later.
  void shift(Duration by);

 private:
  struct Mark {
    double at = 0;  // of `served`
    std::uint64_t order = 0;
    std::uint32_t owner = 0;
    float bits = 0;  // about
  };
  struct Class {
    double served = 0;  // bits of each flow since the class last had none
    double rate = 0;    // since `since`
    Time since{};
    std::vector<Mark> marks{};  // heap, lowest first
    std::uint32_t first_answer = 0;
    std::uint32_t answers = 0;
    std::uint32_t access = kNoLink;  // the first of its links
    std::uint32_t waits_at = kNoLink;
    std::uint32_t first_link = 0;  // in paths_
    std::uint32_t links = 0;
    bool in_parts = false;
    bool sends = false;
    double sent = 0;      // bits, as `served` counts them
    double sending = 0;   // the rate, since `since`
    double answered = 0;  // the rate, of all its flows, whose answers are in answer_load_
    double took = 0;      // seconds, the last that was finished, at the rate that it had then
    bool dirty = false;
    bool put_off = false;  // it has more or fewer flows than its rate is for
  };

  static constexpr std::uint32_t kNoLink = 0xFFFFFFFF;

  void note_path(Class& own, std::span<const LinkUse> links, std::span<const LinkUse> answers);
  void add_mark(std::uint32_t flows, const Mark& mark);
  void set_sending(Class& own, bool sends);
  /// Which flows from that link have sent all, once after each settle().
  void look_at_senders(std::uint32_t access, Time now);
  [[nodiscard]] double sending_rate(const Class& own) const;
  /// What flows send over the link, as of the last settle().
  [[nodiscard]] double sent_over(std::uint32_t link);
  [[nodiscard]] bool queues_at(const Class& own, std::uint32_t link, bool held);
  void advance(Class& own, Time now);
  void mark_dirty(std::uint32_t flows);
  /// Whether the changes of this instant may wait; they have rates until then.
  [[nodiscard]] bool puts_off(Time now);
  void put_off_change(std::uint32_t flows, Time now);
  /// How far it has come, and when the next of it is finished.
  void refresh(std::uint32_t flows, Time now);
  /// When the first of the class has been carried, as its rate is now.
  void schedule(std::uint32_t flows);
  /// Takes the answers of changed classes from the capacities. Whether that has changed any.
  [[nodiscard]] bool apply_answers();

  FairShares shares_;
  std::vector<double> capacities_;   // without answers
  std::vector<double> answer_load_;  // by link
  std::vector<LinkUse> answers_;
  std::vector<std::uint32_t> answer_links_;  // whose load has changed
  QueueLimits limits_{};
  std::vector<std::uint32_t> access_flows_;    // by link, of classes whose first it is; empty: queues have no limits
  std::vector<std::vector<Waiting>> waiting_;  // by link
  /// By link, where `settled` is the present number of settle().
  struct Load {
    double rate = 0;
    std::uint64_t settled = 0;
  };
  std::vector<Load> loads_;
  std::vector<std::uint64_t> senders_seen_;  // by link: the settle() after which they were looked at
  std::vector<LinkUse> paths_;               // of all classes
  std::uint64_t settled_ = 1;
  std::vector<Class> classes_;
  std::vector<std::uint32_t> dirty_;
  double put_off_ = 0;
  std::vector<std::uint32_t> late_;  // whose changes are put off
  Time settled_at_;
  Time settles_at_ = Time::never();
  IndexedHeap<Time> due_;  // classes by when the first of theirs has been carried; without those that stand still
  std::uint64_t order_ = 0;
};

}  // namespace weft::flow
