// Memory of an endpoint of Ultra Ethernet with many peers, beside RC: bytes of a context, of a peer that is idle, of a
// queue pair of verbs over either, of a port that receives from everybody.
//
// `uet_memory_bench [PEERS]` prints a table as measured by the engines' own accounts of their heap, for a million peers
// unless told otherwise. Peers are made one after another: a context opens with each, and closes before the next opens.
#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <span>
#include <string_view>

#include "base/assert.h"
#include "transport/device.h"

namespace weft {
namespace {

using transport::Device;

transport::DeviceOptions memory_bench_options(std::uint32_t endpoint) {
  transport::DeviceOptions options{
      .endpoint = EndpointId(endpoint), .encapsulation = wire::Encapsulation::kUetUdpIpv4, .seed = endpoint};
  options.limits.max_qp = 1U << 21;
  return options;
}

/// A device whose port receives, or sends to, any number of peers.
struct Hub {
  Hub() : device(memory_bench_options(1)) {
    pd = device.alloc_pd().value();
    key = device.reg_mr({.pd = pd, .address = 0x1000, .length = 4096, .access = verbs::kAccessAll}).value();
    port = device.uet_messenger()
               .open({.address = {.job = 1, .pid_on_fep = 1, .resource_index = 1}, .pd = pd, .initiator = 1})
               .value();
  }
  Device device;
  verbs::PdHandle pd;
  std::uint32_t key = 0;
  transport::SesPortId port = 0;
};

/// What one peer says: it takes the packet of a WRITE, and the CLOSE. Its engine is not needed for this.
void exchange_with(Hub& hub, std::uint32_t peer, bool close) {
  wire::Packet packet;
  wire::ColdPacket cold;
  const transport::TransmitSlot slot{packet, cold, {}};
  const Time now = hub.device.now();
  WEFT_ASSERT(hub.device.uet_messenger()
                  .write(hub.port,
                         {.peer = {.endpoint = EndpointId(peer), .address = {.job = 1}},
                          .local = {.address = 0x1000, .length = 64, .lkey = hub.key},
                          .remote_address = 0x1000},
                         now)
                  .has_value());
  const auto answer = [&](std::uint32_t psn) {
    wire::Packet ack = packet;
    ack.common.source = EndpointId(peer);
    ack.common.destination = EndpointId(1);
    ack.uet = wire::UetHeader{};
    ack.uet.type = wire::UetType::kAckCc;
    ack.uet.psn = psn;
    ack.uet.source_pdc = 1;
    ack.uet.destination_pdc = packet.uet.source_pdc;
    (void)hub.device.deliver({ack, cold, {}}, now);
  };
  WEFT_ASSERT(hub.device.poll_transmit_any(slot, now));
  answer(packet.uet.psn);
  transport::SesCompletion completion;
  WEFT_ASSERT(hub.device.uet_messenger().poll(std::span(&completion, 1)) == 1);
  if (!close)
    return;
  const Time later = now + hub.device.options().uet.idle_close + Duration::microseconds(1);
  hub.device.on_timeouts(later);
  WEFT_ASSERT(hub.device.poll_transmit_any(slot, later) && packet.uet.type == wire::UetType::kControl);
  answer(packet.uet.psn);
  while (hub.device.has_touched())
    (void)hub.device.take_touched();
}

double per(std::size_t bytes, std::uint32_t count) { return static_cast<double>(bytes) / count; }

/// Contexts that are open with as many peers.
void print_open(std::uint32_t contexts) {
  Hub hub;
  const std::size_t before = hub.device.heap_bytes();
  for (std::uint32_t peer = 2; peer < contexts + 2; ++peer)
    exchange_with(hub, peer, false);
  WEFT_ASSERT(hub.device.uet()->live_contexts() == contexts);
  fmt::print("open context                 {:10.1f} B each, {} of them\n",
             per(hub.device.heap_bytes() - before, contexts), contexts);
}

/// Peers that have been spoken to, whose contexts are closed.
void print_idle(std::uint32_t peers) {
  Hub hub;
  const std::size_t before = hub.device.heap_bytes();
  for (std::uint32_t peer = 2; peer < peers + 2; ++peer)
    exchange_with(hub, peer, true);
  WEFT_ASSERT(hub.device.uet()->live_contexts() == 0);
  const std::size_t bytes = hub.device.heap_bytes() - before;
  fmt::print("idle peer, port of a job     {:10.1f} B each, {} of them: {:.1f} MB with the pool of {} context\n",
             per(bytes, peers), peers, static_cast<double>(bytes) * 1e-6, hub.device.uet()->places() - 1);
}

/// Queue pairs as a program makes them, one for each peer, nothing posted.
void print_queue_pairs(std::string_view name, std::uint32_t peers, bool uet) {
  Device device(memory_bench_options(1));
  const verbs::PdHandle pd = device.alloc_pd().value();
  const verbs::CqHandle cq = device.create_cq(16).value();
  const std::size_t before = device.heap_bytes();
  const verbs::QpInitAttributes init{.pd = pd, .send_cq = cq, .recv_cq = cq};
  for (std::uint32_t peer = 0; peer < peers; ++peer)
    WEFT_ASSERT((uet ? device.create_uet_qp(init) : device.create_qp(init)).has_value());
  const std::size_t bytes = device.heap_bytes() - before;
  fmt::print("{:28} {:10.1f} B each, {} of them: {:.1f} MB\n", name, per(bytes, peers), peers,
             static_cast<double>(bytes) * 1e-6);
}

}  // namespace
}  // namespace weft

int main(int argc, char** argv) {
  std::uint32_t peers = 1'000'000;
  if (argc == 2) {
    const std::string_view text(argv[1]);
    std::from_chars(text.data(), text.data() + text.size(), peers);
  }
  weft::print_open(std::min(peers, 4'000U));
  weft::print_idle(peers);
  weft::print_queue_pairs("queue pair over UET", peers, true);
  weft::print_queue_pairs("queue pair of RC", peers, false);
  return 0;
}
