#include "tests/simulation/sim_world.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "fabric/topology/single_switch.h"
#include "transport/congestion/cubic.h"
#include "transport/congestion/notification_point.h"

namespace weft::testing {

SimOptions roce(fabric::Graph graph, const transport::DcqcnParameters* dcqcn) {
  SimOptions options;
  options.graph = std::move(graph);
  fabric::PriorityOptions& data = options.ethernet.ports[0].priorities[kDataLane];
  data.lossless = true;
  data.xon_offset = Bytes(2 * 4158);
  options.ethernet.ports[0].priorities[0].dwrr_weight = 1;
  data.dwrr_weight = 1;
  options.nic.check_headers = true;
  options.nic.lane_of_mark[kDataDscp] = kDataLane;
  options.nic.cnp = host::TrafficClass{.priority = kNoticeLane, .mark = 48};
  if (dcqcn != nullptr) {
    options.nic.congestion_control = [dcqcn] { return std::make_unique<transport::Dcqcn>(*dcqcn); };
    options.nic.congestion_receiver = [dcqcn] {
      return std::make_unique<transport::NotificationPoint>(dcqcn->cnp_interval);
    };
  }
  options.connection.traffic_class = kDataDscp << 2;
  return options;
}

SimOptions streams(fabric::Graph graph, host::Service service) {
  SimOptions options = roce(std::move(graph));
  options.ethernet.ports[0].priorities[kDataLane].lossless = false;
  options.service = service;
  options.nic.tcp_congestion_control = [] { return std::make_unique<transport::Cubic>(); };
  for (transport::StreamOptions* stream : {static_cast<transport::StreamOptions*>(&options.nic.tcp),
                                           static_cast<transport::StreamOptions*>(&options.nic.iwarp)}) {
    stream->tcp.mss = 4096;
    stream->tcp.minimum_rto = 1_ms;
    stream->tcp.initial_rto = 1_ms;
  }
  return options;
}

SimOptions scale_up(std::uint32_t gpus, std::uint32_t unit) {
  SimOptions options =
      roce(*fabric::build_graph(fabric::SingleSwitchOptions{.hosts = 2, .host_link = {100_gbps, 1_us}}));
  host::NicOptions nic;
  nic.memory.format.unit = unit;
  options.scale_up_nic = [nic](EndpointId) { return nic; };
  fabric::ScaleUpDomain domain{.name = "domain0",
                               .shape = fabric::ScaleUpShape::kSwitch,
                               .switch_latency = 150_ns,
                               .switch_buffer = 512_kib,
                               .first_bytes = 16,
                               .ports = {}};
  for (std::uint32_t i = 0; i < gpus; ++i) {
    domain.ports.push_back({.name = fmt::format("host{}/gpu{}", i / 8, i % 8),
                            .rate = 3600_gbps,
                            .propagation = 25_ns,
                            .buffer = 512_kib});
  }
  options.scale_up = {.first = EndpointId(options.graph.endpoints),
                      .largest_packet = wire::data_wire_bytes(nic.memory.format, unit),
                      .domains = {domain}};
  return options;
}

workload::ListedFlow write(std::uint32_t from, std::uint32_t to, Bytes size) {
  workload::ListedFlow flow{.source = workload::RankId(from), .destination = workload::RankId(to)};
  flow.shape.size = size;
  return flow;
}

workload::ListedFlow stream(std::uint32_t from, std::uint32_t to, Bytes size, Time stop) {
  workload::ListedFlow flow = write(from, to, size);
  flow.shape.messages = workload::FlowShape::kUntilStop;
  flow.shape.window = 16;
  flow.shape.stop = stop;
  return flow;
}

namespace {

std::uint32_t rank_count(const SimOptions& options) {
  if (!options.scale_up) {
    return options.graph.endpoints;
  }
  std::size_t ports = 0;
  for (const fabric::ScaleUpDomain& domain : options.scale_up->domains) {
    ports += domain.ports.size();
  }
  return static_cast<std::uint32_t>(ports);
}

study::world::WorldOptions world_options(const SimOptions& options, transport::FramingHeaderLogs& ledgers) {
  study::world::WorldOptions made;
  made.prefetch_from = 0;  // small as these worlds are: it must change nothing
  made.seed = options.seed;
  made.graph = options.graph;
  made.fabric = options.ethernet;
  host::NicOptions all = options.nic;
  all.tcp.ledgers = all.iwarp.ledgers = &ledgers;
  made.nic = [nic = std::move(all)](EndpointId) { return nic; };
  if (options.scale_up) {
    made.scale_up = options.scale_up;
    made.scale_up_nic = options.scale_up_nic;
    for (std::uint32_t i = 0; i < rank_count(options); ++i) {
      const EndpointId port(options.graph.endpoints + i);
      made.machines.push_back({.name = fmt::format("gpu {}", i), .rails = {}, .options = {}, .scale_up = port});
    }
    return made;
  }
  for (std::uint32_t i = 0; i < options.graph.endpoints; ++i) {
    made.machines.push_back({options.graph.nodes[i].name, {EndpointId(i)}, {}});
    made.machines.back().options.service = options.service;
  }
  return made;
}

template <class T>
T must(Result<T> result) {
  if (!result.has_value()) {
    fmt::print(stderr, "unexpected error: {}\n", result.error().message);
    WEFT_ASSERT(result.has_value());
  }
  if constexpr (!std::is_void_v<T>) {
    return std::move(*result);
  }
}

}  // namespace

SimWorld::SimWorld(SimOptions options)
    : job_{.id = workload::JobId(0), .name = "job", .seed = options.seed, .ranks = rank_count(options)},
      world_(must(study::world::World::create(world_options(options, ledgers_)))),
      connector_(job_, options.connection),
      flows_(std::make_unique<workload::FlowList>(must(workload::FlowList::make(job_, options.flows)))) {
  workload::FlowProgramOptions program{.job = job_.id};
  if (flows_->needs_receives()) {
    program.connection.receive_requests = 2 * program.connection.max_send_wr;
  }
  program.triggers = flows_->triggers();
  for (std::uint32_t i = 0; i < job_.ranks; ++i) {
    program.rank = workload::RankId(i);
    ports_.push_back(must(workload::RankPorts::open(world_->machine(i), options.memory)));
    messengers_.emplace_back(ports_.back(), connector_, matcher_);
    connector_.add_rank(ports_.back(), messengers_.back());
    programs_.emplace_back(messengers_.back(), flows_->flows_of(workload::RankId(i)), program);
    world_->machine(i).set_program([this, i, started = false]() mutable -> Result<void> {
      return std::exchange(started, true) ? programs_[i].on_event() : programs_[i].start();
    });
  }
  world_->start();
}

study::world::World::Stop SimWorld::run(Time limit) {
  const study::world::World::Stop stop = world_->run(limit, ~std::uint64_t{0});
  EXPECT_FALSE(world_->error()) << world_->error()->message;
  matcher_.flush();
  return stop;
}

std::string SimWorld::run_checked(Time limit) {
  while (world_->run(limit, 1) == study::world::World::Stop::kBudget) {
    const std::string wrong = world_->check_invariants();
    if (!wrong.empty()) {
      return fmt::format("event {}: {}", world_->events(), wrong);
    }
  }
  EXPECT_FALSE(world_->error()) << world_->error()->message;
  return {};
}

bool SimWorld::all_succeeded() const {
  return std::all_of(messages_.begin(), messages_.end(),
                     [](const workload::MessageRecord& record) { return record.status == verbs::WcStatus::kSuccess; });
}

std::uint64_t SimWorld::bytes_from(std::uint32_t endpoint) { return fabric().queue(endpoint, kDataLane).tx_bytes; }

std::uint64_t SimWorld::pauses_sent() {
  std::uint64_t sum = 0;
  for (fabric::PortIndex port = 0; port < fabric().port_count(); ++port) {
    for (const std::uint32_t sent : fabric().pauses(port).pauses_sent) {
      sum += sent;
    }
  }
  return sum;
}

std::uint64_t SimWorld::marks() {
  std::uint64_t sum = 0;
  for (fabric::PortIndex port = 0; port < fabric().port_count(); ++port) {
    sum += fabric().queue(port, kDataLane).marked;
  }
  return sum;
}

}  // namespace weft::testing
