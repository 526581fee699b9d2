#include "study/results/summary.h"

#include <algorithm>
#include <map>
#include <set>

namespace weft::study::results {
namespace {

using workload::MessageRecord;

bool ended_well(const MessageRecord& record) { return record.status == verbs::WcStatus::kSuccess; }

/// Who gives the data: for a READ, the rank that is asked.
workload::RankId sender_of(const workload::FlowId& flow, workload::Operation operation) {
  return operation == workload::Operation::kRead ? flow.destination : flow.source;
}
workload::RankId receiver_of(const MessageRecord& record) {
  return record.operation == workload::Operation::kRead ? record.flow.source : record.flow.destination;
}

/// Of so many messages that ended, one that did not changes a figure little.
constexpr std::uint64_t kFewUnfinished = 10;

/// Bytes of some messages, and when the first was posted and the last was finished.
struct Carried {
  Bytes bytes;
  Time first = Time::never();
  Time last;

  void add(const MessageRecord& record) {
    bytes += record.size;
    first = earlier(first, record.posted);
    last = later(last, record.finished);
  }
  [[nodiscard]] std::optional<Rate> rate() const {
    return last > first ? std::optional(average_rate(bytes, last - first)) : std::nullopt;
  }
};

class JobFigures {
 public:
  JobFigures(const RunResults& results, std::uint32_t job) : results_(results), job_(job) {
    summary_.name = results.jobs[job].name;
    summary_.ranks = results.jobs[job].ranks.size();
    summary_.unfinished = results.jobs[job].unfinished;
    summary_.reconnections = results.jobs[job].reconnections;
    summary_.disconnected = results.jobs[job].disconnected;
    summary_.allowed = results.jobs[job].allowed;
  }

  void add(const MessageRow& row) {
    const MessageRecord& record = row.record;
    add_flow(record.flow, record.operation);
    if (!ended_well(record)) {
      ++summary_.failed;
      return;
    }
    ++summary_.messages;
    const Duration taken = record.finished - record.posted;
    completions_.push_back(taken);
    latencies_.push_back(latency_of(record));
    if (row.ideal > Duration::zero()) {
      slowdowns_.push_back(static_cast<double>(taken.picoseconds()) / static_cast<double>(row.ideal.picoseconds()));
    }
    all_.add(record);
    flows_[record.flow].add(record);
    receivers_[receiver_of(record)].add(record);
  }

  /// Its share is zero until a message of it ends well.
  void add_flow(const workload::FlowId& flow, workload::Operation operation) {
    flows_.try_emplace(flow);
    senders_.insert(sender_of(flow, operation));
  }

  void add(const workload::CollectiveRecord& record) {
    Carried& whole = collectives_[record.iteration];
    whole.first = earlier(whole.first, record.started);
    whole.last = later(whole.last, record.finished);
  }

  JobSummary finish() {
    const std::vector<Probability>& shares = results_.run.percentiles;
    summary_.payload = all_.bytes;
    summary_.completion = spread_of(std::move(completions_), shares);
    summary_.latency = spread_of(std::move(latencies_), shares);
    summary_.slowdown = spread_of(std::move(slowdowns_), shares);
    if (summary_.latency && summary_.latency->count > 1) {
      summary_.jitter = summary_.latency->p999 - summary_.latency->median;
    }
    std::vector<Duration> operations;
    for (const auto& [iteration, whole] : collectives_) {
      operations.push_back(whole.last - whole.first);
    }
    summary_.collective = spread_of(std::move(operations), shares);
    finish_goodput();
    return std::move(summary_);
  }

 private:
  [[nodiscard]] const RankRow& rank(workload::RankId id) const { return results_.jobs[job_].ranks.at(id.value()); }

  [[nodiscard]] bool is_composed() const {
    return std::ranges::any_of(results_.steps, [this](const StepRow& step) {
      return step.job == results_.jobs[job_].name && step.fidelity == "composed";
    });
  }

  void finish_goodput() {
    summary_.senders = senders_.size();
    summary_.flows = flows_.size();
    if (is_composed()) {
      return;  // its messages are those of slices, which pauses of the slices' own schedule part
    }
    if (summary_.unfinished > 0) {
      run_to_the_end();
    }
    summary_.goodput = all_.rate();
    if (!summary_.goodput) {
      return;
    }
    const auto senders = static_cast<std::int64_t>(senders_.size());
    Rate lines;
    for (const auto& id : senders_) {
      lines = lines + rank(id).rate;
    }
    summary_.per_sender = Throughput{*summary_.goodput / senders, lines / senders};
    for (const auto& [id, carried] : receivers_) {
      const std::optional<Rate> rate = carried.rate();
      if (rate && (!summary_.busiest_receiver || *rate > summary_.busiest_receiver->rate)) {
        summary_.busiest_receiver = Throughput{*rate, rank(id).rate};
        summary_.busiest_receiver_name = rank(id).name;
      }
    }
    std::vector<Rate> shares;
    for (const auto& [flow, carried] : flows_) {
      shares.push_back(carried.rate().value_or(Rate::zero()));
    }
    // Where many messages had not ended, a flow's share is what the end of the run made it.
    if (shares.size() > 1 && summary_.unfinished <= summary_.messages / kFewUnfinished) {
      summary_.jain = jain_index(shares);
    }
  }

  // A job that had more to do when the run ended was at work until then, even if it stood still.
  void run_to_the_end() {
    const auto extend = [this](Carried& carried) { carried.last = later(carried.last, results_.run.ended_at); };
    extend(all_);
    for (auto& [flow, carried] : flows_) {
      extend(carried);
    }
    for (auto& [rank, carried] : receivers_) {
      extend(carried);
    }
  }

  const RunResults& results_;
  std::uint32_t job_;
  JobSummary summary_;
  std::vector<Duration> completions_;
  std::vector<Duration> latencies_;
  std::vector<double> slowdowns_;
  Carried all_;
  std::map<workload::FlowId, Carried> flows_;
  std::map<workload::RankId, Carried> receivers_;
  std::set<workload::RankId> senders_;
  std::map<std::uint32_t, Carried> collectives_;
};

/// What waited at the fullest port of the switches.
std::optional<QueueSummary> queue_of(const RunResults& results) {
  std::optional<std::uint32_t> fullest;
  QueueSummary queue;
  for (std::uint32_t i = 0; i < results.ports.size(); ++i) {
    const PortRow& port = results.ports[i];
    std::uint64_t peak = 0;
    for (const LaneRow& lane : port.lanes) {
      peak = std::max(peak, lane.queue_peak);
    }
    if (port.of_switch && (!fullest || peak > queue.peak)) {
      fullest = i;
      queue.port = port.name;
      queue.peak = peak;
    }
  }
  if (!fullest) {
    return std::nullopt;
  }
  std::vector<Bytes> depths;
  for (const SampleRow& sample : results.samples) {
    if (sample.port == *fullest) {
      depths.push_back(Bytes(static_cast<std::int64_t>(sample.queue_bytes)));
    }
  }
  // An instant without a row found nothing waiting.
  depths.resize(results.run.sample_instants);
  queue.depth = spread_of(std::move(depths), results.run.percentiles);
  return queue;
}

std::optional<PathSummary> paths_of(const RunResults& results) {
  PathSummary paths;
  for (const PortRow& port : results.ports) {
    paths.grades.resize(std::max(paths.grades.size(), port.choices.grades.size()));
    for (std::size_t grade = 0; grade < port.choices.grades.size(); ++grade) {
      paths.choices += port.choices.grades[grade].chosen;
      paths.grades[grade].chosen += port.choices.grades[grade].chosen;
      paths.grades[grade].time += port.choices.grades[grade].time;
    }
    paths.flowlets += port.choices.flowlets;
    paths.notifications += port.choices.notifications_sent;
    paths.detours += port.choices.detours;
  }
  return paths.grades.empty() ? std::nullopt : std::optional(std::move(paths));
}

/// The nearest rank among so many late packets.
std::uint32_t distance_at(const std::map<std::uint32_t, std::uint64_t>& late, std::uint64_t rank) {
  for (const auto& [distance, packets] : late) {
    if (rank < packets) {
      return distance;
    }
    rank -= packets;
  }
  return late.empty() ? 0 : late.rbegin()->first;
}

std::optional<ReorderSummary> reordering_of(const RunResults& results) {
  ReorderSummary summary;
  std::map<std::uint32_t, std::uint64_t> late;
  for (const NicRow& nic : results.nics) {
    summary.packets += nic.ordered;
    for (const host::ReorderMeter::Late& own : nic.late) {
      late[own.distance] += own.packets;
      summary.late += own.packets;
    }
  }
  if (summary.packets == 0) {
    return std::nullopt;
  }
  if (summary.late != 0) {
    const auto at = [&](Probability share) {
      return distance_at(late, percentile_rank(share, static_cast<std::size_t>(summary.late)));
    };
    summary.median = at(Probability::from_ratio({.numerator = 1, .denominator = 2}));
    summary.p99 = at(Probability::from_ratio({.numerator = 99, .denominator = 100}));
    summary.largest = late.rbegin()->first;
  }
  return summary;
}

std::vector<CounterTotal> counter_totals(const RunResults& results) {
  std::vector<CounterTotal> totals;
  for (const Field& field : nic_table().fields) {
    if (field.forms.total.json.empty()) {
      continue;
    }
    CounterTotal& total = totals.emplace_back(CounterTotal{.about = field.forms.total, .unit = field.unit()});
    for (const NicRow& nic : results.nics) {
      total.sum += static_cast<std::uint64_t>(integer_of(field.access.get(&nic)));
    }
  }
  // Of ports only what happened: most networks have nothing of the kind.
  for (const Field& field : port_table().fields) {
    CounterTotal total{.about = field.forms.total, .unit = field.unit()};
    for (const PortRow& port : results.ports) {
      total.sum += total.about.json.empty() ? 0 : static_cast<std::uint64_t>(integer_of(field.access.get(&port)));
    }
    if (total.sum != 0) {
      totals.push_back(total);
    }
  }
  std::ranges::stable_sort(totals, {}, [](const CounterTotal& total) { return total.about.order; });
  return totals;
}

NetworkSummary network_of(const RunResults& results) {
  NetworkSummary network;
  network.drops = results.drops.total();
  std::uint64_t pauses = 0;
  std::uint64_t marked = 0;
  std::uint64_t held_lanes = 0;
  std::uint64_t cnps = 0;
  Duration held;
  for (const PortRow& port : results.ports) {
    for (const LaneRow& lane : port.lanes) {
      pauses += lane.pauses_sent;
      marked += lane.marked;
      held += lane.held;
      held_lanes += lane.held > Duration::zero() ? 1 : 0;
    }
  }
  for (const NicRow& nic : results.nics) {
    network.retransmitted += nic.retransmitted;
    network.timeouts += nic.timeouts;
    network.sequence_naks += nic.sequence_naks;
    network.damaged += nic.damaged;
    network.host_drops += nic.host_drops;
    cnps += nic.cnps_sent;
    network.connection_ends += nic.connections;
    network.connection_state = network.connection_state + Bytes(static_cast<std::int64_t>(nic.state_bytes));
    network.connection_buffers = network.connection_buffers + Bytes(static_cast<std::int64_t>(nic.buffer_bytes));
  }
  if (results.run.lossless != Lossless::kNo) {
    network.held = held;
    network.held_lanes = held_lanes;
  }
  if (results.run.lossless == Lossless::kPause) {
    network.pauses = pauses;
  }
  if (results.run.marking) {
    network.marked = marked;
  }
  if (results.run.congestion == "dcqcn" || results.run.congestion == "ib-cc") {
    network.cnps = cnps;
  }
  if (!results.cpu.empty()) {
    network.cpu = Duration::zero();
    for (const CpuRow& row : results.cpu) {
      *network.cpu += row.used;
    }
    double gigabits = 0;
    for (const MessageRow& row : results.messages) {
      gigabits += static_cast<double>(row.record.size.count()) * 8e-9;
    }
    // Work for messages that had not ended would count without their bytes.
    std::uint64_t unfinished = 0;
    for (const JobRow& job : results.jobs) {
      unfinished += job.unfinished;
    }
    if (gigabits > 0 && unfinished <= results.messages.size() / kFewUnfinished) {
      network.cpu_per_gbps = network.cpu->seconds() / gigabits;
    }
  }
  network.totals = counter_totals(results);
  network.queue = queue_of(results);
  network.paths = paths_of(results);
  network.reordering = reordering_of(results);
  return network;
}

}  // namespace

Duration latency_of(const MessageRecord& record) {
  const bool told = workload::needs_receive(record.operation) && !record.delivered.is_never();
  return (told ? record.delivered : record.finished) - record.posted;
}

Summary summarise(const RunResults& results) {
  std::vector<JobFigures> jobs;
  for (std::uint32_t i = 0; i < results.jobs.size(); ++i) {
    jobs.emplace_back(results, i);
  }
  for (const MessageRow& row : results.messages) {
    jobs.at(row.record.flow.job.value()).add(row);
  }
  for (const SilentFlowRow& row : results.silent_flows) {
    jobs.at(row.flow.job.value()).add_flow(row.flow, row.operation);
  }
  for (const workload::CollectiveRecord& record : results.collectives) {
    jobs.at(record.job.value()).add(record);
  }
  Summary summary;
  for (JobFigures& job : jobs) {
    summary.jobs.push_back(job.finish());
  }
  summary.network = network_of(results);
  if (results.machine && results.machine->run_time > Duration::zero()) {
    summary.hops_per_second = static_cast<double>(results.run.packet_hops) / results.machine->run_time.seconds();
  }
  return summary;
}

}  // namespace weft::study::results
