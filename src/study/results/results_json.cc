#include "study/results/results_json.h"

#include <nlohmann/json.hpp>

#include "study/results/record_json.h"
#include "study/results/results_scale_up.h"
#include "study/results/results_steps.h"

namespace weft::study::results {
namespace {

using Json = nlohmann::ordered_json;

double number(Duration value) { return value.seconds(); }
double number(double value) { return value; }
std::int64_t number(Bytes value) { return value.count(); }

template <class T>
void add(Json& json, const char* name, const std::optional<Spread<T>>& spread, const RunInfo& run) {
  if (!spread) {
    return;
  }
  Json& made = json[name] = Json{{"count", spread->count}};
  for (std::size_t i = 0; i < run.percentiles.size(); ++i) {
    made[percentile_name(run.percentiles[i])] = number(spread->percentiles[i]);
  }
  made["max"] = number(spread->max);
}

Json to_json(const Throughput& throughput) {
  return {{"bps", throughput.rate.bits_per_second()},
          {"line_bps", throughput.line.bits_per_second()},
          {"share", throughput.share()}};
}

Json to_json(const JobSummary& job, const RunInfo& run) {
  Json json = record_json(job_summary_table(), &job);
  add(json, "completion_s", job.completion, run);
  add(json, "slowdown", job.slowdown, run);
  add(json, "latency_s", job.latency, run);
  add(json, "collective_s", job.collective, run);
  if (job.jitter) {
    json["jitter_s"] = job.jitter->seconds();
  }
  if (job.goodput) {
    json["goodput_bps"] = job.goodput->bits_per_second();
    json["per_sender"] = to_json(*job.per_sender);
  }
  if (job.allowed) {
    json["paths_allow"] = {{"per_sender_bps", job.allowed->per_sender.bits_per_second()},
                           {"slowest_bps", job.allowed->slowest.bits_per_second()}};
  }
  if (job.busiest_receiver) {
    json["busiest_receiver"] = to_json(*job.busiest_receiver);
    json["busiest_receiver"]["name"] = job.busiest_receiver_name;
  }
  if (job.jain) {
    json["jain_index"] = *job.jain;
  }
  return json;
}

Json to_json(const std::vector<fabric::GradeCounters>& grades) {
  Json list = Json::array();
  for (const fabric::GradeCounters& grade : grades) {
    list.push_back(record_json(port_grade_table(), &grade));
  }
  return list;
}

Json to_json(const PathSummary& paths) {
  return {{"choices", paths.choices},
          {"grades", to_json(paths.grades)},
          {"flowlets", paths.flowlets},
          {"notifications", paths.notifications},
          {"detours", paths.detours}};
}

Json to_json(const ReorderSummary& reordering) {
  return {{"packets", reordering.packets},
          {"late_packets", reordering.late},
          {"median_distance", reordering.median},
          {"p99_distance", reordering.p99},
          {"largest_distance", reordering.largest}};
}

/// Those that choices looked at.
Json path_ports(const RunResults& results) {
  Json list = Json::array();
  for (const PortRow& port : results.ports) {
    if (!port.choices.grades.empty()) {
      Json& made = list.emplace_back(Json{{"port", port.name}, {"grades", to_json(port.choices.grades)}});
      add_fields(made, port_choice_table(), &port);
    }
  }
  return list;
}

Json to_json(const NetworkSummary& network, const RunResults& results) {
  Json drops{{"total", network.drops}};
  add_fields(drops, dropped_table(), &results.drops);
  Json json{{"drops", drops}};
  for (const CounterTotal& total : network.totals) {
    Json& sum = json[std::string(total.about.json)];
    if (total.unit == "ps") {
      sum = Duration::picoseconds(static_cast<std::int64_t>(total.sum)).seconds();
    } else {
      sum = total.sum;
    }
  }
  if (network.pauses) {
    json["pause_frames"] = *network.pauses;
    json["paused_s"] = network.held->seconds();
  } else if (network.held) {
    json["credit_stall_s"] = network.held->seconds();
  }
  if (network.marked) {
    json["marked_packets"] = *network.marked;
  }
  if (network.cnps) {
    json["cnps"] = *network.cnps;
  }
  if (network.cpu) {
    json["cpu"] = {{"used_s", network.cpu->seconds()}};
    if (network.cpu_per_gbps) {
      json["cpu"]["cores_per_gbps"] = *network.cpu_per_gbps;
    }
    Json works = Json::object();
    for (const CpuRow& row : results.cpu) {
      works[row.work] = works.value(row.work, 0.0) + row.used.seconds();
    }
    json["cpu"]["by_work_s"] = works;
  }
  json["queue_pairs"] = {{"count", network.connection_ends},
                         {"state_bytes", network.connection_state.count()},
                         {"buffer_bytes", network.connection_buffers.count()}};
  if (network.queue) {
    Json queue{{"port", network.queue->port}, {"peak_bytes", network.queue->peak}};
    add(queue, "depth_bytes", network.queue->depth, results.run);
    json["fullest_queue"] = queue;
  }
  if (network.paths) {
    json["paths"] = to_json(*network.paths);
  }
  if (network.reordering) {
    json["reordering"] = to_json(*network.reordering);
  }
  return json;
}

}  // namespace

Json seconds_or_null(const std::optional<Duration>& span) { return span ? Json(span->seconds()) : Json(nullptr); }

Json control_json(const RunResults& results) {
  Json json = record_json(control_table(), &*results.control);
  json["events"] = Json::array();
  for (const ControlEventRow& row : results.control_events) {
    json["events"].push_back(record_json(control_event_table(), &row));
  }
  json["destinations"] = Json::array();
  for (const ControlDestinationRow& row : results.control_destinations) {
    json["destinations"].push_back(record_json(control_destination_table(), &row));
  }
  json["cabling"] = Json::array();
  for (const CablingRow& row : results.cabling) {
    json["cabling"].push_back(record_json(cabling_table(), &row));
  }
  return json;
}

Json to_json(const RunResults& results, const Summary& summary, JsonDetail detail) {
  Json json{{"run", results.run.key}};
  add_fields(json, run_table(), &results);
  json["jobs"] = Json::array();
  for (const JobSummary& job : summary.jobs) {
    json["jobs"].push_back(to_json(job, results.run));
  }
  json["steps"] = Json::array();
  for (const StepRow& step : results.steps) {
    json["steps"].push_back(to_json(step));
  }
  add_scale_up(json, results);
  if (results.security) {
    json["security"] = record_json(security_table(), &*results.security);
  }
  if (results.controller) {
    json["controller"] = record_json(controller_table(), &*results.controller);
  }
  if (results.control) {
    json["control"] = control_json(results);
  }
  if (results.subnet) {
    json["subnet"] = record_json(subnet_table(), &*results.subnet);
  }
  if (!results.attacks.empty()) {
    json["attacks"] = Json::array();
    for (const AttackRow& row : results.attacks) {
      json["attacks"].push_back(record_json(attack_table(), &row));
    }
  }
  for (const MulticastRow& row : results.multicast) {
    Json group = record_json(multicast_table(), &row);
    group["members"] = Json::array();
    for (const MulticastMemberRow& member : row.members) {
      group["members"].push_back(record_json(multicast_member_table(), &member));
    }
    json["multicast"].push_back(std::move(group));
  }
  json["network"] = to_json(summary.network, results);
  json["events"] = Json::array();
  for (const EventRow& event : results.events) {
    json["events"].push_back(record_json(event_table(), &event));
  }
  for (const DecisionRow& row : results.decisions) {
    json["decisions"].push_back(record_json(decision_table(), &row));
  }
  if (detail == JsonDetail::kMessages) {
    if (summary.network.paths) {
      json["path_ports"] = path_ports(results);
    }
    json["messages"] = Json::array();
    for (const MessageRow& row : results.messages) {
      json["messages"].push_back(record_json(message_table(), &row, &results));
    }
  }
  if (results.machine) {
    json["machine"] = record_json(machine_table(), &*results.machine);
    if (summary.hops_per_second) {
      json["machine"]["packet_hops_per_second"] = *summary.hops_per_second;
    }
  }
  return json;
}

}  // namespace weft::study::results
