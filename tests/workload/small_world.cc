#include "tests/workload/small_world.h"

#include <gtest/gtest.h>

#include <array>

namespace weft::testing {
namespace {

constexpr std::uint32_t kFirstEndpoint = 100;

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

SmallWorld::Host::Host(std::uint32_t rank, const Options& options, const Time& now)
    : device({.endpoint = EndpointId(kFirstEndpoint + rank), .seed = rank + 1}),
      machine(device.options().endpoint, device, now),
      memory(options.memory_bytes) {
  workload::RankMemory region;
  if (!memory.empty())
    region = {.address = 0x10000, .length = Bytes(static_cast<std::int64_t>(memory.size())), .bytes = memory.data()};
  ports = std::make_unique<workload::RankPorts>(workload::RankPorts::open(machine, region).value());
}

SmallWorld::SmallWorld(const Options& options)
    : job_{.id = workload::JobId(0), .name = "job", .seed = options.seed, .ranks = options.ranks},
      connector_(job_, {}),
      carries_bytes_(options.memory_bytes > 0) {
  for (std::uint32_t rank = 0; rank < options.ranks; ++rank) {
    hosts_.push_back(std::make_unique<Host>(rank, options, now_));
    Host& host = *hosts_.back();
    host.messenger = std::make_unique<workload::Messenger>(*host.ports, connector_, matcher_);
    connector_.add_rank(*host.ports, *host.messenger);
  }
}

void SmallWorld::run(const workload::TrafficPattern& pattern, workload::FlowProgramOptions options) {
  options.job = job_.id;
  if (pattern.needs_receives() && options.connection.receive_requests == 0)
    options.connection.receive_requests = 2 * options.connection.max_send_wr;
  run([&](workload::Messenger& messenger, workload::DeliveryMatcher&, workload::RankId rank) {
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
      host->device.on_timeouts(now_);
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
  if (!host.device.get_cq_event(host.ports->rails()[0].cq) && host.machine.next_event() > now_)
    return false;
  host.device.advance_to(now_);
  const auto run = host.program->on_event();
  EXPECT_TRUE(run.has_value()) << run.error().message;
  return true;
}

bool SmallWorld::transmit(Host& host) {
  bool sent = false;
  std::array<std::byte, 4096> room;
  Flight flight;
  while (host.device.poll_transmit_any(
      {flight.packet, flight.cold, carries_bytes_ ? std::span(room) : std::span<std::byte>()}, now_)) {
    sent = true;
    if (loses && loses(flight.packet))
      continue;
    const std::size_t bytes = carries_bytes_ ? flight.packet.common.payload_bytes : 0;
    flight.payload.assign(room.begin(), room.begin() + static_cast<std::ptrdiff_t>(bytes));
    in_flight_.emplace(now_ + kLatency, flight);
  }
  return sent;
}

void SmallWorld::deliver() {
  while (!in_flight_.empty() && in_flight_.begin()->first <= now_) {
    const Flight flight = std::move(in_flight_.begin()->second);
    in_flight_.erase(in_flight_.begin());
    const std::uint32_t rank = flight.packet.common.destination.value() - kFirstEndpoint;
    hosts_[rank]->device.on_packet({flight.packet, flight.cold, flight.payload}, now_);
  }
}

Time SmallWorld::next_event() const {
  Time next = in_flight_.empty() ? Time::never() : in_flight_.begin()->first;
  for (const auto& host : hosts_)
    next = earlier(next, earlier(host->device.next_event(), host->machine.next_event()));
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
