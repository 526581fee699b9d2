#include "study/run/collector_multicast.h"

namespace weft::study::run {

std::vector<results::MulticastRow> multicast_rows(const Simulation& simulation) {
  std::vector<results::MulticastRow> rows;
  for (std::size_t job = 0; job < simulation.jobs().size(); ++job) {
    const std::optional<Simulation::GroupReport> report = simulation.group_report(job);
    if (!report) {
      continue;
    }
    const workload::MulticastCounts& counts = report->counts;
    results::MulticastRow row{.name = simulation.jobs()[job].name,
                              .lid = report->lid,
                              .senders = static_cast<std::uint32_t>(report->senders),
                              .sent = counts.sent,
                              .expected = counts.expected,
                              .delivered = counts.delivered,
                              .incomplete = counts.incomplete,
                              .first_mean = counts.first.mean(),
                              .first_most = counts.first.most,
                              .last_mean = counts.last.mean(),
                              .last_most = counts.last.most};
    for (const workload::MemberCounts& member : report->members) {
      row.members.push_back({.name = simulation.jobs()[job].rank_names[member.rank.value()],
                             .expected = member.expected,
                             .delivered = member.delivered,
                             .latency_mean = member.latency.mean(),
                             .latency_most = member.latency.most});
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace weft::study::run
