// How a world runs: from start to stop, and what ends a run.
#include <fmt/core.h>

#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include "study/world/world_dispatch.h"

namespace weft::study::world {

void World::wake_reduction(std::uint32_t actor, Time now) {
  const bool first = aggregation_ != nullptr && actor < aggregation_->end_actor();
  (first ? *aggregation_ : *scale_up_aggregation_).on_wake(actor, now);
}

void World::start() {
  fabric_.start();
  if (port_groups_ != nullptr) {
    port_groups_->start();
  }
  if (attacks_ != nullptr) {
    attacks_->start();
  }
  for (const auto& machine : machines_) {
    machine->on_completions(Time::zero());
  }
}

// Of several the earliest, in whatever order partitions come to it. In a window others are not to see it yet.
void World::fail_at(Time now, const Error& error) {
  const bool waits = kernel_.in_window();
  std::optional<Error>& kept = waits ? own_[this_worker].error : error_;
  Time& kept_at = waits ? own_[this_worker].error_at : error_at_;
  if (now < kept_at) {
    kept = error;
    kept_at = now;
  }
}

// What failed where, in the order of processes.
bool World::gather_errors() {
  std::string own;
  for (WorkersOwn& each : own_) {
    if (each.error) {
      const std::int64_t at = each.error_at.picoseconds();
      own += fmt::format("{} {} {}", at, each.error->message.size(), each.error->message);
      each = {};
    }
  }
  std::vector<std::string> told;
  if (!kernel_.peers()->gather(own, told)) {
    return false;
  }
  told.insert(told.begin() + kernel_.peers()->own_number(), own);
  for (const std::string& text : told) {
    for (std::string_view rest = text; !rest.empty();) {
      std::int64_t at = 0;
      std::size_t size = 0;
      const char* next = std::from_chars(rest.data(), rest.data() + rest.size(), at).ptr + 1;
      next = std::from_chars(next, rest.data() + rest.size(), size).ptr + 1;
      fail_at(Time::from_picoseconds(at), {std::string(next, size)});
      rest.remove_prefix(static_cast<std::size_t>(next - rest.data()) + size);
    }
  }
  return true;
}

bool World::take_news() {
  if (kernel_.peers() != nullptr && !gather_errors()) {
    return false;
  }
  for (WorkersOwn& own : own_) {
    if (own.error) {
      fail_at(own.error_at, *own.error);
      own = {};
    }
  }
  return news_.take() && !error_;
}

World::Stop World::stop_of(sim::Kernel::Stop stop) const {
  switch (stop) {
    case sim::Kernel::Stop::kEmpty:
      return Stop::kIdle;
    case sim::Kernel::Stop::kLimit:
      return Stop::kLimit;
    case sim::Kernel::Stop::kAsked:
      break;
  }
  return error_ ? Stop::kError : Stop::kBudget;
}

World::Stop World::run(Time limit, std::uint64_t budget) {
  stopping_ = false;
  return stop_of(fabric_.visit([&](auto& fabric) {
    Dispatch<std::remove_reference_t<decltype(fabric)>> dispatch{*this, fabric};
    return total_order_ ? kernel_.run_in_order(limit, budget, dispatch) : kernel_.run(limit, budget, dispatch);
  }));
}

World::Stop World::run_first_instant() {
  stopping_ = false;
  return stop_of(fabric_.visit([&](auto& fabric) {
    Dispatch<std::remove_reference_t<decltype(fabric)>> dispatch{*this, fabric};
    return kernel_.run_in_order(Time::zero(), ~std::uint64_t{0}, dispatch);
  }));
}

void World::finish_window(Time limit) {
  if (const Time end = kernel_.stop_end(); end > now() && kernel_.is_divided()) {
    (void)run(earlier(limit, end), ~std::uint64_t{0});
  }
}

World::Stop World::run_observed(Time limit, std::uint64_t budget,
                                const std::function<void(sim::ActorId, Time)>& observe) {
  stopping_ = false;
  return stop_of(fabric_.visit([&](auto& fabric) {
    ObservedDispatch<std::remove_reference_t<decltype(fabric)>> dispatch{{*this, fabric}, observe};
    return kernel_.run_in_order(limit, budget, dispatch);
  }));
}

}  // namespace weft::study::world
