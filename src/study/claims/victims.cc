#include "study/claims/victims.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "study/claims/flow_goodput.h"

namespace weft::study::claims {
namespace {

struct Times {
  double ideal = 0;
  double taken = 0;
};

double held_share(const results::PortRow& port, const results::RunResults& results) {
  Duration held;
  for (const results::LaneRow& lane : port.lanes) {
    held += lane.held;
  }
  const double length = results.run.ended_at.since_start().seconds();
  return length > 0 ? held.seconds() / length : 0;
}

}  // namespace

VictimShares victim_shares(const results::RunResults& results, std::string_view job) {
  const Window window = steady_window(results);
  std::map<std::uint32_t, Times> flows;  // by source: a permutation's have one each
  for (const results::MessageRow& row : results.messages) {
    const workload::MessageRecord& record = row.record;
    if (record.status == verbs::WcStatus::kSuccess && results.jobs.at(record.flow.job.value()).name == job) {
      Times& times = flows[record.flow.source.value()];  // all that sent anything are known
      if (record.finished > window.from && record.finished <= window.to) {
        times.ideal += row.ideal.seconds();
        times.taken += (record.finished - record.posted).seconds();
      }
    }
  }
  VictimShares shares;
  for (const auto& [source, times] : flows) {
    const double share = times.taken > 0 ? times.ideal / times.taken : 0;
    shares.mean += share / static_cast<double>(flows.size());
    shares.slowest = source == flows.begin()->first ? share : std::min(shares.slowest, share);
  }
  return shares;
}

BlockedTime holds(const results::RunResults& results, std::string_view job) {
  constexpr double kCounts = 0.01;
  std::set<std::string_view> victims;
  for (const results::JobRow& one : results.jobs) {
    if (one.name == job) {
      for (const results::RankRow& rank : one.ranks) {
        victims.insert(rank.endpoint);
      }
    }
  }
  BlockedTime found;
  double lines = 0;
  for (const results::PortRow& port : results.ports) {
    const double share = held_share(port, results);
    found.time += share / static_cast<double>(results.ports.size());
    found.worst = std::max(found.worst, share);
    if (!port.of_switch && victims.contains(port.name)) {
      ++lines;
      found.lines += share > kCounts ? 1 : 0;
    }
  }
  found.lines = lines > 0 ? found.lines / lines : 0;
  return found;
}

}  // namespace weft::study::claims
