// One rank's part of the triggers of a job (trigger.h): what its flows fire, the triggers whose home it is, and its own
// flows that wait.
//
// What a rank does to itself takes no time. What concerns another rank is a notice, which the program sends as a
// message of one byte with immediate data: a firing to the trigger's home, a release from there to the rank whose flows
// wait.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "workload/trigger.h"

namespace weft::workload {

/// The immediate data of a message between ranks.
struct TriggerNotice {
  RankId to{};
  std::uint32_t word = 0;
};

class TriggerBoard {
 public:
  /// A flow of this rank that may start now, but for its delay.
  struct Ready {
    Flow flow{};
    Duration delay{};
  };
  /// What follows from one event.
  struct Effects {
    std::vector<Ready> ready{};
    std::vector<TriggerNotice> notices{};
  };

  /// The plan must outlive this.
  TriggerBoard(const TriggerPlan& plan, RankId rank);

  /// The last message of an own flow has finished, and well.
  void on_sent(const FlowId& flow, Effects& effects);
  /// A message of a flow to this rank has arrived.
  void on_arrived(const FlowId& flow, Effects& effects);
  /// Errors: the word is none that a peer with the same plan sends.
  [[nodiscard]] Result<void> on_notice(std::uint32_t word, Effects& effects);

  /// Own flows that have not been released.
  [[nodiscard]] std::uint64_t waiting() const { return waiting_; }

 private:
  struct Count {
    std::uint32_t fired = 0;
    std::uint32_t released = 0;  // of the waiters of a multishot
  };

  void fire(TriggerId trigger, Effects& effects);
  void count(TriggerId trigger, Effects& effects);
  void release_all(TriggerId trigger, Effects& effects);
  void release_own(TriggerId trigger, Effects& effects);
  void release(std::uint32_t waiter, Effects& effects);

  const TriggerPlan& plan_;
  RankId rank_;
  std::map<TriggerId, Count> counts_;                   // of triggers at home here
  std::map<TriggerId, std::uint32_t> own_turn_;         // of multishots at home elsewhere: own waiters released
  std::map<std::uint32_t, std::uint32_t> outstanding_;  // own waiters: releases that they still need
  std::map<FlowId, std::uint64_t> arrived_;
  std::uint64_t waiting_ = 0;
};

}  // namespace weft::workload
