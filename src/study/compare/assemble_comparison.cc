#include "study/compare/assemble_comparison.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <set>

#include "study/assembly/build_topology.h"
#include "study/compare/buyer_rows.h"
#include "study/compare/estimate.h"
#include "study/compare/fabric_costs.h"
#include "study/compare/fabric_settings.h"
#include "study/compare/lost_time.h"
#include "study/compare/verdict.h"
#include "study/report/comparison_document.h"
#include "study/report/comparison_keys.h"
#include "study/scenario/data_class.h"
#include "study/scenario/encapsulation_of.h"
#include "study/scenario/scenario_listing.h"
#include "study/scenario/scenario_words.h"
#include "wire/encapsulation.h"
#include "wire/opcode.h"

namespace weft::study::compare {
namespace {

using Json = nlohmann::ordered_json;

/// Bytes of a full packet's wire time that are no payload.
double header_share(const scenario::Scenario& scenario) {
  const Bytes mtu(scenario.fabric.mtu);
  Bytes wire;
  if (scenario::has_ib_transport(scenario.fabric.family)) {
    const auto middle = wire::make_opcode(wire::Service::kRc, wire::Operation::kWriteMiddle);
    wire = wire::sizes(scenario::encapsulation_of(scenario.fabric), middle, mtu).wire;
  } else {
    wire = wire::tcp_sizes(wire::Encapsulation::kTcpIpv4,
                           {.options = Bytes(scenario.tcp.timestamps ? 12 : 0), .payload = mtu})
               .wire;
  }
  return 1 - static_cast<double>(mtu.count()) / static_cast<double>(wire.count());
}

class FabricDocument {
 public:
  FabricDocument(const ComparisonPlan& plan, std::size_t index, std::span<const Json> figures,
                 const scenario::Catalogue& catalogue)
      : fabric_(plan.fabrics[index]), catalogue_(catalogue) {
    for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
      if (plan.tasks[i].fabric == index) {
        tasks_.push_back({.task = &plan.tasks[i], .figures = &figures[i]});
      }
    }
  }

  Json make() {
    Json json{{"name", fabric_.choice.name},
              {"family", scenario::word_of(fabric_.scenario.fabric.family)},
              {"possible", false}};
    if (!fabric_.choice.stands_for.empty()) {
      json["stands_for"] = fabric_.choice.stands_for;
      json["needs"] = {{"nic", fabric_.choice.needs_of_nic}, {"switch", fabric_.choice.needs_of_switch}};
    }
    if (!fabric_.reason.empty()) {
      json.erase("family");
      json["reason"] = "not possible: " + fabric_.reason;
      return json;
    }
    if (const Json* wrong = first_failure(); wrong != nullptr) {
      json["reason"] = "not possible: " + wrong->at("failed").get<std::string>();
      return json;
    }
    json["possible"] = true;
    json["link_rate_bps"] = fabric_.scenario.devices.link(scenario::LinkTier::kHost).rate.bits_per_second();
    add_jobs(json);
    add_lost_time(json);
    add_probes(json);
    add_risk(json);
    Result<fabric::Graph> graph = assembly::build_topology(fabric_.scenario);
    if (graph) {
      add_settings(json, *graph);
      add_costs(json, fabric_.scenario, *graph);
    }
    json["rows"] = buyer_rows(json, fabric_.scenario, catalogue_);
    json["settings_text"] = scenario::listing_text(fabric_.scenario);
    return json;
  }

 private:
  struct Done {
    const ComparisonTask* task = nullptr;
    const Json* figures = nullptr;
  };

  [[nodiscard]] std::vector<Done> of(TaskKind kind, std::int64_t gpus = 0) const {
    std::vector<Done> found;
    std::ranges::copy_if(tasks_, std::back_inserter(found),
                         [&](const Done& own) { return own.task->kind == kind && own.task->gpus == gpus; });
    return found;
  }

  [[nodiscard]] const Json* first_failure() const {
    for (const Done& own : of(TaskKind::kJob)) {
      if (own.figures->contains("failed")) {
        return own.figures;
      }
    }
    return nullptr;
  }

  [[nodiscard]] static std::optional<double> time_of(const Done& done) {
    return done.figures->contains("time_s") ? std::optional(done.figures->at("time_s").get<double>()) : std::nullopt;
  }

  void add_jobs(Json& json) {
    const auto jobs = of(TaskKind::kJob);
    std::vector<double> times;
    for (const Done& own : jobs) {
      times.push_back(*time_of(own));
    }
    const Estimate estimate = estimate_of(times);
    step_ = estimate.mean;
    json[report::key::kStepTime] = estimate.mean;
    if (estimate.low) {
      json[report::key::kStepTimeLow] = *estimate.low;
      json[report::key::kStepTimeHigh] = *estimate.high;
    }
    json[report::key::kStepTimes] = times;
    for (const auto& [key, value] : jobs.front().figures->items()) {
      if (key != "time_s") {
        json[key] = value;
      }
    }
    for (const Done& own : jobs) {
      if (own.figures->contains(report::key::kSliceCaution)) {
        json[report::key::kSliceCaution] = own.figures->at(report::key::kSliceCaution);
      }
    }
    // Another class being lossless says nothing of the job's.
    if (!scenario::can_be_paused(fabric_.scenario)) {
      json.erase(report::key::kPause);
      json.erase(report::key::kPauseFrames);
    }
    for (const char* mean : {report::key::kCompute, report::key::kExposedCommunication, report::key::kTokensPerSecond,
                             report::key::kModelFlopsUtilisation}) {
      add_mean(json, mean, jobs);
    }
  }

  static void add_mean(Json& json, const char* key, std::span<const Done> jobs) {
    double sum = 0;
    for (const Done& own : jobs) {
      if (!own.figures->contains(key)) {
        return;
      }
      sum += own.figures->at(key).get<double>();
    }
    json[key] = sum / static_cast<double>(jobs.size());
  }

  void add_lost_time(Json& json) {
    const auto slices = of(TaskKind::kSlice);
    const auto ablations = of(TaskKind::kAblation);
    const double slice = slices.empty() ? 0 : time_of(slices.front()).value_or(0);
    if (slice <= 0 || ablations.empty()) {
      return;
    }
    AblationLadder ladder{.slice = slice, .after = {}};
    for (const Done& own : ablations) {
      if (const std::optional<double> time = time_of(own)) {
        ladder.after.push_back({.cause = own.task->label, .seconds = *time});
      }
    }
    if (!has_settled(slices.front())) {
      json[report::key::kLostTimeReason] = "not measured: a slice of the step has not converged";
      return;
    }
    const StepShares shares = step_shares(json);
    json[report::key::kLostTime] = Json::array();
    for (const LostTime& lost : lost_time(shares, ladder)) {
      const bool of_catalogue = lost.cause == "collective library" || lost.cause == "hosts and NICs";
      json[report::key::kLostTime].push_back(
          {{"cause", lost.cause}, {"s", lost.seconds}, {"origin", of_catalogue ? "catalogue" : "emerges"}});
    }
  }

  [[nodiscard]] StepShares step_shares(const Json& json) const {
    StepShares shares{.step = step_, .header_share = header_share(fabric_.scenario)};
    if (!json.contains("parts")) {
      return shares;
    }
    shares.compute = json.value(report::key::kCompute, 0.0);
    double communication = 0;
    double waiting = 0;
    double tensor = 0;
    for (const Json& part : json.at("parts")) {
      const double own = part.at("exposed_s").get<double>();
      if (part.at("communication").get<bool>()) {
        communication += own;
        waiting += part.at("waiting_s").get<double>();
        tensor += part.at("name") == "tp" ? own : 0;
      }
    }
    // What is neither computing nor waiting for data is idle: bubbles.
    const double idle = std::max(step_ - shares.compute - json.value(report::key::kExposedCommunication, 0.0), 0.0);
    const double scale = communication > 0 ? json.value(report::key::kExposedCommunication, 0.0) / communication : 0;
    shares.waiting = idle + waiting * scale;
    const bool inside_hosts = fabric_.scenario.scale_up.kind != scenario::ScaleUpKind::kNone;
    shares.network_share = communication > 0 && inside_hosts ? 1 - tensor / communication : 1;
    return shares;
  }

  void add_probes(Json& json) {
    for (const Done& own : of(TaskKind::kSmallMessages)) {
      for (const auto& [key, value] : own.figures->items()) {
        if (key == "cdf_small_message") {
          json["cdf"][report::key::kSmallMessage] = value;
        } else if (key != "failed") {
          json[key] = value;
        }
      }
    }
    for (const Done& own : of(TaskKind::kFault)) {
      json["fault"] =
          own.figures->contains("fault") ? own.figures->at("fault") : Json{{"reason", own.figures->at("failed")}};
    }
  }

  static bool has_settled(const Done& slice) { return slice.figures->value("settled", true); }

  /// Losses of step time by mistakes on one size of the cluster.
  Json risk_of(std::int64_t gpus) {
    const auto slices = of(TaskKind::kSlice, gpus);
    const double base = slices.empty() ? 0 : time_of(slices.front()).value_or(0);
    const auto mistakes = of(TaskKind::kMisconfiguration, gpus);
    if (base <= 0 || mistakes.empty()) {
      return {};
    }
    Json risk{{"cases", Json::array()}};
    // A difference from a time that has not settled is the slices', not the mistake's.
    const bool settled = has_settled(slices.front());
    if (!settled) {
      risk["reason"] =
          "the correctly configured step has not converged: " +
          slices.front().figures->value(report::key::kSliceCaution, std::string("its slices are too short"));
    }
    std::vector<double> losses;
    for (const Done& own : mistakes) {
      Json made{{"setting", own.task->label}, {"change", own.task->change}};
      if (!settled && time_of(own)) {
        made["reason"] = "not measured: the step without it has not converged";
        made["unmeasured"] = true;
        risk["cases"].push_back(made);
        continue;
      }
      if (const std::optional<double> time = time_of(own)) {
        made["loss"] = *time / base - 1;
        losses.push_back(*time / base - 1);
      } else {
        made["reason"] = own.figures->at("failed");
        losses.push_back(std::numeric_limits<double>::infinity());
      }
      risk["cases"].push_back(made);
    }
    if (!settled) {
      return risk;
    }
    const auto worst = std::ranges::max_element(losses);
    risk[report::key::kWorstSetting] = mistakes[static_cast<std::size_t>(worst - losses.begin())].task->label;
    const double most = *worst;
    std::ranges::sort(losses);
    const std::size_t middle = losses.size() / 2;
    const double median = losses.size() % 2 == 1 ? losses[middle] : (losses[middle - 1] + losses[middle]) / 2;
    if (std::isfinite(median)) {
      risk["median"] = median;
    }
    if (std::isfinite(most)) {
      risk["worst"] = most;
    } else {
      risk[report::key::kWorstFails] = true;
    }
    return risk;
  }

  void add_risk(Json& json) {
    Json risk = risk_of(0);
    if (risk.empty()) {
      return;
    }
    std::set<std::int64_t> sizes;
    for (const Done& own : tasks_) {
      if (own.task->gpus > 0) {
        sizes.insert(own.task->gpus);
      }
    }
    for (const std::int64_t gpus : sizes) {
      Json own = risk_of(gpus);
      if (!own.empty()) {
        own.erase("cases");
        own["gpus"] = gpus;
        risk[report::key::kBySize].push_back(own);
      }
    }
    json[report::key::kTuningRisk] = std::move(risk);
  }

  void add_settings(Json& json, const fabric::Graph& graph) {
    const std::vector<FabricSetting> settings = settings_to_get_right(fabric_.scenario, graph);
    Json list = Json::array();
    for (const FabricSetting& own : settings) {
      list.push_back({{"key", own.key}, {"value", own.value}, {"devices", own.where}, {"count", own.devices}});
    }
    json["settings"] = {{"count", settings.size()}, {"devices", devices_touched(settings)}, {"list", list}};
  }

  const ComparedFabric& fabric_;
  const scenario::Catalogue& catalogue_;
  std::vector<Done> tasks_;
  double step_ = 0;
};

Json scenario_of(const ComparisonPlan& plan, const ComparisonHeader& header) {
  const auto possible = std::ranges::find(plan.fabrics, std::string(), &ComparedFabric::reason);
  const scenario::Scenario& scenario = (possible == plan.fabrics.end() ? plan.fabrics.front() : *possible).scenario;
  Json seeds = Json::array();
  for (const ComparisonTask& task : plan.tasks) {
    if (task.kind == TaskKind::kJob && task.fabric == plan.tasks.front().fabric) {
      seeds.push_back(task.scenario.seed);
    }
  }
  Json json{{"name", scenario.name},
            {"file", scenario.file},
            {"seed", scenario.seed},
            {"seeds", seeds},
            {"hardware", scenario::word_of(scenario.hardware)},
            {"topology",
             fmt::format("{}: {} hosts of {} NICs and {} GPUs", scenario::word_of(scenario.topology.kind),
                         scenario.topology.hosts, scenario.topology.nics_per_host, scenario.topology.gpus_per_host)},
            {"weights", header.weights.name}};
  if (!scenario.traffic.empty()) {
    json["start_jitter_s"] = scenario.traffic.front().start_jitter.seconds();
  }
  if (!scenario.jobs.empty()) {
    const scenario::JobSettings& job = scenario.jobs.front();
    json["job"] = fmt::format(
        "{}: {} on {} GPUs", job.name,
        job.training.model.empty() ? std::string(scenario::word_of(job.workload)) : job.training.model, job.ranks);
    if (job.runs_steps()) {
      json["stragglers"] =
          fmt::format("by up to {:g} %, by rank and seed (an assumption)", kUsualStragglers.millionths / 1e4);
    }
  }
  return json;
}

void add_ratios(Json& fabrics) {
  double best = 0;
  double best_high = 0;
  for (const Json& fabric : fabrics) {
    if (fabric.at("possible").get<bool>() && (best == 0 || fabric.at(report::key::kStepTime).get<double>() < best)) {
      best = fabric.at(report::key::kStepTime).get<double>();
      best_high = fabric.value(report::key::kStepTimeHigh, best);
    }
  }
  for (Json& fabric : fabrics) {
    if (fabric.at("possible").get<bool>()) {
      const double own = fabric.at(report::key::kStepTime).get<double>();
      fabric[report::key::kRatioToBest] = own / best;
      fabric[report::key::kDiffersFromBest] = own > best && fabric.value(report::key::kStepTimeLow, own) > best_high;
    }
  }
}

}  // namespace

Json comparison_document(const ComparisonPlan& plan, std::span<const Json> figures, const ComparisonHeader& header) {
  Json document{{"format", report::kComparisonFormat},
                {"format_version", report::kComparisonVersion},
                {"version", header.version},
                {"scenario", scenario_of(plan, header)},
                {"fabrics", Json::array()}};
  for (std::size_t i = 0; i < plan.fabrics.size(); ++i) {
    document["fabrics"].push_back(FabricDocument(plan, i, figures, *header.catalogue).make());
  }
  add_ratios(document["fabrics"]);
  add_primary_strengths(document["fabrics"]);
  document["verdict"] = verdict_of(document["fabrics"], header.weights);
  document["reproduce"] = header.command;
  return document;
}

}  // namespace weft::study::compare
