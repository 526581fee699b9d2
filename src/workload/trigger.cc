#include "workload/trigger.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <string_view>

#include "base/assert.h"
#include "base/nearest_word.h"
#include "base/printable.h"

namespace weft::workload {
namespace {

constexpr std::array kTriggerKinds = {TriggerKind::kOneshot, TriggerKind::kMultishot, TriggerKind::kBarrier};

/// Which flows wait for each trigger and fire it, and what follows when all runs well.
class TriggerCheck {
 public:
  TriggerCheck(std::span<const ListedFlow> flows, std::span<const Trigger> triggers, std::span<const std::string> names)
      : flows_(flows), triggers_(triggers), names_(names), waiters_(triggers.size()), firers_(triggers.size()) {
    for (std::size_t i = 0; i < flows_.size(); ++i) {
      for (const TriggerId trigger : flows_[i].triggers.after)
        waiters_[trigger.value()].push_back(i);
      for (const auto* list : {&flows_[i].triggers.sent, &flows_[i].triggers.received}) {
        for (const TriggerId trigger : *list)
          firers_[trigger.value()].push_back(i);
      }
    }
  }

  std::optional<TriggerFault> fault() {
    for (std::size_t i = 0; i < flows_.size(); ++i) {
      if (!flows_[i].triggers.received.empty() && !needs_receive(flows_[i].shape.operation)) {
        return TriggerFault{
            .error = {fmt::format("fires a trigger when it is received, but '{}' tells its receiver nothing; use send, "
                                  "or write with immediate data",
                                  to_string(flows_[i].shape.operation))},
            .flow = i};
      }
    }
    for (std::uint32_t i = 0; i < triggers_.size(); ++i) {
      if (const std::string wrong = wrong_counts(i); !wrong.empty())
        return TriggerFault{.error = {wrong}, .trigger = TriggerId(i)};
    }
    return find_cycle();
  }

 private:
  [[nodiscard]] std::string wrong_counts(std::size_t i) const {
    const Trigger& trigger = triggers_[i];
    const std::size_t fired = firers_[i].size();
    if (waiters_[i].empty())
      return fmt::format("trigger '{}': no flow waits for it", excerpt(trigger.name));
    if (fired == 0)
      return fmt::format("trigger '{}': no flow fires it, so that those that wait for it would never start",
                         excerpt(trigger.name));
    switch (trigger.kind) {
      case TriggerKind::kOneshot:
        if (fired != 1)
          return fmt::format("trigger '{}': a oneshot is fired once, and {} flows fire it; use a barrier of {}",
                             excerpt(trigger.name), fired, fired);
        break;
      case TriggerKind::kMultishot:
        if (fired < waiters_[i].size())
          return fmt::format("trigger '{}': a multishot starts one flow for each firing; {} flows wait and {} fire it",
                             excerpt(trigger.name), waiters_[i].size(), fired);
        break;
      case TriggerKind::kBarrier:
        if (fired != trigger.count)
          return fmt::format("trigger '{}': a barrier of {} needs as many firings, and {} flows fire it",
                             excerpt(trigger.name), trigger.count, fired);
        break;
    }
    return "";
  }

  // Flows end in some order that the triggers allow; what never starts waits, directly or not, for itself.
  std::optional<TriggerFault> find_cycle() {
    std::vector<std::size_t> needs(flows_.size());
    std::vector<std::uint32_t> fired(triggers_.size());
    std::deque<std::size_t> ended;
    for (std::size_t i = 0; i < flows_.size(); ++i) {
      needs[i] = flows_[i].triggers.after.size();
      if (needs[i] == 0)
        ended.push_back(i);
    }
    std::vector<bool> has_ended(flows_.size());
    const auto release = [&](std::size_t flow) {
      if (--needs[flow] == 0)
        ended.push_back(flow);
    };
    while (!ended.empty()) {
      const ListedFlow& flow = flows_[ended.front()];
      has_ended[ended.front()] = true;
      ended.pop_front();
      for (const auto* list : {&flow.triggers.sent, &flow.triggers.received}) {
        for (const TriggerId id : *list) {
          const Trigger& trigger = triggers_[id.value()];
          const std::vector<std::size_t>& waiters = waiters_[id.value()];
          const std::uint32_t count = ++fired[id.value()];
          if (trigger.kind == TriggerKind::kMultishot) {
            if (count <= waiters.size())
              release(waiters[count - 1]);
          } else if (count == needed(trigger)) {
            std::ranges::for_each(waiters, release);
          }
        }
      }
    }
    const auto stuck = std::ranges::find(has_ended, false);
    if (stuck == has_ended.end())
      return std::nullopt;
    return name_cycle(static_cast<std::size_t>(stuck - has_ended.begin()), has_ended);
  }

  static std::uint32_t needed(const Trigger& trigger) {
    return trigger.kind == TriggerKind::kBarrier ? trigger.count : 1;
  }

  // From a flow to one that has not ended either and would fire what it waits for, until one comes again.
  TriggerFault name_cycle(std::size_t flow, const std::vector<bool>& has_ended) const {
    std::vector<std::size_t> path;
    while (std::ranges::find(path, flow) == path.end()) {
      path.push_back(flow);
      std::optional<std::size_t> next;
      for (const TriggerId trigger : flows_[flow].triggers.after) {
        for (const std::size_t firer : firers_[trigger.value()]) {
          if (!next && !has_ended[firer])
            next = firer;
        }
      }
      WEFT_ASSERT(next.has_value());
      flow = *next;
    }
    constexpr std::size_t kShown = 6;
    std::string text;
    std::size_t shown = 0;
    for (auto i = std::ranges::find(path, flow); i != path.end(); ++i) {
      if (shown++ == kShown) {
        text += "..., ";
        break;
      }
      text += fmt::format("{}, ", names_[*i]);
    }
    return {.error = {fmt::format("waits for triggers that fire only after it: {}{}", text, names_[flow])},
            .flow = flow};
  }

  std::span<const ListedFlow> flows_;
  std::span<const Trigger> triggers_;
  std::span<const std::string> names_;
  std::vector<std::vector<std::size_t>> waiters_;
  std::vector<std::vector<std::size_t>> firers_;
};

}  // namespace

std::string_view to_string(TriggerKind kind) {
  switch (kind) {
    case TriggerKind::kOneshot:
      return "oneshot";
    case TriggerKind::kMultishot:
      return "multishot";
    case TriggerKind::kBarrier:
      return "barrier";
  }
  return "unknown kind of trigger";
}

Result<TriggerKind> parse_trigger_kind(std::string_view word) {
  std::array<std::string_view, kTriggerKinds.size()> words;
  for (std::size_t i = 0; i < kTriggerKinds.size(); ++i) {
    words[i] = to_string(kTriggerKinds[i]);
    if (words[i] == word)
      return kTriggerKinds[i];
  }
  const std::string shown = excerpt(word);
  return tl::unexpected<Error>(unknown_word({.kind = "kind of trigger", .word = shown, .valid = words}));
}

std::optional<TriggerFault> find_trigger_fault(std::span<const ListedFlow> flows, std::span<const Trigger> triggers,
                                               std::span<const std::string> names) {
  return TriggerCheck(flows, triggers, names).fault();
}

TriggerPlan::TriggerPlan(std::span<const ListedFlow> flows, std::span<const Flow> named,
                         std::span<const Trigger> triggers) {
  for (const Trigger& trigger : triggers) {
    entries_.push_back({.kind = trigger.kind, .count = trigger.kind == TriggerKind::kBarrier ? trigger.count : 1});
  }
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const FlowTriggers& own = flows[i].triggers;
    if (!own.after.empty()) {
      const auto place = static_cast<std::uint32_t>(waiters_.size());
      waiters_.push_back(
          {.flow = named[i], .releases = static_cast<std::uint32_t>(own.after.size()), .delay = own.delay});
      by_rank_[flows[i].source].push_back(place);
      for (const TriggerId trigger : own.after) {
        Entry& entry = entries_[trigger.value()];
        if (entry.waiters.empty())
          entry.home = flows[i].source;
        entry.waiters.push_back(place);
        entry.by_rank[flows[i].source].push_back(place);
      }
    }
    if (!own.sent.empty() || !own.received.empty())
      fires_.emplace(named[i].id,
                     Fires{.sent = own.sent, .received = own.received, .messages = flows[i].shape.messages});
  }
}

std::span<const std::uint32_t> TriggerPlan::waiters_of(RankId rank) const {
  const auto found = by_rank_.find(rank);
  return found == by_rank_.end() ? std::span<const std::uint32_t>{} : found->second;
}

const TriggerPlan::Fires* TriggerPlan::fires(const FlowId& flow) const {
  const auto found = fires_.find(flow);
  return found == fires_.end() ? nullptr : &found->second;
}

}  // namespace weft::workload
