#include "study/claims/flow_goodput.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace weft::study::claims {
namespace {

using workload::FlowId;
using workload::MessageRecord;

/// Bytes of a message that was served from `begin` on which lie in the window.
double bytes_inside(const MessageRecord& record, Time begin, Window window) {
  const double bytes = static_cast<double>(record.size.count());
  if (begin == record.finished) {  // ended together with the message before it
    return record.finished > window.from && record.finished <= window.to ? bytes : 0;
  }
  const Time first = std::max(begin, window.from);
  const Time last = std::min(record.finished, window.to);
  if (last <= first) {
    return 0;
  }
  return bytes * ((last - first).seconds() / (record.finished - begin).seconds());
}

const results::RankRow& rank_of(const results::RunResults& results, const FlowId& flow, workload::RankId rank) {
  return results.jobs.at(flow.job.value()).ranks.at(rank.value());
}

/// By flow, in the order of their ends.
std::map<FlowId, std::vector<const MessageRecord*>> messages_of(const results::RunResults& results,
                                                                std::string_view job) {
  std::map<FlowId, std::vector<const MessageRecord*>> flows;
  for (const results::MessageRow& row : results.messages) {
    const MessageRecord& record = row.record;
    if (record.status == verbs::WcStatus::kSuccess &&
        (job.empty() || results.jobs.at(record.flow.job.value()).name == job)) {
      flows[record.flow].push_back(&record);
    }
  }
  for (auto& [flow, messages] : flows) {
    std::ranges::sort(messages, {}, &MessageRecord::finished);
  }
  return flows;
}

}  // namespace

Window steady_window(const results::RunResults& results) {
  const Duration length = results.run.ended_at.since_start();
  return {.from = Time::zero() + length / 3, .to = Time::zero() + length / 10 * 9};
}

std::vector<double> flow_shares(const results::RunResults& results, const FlowChoice& choice, Window window) {
  struct Pair {
    double bytes = 0;
    Rate line;
  };
  std::map<std::pair<std::string, std::string>, Pair> pairs;
  for (const auto& [flow, messages] : messages_of(results, choice.job)) {
    const results::RankRow& source = rank_of(results, flow, flow.source);
    Pair& pair = pairs[{source.endpoint, rank_of(results, flow, flow.destination).endpoint}];
    pair.line = source.rate;
    Time before = Time::zero();
    for (const MessageRecord* const record : messages) {
      pair.bytes += bytes_inside(*record, std::max(record->posted, before), window);
      before = record->finished;
    }
  }
  std::vector<double> shares(choice.flows > pairs.size() ? choice.flows - pairs.size() : 0);
  for (const auto& [ends, pair] : pairs) {
    const double line = static_cast<double>(pair.line.bits_per_second());
    shares.push_back(pair.bytes * 8 / ((window.to - window.from).seconds() * line));
  }
  std::ranges::sort(shares);
  return shares;
}

FlowSpread spread_of_flows(const std::vector<double>& ascending) {
  FlowSpread spread;
  if (ascending.empty()) {
    return spread;
  }
  for (const double one : ascending) {
    spread.mean += one / static_cast<double>(ascending.size());
  }
  spread.p10 = ascending[(ascending.size() + 9) / 10 - 1];
  spread.slowest = ascending.front();
  return spread;
}

}  // namespace weft::study::claims
