#include "tests/workload/small_world.h"

#include <gtest/gtest.h>

#include <array>

namespace weft::testing {
namespace {

constexpr std::uint32_t kFirstEndpoint = 100;
constexpr std::uint32_t kFirstScaleUp = 10'100;

}  // namespace

Result<void> SmallMachine::compute(const verbs::ComputeRequest& request) {
  gpu_free_ = later(gpu_free_, now_) + std::get<Duration>(request.work);
  events_.emplace(gpu_free_, verbs::MachineEvent{verbs::MachineEvent::Kind::kCompute, request.token, gpu_free_});
  return {};
}

void SmallMachine::set_timer(const verbs::TimerRequest& request) {
  events_.emplace(request.at, verbs::MachineEvent{verbs::MachineEvent::Kind::kTimer, request.token, request.at});
}

std::size_t SmallMachine::poll_events(std::span<verbs::MachineEvent> out) {
  std::size_t count = 0;
  while (count < out.size() && next_event() <= now_) {
    out[count++] = events_.begin()->second;
    events_.erase(events_.begin());
  }
  return count;
}

SmallWorld::Host::Host(std::uint32_t rank, const Options& options, const Time& now, NetworkReducer* reducer)
    : machine(now), memory(options.memory_bytes) {
  devices.emplace_back(transport::DeviceOptions{.endpoint = EndpointId(kFirstEndpoint + rank), .seed = rank + 1});
  machine.add_rail({.endpoint = devices[0].options().endpoint, .rate = 100_gbps, .provider = &devices[0]});
  if (reducer != nullptr) {
    devices.emplace_back(transport::DeviceOptions{.endpoint = EndpointId(kFirstScaleUp + rank), .seed = rank + 1'001});
    reducing = std::make_unique<ReducingProvider>(devices[1], *reducer, memory);
    machine.add_rail({.endpoint = devices[1].options().endpoint,
                      .rate = 800_gbps,
                      .provider = reducing.get(),
                      .kind = verbs::RailKind::kScaleUp,
                      .groups = reducing.get()});
  }
  workload::RankMemory region;
  if (!memory.empty())
    region = {.address = ReducingProvider::kMemoryAt,
              .length = Bytes(static_cast<std::int64_t>(memory.size())),
              .bytes = memory.data()};
  ports = std::make_unique<workload::RankPorts>(workload::RankPorts::open(machine, region).value());
}

SmallWorld::Host& SmallWorld::host_of(EndpointId endpoint) {
  const std::uint32_t value = endpoint.value();
  return *hosts_[value >= kFirstScaleUp ? value - kFirstScaleUp : value - kFirstEndpoint];
}

SmallWorld::SmallWorld(const Options& options)
    : job_{.id = workload::JobId(0), .name = "job", .seed = options.seed, .ranks = options.ranks},
      connector_(
          job_, {.timeout = options.ack_timeout, .source_ports = options.source_ports, .reconnect = options.reconnect}),
      carries_bytes_(options.memory_bytes > 0) {
  for (std::uint32_t rank = 0; rank < options.ranks; ++rank) {
    NetworkReducer* reducer = nullptr;
    if (options.domain > 0) {
      auto& own = reducers_[rank / options.domain];
      if (own == nullptr)
        own = std::make_unique<NetworkReducer>();
      reducer = own.get();
    }
    hosts_.push_back(std::make_unique<Host>(rank, options, now_, reducer));
    Host& host = *hosts_.back();
    host.messenger = std::make_unique<workload::Messenger>(*host.ports, connector_, matcher_);
    connector_.add_rank(*host.ports, *host.messenger);
  }
}

void SmallWorld::run(const workload::TrafficPattern& pattern, workload::FlowProgramOptions options) {
  options.job = job_.id;
  if (pattern.needs_receives() && options.connection.receive_requests == 0)
    options.connection.receive_requests = 2 * options.connection.max_send_wr;
  options.triggers = pattern.triggers();
  run([&](workload::Messenger& messenger, workload::DeliveryMatcher&, workload::RankId rank) {
    options.rank = rank;
    return std::make_unique<workload::FlowProgram>(messenger, pattern.flows_of(rank), options);
  });
}

void SmallWorld::run(const MakeProgram& make, Time until) {
  for (std::uint32_t rank = 0; rank < hosts_.size(); ++rank)
    hosts_[rank]->program = make(*hosts_[rank]->messenger, matcher_, workload::RankId(rank));
  for (const auto& host : hosts_) {
    const auto started = host->program->start();
    ASSERT_TRUE(started.has_value()) << started.error().message;
  }
  while (now_ <= until && !::testing::Test::HasFailure()) {
    deliver();
    bool busy = false;
    for (const auto& host : hosts_) {
      for (transport::Device& device : host->devices)
        device.on_timeouts(now_);
      busy |= wake(*host);
      busy |= transmit(*host);
    }
    if (busy)
      continue;
    const Time next = next_event();
    if (next.is_never())
      break;
    now_ = later(now_, next);
  }
  matcher_.flush();
}

bool SmallWorld::wake(Host& host) {
  bool news = host.machine.next_event() <= now_;
  for (const workload::RailPort& port : host.ports->rails())
    news |= port.provider->get_cq_event(port.cq);
  if (!news)
    return false;
  for (transport::Device& device : host.devices)
    device.advance_to(now_);
  const auto run = host.program->on_event();
  EXPECT_TRUE(run.has_value()) << run.error().message;
  return true;
}

bool SmallWorld::transmit(Host& host) {
  bool sent = false;
  std::array<std::byte, 4096> room;
  Flight flight;
  for (transport::Device& device : host.devices) {
    while (device.poll_transmit_any(
        {flight.packet, flight.cold, carries_bytes_ ? std::span(room) : std::span<std::byte>()}, now_)) {
      sent = true;
      if (loses && loses(flight.packet))
        continue;
      const std::size_t bytes = carries_bytes_ ? flight.packet.common.payload_bytes : 0;
      flight.payload.assign(room.begin(), room.begin() + static_cast<std::ptrdiff_t>(bytes));
      in_flight_.emplace(now_ + kLatency, flight);
    }
  }
  return sent;
}

void SmallWorld::deliver() {
  while (!in_flight_.empty() && in_flight_.begin()->first <= now_) {
    const Flight flight = std::move(in_flight_.begin()->second);
    in_flight_.erase(in_flight_.begin());
    Host& host = host_of(flight.packet.common.destination);
    for (transport::Device& device : host.devices) {
      if (device.options().endpoint == flight.packet.common.destination)
        device.on_packet({flight.packet, flight.cold, flight.payload}, now_);
    }
  }
}

Time SmallWorld::next_event() const {
  Time next = in_flight_.empty() ? Time::never() : in_flight_.begin()->first;
  for (const auto& host : hosts_) {
    next = earlier(next, host->machine.next_event());
    for (const transport::Device& device : host->devices)
      next = earlier(next, device.next_event());
  }
  return next;
}

bool SmallWorld::all_done() const {
  for (const auto& host : hosts_) {
    if (!host->program->done())
      return false;
  }
  return true;
}

}  // namespace weft::testing
