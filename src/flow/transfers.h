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
  void set_capacity(std::uint32_t link, double capacity);

  /// `owner` is the caller's own name for it.
  void begin(ClassId flows, std::uint32_t owner, double bits, Time now);

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
  /// When the next transfer is finished, as rates are since settle(); never(): none will be.
  [[nodiscard]] Time next_finish();

  [[nodiscard]] const FairShares& shares() const { return shares_; }

 private:
  struct Mark {
    double at = 0;  // of `served`
    std::uint64_t order = 0;
    std::uint32_t owner = 0;
  };
  struct Class {
    double served = 0;  // bits of each flow since the class last had none
    double rate = 0;    // since `since`
    Time since{};
    std::vector<Mark> marks{};  // heap, lowest first
    std::uint32_t version = 0;  // of its entry in due_
    std::uint32_t first_answer = 0;
    std::uint32_t answers = 0;
    double answered = 0;  // the rate, of all its flows, whose answers are in answer_load_
    bool dirty = false;
  };
  struct Due {
    Time at{};
    std::uint32_t flows = 0;
    std::uint32_t version = 0;
  };

  void advance(Class& own, Time now) const;
  void mark_dirty(std::uint32_t flows);
  void schedule(std::uint32_t flows);
  void drop_stale();
  /// Takes the answers of changed classes from the capacities. Whether that has changed any.
  [[nodiscard]] bool apply_answers();

  FairShares shares_;
  std::vector<double> capacities_;   // without answers
  std::vector<double> answer_load_;  // by link
  std::vector<LinkUse> answers_;
  std::vector<std::uint32_t> answer_links_;  // whose load has changed
  std::vector<Class> classes_;
  std::vector<std::uint32_t> dirty_;
  std::vector<Due> due_;  // heap, earliest first; entries of an old version mean nothing
  std::uint64_t order_ = 0;
};

}  // namespace weft::flow
