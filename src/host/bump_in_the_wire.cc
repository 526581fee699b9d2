#include "host/bump_in_the_wire.h"

#include <algorithm>

#include "base/assert.h"
#include "fabric/ethernet/ethernet_fabric.h"
#include "host/actors.h"

namespace weft::host {

Duration InlineServer::time_of(Bytes wire) const {
  return rate == Rate::max() ? per_packet : std::max(per_packet, rate.transmit_time(wire));
}

BumpInTheWire::BumpInTheWire(const BumpOptions& options, const Environment& environment)
    : kernel_(environment.kernel),
      packets_(environment.packets),
      wire_(environment.wire),
      pauses_(environment.pauses),
      endpoint_(environment.endpoint),
      options_(options) {
  WEFT_ASSERT(options.paused_priorities == 0 || pauses_ != nullptr);
}

void BumpInTheWire::register_actor(sim::ActorOrder& ranks, std::uint64_t name_hash, sim::PartitionIndex partition) {
  ranks.add({name_hash, kBumpInTheWire}, wake_, partition);
}

fabric::SendPermit BumpInTheWire::permit(EndpointId endpoint, Time now) {
  const fabric::SendPermit permit = wire_.permit(endpoint, now);
  const Time free_at = out_.free_at();
  return free_at > now ? fabric::SendPermit{.lanes = 0, .free_at = later(permit.free_at, free_at)} : permit;
}

Time BumpInTheWire::send(EndpointId endpoint, fabric::PacketHandle packet, Time now) {
  wire::PacketCommon& common = packets_[packet].common;
  const std::uint16_t before = common.wire_bytes;
  const wire::FrameSizes sizes =
      wire::protected_sizes({.frame = Bytes(common.frame_bytes), .wire = Bytes(common.wire_bytes)}, options_.added);
  WEFT_DCHECK(sizes.wire.count() <= 0xFFFF);
  common.frame_bytes = static_cast<std::uint16_t>(sizes.frame.count());
  common.wire_bytes = static_cast<std::uint16_t>(sizes.wire.count());
  ++counters_.sent;
  counters_.added += static_cast<std::uint64_t>(common.wire_bytes - before) + options_.counted;
  occupy(out_, common.wire_bytes, now);
  return later(wire_.send(endpoint, packet, now), out_.free_at());
}

void BumpInTheWire::request_wire(EndpointId endpoint, Time at) { wire_.request_wire(endpoint, at); }

void BumpInTheWire::on_wire_ready(Time now) { nic_->on_wire_ready(now); }

// A packet was taken as soon as the servers were free; the next one, not before this one has gone on. Outwards a packet
// is thus worked on while the one before it is on the wire: short ones hide behind long ones.
void BumpInTheWire::occupy(Direction& direction, std::uint16_t wire_bytes, Time now) {
  WEFT_DCHECK(direction.free_at() <= now);
  const Duration cipher = options_.cipher.time_of(Bytes(wire_bytes));
  const Duration firewall = options_.firewall.time_of(Bytes(wire_bytes));
  direction = {.cipher = later(direction.cipher + cipher, now), .firewall = later(direction.firewall + firewall, now)};
  counters_.cipher_busy += cipher;
  counters_.firewall_busy += firewall;
}

void BumpInTheWire::on_packet(fabric::PacketHandle packet, Time now) {
  const wire::PacketCommon& common = packets_[packet].common;
  ++counters_.received;
  if (waiting_.empty() && in_.free_at() <= now && taken_at(packet, now) <= now) {
    in_ = {.cipher = now, .firewall = now};
    occupy(in_, common.wire_bytes, now);
    return nic_->on_packet(packet, now);
  }
  keep(packet, common.frame_bytes, now);
}

void BumpInTheWire::keep(fabric::PacketHandle packet, std::uint16_t frame_bytes, Time now) {
  if (waiting_bytes_ + frame_bytes > options_.buffer.count()) {
    ++counters_.dropped;
    return packets_.release(packet);
  }
  waiting_.push_back(packet);
  waiting_bytes_ += frame_bytes;
  counters_.peak = std::max(counters_.peak, static_cast<std::uint64_t>(waiting_bytes_));
  if (!paused_ && options_.paused_priorities != 0 && waiting_bytes_ > options_.buffer.count() / 2) {
    ++counters_.pauses;
    set_paused(options_.paused_priorities, now);
  }
  kernel_.wake(wake_, sim::ActorId(kBumpInTheWire, endpoint_.value()), later(in_.free_at(), now));
}

void BumpInTheWire::on_wake(Time now) {
  if (!wake_.fires(now)) {
    return;
  }
  Time taken = now;
  while (!waiting_.empty() && in_.free_at() <= now) {
    taken = taken_at(waiting_.front(), now);
    if (taken > now) {
      break;
    }
    const fabric::PacketHandle packet = waiting_.pop_front();
    const wire::PacketCommon& common = packets_[packet].common;
    waiting_bytes_ -= common.frame_bytes;
    in_ = {.cipher = now, .firewall = now};
    occupy(in_, common.wire_bytes, now);
    nic_->on_packet(packet, now);
  }
  if (paused_ && waiting_bytes_ <= options_.buffer.count() / 4) {
    set_paused(0, now);
  }
  if (!waiting_.empty()) {
    kernel_.wake(wake_, sim::ActorId(kBumpInTheWire, endpoint_.value()), later(in_.free_at(), taken));
  }
}

void BumpInTheWire::set_paused(std::uint8_t priorities, Time now) {
  paused_ = priorities != 0;
  pauses_->pause_peer(endpoint_, fabric::PauseCause::kInline, priorities, now);
}

}  // namespace weft::host
