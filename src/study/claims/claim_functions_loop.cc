#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "study/claims/claim_functions.h"
#include "study/claims/link_load.h"
#include "study/claims/over_seeds.h"
#include "study/claims/verdicts.h"

namespace weft::study::claims {
namespace {

constexpr double kLine = 400e9;      // of a host, bits per second
constexpr double kRoundGain = 0.05;  // of the time; less is none

struct RoundFigures {
  OverSeeds time;     // of the operation, ms
  OverSeeds slowest;  // share of the line that the slowest path allows
  OverSeeds cnps;     // notifications of a run
  OverSeeds crossed;  // bytes that went up to a spine, of those that hosts sent
};

double slowest_path(Readings& runs, const std::string& one) {
  const auto& allowed = runs.job(one).allowed;
  if (!allowed) {
    runs.miss(fmt::format("what paths allow in case '{}'", one));
    return 0;
  }
  return static_cast<double>(allowed->slowest.bits_per_second()) / kLine;
}

double crossed(const results::RunResults& results) {
  double up = 0;
  double sent = 0;
  for (const results::PortRow& port : results.ports) {
    const auto bytes = static_cast<double>(port.tx_bytes);
    up += is_between(port, {.from = "leaf", .to = "spine"}) ? bytes : 0;
    sent += port.of_switch ? 0 : bytes;
  }
  return sent > 0 ? up / sent : 0;
}

RoundFigures figures_of(Readings& runs, std::string_view name) {
  return {
      .time = over_seeds(runs, name, [&](const std::string& one) { return runs.longest_ms(one); }),
      .slowest = over_seeds(runs, name, [&](const std::string& one) { return slowest_path(runs, one); }),
      .cnps = over_seeds(
          runs, name, [&](const std::string& one) { return static_cast<double>(runs.network(one).cnps.value_or(0)); }),
      .crossed = over_seeds(runs, name, [&](const std::string& one) { return crossed(runs.at(one).results); })};
}

/// Of the mean time.
double gain(const RoundFigures& before, const RoundFigures& after) {
  return before.time.mean > 0 ? 1 - after.time.mean / before.time.mean : 0;
}

std::string ms(const OverSeeds& time) {
  return fmt::format("{:.2f} ms ({:.2f} to {:.2f})", time.mean, time.least, time.most);
}

}  // namespace

Finding feedback_loop(Readings& runs) {
  const RoundFigures start = figures_of(runs, "start");
  const RoundFigures blind = figures_of(runs, "marking first");
  const RoundFigures spines = figures_of(runs, "more spines");
  const RoundFigures pairs = figures_of(runs, "queue pairs");
  const RoundFigures marking = figures_of(runs, "marking");
  const RoundFigures spraying = figures_of(runs, "spraying");
  const RoundFigures placement = figures_of(runs, "placement");
  const std::array rounds = {gain(start, pairs), gain(pairs, marking), gain(marking, spraying),
                             gain(spraying, placement)};
  // Each change does to its metric what it is for.
  const bool follows = pairs.slowest.mean > start.slowest.mean && marking.cnps.mean < pairs.cnps.mean &&
                       spraying.slowest.mean > marking.slowest.mean && placement.crossed.mean < spraying.crossed.mean;
  const bool each_gains = *std::ranges::min_element(rounds) >= kRoundGain;
  const double at_once = gain(start, blind);
  Finding finding;
  finding.verdict = by(each_gains && follows && at_once < rounds[1]);
  finding.figure = fmt::format(
      "a ring in {:.2f} ms as sold, {:.2f} ms after four rounds of metric and change; the same change of marking gains "
      "{:.0f} % after its metric points to it and {:.0f} % before",
      start.time.mean, placement.time.mean, 100 * rounds[1], 100 * at_once);
  finding.text = fmt::format(
      "A reduce-scatter of 16 MiB by a ring of 32 hosts, placed at random under four leaf and eight spine switches of "
      "400 Gb/s; means over three seeds and from the least to the most. As sold it takes {}. Round 1: the slowest path "
      "allows {:.0f} % of the line; eight queue pairs in place of one: {}, {:.0f} % less. Round 2: {:.0f} "
      "notifications where there were {:.0f}; marking from 800 kB in place of the switch's own: {}, {:.0f} % less, "
      "{:.0f} notifications. Round 3: the slowest path allows {:.0f} %; packets are sprayed and put in order: {}, "
      "{:.0f} % less. Round 4: {:.0f} % of the bytes go over spines; the scheduler packs the job: {}, {:.0f} % less, "
      "{:.0f} % of the bytes. Without metrics: marking first {} ({:+.0f} %), twice as many spines {} ({:+.0f} %). A "
      "round counts if it takes {:.0f} % of the time and moves its metric.",
      ms(start.time), 100 * start.slowest.mean, ms(pairs.time), 100 * rounds[0], pairs.cnps.mean, start.cnps.mean,
      ms(marking.time), 100 * rounds[1], marking.cnps.mean, 100 * marking.slowest.mean, ms(spraying.time),
      100 * rounds[2], 100 * spraying.crossed.mean, ms(placement.time), 100 * rounds[3], 100 * placement.crossed.mean,
      ms(blind.time), -100 * at_once, ms(spines.time), -100 * gain(start, spines), 100 * kRoundGain);
  finding.figures = {{"start", start.time.mean, "ms"},
                     {"queue_pairs", pairs.time.mean, "ms"},
                     {"marking", marking.time.mean, "ms"},
                     {"spraying", spraying.time.mean, "ms"},
                     {"placement", placement.time.mean, "ms"},
                     {"marking_first", blind.time.mean, "ms"},
                     {"more_spines", spines.time.mean, "ms"},
                     {"slowest_path_start", start.slowest.mean, ""},
                     {"slowest_path_queue_pairs", pairs.slowest.mean, ""},
                     {"slowest_path_spraying", spraying.slowest.mean, ""},
                     {"cnps_queue_pairs", pairs.cnps.mean, "packets"},
                     {"cnps_marking", marking.cnps.mean, "packets"},
                     {"crossed_spraying", spraying.crossed.mean, ""},
                     {"crossed_placement", placement.crossed.mean, ""}};
  return finding;
}

}  // namespace weft::study::claims
