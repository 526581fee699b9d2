#include "live/driver.h"

#include <poll.h>
#include <sched.h>

#include <algorithm>
#include <array>

namespace weft::live {

Driver::Driver(transport::Device& device, DatagramSocket& socket, const Clock& clock, const DriverOptions& options)
    : device_(device),
      socket_(socket),
      clock_(clock),
      options_(options),
      form_(options.form == nullptr ? roce_ : *options.form),
      buffers_(std::make_unique_for_overwrite<DatagramBuffer[]>(kBatch)),
      runs_(socket.max_segments()),
      spin_(options.spin),
      last_activity_(clock.now()) {
  batch_.reserve(kBatch);
}

void Driver::add_peer(EndpointId endpoint, const SocketAddress& address) {
  WEFT_ASSERT(address.is_ipv4() == options_.local.is_ipv4());
  peers_.push_back({.endpoint = endpoint, .out = {.source = options_.local, .destination = address}});
  batch_.clear();  // it points to peers
}

const Driver::Peer* Driver::find_peer(EndpointId endpoint) const {
  const auto found = std::ranges::find(peers_, endpoint, &Peer::endpoint);
  return found == peers_.end() ? nullptr : &*found;
}

bool Driver::is_peer(const SocketAddress& address) const {
  return std::ranges::any_of(peers_, [&](const Peer& peer) { return same_host(peer.out.destination, address); });
}

/// Of the peers at that address, the one that the queue pair is connected to; any of them if it is connected to none or
/// does not exist, which the device judges. Without a queue pair, the one with that port if there is one.
const Driver::Peer* Driver::sender(const SocketAddress& address, Qpn destination) const {
  if (!destination.is_valid()) {
    const auto exact = std::ranges::find_if(peers_, [&](const Peer& peer) { return peer.out.destination == address; });
    if (exact != peers_.end())
      return &*exact;
  }
  const transport::QpSlot slot = destination.is_valid() ? device_.slot_of(destination) : transport::QpSlot{};
  const EndpointId connected =
      slot.exists() ? device_.core_of(slot).attributes().address.destination : EndpointId::invalid();
  const auto found = std::ranges::find_if(peers_, [&](const Peer& peer) {
    return same_host(peer.out.destination, address) && (!connected.is_valid() || peer.endpoint == connected);
  });
  return found == peers_.end() ? nullptr : &*found;
}

bool Driver::receive() {
  const Time now = clock_.now();
  device_.advance_to(now);
  bool moved = false;
  for (int turn = 0; turn < kReceivesPerTurn; ++turn) {
    ++counters_.system_calls;
    const std::span<const IncomingDatagram> datagrams = socket_.receive(now);
    for (const IncomingDatagram& datagram : datagrams)
      on_datagram(datagram, now);
    moved |= !datagrams.empty();
    if (datagrams.size() < 2)
      break;
  }
  if (device_.next_event() <= now)
    device_.on_timeouts(now);
  if (moved)
    note_activity(now);
  return moved;
}

void Driver::on_datagram(const IncomingDatagram& datagram, Time now) {
  if (!is_peer(datagram.from)) {
    ++counters_.unknown_peer;
    return;
  }
  switch (form_.read(datagram.bytes, {.source = datagram.from, .destination = options_.local})) {
    case DatagramVerdict::kMalformed:
      ++counters_.malformed;
      return;
    case DatagramVerdict::kWrongIcrc:
      ++counters_.wrong_icrc;
      return;
    case DatagramVerdict::kReplayed:
      ++counters_.replayed;
      return;
    case DatagramVerdict::kGood:
      break;
  }
  const Peer* const peer = sender(datagram.from, form_.queue_pair());
  if (peer == nullptr) {
    ++counters_.unknown_peer;
    return;
  }
  ++counters_.received;
  if (options_.tap != nullptr)
    form_.capture_read(*options_.tap, now);
  form_.packet.common.source = peer->endpoint;
  form_.packet.common.destination = device_.options().endpoint;
  device_.on_packet({.packet = form_.packet, .cold = form_.cold, .payload = form_.payload}, now);
}

bool Driver::transmit() {
  const Time now = clock_.now();
  bool moved = false;
  for (int turn = 0; turn < kBatchesPerTurn; ++turn) {
    if (flushed_ == batch_.size())
      fill_batch(now);
    if (batch_.empty() || !flush(now))
      break;
    moved = true;
  }
  if (moved)
    note_activity(now);
  return moved;
}

void Driver::fill_batch(Time now) {
  batch_.clear();
  flushed_ = 0;
  runs_ = SegmentRuns(socket_.max_segments());
  std::size_t polled = 0;
  while (polled < kBatch) {
    DatagramBuffer& buffer = buffers_[polled];
    if (!device_.poll_transmit_any({buffer.packet, buffer.cold, buffer.payload_room()}, now))
      break;
    ++polled;
  }
  // Data first: somebody waits for them, while an acknowledgement that comes a moment later costs nothing.
  for (const bool control : {false, true}) {
    for (std::size_t i = 0; i < polled; ++i) {
      if (buffers_[i].packet.has(wire::kControl) == control)
        add_to_batch(buffers_[i], now);
    }
  }
}

void Driver::add_to_batch(DatagramBuffer& buffer, Time now) {
  const Peer* const peer = find_peer(buffer.packet.common.destination);
  if (peer == nullptr) {
    ++counters_.unroutable;
    return;
  }
  const DatagramForm::Sealed sealed = form_.seal(buffer, peer->out, runs_);
  if (options_.tap != nullptr)
    form_.capture_sealed(*options_.tap, now);
  batch_.push_back({.to = &peer->out.destination, .bytes = sealed.bytes, .segment = sealed.segment});
}

bool Driver::flush(Time now) {
  ++counters_.system_calls;
  const std::size_t taken = socket_.send(std::span(batch_).subspan(flushed_), now);
  flushed_ += taken;
  counters_.sent += taken;
  return taken > 0;
}

void Driver::note_activity(Time now) {
  spin_.on_event(now - last_activity_);
  last_activity_ = now;
}

bool Driver::wait(const WaitOptions& options) {
  const Time now = clock_.now();
  if (now - last_activity_ < spin_.budget()) {
    // The peer may be waiting for this very processor.
    sched_yield();
    return false;
  }
  const Time deadline = earlier(earlier(options.until, device_.next_event()), socket_.next_event());
  Duration sleep = kLongestSleep;
  if (!deadline.is_never())
    sleep = std::clamp(deadline - now, Duration::zero(), kLongestSleep);
  const bool waits_to_send = flushed_ < batch_.size();
  std::array<pollfd, 2> descriptors{
      {{.fd = socket_.descriptor(), .events = static_cast<short>(POLLIN | (waits_to_send ? POLLOUT : 0)), .revents = 0},
       {.fd = options.also, .events = POLLIN, .revents = 0}}};
  const std::int64_t nanoseconds = sleep.picoseconds() / 1'000;
  const timespec timeout{.tv_sec = 0, .tv_nsec = nanoseconds};
  const int ready = ppoll(descriptors.data(), descriptors.size(), &timeout, nullptr);
  return ready > 0 && descriptors[1].revents != 0;
}

}  // namespace weft::live
