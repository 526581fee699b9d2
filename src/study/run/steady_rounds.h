// Jumps over what repeats in a collective at the flow level: rounds of its lanes, or whole operations.
//
// Each time the first rank comes to another round, or begins another operation, what all ranks and the network have
// under way is told as a record (base/state_record.h). When it repeats an earlier one, what happened since then happens
// again and again as long as lanes say that their rounds are alike (Action::rounds_left), or operations are left, and
// nobody else does anything. So all of it is put so much later, and lanes leave out so many rounds. Others' messages
// under way, corrections of queues, and whatever a record cannot tell keep a run from being jumped over.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "base/state_record.h"
#include "flow/flow_network.h"
#include "workload/collective/collective_program.h"
#include "workload/delivery_matcher.h"

namespace weft::study::run {

class SteadyRounds {
 public:
  struct Options {
    flow::FlowNetwork* network = nullptr;  // all must outlive this
    workload::DeliveryMatcher* matcher = nullptr;
    workload::MessageSink* sink = nullptr;  // gets the records of operations that are left out
    workload::JobId job{};
    std::uint32_t group = 0;  // of the machines
  };
  SteadyRounds(const Options& options, std::vector<workload::CollectiveProgram*> ranks)
      : options_(options), ranks_(std::move(ranks)) {}

  /// After a call of the first rank's program: whether look() has something to look at.
  [[nodiscard]] bool is_due();
  /// While the network has stopped; jumps to before `limit` at most.
  void look(Time limit);
  /// A rank has done an operation.
  void note(const workload::CollectiveRecord& record);

  /// Of each lane, and of each rank.
  struct Jumped {
    std::uint64_t rounds = 0;
    std::uint64_t operations = 0;
    Time first = Time::never();  // when: messages that end later stand for others
  };
  [[nodiscard]] const Jumped& jumped() const { return jumped_; }
  /// Rounds since the operation began, or since the last jump.
  [[nodiscard]] std::uint64_t rounds_seen() const { return rounds_.seen(); }

 private:
  /// Looks at the first of many, and then at a few now and then, so that what never repeats costs little.
  class Turns {
   public:
    [[nodiscard]] bool next();
    [[nodiscard]] std::uint64_t seen() const { return seen_; }

   private:
    std::uint64_t seen_ = 0;
    std::uint64_t begin_ = 0;
    std::uint64_t end_ = 24;
  };
  struct Seen {
    StateRecord state;
    std::uint64_t rounds_left = 0;
    std::uint32_t begun = 0;
    std::size_t done = 0;                      // operations of ranks, of done_
    std::vector<std::array<Bytes, 2>> sent{};  // by rank
  };
  using Window = std::deque<Seen>;

  /// What of all ranks there is, and until when others do nothing.
  [[nodiscard]] std::optional<std::pair<Seen, Time>> see() const;
  /// How often what lies between both can be left out before `end`.
  [[nodiscard]] std::int64_t times(const Seen& before, const Seen& now, Time end) const;
  void jump(const Seen& before, const Seen& now, std::int64_t times);
  void repeat_records(const Seen& before, Duration period, std::int64_t times);
  void forget();

  Options options_;
  std::vector<workload::CollectiveProgram*> ranks_;
  std::pair<std::uint32_t, std::uint64_t> place_{};  // of the first rank: operations begun, rounds left
  bool due_ = false;
  bool begins_ = false;  // another operation, since the last look
  Turns rounds_;
  Turns operations_;
  Window at_rounds_;
  Window at_operations_;
  std::vector<workload::CollectiveRecord> done_;  // since the oldest in at_operations_
  Jumped jumped_;
};

}  // namespace weft::study::run
