#include "study/failures/network_failures.h"

#include <nlohmann/json.hpp>

namespace weft::study::failures {
namespace {

using Json = nlohmann::ordered_json;

Json shares_json(const TimeShares& shares) {
  return {{"kept", shares.kept},
          {"lost", shares.lost},
          {"slow", shares.slow},
          {"stalled", shares.stalled},
          {"checkpoints", shares.checkpoints},
          {"restarts", shares.restarts}};
}

TimeShares shares_of(const Json& json) {
  return {.kept = json.value("kept", 0.0),
          .lost = json.value("lost", 0.0),
          .slow = json.value("slow", 0.0),
          .stalled = json.value("stalled", 0.0),
          .checkpoints = json.value("checkpoints", 0.0),
          .restarts = json.value("restarts", 0.0)};
}

Json outcome_json(const FailureOutcome& outcome, const NetworkFailures& network) {
  Json json{{"kind", outcome.kind}, {"count", outcome.count}, {"fit", outcome.fit}, {"per_month", outcome.per_month()}};
  if (!outcome.component.empty()) {
    json["component"] = outcome.component;
  }
  json["lasts_s"] = outcome.lasts;
  if (!outcome.known) {
    json["reason"] = outcome.reason;
    return json;
  }
  json["job_lost"] = outcome.lost;
  if (outcome.lost) {
    json["lost_after_s"] = outcome.lost_after;
    json["why"] = outcome.why;
  } else {
    json["stall_s"] = outcome.stall;
    json["speed_during"] = outcome.speed;
    json["speed_after"] = outcome.speed_after;
  }
  if (network.step) {
    json["step_before_s"] = *network.step;
  }
  if (outcome.step_during) {
    json["step_during_s"] = *outcome.step_during;
  }
  if (outcome.reroute_delay) {
    json["reroute_delay_s"] = *outcome.reroute_delay;
  }
  json["timeline"] = Json::array();
  for (const TimelinePoint& point : outcome.timeline) {
    json["timeline"].push_back({{"at_s", point.at}, {"speed", point.speed}});
  }
  return json;
}

FailureOutcome outcome_of(const Json& json) {
  FailureOutcome made{.kind = json.at("kind").get<std::string>(),
                      .component = json.value("component", std::string()),
                      .count = json.at("count").get<std::int64_t>(),
                      .fit = json.at("fit").get<double>(),
                      .lasts = json.at("lasts_s").get<double>(),
                      .known = !json.contains("reason"),
                      .reason = json.value("reason", std::string()),
                      .lost = json.value("job_lost", false),
                      .lost_after = json.value("lost_after_s", 0.0),
                      .why = json.value("why", std::string()),
                      .stall = json.value("stall_s", 0.0),
                      .speed = json.value("speed_during", 1.0),
                      .speed_after = json.value("speed_after", 1.0)};
  if (json.contains("step_during_s")) {
    made.step_during = json.at("step_during_s").get<double>();
  }
  if (json.contains("reroute_delay_s")) {
    made.reroute_delay = json.at("reroute_delay_s").get<double>();
  }
  for (const Json& point : json.value("timeline", Json::array())) {
    made.timeline.push_back({.at = point.at("at_s").get<double>(), .speed = point.at("speed").get<double>()});
  }
  return made;
}

Json counts_json(const ComponentCounts& counts) {
  return {{"gpus", counts.gpus},
          {"hosts", counts.hosts},
          {"nic_ports", counts.nic_ports},
          {"host_links", counts.host_links},
          {"fabric_links", counts.fabric_links},
          {"leaves", counts.leaves},
          {"spines", counts.spines},
          {"managers", counts.managers}};
}

ComponentCounts counts_of(const Json& json) {
  const auto count = [&json](const char* name) { return json.at(name).get<std::int64_t>(); };
  return {.gpus = count("gpus"),
          .hosts = count("hosts"),
          .nic_ports = count("nic_ports"),
          .host_links = count("host_links"),
          .fabric_links = count("fabric_links"),
          .leaves = count("leaves"),
          .spines = count("spines"),
          .managers = count("managers")};
}

void read_goodput(const Json& json, NetworkFailures& made) {
  const auto number = [&json](const char* name) { return json.at(name).get<double>(); };
  made.checkpoint_time = number("checkpoint_time_s");
  made.restart = number("restart_s");
  made.asynchronous = json.at("asynchronous").get<bool>();
  made.mean_between = json.value("mean_time_between_losses_s", 0.0);
  made.young = json.value("young_interval_s", 0.0);
  made.daly = json.value("daly_interval_s", 0.0);
  made.best = json.value("best_interval_s", 0.0);
  made.interval = number("interval_s");
  made.formula = number("goodput_formula");
  made.drawn = {
      .replicas = json.at("months_drawn").get<std::uint32_t>(),
      .events = number("events_per_month"),
      .goodput = {.mean = number("goodput"), .half = number("goodput_half_interval")},
      .interruptions = {.mean = number("interruptions_per_month"), .half = number("interruptions_half_interval")},
      .shares = shares_of(json.at("time"))};
  for (const Json& point : json.at("by_rate")) {
    made.by_rate.push_back({.factor = point.at("factor").get<double>(), .goodput = point.at("goodput").get<double>()});
  }
}

Json goodput_json(const NetworkFailures& network) {
  Json json{{"checkpoint_time_s", network.checkpoint_time},
            {"restart_s", network.restart},
            {"asynchronous", network.asynchronous},
            {"interval_s", network.interval},
            {"goodput_formula", network.formula},
            {"months_drawn", network.drawn.replicas},
            {"events_per_month", network.drawn.events},
            {"goodput", network.drawn.goodput.mean},
            {"goodput_half_interval", network.drawn.goodput.half},
            {"interruptions_per_month", network.drawn.interruptions.mean},
            {"interruptions_half_interval", network.drawn.interruptions.half},
            {"time", shares_json(network.drawn.shares)}};
  if (network.mean_between > 0) {  // else nothing ends the job, and no interval is the best
    json["mean_time_between_losses_s"] = network.mean_between;
    json["young_interval_s"] = network.young;
    json["daly_interval_s"] = network.daly;
    json["best_interval_s"] = network.best;
  }
  json["by_rate"] = Json::array();
  for (const RatePoint& point : network.by_rate) {
    json["by_rate"].push_back({{"factor", point.factor}, {"goodput", point.goodput}});
  }
  return json;
}

}  // namespace

nlohmann::ordered_json to_json(const NetworkFailures& network) {
  Json json{{"name", network.name}, {"family", network.family}, {"possible", network.possible}};
  if (!network.possible) {
    json["reason"] = network.reason;
    return json;
  }
  json["library"] = network.library;
  json["ack_timeout"] = network.ack_timeout;
  json["retry_count"] = network.retry_count;
  json["uses_queue_pairs"] = network.uses_queue_pairs;
  if (network.watchdog) {
    json["watchdog_s"] = *network.watchdog;
  }
  if (network.reroute_delay) {
    json["reroute_delay_s"] = *network.reroute_delay;
  }
  json["components"] = counts_json(network.counts);
  if (network.step) {
    json["step_s"] = *network.step;
  }
  json["failures"] = Json::array();
  for (const FailureOutcome& outcome : network.outcomes) {
    json["failures"].push_back(outcome_json(outcome, network));
  }
  json["month"] = goodput_json(network);
  return json;
}

Result<NetworkFailures> network_from_json(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    NetworkFailures made{.name = json.at("name").get<std::string>(),
                         .family = json.at("family").get<std::string>(),
                         .possible = json.at("possible").get<bool>(),
                         .reason = json.value("reason", std::string())};
    if (!made.possible) {
      return made;
    }
    made.library = json.at("library").get<std::string>();
    made.ack_timeout = json.at("ack_timeout").get<std::int64_t>();
    made.retry_count = json.at("retry_count").get<std::int64_t>();
    made.uses_queue_pairs = json.at("uses_queue_pairs").get<bool>();
    if (json.contains("watchdog_s")) {
      made.watchdog = json.at("watchdog_s").get<double>();
    }
    if (json.contains("reroute_delay_s")) {
      made.reroute_delay = json.at("reroute_delay_s").get<double>();
    }
    made.counts = counts_of(json.at("components"));
    if (json.contains("step_s")) {
      made.step = json.at("step_s").get<double>();
    }
    for (const Json& outcome : json.at("failures")) {
      made.outcomes.push_back(outcome_of(outcome));
    }
    read_goodput(json.at("month"), made);
    return made;
  } catch (const Json::exception& error) {
    return fail("figures of failures: {}", error.what());
  }
}

}  // namespace weft::study::failures
