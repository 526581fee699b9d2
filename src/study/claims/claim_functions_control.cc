#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "study/claims/claim_functions.h"
#include "study/claims/hash_bound.h"
#include "study/claims/over_seeds.h"
#include "study/claims/verdicts.h"

namespace weft::study::claims {
namespace {

constexpr std::size_t kSenders = 32;  // each sends one flow at a time
constexpr double kGain = 1.2;         // times what hashing gives
constexpr double kNoGain = 1.05;      // no more than that is no gain

SteadyShares shares_of_senders(Readings& runs, std::string_view name) {
  return steady_shares(runs, name, {.flows = kSenders});
}

/// What hosts send in steady state, whichever jobs come and go: the mean share of a line.
OverSeeds share_of_lines(Readings& runs, std::string_view name) {
  return over_seeds(runs, name, [&runs](const std::string& one) {
    const results::RunResults& results = runs.at(one).results;
    double sum = 0;
    for (const double share : flow_shares(results, {.flows = kSenders}, steady_window(results))) {
      sum += share / static_cast<double>(kSenders);
    }
    return sum;
  });
}

}  // namespace

Finding traffic_engineering(Readings& runs) {
  const SteadyShares ecmp = shares_of_senders(runs, "ecmp");
  const SteadyShares pinned = shares_of_senders(runs, "pinned");
  const SteadyShares cspf = shares_of_senders(runs, "cspf");
  const SteadyShares greedy = shares_of_senders(runs, "greedy");
  const SteadyShares min_max = shares_of_senders(runs, "min-max");
  const SteadyShares one = shares_of_senders(runs, "one switch");
  const SteadyShares down_ecmp = shares_of_senders(runs, "link down, ecmp");
  const SteadyShares down_pinned = shares_of_senders(runs, "link down, pinned");
  const SteadyShares down_cspf = shares_of_senders(runs, "link down, cspf");
  const OverSeeds jobs_ecmp = share_of_lines(runs, "jobs of 1 ms, ecmp");
  const OverSeeds jobs_cspf = share_of_lines(runs, "jobs of 1 ms, cspf");
  const OverSeeds jobs_late = share_of_lines(runs, "jobs of 1 ms, late");
  const FlowSpread bound = hash_bound({.leaves = 8, .hosts_per_leaf = 4, .spines = 4});
  const double best = std::max({cspf.mean.mean, greedy.mean.mean, min_max.mean.mean});
  const bool survives = jobs_late.mean > kNoGain * jobs_ecmp.mean;
  Finding finding;
  finding.verdict = by(best >= kGain * ecmp.mean.mean, survives ? Verdict::kHolds : Verdict::kHoldsWhen);
  if (finding.verdict == Verdict::kHoldsWhen) {
    finding.condition = "traffic lasts longer than the controller takes to see it and act";
  }
  finding.figure = fmt::format(
      "share of the lines: {:.0f} % by hash, {:.0f} % pinned, {:.0f} % by a controller (min-max), {:.0f} % on one "
      "switch; jobs as short as its period: {:.0f} % by hash, {:.0f} % by it",
      100 * ecmp.mean.mean, 100 * pinned.mean.mean, 100 * min_max.mean.mean, 100 * one.mean.mean, 100 * jobs_ecmp.mean,
      100 * jobs_late.mean);
  finding.text = fmt::format(
      "A permutation in steady state over 32 hosts of 100 Gb/s under 8 leaf and 4 spine switches with as many uplinks "
      "as hosts, equal hardware, without congestion control. Goodput of the mean flow, of the 10th percentile and of "
      "the slowest as shares of the line, means over {} seeds and from the least to the most. By the hash of real "
      "headers {}; max-min sharing of links drawn at random gives {:.0f}, {:.0f} and {:.0f} %. By the place of the "
      "destination below its leaf {}. By a controller that reads counters every 200 us and installs entries 50 us "
      "later: CSPF {}, one flow after another {}, a linear program with its shares rounded {}. On one switch {}. With "
      "one of 32 uplinks down: by hash {}, pinned {}, CSPF {}. Jobs of 1 ms one after another, mean share of a "
      "sender's line: by hash {} %, CSPF every 200 us {} %, every 1 ms {} %, whose entries are of the job before. "
      "Better: {:.1f} times the mean flow of hashing.",
      seeds_of(runs, "ecmp").size(), percent(ecmp), 100 * bound.mean, 100 * bound.p10, 100 * bound.slowest,
      percent(pinned), percent(cspf), percent(greedy), percent(min_max), percent(one), percent(down_ecmp),
      percent(down_pinned), percent(down_cspf), percent(jobs_ecmp), percent(jobs_cspf), percent(jobs_late), kGain);
  finding.figures = {{"ecmp", ecmp.mean.mean, ""},
                     {"pinned", pinned.mean.mean, ""},
                     {"cspf", cspf.mean.mean, ""},
                     {"greedy", greedy.mean.mean, ""},
                     {"min_max", min_max.mean.mean, ""},
                     {"min_max_slowest", min_max.slowest.mean, ""},
                     {"one_switch", one.mean.mean, ""},
                     {"link_down_ecmp", down_ecmp.mean.mean, ""},
                     {"link_down_pinned", down_pinned.mean.mean, ""},
                     {"link_down_cspf", down_cspf.mean.mean, ""},
                     {"short_jobs_ecmp", jobs_ecmp.mean, ""},
                     {"short_jobs_cspf", jobs_cspf.mean, ""},
                     {"short_jobs_late", jobs_late.mean, ""}};
  return finding;
}

Finding network_level_lb(Readings& runs) {
  constexpr double kAsOneSwitch = 0.95;
  constexpr std::size_t kFragment = 16;  // hosts of a job that has half of each leaf
  const SteadyShares ecmp = shares_of_senders(runs, "ecmp");
  const SteadyShares known = shares_of_senders(runs, "known");
  const SteadyShares one = shares_of_senders(runs, "one switch");
  const SteadyShares down = shares_of_senders(runs, "link down, known");
  const OverSeeds jobs_ecmp = share_of_lines(runs, "jobs of 1 ms, ecmp");
  const OverSeeds jobs_measured = share_of_lines(runs, "jobs of 1 ms, measured");
  const OverSeeds jobs_known = share_of_lines(runs, "jobs of 1 ms, known");
  const auto fragment = [&runs](std::string_view name) { return steady_shares(runs, name, {.flows = kFragment}); };
  const SteadyShares pinned = fragment("fragments, pinned");
  const SteadyShares hashed = fragment("fragments, ecmp");
  const SteadyShares placed = fragment("fragments, known");
  Finding finding;
  const bool as_one = known.mean.mean >= kAsOneSwitch * one.mean.mean;
  finding.verdict = by(known.mean.mean >= kGain * ecmp.mean.mean, as_one ? Verdict::kHolds : Verdict::kHoldsWhen);
  if (finding.verdict == Verdict::kHoldsWhen) {
    finding.condition = fmt::format("less than {:.0f} % of one switch is enough", 100 * kAsOneSwitch);
  }
  finding.figure = fmt::format(
      "share of the lines: {:.0f} % by hash, {:.0f} % by known flows, {:.0f} % on one switch; jobs of 1 ms {:.0f}, "
      "{:.0f} measured, {:.0f} % known",
      100 * ecmp.mean.mean, 100 * known.mean.mean, 100 * one.mean.mean, 100 * jobs_ecmp.mean, 100 * jobs_measured.mean,
      100 * jobs_known.mean);
  finding.text = fmt::format(
      "A permutation in steady state over 32 hosts of 100 Gb/s under 8 leaf and 4 spine switches with as many uplinks "
      "as hosts, equal hardware, without congestion control. Goodput of the mean flow, of the 10th percentile and of "
      "the slowest as shares of the line, means over {} seeds and from the least to the most. By the hash of headers "
      "{}; by a controller that knows the flows before they begin, so that no two share a link, {}; on one switch {}. "
      "With one of 32 uplinks down {}. Jobs of 1 ms one after another, mean share of a sender's line: by hash {} %, by "
      "a controller that measures every 200 us {} %, by known flows {} %. A job with the first and the third of the "
      "four hosts of every leaf: pinned by place {}, by hash {}, by known flows {}. That vendors claim 98 % and more "
      "for real jobs is theirs: here all flows of a job are known, and they are alike. As one switch: {:.0f} % of it.",
      seeds_of(runs, "ecmp").size(), percent(ecmp), percent(known), percent(one), percent(down), percent(jobs_ecmp),
      percent(jobs_measured), percent(jobs_known), percent(pinned), percent(hashed), percent(placed),
      100 * kAsOneSwitch);
  finding.figures = {{"ecmp", ecmp.mean.mean, ""},
                     {"known", known.mean.mean, ""},
                     {"known_slowest", known.slowest.mean, ""},
                     {"one_switch", one.mean.mean, ""},
                     {"link_down_known", down.mean.mean, ""},
                     {"short_jobs_ecmp", jobs_ecmp.mean, ""},
                     {"short_jobs_measured", jobs_measured.mean, ""},
                     {"short_jobs_known", jobs_known.mean, ""},
                     {"fragments_pinned", pinned.mean.mean, ""},
                     {"fragments_ecmp", hashed.mean.mean, ""},
                     {"fragments_known", placed.mean.mean, ""}};
  return finding;
}

namespace {

/// What the control plane of a case did, and what its flows lost.
struct Recovery {
  results::ControlRow control;
  double last_entry_ms = 0;  // after the failure; 0: no entry was written
  std::uint64_t failed = 0;  // messages, for good
};

Recovery recovery_of(Readings& runs, const char* name) {
  const results::RunResults& results = runs.at(name).results;
  if (!results.control) {
    runs.miss(fmt::format("case \"{}\": [control]", name));
    return {};
  }
  Recovery found{.control = *results.control, .failed = runs.job(name).failed};
  for (const results::ControlEventRow& event : results.control_events) {
    if (!event.last_entry.is_never()) {
      found.last_entry_ms = std::max(found.last_entry_ms, (event.last_entry - event.at).seconds() * 1e3);
    }
  }
  return found;
}

}  // namespace

Finding distributed_control(Readings& runs) {
  constexpr double kAllOfIt = 0.9;  // a switch with so much of the work would be a centre
  const Recovery cable = recovery_of(runs, "cable");
  const Recovery spine = recovery_of(runs, "spine");
  const Recovery cold = recovery_of(runs, "cold");
  const std::uint64_t nobody = runs.job("nobody").failed;
  const double busiest = cold.control.cpu_time > Duration::zero()
                             ? cold.control.busiest_cpu_time.seconds() / cold.control.cpu_time.seconds()
                             : 1;
  const bool repaired = nobody > 0 && cable.failed == 0 && spine.failed == 0 && cable.control.updates > 0;
  const bool by_itself = cold.failed == 0 && cold.control.updates > 0 && busiest < kAllOfIt;
  Finding finding;
  finding.verdict = by(repaired && by_itself);
  finding.figure = fmt::format(
      "a cable fails: {} UPDATEs, routes after {:.1f} ms, {} messages of hosts lost for good; if nobody decided {}; "
      "from "
      "nothing: {} UPDATEs, {:.0f} % of the work in the busiest of 8 switches",
      cable.control.updates, cable.last_entry_ms, cable.failed, nobody, cold.control.updates, 100 * busiest);
  finding.text = fmt::format(
      "16 hosts under four leaves and four spines, which speak BGP with their neighbours and with nobody else. A cable "
      "fails under a permutation: {} UPDATEs, {:.1f} ms of CPU in all switches, the last forwarding entry after {:.2f} "
      "ms, {} packets lost, {} messages lost for good. A spine reboots: {} UPDATEs, {:.2f} ms, {} packets and {} "
      "messages "
      "lost. Routes that nobody changes lose {} messages. From nothing, without a session or an entry, {} UPDATEs "
      "bring "
      "the network up; the busiest switch has {:.0f} % of the {:.1f} ms of CPU, and the flows that began with the "
      "switches "
      "all end. No switch is a centre while it has less than {:.0f} % of the work. The times follow from 1 ms until a "
      "port says that its light is gone, 100 us for each prefix and 50 us for each entry, which are guesses.",
      cable.control.updates, cable.control.cpu_time.seconds() * 1e3, cable.last_entry_ms,
      cable.control.black_holed + cable.control.lost_on_cables, cable.failed, spine.control.updates,
      spine.last_entry_ms, spine.control.black_holed + spine.control.lost_on_cables, spine.failed, nobody,
      cold.control.updates, 100 * busiest, cold.control.cpu_time.seconds() * 1e3, 100 * kAllOfIt);
  finding.figures = {{"cable_updates", static_cast<double>(cable.control.updates), "messages"},
                     {"cable_last_entry", cable.last_entry_ms, "ms"},
                     {"cable_failed", static_cast<double>(cable.failed), "messages"},
                     {"spine_last_entry", spine.last_entry_ms, "ms"},
                     {"spine_failed", static_cast<double>(spine.failed), "messages"},
                     {"nobody_failed", static_cast<double>(nobody), "messages"},
                     {"cold_updates", static_cast<double>(cold.control.updates), "messages"},
                     {"cold_failed", static_cast<double>(cold.failed), "messages"},
                     {"busiest", busiest, ""}};
  return finding;
}

namespace {

/// A subnet that its manager has brought up, and what ran on it then.
struct BroughtUp {
  results::SubnetRow subnet;
  std::uint64_t messages = 0;
  std::uint64_t failed = 0;

  [[nodiscard]] bool is_up() const { return subnet.error.empty() && subnet.as_routed && subnet.failed == 0; }
  [[nodiscard]] bool is_served() const { return is_up() && messages > 0 && failed == 0; }
  [[nodiscard]] double ms() const { return subnet.bring_up.seconds() * 1e3; }
};

BroughtUp brought_up(Readings& runs, std::string_view name) {
  const std::optional<results::SubnetRow>& subnet = runs.at(name).results.subnet;
  if (!subnet) {
    runs.miss(fmt::format("case \"{}\": subnet.start = \"cold\"", name));
    return {};
  }
  const results::JobSummary& job = runs.job(name);
  return {.subnet = *subnet, .messages = job.messages, .failed = job.failed};
}

results::AttackRow attack_of(Readings& runs, std::string_view name) {
  const std::vector<results::AttackRow>& attacks = runs.at(name).results.attacks;
  if (attacks.empty() || attacks.front().sent == 0) {
    runs.miss(fmt::format("case \"{}\": packets of an [[attack]]", name));
    return {};
  }
  return attacks.front();
}

}  // namespace

Finding subnet_manager(Readings& runs) {
  const BroughtUp small = brought_up(runs, "16 hosts");
  const BroughtUp patient = brought_up(runs, "one request at a time");
  const BroughtUp lanes = brought_up(runs, "lanes");
  const BroughtUp middle = brought_up(runs, "64 hosts");
  const BroughtUp large = brought_up(runs, "648 hosts");
  const results::AttackRow open = attack_of(runs, "one partition");
  const results::AttackRow closed = attack_of(runs, "partitions");
  const bool routes = small.is_served() && patient.is_served() && middle.is_served() && large.is_served();
  const bool sets_lanes = lanes.is_served() && lanes.subnet.requests > small.subnet.requests;
  const bool divides = open.accepted > 0 && closed.accepted == 0 && brought_up(runs, "partitions").is_up();
  Finding finding;
  finding.verdict = by(routes && sets_lanes && divides);
  finding.figure = fmt::format(
      "from a cold start {:.1f} ms for 16 hosts, {:.0f} ms for 648, in {} and {} requests; of {} forged packets "
      "between "
      "partitions {} taken, of {} in one partition {}",
      small.ms(), large.ms(), small.subnet.requests, large.subnet.requests, closed.sent, closed.accepted, open.sent,
      open.accepted);
  finding.text = fmt::format(
      "InfiniBand subnets as after power-up, which a manager at one host brings up with OpenSM's requests; then every "
      "host sends one message by the tables that it wrote, and all {} arrive. 16 hosts under 4 leaves and 2 spines: {} "
      "requests, {:.2f} ms, of which {:.2f} for discovery and {:.2f} for tables; one request at a time {:.2f} ms; with "
      "lash, whose paths have lanes of their own, {} requests, as tables of service levels and of arbitration come in "
      "addition, and {:.2f} ms. 64 hosts: {} requests, {:.1f} ms. 648 hosts under 18 leaves and 18 spines: {} "
      "requests, "
      "{:.0f} ms. In all of them the tables in the agents are those that the engine makes for the network. A host of "
      "another job forges WRITEs with keys that it guesses in sequence: in the one partition of the default {} of {} "
      "are taken, "
      "with a partition for each job, in NICs and switches, {} of {}. The times follow from 20 us for an answer of an "
      "agent, 1 us for a switch on the way and 5 us of the manager for each, which are guesses.",
      small.messages + patient.messages + lanes.messages + middle.messages + large.messages, small.subnet.requests,
      small.ms(), small.subnet.discovery.seconds() * 1e3, small.subnet.tables.seconds() * 1e3, patient.ms(),
      lanes.subnet.requests, lanes.ms(), middle.subnet.requests, middle.ms(), large.subnet.requests, large.ms(),
      open.accepted, open.sent, closed.accepted, closed.sent);
  finding.figures = {{"small", small.ms(), "ms"},
                     {"small_requests", static_cast<double>(small.subnet.requests), "MADs"},
                     {"one_at_a_time", patient.ms(), "ms"},
                     {"lanes", lanes.ms(), "ms"},
                     {"lanes_requests", static_cast<double>(lanes.subnet.requests), "MADs"},
                     {"middle", middle.ms(), "ms"},
                     {"middle_requests", static_cast<double>(middle.subnet.requests), "MADs"},
                     {"large", large.ms(), "ms"},
                     {"large_requests", static_cast<double>(large.subnet.requests), "MADs"},
                     {"open_accepted", static_cast<double>(open.accepted), "packets"},
                     {"closed_accepted", static_cast<double>(closed.accepted), "packets"}};
  return finding;
}

}  // namespace weft::study::claims
