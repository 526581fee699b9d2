#include "workload/multicast_deliveries.h"

#include <algorithm>

#include "base/assert.h"

namespace weft::workload {

void LatencySum::add(Duration latency) {
  least = count == 0 ? latency : std::min(least, latency);
  most = std::max(most, latency);
  total += latency;
  ++count;
}

Duration LatencySum::mean() const { return count == 0 ? Duration::zero() : total / static_cast<std::int64_t>(count); }

MulticastDeliveries::MulticastDeliveries(Ranks ranks)
    : order_(std::move(ranks.members)), sending_(ranks.senders.begin(), ranks.senders.end()) {
  for (const RankId member : order_) {
    members_[member].rank = member;
  }
}

void MulticastDeliveries::on_posted(RankId sender, std::uint32_t number, Time at) {
  last_activity_ = later(last_activity_, at);
  Open open{.posted = at};
  for (auto& [rank, member] : members_) {
    if (rank != sender) {
      open.missing.insert(rank);
      ++member.expected;
    }
  }
  ++counts_.sent;
  counts_.expected += open.missing.size();
  if (!open.missing.empty()) {
    open_.emplace(Name{sender, number}, std::move(open));
  }
}

void MulticastDeliveries::on_delivered(RankId member, const QueuePair& from, std::uint32_t number, Time at) {
  const auto sender = senders_of_.find(from);
  if (sender == senders_of_.end()) {
    return;
  }
  last_activity_ = later(last_activity_, at);
  const auto found = open_.find({sender->second, number});
  if (found == open_.end() || found->second.missing.erase(member) == 0) {
    ++counts_.repeated;
    return;
  }
  Open& open = found->second;
  MemberCounts& own = members_.at(member);
  ++own.delivered;
  ++counts_.delivered;
  own.latency.add(at - open.posted);
  if (open.first.is_never()) {
    open.first = at;
    counts_.first.add(at - open.posted);
  }
  if (open.missing.empty()) {
    counts_.last.add(at - open.posted);
    open_.erase(found);
    end_if_done();
  }
}

void MulticastDeliveries::on_sender_done(RankId sender, Time at) {
  last_activity_ = later(last_activity_, at);
  sending_.erase(sender);
  end_if_done();
}

void MulticastDeliveries::end_if_done() {
  if (sending_.empty() && open_.empty()) {
    give_up();
  }
}

void MulticastDeliveries::give_up() {
  if (has_ended_) {
    return;
  }
  has_ended_ = true;
  for (const std::function<void()>& wake : wakes_) {
    wake();
  }
}

MulticastCounts MulticastDeliveries::counts() const {
  MulticastCounts counts = counts_;
  counts.incomplete = open_.size();
  return counts;
}

std::vector<MemberCounts> MulticastDeliveries::members() const {
  std::vector<MemberCounts> rows;
  for (const RankId member : order_) {
    rows.push_back(members_.at(member));
  }
  return rows;
}

}  // namespace weft::workload
