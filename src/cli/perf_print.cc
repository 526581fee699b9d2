#include "cli/perf_print.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

namespace weft::cli {
namespace {

// Insertion order is the order of reading.
using Json = nlohmann::ordered_json;

std::string rule(LineWidth width) {
  constexpr std::size_t kColumns = 87;  // as perftest has it
  return std::string(std::min(width.value_or(kColumns), kColumns), '-') + '\n';
}

std::string title(const live::PerfPlan& plan) {
  std::string op(live::to_string(plan.op));
  std::ranges::transform(op, op.begin(), [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; });
  return fmt::format("RDMA_{} {} Test", op, plan.test == live::PerfTest::kBandwidth ? "BW" : "Latency");
}

std::string_view transport_text(const live::PerfPlan& plan) {
  if (plan.transport == live::PerfTransport::kRoce)
    return "RoCEv2 over UDP sockets, reliable connection";
  return plan.security == live::PerfSecurity::kTss ? "Ultra Ethernet over UDP sockets, encrypted (TSS)"
                                                   : "Ultra Ethernet over UDP sockets";
}

struct Counter {
  std::string_view name;
  std::uint64_t value;
};

/// One of the two engines has counted nothing.
std::vector<Counter> counters_of(const live::PerfCounters& counters) {
  const auto nacks = [&counters](wire::UetNack code) {
    return counters.uet.nacks_received[static_cast<std::size_t>(code)];
  };
  return {{"retransmitted", counters.rc.retransmitted_packets + counters.uet.retransmissions},
          {"ack_timeouts", counters.rc.local_ack_timeout_err + counters.uet.timeouts},
          {"out_of_sequence", counters.rc.out_of_sequence + counters.uet.out_of_order},
          {"sequence_naks", counters.rc.packet_seq_err + nacks(wire::UetNack::kRodOutOfOrder)},
          {"duplicate_requests", counters.rc.duplicate_request + counters.uet.duplicates},
          {"rnr_naks", counters.rc.rnr_nak_retry_err + nacks(wire::UetNack::kNoResource)},
          {"bad_requests", counters.rc.bad_requests},
          {"discarded", counters.rc.discarded + counters.uet.discarded},
          {"nacks", counters.uet.nacks()},
          {"contexts_opened", counters.uet.opened},
          {"contexts_failed", counters.uet.failed},
          {"malformed", counters.driver.malformed},
          {"wrong_icrc", counters.driver.wrong_icrc},
          {"replayed", counters.driver.replayed},
          {"strangers", counters.driver.unknown_peer},
          {"unknown_qp", counters.unknown_qp},
          {"refused_by_kernel", counters.refused},
          {"faults_lost", counters.faults.lost},
          {"faults_duplicated", counters.faults.duplicated},
          {"faults_delayed", counters.faults.delayed}};
}

std::string counters_text(const live::PerfCounters& counters) {
  std::string text = fmt::format(" Packets: sent {}, received {}", counters.driver.sent, counters.driver.received);
  for (const Counter& counter : counters_of(counters)) {
    if (counter.value != 0)
      text += fmt::format(", {} {}", counter.name, counter.value);
  }
  return text + '\n';
}

Json to_json(const live::PerfCounters& counters) {
  Json json{{"sent", counters.driver.sent},
            {"received", counters.driver.received},
            {"system_calls", counters.driver.system_calls}};
  for (const Counter& counter : counters_of(counters))
    json[std::string(counter.name)] = counter.value;
  json["udp_segmentation"] = counters.segments;
  json["udp_coalescing"] = counters.coalesces;
  return json;
}

Json to_json(const live::RowResult& row, live::PerfTest test) {
  Json json{{"bytes", row.row.size}, {"iterations", row.row.iterations}, {"wrong", row.wrong}};
  if (test == live::PerfTest::kBandwidth) {
    json["bw_peak_gbps"] = row.bandwidth.peak_gbps;
    json["bw_average_gbps"] = row.bandwidth.average_gbps;
    json["msg_rate_mpps"] = row.bandwidth.message_mpps;
    return json;
  }
  json["t_min_usec"] = row.latency.min;
  json["t_max_usec"] = row.latency.max;
  json["t_typical_usec"] = row.latency.typical;
  json["t_avg_usec"] = row.latency.average;
  json["t_stdev_usec"] = row.latency.stdev;
  json["t_99_usec"] = row.latency.percentile_99;
  json["t_99_9_usec"] = row.latency.percentile_99_9;
  return json;
}

Json head(const live::PerfConnection& connection) {
  return {{"weft", WEFT_VERSION},
          {"transport", live::to_string(connection.plan.transport)},
          {"security", live::to_string(connection.plan.security)},
          {"op", live::to_string(connection.plan.op)},
          {"test", live::to_string(connection.plan.test)},
          {"tx_depth", connection.plan.depth},
          {"mtu", connection.mtu},
          {"local", to_string(connection.local)},
          {"peer", to_string(connection.peer)}};
}

/// The columns of perftest, in its order.
TextTable perf_table(live::PerfTest test, LineWidth width) {
  const auto column = [](std::string heading, std::size_t least, std::uint8_t rank = 0) {
    return TextTable::Column{.heading = std::move(heading), .least = least, .gap = 1, .rank = rank};
  };
  if (test == live::PerfTest::kBandwidth) {
    return TextTable({column(" #bytes", 11), column("#iterations", 11, 1), column("BW peak[Gb/sec]", 17, 2),
                      column("BW average[Gb/sec]", 20), column("MsgRate[Mpps]", 0, 3)},
                     width);
  }
  return TextTable({column(" #bytes", 9), column("#iterations", 11, 5), column("t_min[usec]", 11, 1),
                    column("t_max[usec]", 11, 2), column("t_typical[usec]", 15), column("t_avg[usec]", 11, 3),
                    column("t_stdev[usec]", 13, 4), column("99%[usec]", 9), column("99.9%[usec]", 0)},
                   width);
}

}  // namespace

std::string connection_text(const live::PerfConnection& connection, LineWidth width) {
  std::string text = rule(width);
  text += fmt::format("                    {}\n", title(connection.plan));
  text += fmt::format(" Transport       : {}\n", transport_text(connection.plan));
  text += fmt::format(" TX depth        : {}\n", connection.plan.depth);
  text += fmt::format(" Mtu             : {}[B]\n", connection.mtu);
  text += fmt::format(" local address   : {} QPN {:#08x}\n", to_string(connection.local), connection.local_qpn);
  text += fmt::format(" remote address  : {} QPN {:#08x}\n", to_string(connection.peer), connection.peer_qpn);
  text += rule(width);
  const TextTable table = perf_table(connection.plan.test, width);
  text += table.note() + table.head();
  return text;
}

std::string row_text(const live::PerfConnection& connection, const live::RowResult& row, LineWidth width) {
  std::vector<std::string> cells = {fmt::format(" {}", row.row.size), fmt::format("{}", row.row.iterations)};
  const auto add = [&cells](double value) { cells.push_back(fmt::format("{:.2f}", value)); };
  if (connection.plan.test == live::PerfTest::kBandwidth) {
    add(row.bandwidth.peak_gbps);
    add(row.bandwidth.average_gbps);
    cells.push_back(fmt::format("{:.6f}", row.bandwidth.message_mpps));
  } else {
    const live::LatencyFigures& latency = row.latency;
    for (const double value : {latency.min, latency.max, latency.typical, latency.average, latency.stdev,
                               latency.percentile_99, latency.percentile_99_9}) {
      add(value);
    }
  }
  return perf_table(connection.plan.test, width).row(cells);
}

std::string summary_text(const live::PerfClientReport& report, LineWidth width) {
  std::uint64_t messages = 0;
  for (const live::RowResult& row : report.rows)
    messages += row.row.iterations;
  std::string text = rule(width);
  text += fmt::format(" Data verified: {} messages, {} wrong\n", messages, report.wrong());
  return text + counters_text(report.counters);
}

std::string visit_text(const live::PerfVisit& visit) {
  const live::PerfConnection& connection = visit.connection;
  if (connection.mtu == 0)
    return fmt::format("{}: {}\n", to_string(connection.peer), visit.error ? visit.error->message : "no test");
  std::string text =
      fmt::format("{}: {} {}, {} rows, {} wrong messages{}\n", to_string(connection.peer),
                  live::to_string(connection.plan.op), live::to_string(connection.plan.test), visit.rows, visit.wrong,
                  visit.error ? fmt::format("; ended early: {}", visit.error->message) : "");
  return text + counters_text(visit.counters);
}

std::string to_json(const live::PerfClientReport& report) {
  Json json = head(report.connection);
  json["rows"] = Json::array();
  for (const live::RowResult& row : report.rows)
    json["rows"].push_back(to_json(row, report.connection.plan.test));
  json["wrong"] = report.wrong();
  json["counters"] = to_json(report.counters);
  return json.dump(2) + '\n';
}

std::string to_json(const live::PerfVisit& visit) {
  Json json = head(visit.connection);
  json["rows"] = visit.rows;
  json["wrong"] = visit.wrong;
  json["error"] = visit.error ? Json(visit.error->message) : Json();
  json["counters"] = to_json(visit.counters);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace weft::cli
