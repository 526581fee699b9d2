// Direct exchanges of composed steps whose members deal with some of their peers: what these put on links in place of
// all.
#include <algorithm>

#include "study/run/flow_simulation_parts.h"
#include "workload/source_port.h"

namespace weft::study::run {
namespace {

using Planned = workload::CollectiveEngine::PlannedSend;

/// Of a member's part, so that each peer gets one message.
constexpr Bytes kShortPart = Bytes(1024);
/// Links that are looked at of flows whose packets take several paths: of many such, which differ by their ends alone,
/// every so manieth stands for the others.
constexpr std::size_t kMostLinks = 1U << 24;

/// Adds up what planned sends put on links, one queue pair after the other.
class PlannedLoads {
 public:
  /// All must outlive this.
  struct Options {
    world::FlowMedium& medium;
    workload::LocalConnector& connector;
    const workload::JobOptions& job;
    workload::ConnectionAttributes attributes{};
    std::size_t ranks = 0;  // that send as much
  };
  PlannedLoads(Options options, world::StandInLoads& loads) : options_(std::move(options)), loads_(loads) {}

  /// Connections need not be open: numbers of their queue pairs are drawn.
  void add_all(const std::vector<Planned>& sends, std::size_t rank) {
    if (stride_ == 0 && !sends.empty()) {
      stride_ = stride_of(sends);
    }
    for (std::size_t i = stride_ == 0 ? 0 : rank % stride_; i < sends.size(); i += stride_) {
      for (std::uint32_t pair = 0; pair < sends[i].options.data_queue_pairs(); ++pair) {
        loads_.add({.sender = sender_of(sends[i]), .links = links_of(sends[i], pair), .bytes = sends[i].bytes});
      }
    }
  }

  /// Opens their connections, as whoever sends would.
  void add_run(const std::vector<Planned>& sends) {
    for (const Planned& send : sends) {
      const auto end = options_.connector.connect(send.connection, send.options);
      for (std::uint32_t i = 0; end && i < send.options.data_queue_pairs(); ++i) {
        const Qpn number = (*end)->queue_pairs[i];
        if (const auto pair = (*end)->port_of(i).provider->query_qp(number); pair) {
          const auto links = options_.medium.links_of({.from = sender_of(send),
                                                       .to = pair->attributes.address.destination,
                                                       .queue_pair = number,
                                                       .remote_queue_pair = pair->attributes.destination_qpn,
                                                       .address = pair->attributes.address});
          loads_.add_run(
              {.sender = sender_of(send), .links = links ? *links : std::vector<flow::LinkUse>(), .bytes = send.bytes});
        }
      }
    }
  }

 private:
  /// By what the first rank sends, to those on its own leaf and to others.
  [[nodiscard]] std::size_t stride_of(const std::vector<Planned>& sends) const {
    std::size_t most = 0;
    bool one_path = true;
    for (const Planned& send : sends) {
      const auto links = links_of(send, 0);
      most = std::max(most, links.size());
      one_path = one_path && std::ranges::all_of(links, [](const flow::LinkUse& use) { return use.part == 1; });
    }
    return one_path ? 1 : 1 + most * sends.size() * options_.ranks / kMostLinks;
  }
  [[nodiscard]] EndpointId sender_of(const Planned& send) const {
    return options_.connector.endpoint_of(send.connection.from, send.connection.rail).value();
  }
  /// Empty: there is no path, which who sends there will say.
  [[nodiscard]] std::vector<flow::LinkUse> links_of(const Planned& send, std::uint32_t pair) const {
    const std::uint16_t port = workload::source_port(options_.job, options_.attributes, send.connection, pair);
    flow::PathEnds ends{.from = sender_of(send),
                        .to = options_.connector.endpoint_of(send.connection.to, send.connection.remote_rail).value(),
                        .queue_pair = Qpn(port),
                        .remote_queue_pair = Qpn(port)};
    ends.address.source_port = port;
    auto links = options_.medium.links_of(ends);
    return links ? std::move(*links) : std::vector<flow::LinkUse>();
  }

  Options options_;
  world::StandInLoads& loads_;
  std::size_t stride_ = 0;  // 0: not known yet
};

}  // namespace

world::StandIns FlowSimulation::stand_ins(Job& job, std::uint32_t phase) {
  const StepPhases& phases = job.training->phases();
  const StepPhases::Sample& sample = phases.sample(phase);
  std::vector<workload::CommunicatorId> communicators;
  for (const workload::PhasedOperation& operation : phases.operations_in(phase)) {
    communicators.push_back(operation.communicator);
  }
  const std::vector<StepPhases::SampledRequest> requests = phases.requests_in(phase);
  const auto [known, is_new] =
      job.exchange_loads.try_emplace({sample.operation.kind, std::move(communicators)}, parts_->medium->links());
  const PlannedLoads::Options options{
      .medium = *parts_->medium,
      .connector = job.connector,
      .job = job.plan.job,
      .attributes = assembly::connection_attributes(scenario_, job.plan.family, job.plan.priority),
      .ranks = requests.size()};
  const auto planned = [&](const StepPhases::SampledRequest& one, std::uint32_t steps) {
    workload::CollectiveEngine& engine = *job.ranks[one.rank.value()].engine;
    workload::CollectiveRequest request = one.phased->request;
    request.size = one.phased->chosen_for;
    request.algorithm = engine.choose(request);
    request.size = kShortPart * static_cast<std::int64_t>(sample.members);
    request.ring_steps = steps;
    return engine.planned_sends(request).value_or(std::vector<Planned>());
  };
  PlannedLoads all(options, known->second);
  for (std::size_t i = 0; is_new && i < requests.size(); ++i) {
    all.add_all(planned(requests[i], 0), i);
  }
  world::StandInLoads loads = known->second;
  PlannedLoads run(options, loads);
  for (const StepPhases::SampledRequest& one : requests) {
    run.add_run(planned(one, sample.ring_steps));
  }
  return loads.made();
}

void FlowSimulation::begin_phase(Job& job, std::uint32_t phase) {
  if (job.training->phases().sample(phase).some_peers && !job.stand_ins.contains(phase)) {
    job.stand_ins.emplace(phase, stand_ins(job, phase));
  }
  if (!job.stand_ins.empty()) {
    use_stand_ins(job, phase);
    parts_->network->forget_paths();
  }
}

void FlowSimulation::use_stand_ins(const Job& job, std::uint32_t phase) {
  const auto own = job.stand_ins.find(phase);
  parts_->medium->set_stand_ins(own == job.stand_ins.end() ? nullptr : &own->second);
}

}  // namespace weft::study::run
