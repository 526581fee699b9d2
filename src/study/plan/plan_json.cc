#include "study/plan/plan_json.h"

#include <fmt/format.h>

#include <initializer_list>
#include <nlohmann/json.hpp>

#include "base/csv_writer.h"
#include "study/cost/bill_text.h"

namespace weft::study::plan {
namespace {

using Json = nlohmann::ordered_json;

template <class Tag>
double units(scenario::Milli<Tag> value) {
  return static_cast<double>(value.count) / 1'000;
}

template <class T>
void add(Json& json, const char* key, const std::optional<T>& value) {
  if (value) {
    json[key] = *value;
  }
}

Json growth_json(const Growth& growth) {
  Json made{{"gpus", growth.gpus}, {"possible", growth.possible}};
  if (!growth.possible) {
    made["reason"] = growth.reason;
    return made;
  }
  made["shape"] = growth.shape;
  if (!growth.switch_.empty()) {
    made["switch"] = growth.switch_;
  }
  made["rewired"] = growth.rewired;
  made["cost_usd"] = units(growth.cost);
  made["left_over_usd"] = units(growth.left_over);
  made["parts"] = Json::array();
  for (const GrowthLine& line : growth.lines) {
    made["parts"].push_back({{"name", line.name},
                             {"kept", line.kept},
                             {"added", line.added},
                             {"left_over", line.left_over},
                             {"price_usd", units(line.price)}});
  }
  return made;
}

Json measured_json(const Measured& step) {
  Json made{{"level", step.level}, {"step_s", step.step}, {"seeds", step.seeds}, {"interval", step.interval}};
  add(made, "low_s", step.low);
  add(made, "high_s", step.high);
  return made;
}

Json metrics_json(const Metrics& own) {
  return {{"exposed", own.exposed},   {"bubbles", own.bubbles},
          {"nic_busy", own.nic_busy}, {"slowest_flow", own.slowest_flow},
          {"marks", own.marks},       {"pauses", own.pauses},
          {"drops", own.drops}};
}

Json design_json(const PlannedDesign& own) {
  const Design& design = own.design;
  Json made{{"name", own.name},
            {"on_front", own.on_front},
            {"finalist", own.finalist},
            {"network", design.network.name},
            {"switch", design.switch_.name},
            {"breakout", design.switch_.breakout},
            {"nic", design.nic.name},
            {"shape", to_string(design.shape)},
            {"tiers", tiers_of(design)},
            {"oversubscription", scenario::to_string(design.oversubscription)},
            {"hosts", design.hosts},
            {"spares", design.spares},
            {"rails", design.rails},
            {"planes", design.planes},
            {"tors", design.tors},
            {"parallelism", own.parallelism},
            {"settings", settings_of(design)}};
  if (own.is_bounded()) {
    made["bound"] = {{"step_s", own.bounds.step}, {"usd_per_million_tokens", own.bounds.usd}};
    made["to_buy_usd"] = units(own.bounds.to_buy());
    made["network_usd"] = units(own.bounds.bill.cost);
    made["power_w"] = units(own.bounds.total.power);
  }
  if (own.measured || !own.keeps_limits) {
    made["keeps_limits"] = own.keeps_limits;
  }
  if (own.measured) {
    made["measured"] = measured_json(*own.measured);
    made["usd_per_million_tokens"] = own.cost.usd;
    add(made, "usd_low", own.cost.low);
    add(made, "usd_high", own.cost.high);
  }
  if (own.metrics) {
    made["metrics"] = metrics_json(*own.metrics);
  }
  if (own.risk) {
    made["tuning_risk"] = {{"sum", own.risk->sum},
                           {"worst", own.risk->worst},
                           {"worst_setting", own.risk->worst_name},
                           {"tried", own.risk->tried},
                           {"of", own.risk->of}};
  }
  if (own.failures) {
    made["failures"] = {{"goodput", own.failures->goodput},
                        {"half", own.failures->half},
                        {"losses_per_month", own.failures->losses},
                        {"spares_suffice", own.failures->spares_suffice}};
  }
  if (own.growth) {
    made["growth"] = growth_json(*own.growth);
  }
  if (!own.file.empty()) {
    made["scenario"] = own.file;
  }
  if (!own.reason.empty()) {
    made["not_run"] = to_string(own.not_run);
    made["reason"] = own.reason;
  }
  if (own.on_front) {
    made["bill"] = cost::bill_json(own.bounds.bill);
    made["not_counted"] = own.cost.not_counted;
  }
  return made;
}

Json iteration_json(const Iteration& own) {
  Json made{{"number", own.number},
            {"metric", own.metric},
            {"change", own.change},
            {"level", own.level},
            {"taken", own.taken}};
  add(made, "usd_before", own.before);
  add(made, "usd_after", own.after);
  add(made, "gain", own.gain());
  if (!own.reason.empty()) {
    made["not_run"] = to_string(own.not_run);
    made["reason"] = own.reason;
  }
  return made;
}

void put_line(CsvWriter& csv, std::initializer_list<std::string> fields) {
  for (const std::string& field : fields) {
    csv.field(field);
  }
  csv.end_line();
}

std::string number(const std::optional<double>& value) { return value ? fmt::format("{}", *value) : std::string(); }

std::string designs_csv(const PlanResult& result) {
  CsvWriter csv;
  put_line(csv, {"design", "on_front", "level", "step_s", "low_s", "high_s", "usd_per_million_tokens", "network_usd",
                 "to_buy_usd", "power_w", "tuning_risk", "goodput", "growth_usd", "step_bound_s", "reason"});
  for (const PlannedDesign& own : result.designs) {
    const auto bounded = [&own](double value) { return own.is_bounded() ? std::optional(value) : std::nullopt; };
    const auto measured = [&own](auto of) { return own.measured ? of(*own.measured) : std::optional<double>(); };
    put_line(csv, {own.name, own.on_front ? "1" : "0", own.measured ? own.measured->level : "",
                   number(measured([](const Measured& m) { return std::optional(m.step); })),
                   number(measured([](const Measured& m) { return m.low; })),
                   number(measured([](const Measured& m) { return m.high; })),
                   number(own.measured ? std::optional(own.cost.usd) : std::nullopt),
                   number(bounded(units(own.bounds.bill.cost))), number(bounded(units(own.bounds.to_buy()))),
                   number(bounded(units(own.bounds.total.power))),
                   number(own.risk ? std::optional(own.risk->sum) : std::nullopt),
                   number(own.failures ? std::optional(own.failures->goodput) : std::nullopt),
                   number(own.growth && own.growth->possible ? std::optional(units(own.growth->cost)) : std::nullopt),
                   number(bounded(own.bounds.step)), own.reason});
  }
  return csv.take();
}

}  // namespace

Json plan_json(const PlanResult& result) {
  Json json{{"weft", result.version}, {"file", result.file}, {"gpus", result.gpus}};
  add(json, "gpus_later", result.later);
  json["limits"] = Json::object();
  if (result.limits.budget) {
    json["limits"]["budget_usd"] = units(*result.limits.budget);
  }
  if (result.limits.power) {
    json["limits"]["power_w"] = units(*result.limits.power);
  }
  add(json["limits"], "deadline_s", result.limits.deadline);
  add(json["limits"], "tokens", result.limits.tokens);
  json["counts"] = {{"enumerated", result.enumerated},
                    {"beyond_capacity", result.beyond_capacity},
                    {"one_switch", result.one_switch},
                    {"refused", result.refused},
                    {"beyond_budget", result.beyond_budget},
                    {"beyond_power", result.beyond_power},
                    {"too_slow", result.too_slow},
                    {"by_bound", result.by_bound},
                    {"not_run", result.not_run},
                    {"runs", result.runs}};
  json["rounds"] = Json::array();
  for (const Round& round : result.rounds) {
    json["rounds"].push_back({{"level", round.level}, {"designs", round.designs}, {"left", round.left}});
  }
  json["iterations"] = Json::array();
  for (const Iteration& own : result.iterations) {
    json["iterations"].push_back(iteration_json(own));
  }
  json["not_taken"] = result.not_taken;
  json["assumed"] = result.assumed;
  json["designs"] = Json::array();
  for (const PlannedDesign& own : result.designs) {
    json["designs"].push_back(design_json(own));
  }
  json["interrupted"] = result.interrupted;
  return json;
}

std::vector<results::CsvFile> plan_csv(const PlanResult& result) {
  CsvWriter bill;
  CsvWriter growth;
  CsvWriter iterations;
  put_line(bill, {"design", "part", "name", "count", "unit_price_usd", "unit_power_w", "mark", "source"});
  put_line(growth, {"design", "gpus", "name", "kept", "added", "left_over", "price_usd"});
  put_line(iterations,
           {"iteration", "metric", "change", "level", "usd_before", "usd_after", "gain", "taken", "reason"});
  for (const PlannedDesign& own : result.designs) {
    if (own.on_front) {
      for (const cost::BillLine& line : own.bounds.bill.lines) {
        put_line(bill,
                 {own.name, std::string(cost::to_string(line.part)), line.name, fmt::format("{}", line.count),
                  number(units(line.unit_price)), number(units(line.unit_power)), std::string(line.mark), line.source});
      }
    }
    for (const GrowthLine& line : own.growth ? own.growth->lines : std::vector<GrowthLine>()) {
      put_line(growth, {own.name, fmt::format("{}", own.growth->gpus), line.name, fmt::format("{}", line.kept),
                        fmt::format("{}", line.added), fmt::format("{}", line.left_over), number(units(line.price))});
    }
  }
  for (const Iteration& own : result.iterations) {
    put_line(iterations, {fmt::format("{}", own.number), own.metric, own.change, own.level, number(own.before),
                          number(own.after), number(own.gain()), own.taken ? "1" : "0", own.reason});
  }
  return {{.name = "designs.csv", .text = designs_csv(result)},
          {.name = "bill.csv", .text = bill.take()},
          {.name = "growth.csv", .text = growth.take()},
          {.name = "iterations.csv", .text = iterations.take()}};
}

}  // namespace weft::study::plan
