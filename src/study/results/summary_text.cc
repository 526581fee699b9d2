#include "study/results/summary_text.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>

#include "base/text_table.h"
#include "study/results/failed_jobs.h"
#include "study/results/results_scale_up.h"
#include "study/results/results_steps.h"

namespace weft::study::results {
namespace {

struct Unit {
  double size;
  std::string_view name;
};

// Ascending; the largest that is not larger than the value is taken.
std::string scaled(double value, std::span<const Unit> units) {
  const Unit* unit = units.data();
  for (const Unit& candidate : units) {
    if (std::abs(value) >= candidate.size * 0.99995) {
      unit = &candidate;
    }
  }
  const double number = value / unit->size;
  const int before = std::abs(number) < 1 ? 1 : static_cast<int>(std::log10(std::abs(number) * 1.00005)) + 1;
  std::string text = fmt::format("{:.{}f}", number, std::max(4 - before, 0));
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') {
      text.pop_back();
    }
  }
  return fmt::format("{} {}", text, unit->name);
}

std::string count_text(std::uint64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string end_text(const RunInfo& run) {
  switch (run.end) {
    case RunEnd::kFinished:
      return "finished at " + short_text(run.ended_at.since_start());
    case RunEnd::kTimeLimit:
      return "stopped by its time limit, " + short_text(run.ended_at.since_start());
    case RunEnd::kInterrupted:
      return "PARTIAL: interrupted at " + short_text(run.ended_at.since_start());
    case RunEnd::kJobLost:
      return fmt::format("JOB LOST at {}: {}", short_text(run.ended_at.since_start()), run.error);
    case RunEnd::kStuck:
    case RunEnd::kError:
      break;
  }
  return fmt::format("FAILED at {}: {}", short_text(run.ended_at.since_start()), run.error);
}

class Writer {
 public:
  explicit Writer(LineWidth width) : width_(width) {}

  void line(std::string_view name, std::string_view text) { add(labelled_line(name, text, width_)); }
  void blank() { add("\n"); }

  /// Of the rows that follow.
  void heading(std::string_view name, const std::vector<Probability>& shares) {
    end_table();
    constexpr std::size_t kFigure = 12;
    std::vector<TextTable::Column> columns = {{.heading = std::string(name), .least = 16, .spills = 16, .gap = 0}};
    const auto add_column = [&](std::string heading, std::uint8_t rank) {
      columns.push_back({.heading = std::move(heading),
                         .align = TextTable::Align::kRight,
                         .least = kFigure,
                         .spills = kFigure,
                         .gap = 0,
                         .rank = rank});
    };
    std::uint8_t rank = 1;
    for (const Probability share : shares) {
      add_column(percentile_name(share), rank);
      rank = static_cast<std::uint8_t>(rank < 200 ? rank + 1 : rank);
    }
    add_column("max", 0);
    table_.emplace(std::move(columns), width_);
  }
  template <class T, class Text>
  void row(std::string_view name, const std::optional<Spread<T>>& spread, Text text) {
    if (!spread) {
      return;
    }
    std::vector<std::string> cells = {fmt::format("  {}", name)};
    for (const T& value : spread->percentiles) {
      cells.push_back(text(value));
    }
    cells.push_back(text(spread->max));
    table_->add(std::move(cells));
  }
  void title(const std::string& text) { add(text + '\n'); }
  [[nodiscard]] std::string take() {
    end_table();
    return std::move(text_);
  }

 private:
  void end_table() {
    text_ += table_ ? table_->text() : "";
    table_.reset();
  }
  void add(std::string_view text) {
    end_table();
    text_ += text;
  }

  LineWidth width_;
  std::optional<TextTable> table_;
  std::string text_;
};

std::string of_line(const Throughput& throughput) {
  // What also goes over scale-up links, or over several ports, is more than the line of a port.
  return throughput.share() > 1.005
             ? fmt::format("{}, {:.2f} times the line rate of a NIC port", short_text(throughput.rate),
                           throughput.share())
             : fmt::format("{}, {:.1f}% of line rate", short_text(throughput.rate), 100 * throughput.share());
}

void write_run(Writer& out, const RunResults& results, const Summary& summary) {
  const RunInfo& run = results.run;
  std::string title = run.scenario;
  if (!run.case_name.empty()) {
    title += ", case " + run.case_name;
  }
  out.title(fmt::format("{}, seed {}", title, run.seed));
  out.line("fabric", fmt::format("{}, hardware {}, congestion control {}", run.family, run.hardware, run.congestion));
  out.line("topology", fmt::format("{}: {}, {}, {}", run.topology, count_text(run.hosts, "host", "hosts"),
                                   count_text(run.endpoints, "NIC port", "NIC ports"),
                                   count_text(run.switches, "switch", "switches")));
  if (!run.left_out.empty()) {
    out.line("left out", run.left_out);
  }
  out.line("end", end_text(run));
  if (run.fidelity == "flow") {
    std::string flows = count_text(run.events, "event", "events");
    flows += results.machine ? fmt::format(", {} real time", short_text(results.machine->run_time)) : "";
    out.line("flow level", flows);
    const std::string why = run.flow_check.empty() ? "" : ": " + run.flow_check;
    out.line("  error", run.flow_error
                            ? fmt::format("{:+.2f} % against packets, {}", 100 * *run.flow_error, run.flow_check)
                            : "not measured" + why);
    return;
  }
  std::string work = count_text(run.packet_hops, "packet-hop", "packet-hops");
  if (summary.hops_per_second) {
    work += fmt::format(", {:.2f} million/s, {} real time", *summary.hops_per_second * 1e-6,
                        short_text(results.machine->run_time));
  }
  out.line("simulated", work);
}

/// `failure`: where nothing came through, why.
void write_job(Writer& out, const JobSummary& job, const std::vector<Probability>& shares, const FailedJob* failure) {
  const auto time = [](Duration value) { return short_text(value); };
  out.blank();
  out.heading(job.name, shares);
  out.row("completion", job.completion, time);
  out.row("slowdown", job.slowdown, [](double value) { return fmt::format("{:.2f}x", value); });
  out.row("latency", job.latency, time);
  out.row("collective", job.collective, time);
  if (job.jitter) {
    out.line("jitter", short_text(*job.jitter) + " (p99.9 - p50 of latency)");
  }
  std::string messages = fmt::format("{} completed, {}", job.messages, short_text(job.payload));
  if (failure != nullptr) {
    messages = fmt::format("none completed: all {} FAILED ({})", failure->messages, to_string(failure->status));
  } else if (job.failed != 0) {
    messages += fmt::format("; {} FAILED", job.failed);
  }
  if (job.unfinished != 0) {
    messages += fmt::format("; {} UNFINISHED at the end of the run", job.unfinished);
  }
  out.line("messages", messages);
  if (job.reconnections != 0) {
    out.line("reconnected",
             fmt::format("{}; {} until messages ended again",
                         count_text(job.reconnections, "queue pair", "queue pairs"), short_text(job.disconnected)));
  }
  if (job.goodput) {
    out.line("goodput",
             fmt::format("{} of {} together", short_text(*job.goodput), count_text(job.senders, "sender", "senders")));
    out.line("  per sender", of_line(*job.per_sender));
    if (job.allowed) {
      out.line("  paths allow", fmt::format("{} per sender, slowest {} (no protocol)",
                                            short_text(job.allowed->per_sender), short_text(job.allowed->slowest)));
    }
  }
  if (job.busiest_receiver) {
    out.line("  receiver", fmt::format("{} (busiest: {})", of_line(*job.busiest_receiver), job.busiest_receiver_name));
  }
  if (job.jain) {
    out.line("fairness", fmt::format("{:.4f} (Jain's index of {} flows)", *job.jain, job.flows));
  }
}

/// "grade 0 97.1%, 1 2.4%, 2 0.3%, 3+ 0.2%": the share of each grade in a sum, the deep ones together.
template <class Count>
std::string shares_text(const std::vector<fabric::GradeCounters>& grades, Count count) {
  constexpr std::size_t kApart = 3;
  std::array<double, kApart + 1> parts{};
  double sum = 0;
  for (std::size_t i = 0; i < grades.size(); ++i) {
    parts[std::min(i, kApart)] += count(grades[i]);
    sum += count(grades[i]);
  }
  std::string text;
  for (std::size_t i = 0; i < parts.size() && i < grades.size(); ++i) {
    const std::string_view more = i == kApart && grades.size() > kApart + 1 ? "+" : "";
    text += fmt::format("{}{}{} {:.1f}%", i == 0 ? "grade " : ", ", i, more, sum > 0 ? 100 * parts[i] / sum : 0);
  }
  return text;
}

void write_paths(Writer& out, const NetworkSummary& network) {
  if (const std::optional<PathSummary>& paths = network.paths) {
    out.line(
        "path choices",
        fmt::format(
            "{}{}{}", count_text(paths->choices, "packet", "packets"),
            paths->flowlets == 0 ? "" : ", " + count_text(paths->flowlets, "flowlet", "flowlets"),
            paths->notifications == 0 ? "" : ", " + count_text(paths->notifications, "notification", "notifications")));
    // Of all packets: where one cable leads to the third group, a switch has no port to choose.
    if (paths->detours > 0) {
      out.line("  detours", count_text(paths->detours, "packet", "packets") +
                                " of all, acknowledgements included, by a third group");
    }
    if (paths->grades.size() > 1) {
      const auto chosen = [](const fabric::GradeCounters& grade) { return static_cast<double>(grade.chosen); };
      const auto time = [](const fabric::GradeCounters& grade) { return grade.time.seconds(); };
      out.line("  taken", shares_text(paths->grades, chosen) + " of packets");
      out.line("  ports", shares_text(paths->grades, time) + " of the time");
    }
  }
  if (const std::optional<ReorderSummary>& order = network.reordering) {
    std::string text = fmt::format("{:.1f}% of {} out of order",
                                   100 * static_cast<double>(order->late) / static_cast<double>(order->packets),
                                   count_text(order->packets, "packet", "packets"));
    if (order->late != 0) {
      text += fmt::format(": p50 {}, p99 {}, largest {}", order->median, order->p99, order->largest);
    }
    out.line("reordering", text);
  }
}

void write_controller(Writer& out, const ControllerRow& own) {
  const auto share = [](std::uint32_t millionths) { return percent(millionths / 1e6); };
  out.line("controller",
           fmt::format("{}, {}, {} placed, {} written", own.algorithm, count_text(own.rounds, "round", "rounds"),
                       count_text(own.placed, "flow", "flows"), count_text(own.entries, "entry", "entries")));
  out.line("  fullest link", fmt::format("{} by plan, {} measured", share(own.planned_load), share(own.measured_load)));
  std::string troubles;
  const auto add = [&troubles](std::uint64_t count, std::string_view one, std::string_view several,
                               std::string_view what) {
    if (count != 0) {
      troubles += fmt::format("{}{} {}", troubles.empty() ? "" : ", ", count_text(count, one, several), what);
    }
  };
  add(own.overflows, "flow", "flows", "without room in a table");
  add(own.stale, "plan", "plans", "out of date when installed");
  add(own.conflicts, "flow", "flows", "on a link of another");
  add(own.moved, "flow", "flows", "moved");
  add(own.fallback_packets, "packet-hop", "packet-hops", "by hash because the port of the entry leads nowhere");
  if (!troubles.empty()) {
    out.line("", troubles);
  }
}

void write_security(Writer& out, const SecurityRow& own) {
  out.line("security", fmt::format("encryption {}, firewall {}", own.encryption, own.firewall));
  if (own.added > Bytes::zero()) {
    out.line("  added", fmt::format("{} in {}", short_text(own.added), count_text(own.packets, "packet", "packets")));
  }
  if (!own.busiest.empty()) {
    out.line("  busy", fmt::format("{} encryption, {} firewalls, most {} at {}", short_text(own.encryption_busy),
                                   short_text(own.firewall_busy), short_text(own.busiest_time), own.busiest));
  }
  if (own.peak > Bytes::zero()) {
    out.line("  waiting", fmt::format("at most {} at a port, {} dropped, {}", short_text(own.peak), own.dropped,
                                      count_text(own.pauses, "pause", "pauses")));
  }
}

void write_subnet(Writer& out, const SubnetRow& own) {
  if (!own.error.empty()) {
    out.line("subnet", "did not come up: " + own.error);
    return;
  }
  out.line("subnet", fmt::format("{}, {}; up {} after a cold start, before the run",
                                 count_text(own.switches, "switch", "switches"),
                                 count_text(own.adapters, "adapter", "adapters"), short_text(own.bring_up)));
  out.line("  manager", fmt::format("{}; {}, {} sent again, {} without an answer", own.engine,
                                    count_text(own.requests, "request", "requests"), own.retried, own.failed));
  out.line("  took",
           fmt::format("discovery {}, forwarding tables {}", short_text(own.discovery), short_text(own.tables)));
  if (!own.as_routed) {
    out.line("", "tables in the switches are not those of the engine");
  }
}

void write_control(Writer& out, const RunResults& results) {
  const ControlRow& own = *results.control;
  out.line("control", fmt::format("{} of {} sessions, {} with {}, {} of CPU (most in {})", own.established / 2,
                                  own.sessions, count_text(own.messages, "message", "messages"),
                                  short_text(own.message_bytes), short_text(own.cpu_time), own.busiest_switch));
  for (const ControlEventRow& event : results.control_events) {
    const auto after = [&](Time at) { return at.is_never() ? std::string("never") : short_text(at - event.at); };
    out.line("  " + event.kind,
             fmt::format("{}{}: noticed after {}, last entry after {}", short_text(event.at.since_start()),
                         event.link.empty() ? ""
                         : event.links > 1  ? fmt::format(" {} and {} more", event.link, event.links - 1)
                                            : " " + event.link,
                         after(event.noticed), after(event.last_entry)));
  }
  Duration longest;
  Duration cut_off;
  for (const ControlDestinationRow& row : results.control_destinations) {
    longest = std::max(longest, row.black_hole);
    cut_off = std::max(cut_off, row.cut_off);
  }
  if (cut_off > Duration::zero()) {
    out.line("  cut off", fmt::format("for {} no cable joined some leaf to another", short_text(cut_off)));
  }
  if (longest > Duration::zero() || own.black_holed + own.hop_limit + own.lost_on_cables > 0) {
    out.line("  lost", fmt::format("{} in black holes (longest {}), {} on cables, {} in loops",
                                   count_text(own.black_holed, "packet", "packets"), short_text(longest),
                                   own.lost_on_cables, own.hop_limit));
  }
  for (const CablingRow& row : results.cabling) {
    out.line("  miscabled", fmt::format("{} is joined to {}, planned {}", row.port, row.found, row.planned));
  }
}

/// The checks that refused packets, and what else became of them.
std::string refusals_text(const AttackRow& row) {
  const std::pair<std::uint64_t, std::string_view> reasons[] = {{row.switch_partition, "P_Key, by the switch"},
                                                                {row.switch_address, "source address, by the switch"},
                                                                {row.switch_key, "key of the switch"},
                                                                {row.sm_key, "SM_Key"},
                                                                {row.untrusted, "answered without the M_Key"},
                                                                {row.authentication, "TSS"},
                                                                {row.queue_pair, "queue pair"},
                                                                {row.partition, "P_Key"},
                                                                {row.queue_key, "Q_Key"},
                                                                {row.ahead, "PSN ahead"},
                                                                {row.behind, "PSN behind"},
                                                                {row.remote_key, "R_Key"},
                                                                {row.limit, "limit of CNPs"},
                                                                {row.no_receive, "no receive request"},
                                                                {row.other, "other"},
                                                                {row.lost, "lost"}};
  std::string text;
  for (const auto& [count, reason] : reasons) {
    if (count != 0) {
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, reason);
    }
  }
  return text;
}

std::string effects_text(const AttackRow& row) {
  std::string text;
  const auto add = [&text](bool any, const std::string& what) {
    text += any ? (text.empty() ? "" : ", ") + what : std::string();
  };
  add(row.bytes_written > Bytes::zero(), short_text(row.bytes_written) + " written");
  add(row.queue_pairs_broken != 0, count_text(row.queue_pairs_broken, "queue pair", "queue pairs") + " broken");
  add(row.throttled > Duration::zero(), "connections throttled for " + short_text(row.throttled));
  add(row.paused > Duration::zero(), "paused for " + short_text(row.paused));
  add(row.diverted != 0,
      fmt::format("{} diverted ({})", count_text(row.diverted, "packet", "packets"), short_text(row.diverted_bytes)));
  add(row.sessions_broken != 0, count_text(row.sessions_broken, "session", "sessions") + " broken");
  return text;
}

void write_attacks(Writer& out, const RunResults& results) {
  for (const AttackRow& row : results.attacks) {
    if (!row.not_possible.empty()) {
      out.line("attack", fmt::format("{}: not possible: {}", row.kind, row.not_possible));
      continue;
    }
    out.line("attack", fmt::format("{} from {} on {}: {} sent, {} accepted", row.kind, row.from, row.victim, row.sent,
                                   row.accepted));
    if (const std::string refused = refusals_text(row); !refused.empty()) {
      out.line("  refused", refused);
    }
    if (const std::string effects = effects_text(row); !effects.empty()) {
      out.line("  effect", effects);
    }
  }
}

void write_multicast(Writer& out, const RunResults& results) {
  // What is on its way when a run is stopped has not been lost.
  const char* const missing = results.run.end == RunEnd::kFinished ? "lost" : "lost or under way when the run ended";
  for (const MulticastRow& row : results.multicast) {
    out.line("multicast", fmt::format("{}: {} to {}, {} of {} copies delivered{}", row.name,
                                      count_text(row.sent, "datagram", "datagrams"),
                                      count_text(row.members.size(), "member", "members"), row.delivered, row.expected,
                                      row.lost() == 0 ? std::string() : fmt::format(", {} {}", row.lost(), missing)));
    if (row.delivered != 0) {
      out.line("  first member",
               fmt::format("after {}, at most {}", short_text(row.first_mean), short_text(row.first_most)));
    }
    if (row.incomplete < row.sent) {
      out.line("  last member",
               fmt::format("after {}, at most {}", short_text(row.last_mean), short_text(row.last_most)));
    }
  }
}

void write_events(Writer& out, const RunResults& results) {
  for (const EventRow& event : results.events) {
    const std::string at = event.at.is_never() ? "" : " at " + short_text(event.at.since_start());
    out.line(event.kind, fmt::format("{}{}{}", event.place, at, event.text.empty() ? "" : ": " + event.text));
  }
}

/// What stands in the path of data, and who decides on paths.
void write_planes(Writer& out, const RunResults& results) {
  if (results.security) {
    write_security(out, *results.security);
  }
  if (results.controller) {
    write_controller(out, *results.controller);
  }
  if (results.control) {
    write_control(out, results);
  }
  if (results.subnet) {
    write_subnet(out, *results.subnet);
  }
}

void write_network(Writer& out, const RunResults& results, const NetworkSummary& network) {
  out.blank();
  out.title("network");
  std::string drops = count_text(network.drops, "packet", "packets");
  for (const Field& cause : dropped_table().fields) {
    if (const std::int64_t count = integer_of(cause.access.get(&results.drops)); count != 0) {
      drops += fmt::format(", {} {}", cause.column, count);
    }
  }
  out.line("dropped", drops);
  if (network.host_drops != 0) {
    out.line("NIC drops",
             count_text(network.host_drops, "packet", "packets") + " in receive rings and buffers of hosts");
  }
  const auto held = [&] {
    return fmt::format("{} on {}", short_text(*network.held),
                       count_text(*network.held_lanes, "lane of a port", "lanes of ports"));
  };
  if (network.pauses) {
    out.line("pauses", fmt::format("{}, {}", count_text(*network.pauses, "frame", "frames"), held()));
  } else if (network.held) {
    out.line("credit stalls", held());
  }
  if (network.marked) {
    out.line("marked", count_text(*network.marked, "packet", "packets"));
  }
  if (network.cnps) {
    out.line("CNPs", fmt::format("{}", *network.cnps));
  }
  out.line("retransmitted", fmt::format("{}, {}, {}", count_text(network.retransmitted, "packet", "packets"),
                                        count_text(network.timeouts, "timeout", "timeouts"),
                                        count_text(network.sequence_naks, "sequence NAK", "sequence NAKs")));
  for (const CounterTotal& total : network.totals) {
    if (!total.about.label.empty() && total.sum != 0) {
      out.line(total.about.label, fmt::format("{}", total.sum));
    }
  }
  if (network.cpu) {
    out.line("CPU",
             fmt::format("{} of cores{}", short_text(*network.cpu),
                         network.cpu_per_gbps ? fmt::format(", {:.4f} cores per Gb/s of payload", *network.cpu_per_gbps)
                                              : std::string()));
  }
  if (network.connection_ends != 0) {
    const auto each = [&](Bytes sum) {
      return short_text(Bytes(sum.count() / static_cast<std::int64_t>(network.connection_ends)));
    };
    out.line("queue pairs",
             fmt::format("{}, {} of state each{}", network.connection_ends, each(network.connection_state),
                         network.connection_buffers == Bytes::zero()
                             ? std::string()
                             : fmt::format(", {} of stream buffers each", each(network.connection_buffers))));
  }
  if (network.queue) {
    out.line("fullest queue", fmt::format("{}, peak {}", network.queue->port,
                                          short_text(Bytes(static_cast<std::int64_t>(network.queue->peak)))));
    if (network.queue->depth) {
      out.heading(fmt::format("  {} samples", network.queue->depth->count), results.run.percentiles);
      out.row("  depth", network.queue->depth, [](Bytes value) { return short_text(value); });
    }
  }
  write_paths(out, network);
  write_planes(out, results);
  write_attacks(out, results);
  write_multicast(out, results);
  write_events(out, results);
}

}  // namespace

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

std::string short_text(Duration value) {
  static constexpr Unit kUnits[] = {{1, "ps"}, {1e3, "ns"}, {1e6, "us"}, {1e9, "ms"}, {1e12, "s"}};
  return scaled(static_cast<double>(value.picoseconds()), kUnits);
}

std::string short_text(Rate value) {
  static constexpr Unit kUnits[] = {{1, "bps"}, {1e3, "kbps"}, {1e6, "Mbps"}, {1e9, "Gbps"}, {1e12, "Tbps"}};
  return scaled(static_cast<double>(value.bits_per_second()), kUnits);
}

std::string short_text(Bytes value) {
  static constexpr Unit kUnits[] = {{1, "B"}, {1024, "KiB"}, {1048576, "MiB"}, {1073741824, "GiB"}};
  return scaled(static_cast<double>(value.count()), kUnits);
}

std::string summary_text(const RunResults& results, const Summary& summary, LineWidth width) {
  Writer out(width);
  write_run(out, results, summary);
  const std::vector<FailedJob> failed = failed_jobs(results);
  for (const JobSummary& job : summary.jobs) {
    const auto own = std::ranges::find(failed, job.name, &FailedJob::name);
    write_job(out, job, results.run.percentiles, own == failed.end() ? nullptr : &*own);
  }
  // Flows have neither queues nor drops.
  if (results.run.fidelity != "flow") {
    write_network(out, results, summary.network);
  } else if (results.subnet) {
    out.blank();
    out.title("network");
    write_subnet(out, *results.subnet);
  }
  std::string text = out.take();
  for (const std::string& more : {scale_up_text(results, width), steps_text(results, width)}) {
    text += more.empty() ? "" : "\n" + more;
  }
  return text;
}

}  // namespace weft::study::results
