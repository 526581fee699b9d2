#include "study/assembly/build_failures.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>

#include "base/distribution.h"
#include "base/int128.h"
#include "base/random.h"
#include "fabric/fabric.h"
#include "study/assembly/build_topology.h"
#include "study/scenario/fail_at.h"
#include "study/scenario/scenario_words.h"
#include "study/scenario/selector.h"
#include "workload/training/checkpoint_size.h"

namespace weft::study::assembly {
namespace {

using scenario::FailureKind;
using scenario::FailureSettings;

/// 10^9 hours, which FIT count in.
constexpr std::int64_t kFitSeconds = 3'600'000'000'000;

/// What holds a link for a while.
struct Hold {
  FailureSpan span{};
  bool down = false;
  Rate rate{};
  Probability bit_error_rate{};
  Duration added_latency{};
};

/// The state of a link under all that hold it.
struct LinkCondition {
  bool down = false;
  Rate rate{};
  Probability bit_error_rate{};
  Duration added_latency{};
  friend bool operator==(const LinkCondition&, const LinkCondition&) = default;
};

tl::unexpected<Error> too_many_failures(const scenario::Scenario& scenario, const FailureSettings& failure) {
  const auto index = static_cast<std::size_t>(&failure - scenario.failures.data());
  return scenario::fail_at(scenario, fmt::format("failure[{}].kind", index),
                           "'{}' happens more than {} times; set a lower rate, a longer period or an earlier end",
                           failure.name, kMaxFailures);
}

/// Time until a component fails next; none: after the end of the run.
std::optional<Duration> draw_interval(RandomStream& random, std::int64_t fit, Duration horizon) {
  constexpr std::int64_t kUnit = 1'000'000'000'000;  // a second
  const std::int64_t unit = sample_exponential(kUnit, random);
  const Uint128 picoseconds = static_cast<Uint128>(unit) * kFitSeconds / static_cast<Uint128>(fit);
  if (picoseconds > static_cast<Uint128>(horizon.picoseconds())) {
    return std::nullopt;
  }
  return Duration::picoseconds(static_cast<std::int64_t>(picoseconds));
}

Time end_of(const FailureSettings& failure, Time from) {
  return failure.duration ? from + *failure.duration : Time::never();
}

bool is_switch_end(const fabric::Graph& graph, fabric::LinkEnd end) { return end.node.value() >= graph.endpoints; }

bool is_host_port(const fabric::Graph& graph, fabric::LinkEnd end) { return end.node.value() < graph.host_endpoints(); }

class Timeline {
 public:
  Timeline(const scenario::Scenario& scenario, const fabric::Graph& graph)
      : scenario_(scenario), graph_(graph), holds_(graph.links.size()) {}

  Result<void> add(std::size_t index) {
    const FailureSettings& failure = scenario_.failures[index];
    const std::size_t before = added_;
    Result<void> done = failure.kind == FailureKind::kSwitchReboot ? add_switches(failure) : add_links(failure);
    if (!done) {
      return done;
    }
    if (added_ == before && !any_) {
      return scenario::fail_at(scenario_, fmt::format("failure[{}].select", index), "'{}' selects no {}",
                               failure.select, subject(failure.kind));
    }
    any_ = false;
    return {};
  }

  [[nodiscard]] std::vector<fabric::LinkEvent> events() const {
    std::vector<fabric::LinkEvent> made;
    for (std::uint32_t link = 0; link < holds_.size(); ++link) {
      add_events(link, made);
    }
    return made;
  }

 private:
  static std::string_view subject(FailureKind kind) {
    return kind == FailureKind::kSwitchReboot ? "switch" : kind == FailureKind::kNicPort ? "NIC port" : "link";
  }

  Result<void> add_switches(const FailureSettings& failure) {
    for (std::uint32_t node = graph_.endpoints; node < graph_.nodes.size(); ++node) {
      const std::string& name = graph_.nodes[node].name;
      if (!failure.select.empty() && !scenario::selects_device(failure.select, name)) {
        continue;
      }
      any_ = true;
      Result<std::vector<FailureSpan>> spans = failure_spans(scenario_, failure, name);
      if (!spans) {
        return pass_on(spans);
      }
      for (std::size_t link = 0; link < graph_.links.size(); ++link) {
        const fabric::Link& cable = graph_.links[link];
        if (cable.a.node.value() != node && cable.b.node.value() != node) {
          continue;
        }
        if (Result<void> held = hold(failure, link, *spans); !held) {
          return held;
        }
      }
    }
    return {};
  }

  [[nodiscard]] bool is_meant(const FailureSettings& failure, const fabric::Link& link) const {
    const bool of_host = is_host_port(graph_, link.a) || is_host_port(graph_, link.b);
    const bool between_switches = is_switch_end(graph_, link.a) && is_switch_end(graph_, link.b);
    if (failure.kind == FailureKind::kNicPort && !of_host) {
      return false;
    }
    if (failure.select.empty()) {
      return failure.kind == FailureKind::kNicPort || between_switches;
    }
    const auto names = [&](fabric::LinkEnd end) {
      if (failure.kind == FailureKind::kNicPort && !is_host_port(graph_, end)) {
        return false;
      }
      const std::string& device = graph_[end.node].name;
      return scenario::selects(failure.select, fabric::port_name(graph_, end)) ||
             scenario::selects(failure.select, device) || scenario::selects_device(failure.select, device);
    };
    return (of_host || between_switches) && (names(link.a) || names(link.b));
  }

  Result<void> add_links(const FailureSettings& failure) {
    for (std::size_t i = 0; i < graph_.links.size(); ++i) {
      const fabric::Link& link = graph_.links[i];
      if (!is_meant(failure, link)) {
        continue;
      }
      any_ = true;
      Result<std::vector<FailureSpan>> spans = failure_spans(
          scenario_, failure, fabric::port_name(graph_, link.a) + "-" + fabric::port_name(graph_, link.b));
      if (!spans) {
        return pass_on(spans);
      }
      if (Result<void> held = hold(failure, i, *spans); !held) {
        return held;
      }
    }
    return {};
  }

  Result<void> hold(const FailureSettings& failure, std::size_t link, const std::vector<FailureSpan>& spans) {
    const Rate full = graph_.links[link].rate;
    for (const FailureSpan& span : spans) {
      if (failure.kind == FailureKind::kDegradedLanes) {
        const auto left = static_cast<Uint128>(full.bits_per_second()) * failure.width->raw() >> 63U;
        holds_[link].push_back(
            {.span = span,
             .down = false,
             .rate = Rate::bits_per_second(std::max(static_cast<std::int64_t>(left), std::int64_t{1})),
             .bit_error_rate = *failure.bit_error_rate,
             .added_latency = *failure.fec_latency});
        ++added_;
      } else if (failure.kind == FailureKind::kFlapping) {
        const Time end = earlier(span.until, scenario_.stop ? Time::zero() + *scenario_.stop : Time::never());
        for (Time down = span.from; down < end; down += *failure.period) {
          holds_[link].push_back({.span = {.from = down, .until = earlier(down + *failure.down, end)}, .down = true});
          if (++added_ > kMaxFailures) {
            return too_many_failures(scenario_, failure);
          }
        }
      } else {
        holds_[link].push_back({.span = span, .down = true});
        ++added_;
      }
    }
    return added_ > kMaxFailures ? too_many_failures(scenario_, failure) : Result<void>();
  }

  /// Under those that hold a link at present.
  static LinkCondition condition(const std::vector<Hold>& present, Rate full) {
    LinkCondition now{.rate = full};
    for (const Hold& hold : present) {
      now.down = now.down || hold.down;
      now.rate = hold.down ? now.rate : std::min(now.rate, hold.rate);
      now.bit_error_rate = std::max(now.bit_error_rate, hold.bit_error_rate);
      now.added_latency = std::max(now.added_latency, hold.added_latency);
    }
    return now;
  }

  void add_events(std::uint32_t link, std::vector<fabric::LinkEvent>& made) const {
    std::vector<Time> edges;
    for (const Hold& hold : holds_[link]) {
      edges.push_back(hold.span.from);
      if (!hold.span.until.is_never()) {
        edges.push_back(hold.span.until);
      }
    }
    std::ranges::sort(edges);
    const auto repeated = std::unique(edges.begin(), edges.end());
    edges.erase(repeated, edges.end());
    std::vector<Hold> holds = holds_[link];
    std::ranges::sort(holds, {}, [](const Hold& hold) { return hold.span.from; });
    std::vector<Hold> present;
    std::size_t next = 0;
    const LinkCondition healthy{.rate = graph_.links[link].rate};
    LinkCondition before = healthy;
    for (const Time at : edges) {
      std::erase_if(present, [at](const Hold& hold) { return at >= hold.span.until; });
      for (; next < holds.size() && holds[next].span.from <= at; ++next) {
        if (at < holds[next].span.until) {
          present.push_back(holds[next]);
        }
      }
      const LinkCondition now = condition(present, graph_.links[link].rate);
      const auto emit = [&](fabric::LinkEvent::Kind kind) {
        made.push_back({.at = at,
                        .link = fabric::LinkIndex(link),
                        .kind = kind,
                        .rate = now.rate,
                        .reroute_delay = scenario::reroute_delay_of(scenario_.routing),
                        .bit_error_rate = now.bit_error_rate,
                        .added_latency = now.added_latency});
      };
      const LinkCondition alike{
          .rate = now.rate, .bit_error_rate = now.bit_error_rate, .added_latency = now.added_latency};
      if (now.down) {
        if (!before.down) {
          emit(fabric::LinkEvent::Kind::kFail);
        }
      } else {
        if (before.down || (before != healthy && now == healthy)) {
          emit(fabric::LinkEvent::Kind::kRestore);
        }
        if (alike != healthy && (before.down || now != before)) {
          emit(fabric::LinkEvent::Kind::kDegrade);
        }
      }
      before = now;
    }
  }

  const scenario::Scenario& scenario_;
  const fabric::Graph& graph_;
  std::vector<std::vector<Hold>> holds_;
  std::size_t added_ = 0;
  bool any_ = false;  // the failure selects something
};

}  // namespace

Result<std::vector<FailureSpan>> failure_spans(const scenario::Scenario& scenario, const FailureSettings& failure,
                                               const std::string& component) {
  if (failure.at) {
    const Time from = Time::zero() + *failure.at;
    return std::vector<FailureSpan>{{.from = from, .until = end_of(failure, from)}};
  }
  std::vector<FailureSpan> spans;
  const std::int64_t fit = failure.fit.value_or(0);
  if (fit == 0 || !scenario.stop) {
    return spans;
  }
  RandomStream random(static_cast<std::uint64_t>(scenario.seed), "failure/" + failure.name + "/" + component);
  Duration at;
  for (;;) {
    const std::optional<Duration> interval = draw_interval(random, fit, *scenario.stop);
    if (!interval || at + *interval >= *scenario.stop) {
      return spans;
    }
    at += *interval;
    const Time from = Time::zero() + at;
    spans.push_back({.from = from, .until = end_of(failure, from)});
    // A component that has failed does not fail again before it is repaired.
    at += failure.duration.value_or(Duration::zero());
    if (spans.size() > kMaxFailures) {
      return too_many_failures(scenario, failure);
    }
    if (at >= *scenario.stop) {
      return spans;
    }
  }
}

Result<std::vector<fabric::LinkEvent>> failure_events(const scenario::Scenario& scenario, const fabric::Graph& graph) {
  Timeline timeline(scenario, graph);
  for (std::size_t i = 0; i < scenario.failures.size(); ++i) {
    const FailureKind kind = scenario.failures[i].kind;
    if (kind == FailureKind::kGpuSlow || kind == FailureKind::kSubnetManager) {
      continue;
    }
    if (Result<void> added = timeline.add(i); !added) {
      return pass_on(added);
    }
  }
  return timeline.events();
}

Result<std::vector<FailureSpan>> manager_absences(const scenario::Scenario& scenario) {
  std::vector<FailureSpan> absences;
  if (!scenario::is_infiniband(scenario.fabric.family)) {
    return absences;
  }
  for (const FailureSettings& failure : scenario.failures) {
    if (failure.kind != FailureKind::kSubnetManager) {
      continue;
    }
    Result<std::vector<FailureSpan>> spans = failure_spans(scenario, failure, "subnet manager");
    if (!spans) {
      return spans;
    }
    absences.insert(absences.end(), spans->begin(), spans->end());
  }
  std::ranges::sort(absences, {}, &FailureSpan::from);
  return absences;
}

void delay_routes(std::vector<fabric::LinkEvent>& events, const std::vector<FailureSpan>& absences) {
  for (fabric::LinkEvent& event : events) {
    const Duration usual = event.reroute_delay;
    Time begins = event.at;
    for (const FailureSpan& absence : absences) {
      const bool meets = absence.from < begins + usual && begins < absence.until;
      begins = meets ? absence.until : begins;
    }
    event.reroute_delay = begins - event.at + usual;
  }
}

Result<workload::SlowSpans> slow_spans(const scenario::Scenario& scenario, const std::string& gpu) {
  std::vector<workload::SlowSpan> slow;
  for (const FailureSettings& failure : scenario.failures) {
    if (failure.kind != FailureKind::kGpuSlow || (!failure.select.empty() && !scenario::selects(failure.select, gpu))) {
      continue;
    }
    Result<std::vector<FailureSpan>> spans = failure_spans(scenario, failure, gpu);
    if (!spans) {
      return pass_on(spans);
    }
    for (const FailureSpan& span : *spans) {
      slow.push_back({.from = span.from, .until = span.until, .speed = *failure.speed});
    }
  }
  return workload::SlowSpans(slow);
}

Result<void> check_slow_gpus(const scenario::Scenario& scenario, const std::vector<std::string>& gpus) {
  for (std::size_t i = 0; i < scenario.failures.size(); ++i) {
    const FailureSettings& failure = scenario.failures[i];
    if (failure.kind != FailureKind::kGpuSlow || failure.select.empty()) {
      continue;
    }
    if (!std::ranges::any_of(gpus, [&](const std::string& gpu) { return scenario::selects(failure.select, gpu); })) {
      return scenario::fail_at(scenario, fmt::format("failure[{}].select", i),
                               "'{}' selects no GPU of a job that computes; they are {} to {}", failure.select,
                               gpus.empty() ? "none" : gpus.front(), gpus.empty() ? "none" : gpus.back());
    }
  }
  return {};
}

double checkpoint_seconds(const scenario::Scenario& scenario) {
  if (scenario.checkpoint.time) {
    return scenario.checkpoint.time->seconds();
  }
  const auto trains = std::ranges::find_if(scenario.jobs, &scenario::JobSettings::trains);
  const Bytes shard =
      trains == scenario.jobs.end()
          ? kUsualShard
          : workload::checkpoint_shard(trains->training.shape, std::max<std::int64_t>(trains->ranks, 1));
  return 8 * static_cast<double>(shard.count()) / static_cast<double>(scenario.checkpoint.rate.bits_per_second());
}

}  // namespace weft::study::assembly
