#include "study/run/run_estimate.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "study/assembly/base_round_trip.h"
#include "study/assembly/build_hosts.h"
#include "study/assembly/build_scale_up.h"
#include "study/assembly/build_traffic.h"
#include "study/run/composition_check.h"
#include "study/run/path_study.h"
#include "study/run/slice_growth.h"
#include "study/run/step_volume.h"
#include "study/run/training_run.h"
#include "study/scenario/scenario_validate.h"

namespace weft::study::run {
namespace {

/// Neighbours share a switch, acknowledgements may be fewer, and slices settle sooner.
constexpr double kLeastPart = 0.5;
/// Probes of a composed step are known better.
constexpr double kLeastOfProbes = 0.8;
constexpr double kMostOfProbes = 1.2;
/// Kernel TCP acknowledges every second segment.
constexpr double kTcpPart = 0.75;
/// Of an operation that settles: repetitions, and a quarter more for the short slice (study/run/slice_growth.h).
constexpr double kWithShortSlice = 1.25;
constexpr double kRepetitions = kUsualRepetitions * kWithShortSlice;
constexpr double kStepsOfASlice = 16;
constexpr double kProductsInAPiece = 4;
constexpr double kChunksInAPiece = 3;
/// Flows of jobs of more ranks are not followed.
constexpr std::int64_t kMostFollowed = 1'024;
/// A step that is continued from two short ones has as many nodes in them, of the most that one may have, at most.
constexpr double kOfTwoShortSteps = 2;
/// A smaller job is run with every packet, and put together for at most as many packet-hops.
constexpr double kBothWays = 2;

std::vector<std::uint32_t> leaves_of(const fabric::Graph& graph) {
  std::vector<std::uint32_t> leaves(graph.endpoints);
  for (const fabric::Link& link : graph.links) {
    for (const auto& [end, other] : {std::pair(link.a, link.b), std::pair(link.b, link.a)}) {
      if (end.node.value() < graph.endpoints) {
        leaves[end.node.value()] = other.node.value();
      }
    }
  }
  return leaves;
}

class Estimator {
 public:
  Estimator(const scenario::Scenario& scenario, const fabric::Graph& graph, const EstimateOptions& options)
      : scenario_(scenario), graph_(graph), options_(options), leaves_(leaves_of(graph)) {}

  Result<HopsEstimate> all() {
    if (scenario_.fidelity == scenario::Fidelity::kFlow) {
      return HopsEstimate{};  // there are no packets
    }
    Result<std::optional<assembly::ScaleUpPlan>> scale_up = assembly::plan_scale_up(scenario_, graph_);
    if (!scale_up) {
      return pass_on(scale_up);
    }
    Result<std::vector<assembly::TrafficPlan>> plans =
        assembly::plan_traffic(scenario_, graph_, scale_up->has_value() ? &**scale_up : nullptr);
    if (!plans) {
      return pass_on(plans);
    }
    for (const assembly::TrafficPlan& plan : *plans) {
      if (!plan.training) {
        company_ += plan.as_long_as_jobs ? hops_per_second(plan) : 0;
      }
    }
    HopsEstimate sum;
    for (const assembly::TrafficPlan& plan : *plans) {
      Result<HopsEstimate> own = plan.training ? of_job(plan) : HopsEstimate(of_traffic(plan));
      if (!own) {
        return own;
      }
      sum = {.least = sum.least + own->least, .most = sum.most + own->most, .nodes = sum.nodes + own->nodes};
    }
    const HopsEstimate check = of_check();
    return HopsEstimate{.least = sum.least + check.least, .most = sum.most + check.most, .nodes = sum.nodes};
  }

 private:
  /// Whether slices of such an operation have to settle, as far as that is known before its probes.
  [[nodiscard]] bool settles(const assembly::TrafficPlan& plan, const OperationVolume& own) {
    if (own.whole.network <= 0) {
      return false;
    }
    // Flows of kernel sockets meet on the cores of their hosts.
    const bool on_cores = options_.follows_flows && assembly::service_of(plan.family) == host::Service::kTcp;
    const bool meets = company_ > 0 || on_cores || (own.crosses && may_meet(plan, own));
    any_meet_ = any_meet_ || meets;
    return meets;
  }

  [[nodiscard]] bool may_meet(const assembly::TrafficPlan& plan, const OperationVolume& own) {
    if (!std::exchange(has_followed_, true) && options_.follows_flows &&
        plan.training->settings->ranks <= kMostFollowed && !scenario::detours(scenario_.routing.policy)) {
      if (auto found = meeting_operations(scenario_)) {
        meeting_ = *std::move(found);
      }
    }
    return !meeting_ || meeting_->contains({plan.job.name, std::string(to_string(own.operation.purpose))});
  }

  /// Of the first job's smaller one (study/run/composition_check.h), where steps are put together.
  [[nodiscard]] HopsEstimate of_check() const {
    const bool composed = std::ranges::any_of(scenario_.jobs, [](const scenario::JobSettings& job) {
      return job.trains() && job.training.fidelity == scenario::StepFidelity::kComposed;
    });
    if (options_.check_hops <= 0 || !composed) {
      return {};
    }
    double most = options_.check_hops;
    for (const scenario::JobSettings& job : scenario_.jobs) {
      most = any_meet_ ? std::max(most, static_cast<double>(job.training.slice_hops)) : most;
    }
    const auto small = smaller_job(
        scenario_, most, any_meet_ || scenario_.jobs.size() > 1 ? CheckedRanks::kAll : CheckedRanks::kTwoHosts);
    const auto hops = small ? estimated_hops(*small) : Result<double>(0);
    if (!hops || *hops > most) {
      return {};  // it is not run
    }
    return {.least = *hops * kLeastPart, .most = *hops * kBothWays};
  }

  /// Links of a path, twice: a packet and its acknowledgement.
  enum class Ends : std::uint8_t { kApart, kNeighbours };  // behind several switches, or one
  [[nodiscard]] double network_hops(double bytes, Ends ends = Ends::kApart) const {
    const bool three_tiers =
        scenario_.topology.kind == scenario::TopologyKind::kFatTree && scenario_.topology.tiers == 3;
    const double links = graph_.switches() <= 1 || ends == Ends::kNeighbours ? 2 : three_tiers ? 6 : 4;
    return 2 * links * bytes / static_cast<double>(scenario_.fabric.mtu);
  }
  /// The same of units of scale-up links, whose stores are answered without packets of their own.
  [[nodiscard]] double scale_up_hops(double bytes) const {
    const double links = scenario_.scale_up.kind == scenario::ScaleUpKind::kMesh ? 1 : 2;
    return links * bytes / static_cast<double>(std::max<std::int64_t>(scenario_.scale_up.unit.count(), 1));
  }
  [[nodiscard]] double hops_of_whole(const OperationVolume& own) const {
    const SentBytes& bytes = own.whole;
    return network_hops(bytes.network, own.crosses ? Ends::kApart : Ends::kNeighbours) +
           (bytes.scale_up > 0 ? scale_up_hops(bytes.scale_up) : 0);
  }

  [[nodiscard]] double line_rate() const {
    return static_cast<double>(scenario_.devices.link(scenario::LinkTier::kHost).rate.bits_per_second()) / 8;
  }

  /// Of traffic that lasts as long as jobs: an open loop offers its load, a closed one may fill its senders' lines.
  [[nodiscard]] double hops_per_second(const assembly::TrafficPlan& plan) const {
    const scenario::TrafficSettings& traffic = scenario_.traffic[plan.job.id.value()];
    const double load =
        traffic.kind == scenario::TrafficKind::kPoisson ? std::ldexp(static_cast<double>(traffic.load.raw()), -63) : 1;
    const double senders = static_cast<double>(plan.pairs.empty() ? plan.machines.size() : plan.pairs.size());
    const double part = assembly::service_of(plan.family) == host::Service::kTcp ? kTcpPart : 1;
    return network_hops(senders * line_rate() * load) * part;
  }

  HopsEstimate of_traffic(const assembly::TrafficPlan& plan) const {
    if (plan.as_long_as_jobs) {
      return {};  // counted with the jobs
    }
    auto bytes = static_cast<double>(plan.expected_bytes);
    if (scenario_.stop) {
      const double most = static_cast<double>(graph_.host_endpoints()) * line_rate() * scenario_.stop->seconds();
      bytes = bytes > 0 ? std::min(bytes, most) : most;
    }
    const double made = plan.over == scenario::TrafficRoute::kScaleUp ? scale_up_hops(bytes) : network_hops(bytes);
    return {.least = made * kLeastPart, .most = made};
  }

  Result<HopsEstimate> of_job(const assembly::TrafficPlan& plan) {
    const scenario::JobSettings& job = *plan.training->settings;
    if (!job.trains()) {
      return HopsEstimate{};  // tokens and iterations are short beside what follows from them
    }
    Result<std::vector<OperationVolume>> volumes = step_volumes({.plan = plan, .leaves = leaves_});
    if (!volumes) {
      return pass_on(volumes);
    }
    double whole = 0;
    for (const OperationVolume& own : *volumes) {
      whole += own.instances * hops_of_whole(own);
    }
    HopsEstimate made;
    if (job.training.fidelity == scenario::StepFidelity::kPacket) {
      const double steps = whole * static_cast<double>(job.training.steps);
      made = {.least = steps * kLeastPart, .most = steps};
    } else {
      made = of_phases(plan, *volumes, whole);
    }
    made.nodes = nodes_of(job);
    return made;
  }

  /// Long steps of many ranks are continued from two short ones (TrainingRun).
  [[nodiscard]] static double nodes_of(const scenario::JobSettings& job) {
    constexpr std::uint64_t kMostCounted = 100'000'000;
    const Result<std::uint64_t> of_a_rank = step_nodes(job, kMostCounted / static_cast<std::uint64_t>(job.ranks) + 1);
    if (!of_a_rank) {
      return 0;  // building the run says why
    }
    const double nodes = static_cast<double>(*of_a_rank) * static_cast<double>(job.ranks);
    if (job.training.fidelity == scenario::StepFidelity::kPacket) {
      return nodes * static_cast<double>(job.training.steps);
    }
    return std::min(nodes, static_cast<double>(TrainingRun::kMostNodes) * kOfTwoShortSteps);
  }

  /// What a slice of an operation sends of it, in probes; of two lengths if it is longer. Around a ring it has four
  /// steps of several chunks at least (StepPhases::shape_probe), which may be far more than the slice.
  [[nodiscard]] double probed_part(const OperationVolume& own, Bytes slice) const {
    constexpr double kBothProbes = 1.5;
    constexpr double kLeastSteps = 4;
    const auto size = static_cast<double>(own.operation.size.count());
    if (own.operation.size <= slice) {
      return 1;
    }
    auto amount = static_cast<double>(slice.count());
    const double chunks = static_cast<double>(scenario_.collectives.chunk.count()) * kChunksInAPiece;
    const double around = std::min(chunks * own.members, size);
    if (own.ring_steps > kLeastSteps && around > amount) {
      const double pairs = std::floor(std::max(amount * own.ring_steps / around, kLeastSteps) / 2);
      amount = around * 2 * pairs / own.ring_steps;
    }
    return kBothProbes * std::min(amount, size) / size;
  }

  [[nodiscard]] HopsEstimate of_phases(const assembly::TrafficPlan& plan, const std::vector<OperationVolume>& volumes,
                                       double whole) {
    const scenario::TrainingSettings& training = plan.training->settings->training;
    const Rate rate = plan.training->network_rate;
    const double ranks = static_cast<double>(plan.machines.size());
    const double piece =
        std::max(static_cast<double>(rate.bytes_in(assembly::base_round_trip(scenario_, graph_).time).count()) *
                     kProductsInAPiece,
                 static_cast<double>(scenario_.collectives.chunk.count()) * kChunksInAPiece);
    double probes = 0;
    double settling = 0;
    double seconds = 0;
    double phases = 0;
    std::set<std::tuple<workload::Purpose, workload::CollectiveKind, double>> known;
    for (const OperationVolume& own : volumes) {
      const double share = own.stands_for_all ? own.members / ranks : 1;
      const double part = probed_part(own, training.slice);
      probes += hops_of_whole(own) * part * share;
      seconds += seconds_of(own.whole, plan) * part;
      phases += own.operation.size > training.slice ? 2 : 1;
      if (settles(plan, own)) {
        const double slice = std::min(own.whole.network, kStepsOfASlice * piece * ranks);
        // Operations of the same communicators whose slices are the same are measured once.
        if (options_.follows_flows && !known.insert({own.operation.purpose, own.operation.kind, slice}).second) {
          continue;
        }
        const double sent = kRepetitions * slice;
        settling += network_hops(sent);
        seconds += sent / ranks * 8 / static_cast<double>(rate.bits_per_second());
        phases += 2;
      }
    }
    const double budget = static_cast<double>(training.slice_hops);
    const double beside = company_ * (seconds + phases * TrainingRun::kLead.seconds());
    const bool room = whole <= (budget - probes) * kKeptForStep;
    if (company_ == 0 && whole < settling * (room ? 1 : kExactIsWorth / kWithShortSlice) && probes + whole < budget) {
      settling = whole;  // the step is run itself
    }
    // What is left of the budget goes to slices that do not settle, or to the step itself where there is room for it.
    // Whether flows meet and slices settle is not known.
    const double grown = std::min(settling, std::max(budget - probes, 0.0));
    const bool kept = company_ == 0 && grown > 0 && grown < whole && room;
    return {.least = probes * kLeastOfProbes + (grown + beside) * kLeastPart,
            .most = std::max(probes * kMostOfProbes + grown, std::min(probes + grown, budget)) + (kept ? whole : 0) +
                    beside};
  }

  [[nodiscard]] static double seconds_of(const SentBytes& sent, const assembly::TrafficPlan& plan) {
    const auto ranks = static_cast<double>(plan.machines.size());
    const auto time = [ranks](double bytes, Rate rate) {
      return rate > Rate::zero() ? bytes / ranks * 8 / static_cast<double>(rate.bits_per_second()) : 0;
    };
    return time(sent.network, plan.training->network_rate) + time(sent.scale_up, plan.training->scale_up_rate);
  }

  const scenario::Scenario& scenario_;
  const fabric::Graph& graph_;
  const EstimateOptions& options_;
  std::vector<std::uint32_t> leaves_;
  double company_ = 0;  // packet-hops per second of what lasts as long as the jobs
  /// By job and purpose; none: not known.
  std::optional<std::set<std::pair<std::string, std::string>>> meeting_;
  bool has_followed_ = false;
  bool any_meet_ = false;
};

}  // namespace

Result<HopsEstimate> estimate_hops(const scenario::Scenario& scenario, const fabric::Graph& graph,
                                   const EstimateOptions& options) {
  return Estimator(scenario, graph, options).all();
}

}  // namespace weft::study::run
