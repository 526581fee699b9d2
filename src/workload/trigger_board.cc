#include "workload/trigger_board.h"

#include "base/format_quantity.h"

namespace weft::workload {
namespace {

constexpr std::uint32_t kReleaseBit = std::uint32_t{1} << 31;

}  // namespace

TriggerBoard::TriggerBoard(const TriggerPlan& plan, RankId rank) : plan_(plan), rank_(rank) {
  for (const std::uint32_t waiter : plan_.waiters_of(rank))
    outstanding_.emplace(waiter, plan_.waiter(waiter).releases);
  waiting_ = outstanding_.size();
}

void TriggerBoard::on_sent(const FlowId& flow, Effects& effects) {
  const TriggerPlan::Fires* fires = plan_.fires(flow);
  if (fires == nullptr)
    return;
  for (const TriggerId trigger : fires->sent)
    fire(trigger, effects);
}

void TriggerBoard::on_arrived(const FlowId& flow, Effects& effects) {
  const TriggerPlan::Fires* fires = plan_.fires(flow);
  if (fires == nullptr || ++arrived_[flow] != fires->messages)
    return;
  for (const TriggerId trigger : fires->received)
    fire(trigger, effects);
}

Result<void> TriggerBoard::on_notice(std::uint32_t word, Effects& effects) {
  const TriggerId trigger(word & ~kReleaseBit);
  if (trigger.value() >= plan_.triggers())
    return fail("rank {} got a notice of trigger {}, and there are {}", rank_, trigger, plan_.triggers());
  if ((word & kReleaseBit) != 0)
    release_own(trigger, effects);
  else
    count(trigger, effects);
  return {};
}

void TriggerBoard::fire(TriggerId trigger, Effects& effects) {
  const RankId home = plan_.entry(trigger).home;
  if (home == rank_)
    count(trigger, effects);
  else
    effects.notices.push_back({.to = home, .word = trigger.value()});
}

void TriggerBoard::count(TriggerId trigger, Effects& effects) {
  const TriggerPlan::Entry& entry = plan_.entry(trigger);
  Count& own = counts_[trigger];
  ++own.fired;
  switch (entry.kind) {
    case TriggerKind::kOneshot:
    case TriggerKind::kBarrier:
      if (own.fired == entry.count)
        release_all(trigger, effects);
      return;
    case TriggerKind::kMultishot: {
      if (own.released == entry.waiters.size())
        return;  // fired more often than flows wait
      const std::uint32_t next = entry.waiters[own.released++];
      if (const RankId owner = plan_.waiter(next).flow.id.source; owner == rank_)
        release(next, effects);
      else
        effects.notices.push_back({.to = owner, .word = trigger.value() | kReleaseBit});
      return;
    }
  }
}

void TriggerBoard::release_all(TriggerId trigger, Effects& effects) {
  for (const auto& [owner, waiters] : plan_.entry(trigger).by_rank) {
    if (owner == rank_)
      release_own(trigger, effects);
    else
      effects.notices.push_back({.to = owner, .word = trigger.value() | kReleaseBit});
  }
}

// A multishot's releases come in the order of the list, so the n-th is for the n-th of this rank's flows.
void TriggerBoard::release_own(TriggerId trigger, Effects& effects) {
  const TriggerPlan::Entry& entry = plan_.entry(trigger);
  const auto own = entry.by_rank.find(rank_);
  if (own == entry.by_rank.end())
    return;
  if (entry.kind != TriggerKind::kMultishot) {
    for (const std::uint32_t waiter : own->second)
      release(waiter, effects);
  } else if (const std::uint32_t turn = own_turn_[trigger]++; turn < own->second.size()) {
    release(own->second[turn], effects);
  }
}

void TriggerBoard::release(std::uint32_t waiter, Effects& effects) {
  const auto found = outstanding_.find(waiter);
  if (found == outstanding_.end() || --found->second > 0)
    return;
  outstanding_.erase(found);
  --waiting_;
  effects.ready.push_back({.flow = plan_.waiter(waiter).flow, .delay = plan_.waiter(waiter).delay});
}

}  // namespace weft::workload
