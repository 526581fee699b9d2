// Counters of an InfiniBand fabric, and whether everything in it adds up.
#include <algorithm>
#include <map>

#include <fmt/core.h>

#include "fabric/infiniband/infiniband_fabric.h"
#include "fabric/routing/notification_content.h"

namespace weft::fabric {

InfiniBandCounters InfiniBandFabric::counters(PortIndex index, Time now) const {
  constexpr std::uint64_t kDataUnit = 4;
  const InfiniBandPort& port = ports_[index];
  InfiniBandCounters result{.xmit_wait = port.waited,
                            .xmit_discards = port.discards,
                            .relay_errors = port.relay_errors,
                            .receive_errors = port.receive_errors,
                            .symbol_errors = port.symbol_errors,
                            .credits_sent = port.credits_sent,
                            .credits_received = port.credits_received};
  for (std::uint32_t i = 0; i < port.control.size() && port.control[i].at <= now; ++i) {
    result.credits_received += NotificationContent::is_packed(port.control[i].frame) ? 0 : 1;
  }
  if (!port.waiting_since.is_never()) {
    result.xmit_wait += now - port.waiting_since;
  }
  for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
    result.xmit_data += credits(index, lane).bytes_sent / kDataUnit;
    result.xmit_packets += credits(index, lane).packets_sent;
    result.marked += output(index, lane).marked;
  }
  return result;
}

LaneCounters InfiniBandFabric::lane_counters(PortIndex port, std::uint32_t lane, Time now) const {
  const LaneCredits& sent = credits(port, lane);
  const OutputLane& waiting = output(port, lane);
  return {.tx_packets = sent.packets_sent,
          .tx_bytes = sent.bytes_sent,
          .marked = waiting.marked,
          .queue_peak = waiting.peak_bytes,
          .held = credit_stall(port, lane, now)};
}

PortCounters InfiniBandFabric::port_counters(PortIndex port, Time now) const {
  const InfiniBandCounters own = counters(port, now);
  return {.drops = own.xmit_discards, .receive_errors = own.receive_errors, .credits_sent = own.credits_sent};
}

Duration InfiniBandFabric::credit_stall(PortIndex port, std::uint32_t lane, Time now) const {
  const OutputLane& own = output(port, lane);
  return own.stalled_total + (own.stalled_since.is_never() ? Duration::zero() : now - own.stalled_since);
}

std::uint64_t InfiniBandFabric::credits_sent() const {
  std::uint64_t sum = 0;
  for (const InfiniBandPort& port : ports_) {
    sum += port.credits_sent;
  }
  return sum;
}

std::size_t InfiniBandFabric::heap_bytes() const {
  return core_heap_bytes() + credits_.capacity() * sizeof(LaneCredits) + outputs_.capacity() * sizeof(OutputLane) +
         queues_.heap_bytes() + waiting_copies_.heap_bytes() + table_.heap_bytes() + phases_.heap_bytes() +
         options_.tables.heap_bytes() + options_.levels.heap_bytes() + options_.multicast.heap_bytes();
}

std::uint64_t InfiniBandFabric::packets_inside() const { return packets_on_wires() + queues_.size(); }

std::string InfiniBandFabric::check_invariants() const {
  std::map<std::uint64_t, std::uint32_t> stored;
  std::map<std::uint32_t, std::uint32_t> copies;  // per place that they share
  for (PortIndex index = 0; index < ports_.size(); ++index) {
    std::uint64_t port_bytes = 0;
    for (std::uint32_t lane = 0; lane < lanes_; ++lane) {
      std::uint64_t bytes = 0;
      queues_.for_each(index * lanes_ + lane, [&](const WaitingPacket& entry) {
        bytes += entry.frame_bytes;
        const bool shares = (entry.input_lane & kSharesBuffer) != 0;
        const std::uint32_t own_lane = entry.input_lane & ~std::uint32_t{kSharesBuffer};
        if (!shares || ++copies[packets_[entry.packet].common.cold] == 1) {
          stored[std::uint64_t{entry.input} * lanes_ + own_lane] += entry.blocks;
        }
      });
      const bool waits = ((ports_[index].queued >> lane) & 1U) != 0;
      if (bytes != output(index, lane).bytes || waits != (bytes != 0)) {
        return fmt::format("port {} lane {}: {} bytes wait, {} are counted", index, lane, bytes,
                           output(index, lane).bytes);
      }
      port_bytes += bytes;
    }
    if (port_bytes != ports_[index].queued_bytes) {
      return fmt::format("port {}: {} bytes wait, {} are counted", index, port_bytes, ports_[index].queued_bytes);
    }
  }
  for (std::uint32_t index = 0; index < holds_.size(); ++index) {
    for (std::uint32_t i = 0; i < holds_[index].arrivals.size(); ++i) {
      const HeldArrival& held = holds_[index].arrivals[i];
      stored[std::uint64_t{index} * lanes_ + held.lane] += held.credits;
    }
  }
  for (PortIndex index = 0; index < ports_.size(); ++index) {
    for (std::uint32_t lane = 0; lane < lanes_ && !ports_[index].has(kLinkDown); ++lane) {
      std::string wrong = check_lane(index, lane, stored[std::uint64_t{index} * lanes_ + lane]);
      if (!wrong.empty()) {
        return wrong;
      }
    }
  }
  return {};
}

// The wire that ends at this port: what its sender may still send, what is under way in both directions, what is in the
// buffer and what is free but unsaid make up the buffer.
std::string InfiniBandFabric::check_lane(PortIndex index, std::uint32_t lane, std::uint32_t stored) const {
  const InfiniBandPort& port = ports_[index];
  const InfiniBandPort& peer = ports_[port.peer];
  const CreditReceiver& receiver = credits(index, lane).receiver;
  const CreditSender& sender = credits(port.peer, lane).sender;
  std::uint32_t coming = 0;
  const auto add = [&](PacketHandle handle) {
    const wire::PacketCommon& common = packets_[handle].common;
    coming += common.priority == lane ? blocks_of(common.frame_bytes) : 0;
  };
  if (!port.arrival.pending().is_never()) {
    add(port.first);
  }
  for (std::uint32_t i = 0; i < port.in_flight.size(); ++i) {
    add(port.in_flight[i].packet);
  }
  if (receiver.occupied() != stored) {
    return fmt::format("port {} lane {}: {} blocks stored, {} counted", index, lane, stored, receiver.occupied());
  }
  std::uint32_t limit = sender.limit();
  for (std::uint32_t i = 0; i < peer.control.size(); ++i) {
    const CreditContent content = CreditContent::unpacked(peer.control[i].frame);
    limit =
        content.lane == lane && !NotificationContent::is_packed(peer.control[i].frame) ? content.credit_limit : limit;
  }
  const std::uint32_t under_way = (sender.total_sent() - receiver.received()) & kCreditMask;
  const std::uint32_t usable = std::min(receiver.buffer() - receiver.occupied(), kMaxAdvertised);
  const std::uint32_t said = (limit - sender.limit()) & kCreditMask;
  // Where packets get lost, credits are missing until they are said again, and never too many.
  const bool lossy = port.has(kHasErrors);
  const std::uint32_t sum = sender.available() + under_way + said + receiver.unadvertised();
  const bool agrees = lossy ? under_way >= coming && sender.available() <= kMaxAdvertised
                            : under_way == coming && limit == receiver.advertised() && sum == usable;
  if (!agrees) {
    return fmt::format(
        "port {} lane {}: {} blocks on the wire, {} missing from ABR; credits {} + {} + {} + {} of {} free (advertised "
        "{}, received or in flight {})",
        index, lane, coming, under_way, sender.available(), under_way, said, receiver.unadvertised(), usable,
        receiver.advertised(), limit);
  }
  return {};
}

}  // namespace weft::fabric
