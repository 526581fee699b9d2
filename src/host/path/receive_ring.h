// One receive ring of a NIC and the softirq that empties it: interrupt moderation, NAPI, GRO.
//
// The first packet into an idle ring raises an interrupt after `moderation`, or as soon as `moderation_frames` wait.
// The interrupt's core then takes packet after packet until the ring is empty; what comes meanwhile needs no interrupt.
// Packets of one flow that follow one another are one unit for the stack, up to `unit` bytes. With busy polling there
// is no interrupt: the waiting thread finds the packet. A full ring drops.
// It keeps no events: `next` is when `act` has something to do.
#pragma once

#include <cstdint>
#include <optional>

#include "base/ring.h"
#include "host/path/cpu.h"
#include "host/path/stage.h"

namespace weft::host {

enum class SocketWait : std::uint8_t { kBlock, kBusyPoll };

struct ReceiveRingOptions {
  Stage dma{};                          // from the NIC into the ring
  Stage moderation{};                   // rx-usecs
  std::uint32_t moderation_frames = 0;  // rx-frames; 0: time alone
  Stage interrupt{};                    // hard interrupt until NAPI takes the first packet
  Stage busy_poll{};                    // until the thread's loop looks, with kBusyPoll
  Stage per_packet{};                   // driver and GRO
  Stage per_unit{};                     // IP, TCP, socket queue
  Stage per_ack{};                      // the same for a packet without payload
  Bytes unit{64 * 1024};
  std::uint32_t packets = 1024;  // places
  SocketWait wait = SocketWait::kBlock;
};

class ReceiveRing {
 public:
  struct Packet {
    std::uint32_t name = 0;  // the NIC's
    std::uint32_t flow_hash = 0;
    Bytes payload{};
  };

  /// The options must outlive it.
  ReceiveRing(const ReceiveRingOptions& options, CoreId core) : options_(options), core_(core) {}

  /// False if there is no room.
  [[nodiscard]] bool push(const Packet& packet, Cpu& cpu, Time now);
  /// never() if the ring is empty.
  [[nodiscard]] Time next() const { return next_; }
  /// To be called at next(): the packet that has passed the stack now, if one has.
  std::optional<Packet> act(Cpu& cpu, Time now);

  /// When the next packet of the unit that this flow's last one is in has passed; Time::zero() if that unit has ended.
  /// The stack sees a unit as one segment: what it answers waits until then.
  [[nodiscard]] Time unit_goes_on(std::uint32_t flow_hash) const {
    return front_joins_ && unit_flow_ == flow_hash && state_ == State::kPolling ? next_ : Time::zero();
  }

  [[nodiscard]] std::uint64_t interrupts() const { return interrupts_; }
  [[nodiscard]] std::size_t heap_bytes() const { return waiting_.heap_bytes(); }

 private:
  enum class State : std::uint8_t { kIdle, kAwaitsInterrupt, kPolling };
  struct Waiting {
    Packet packet;
    Time in_memory;
  };
  void begin_front(Cpu& cpu, Server::Deferred when);

  const ReceiveRingOptions& options_;
  CoreId core_;
  Ring<Waiting> waiting_;
  Time next_ = Time::never();
  Bytes unit_{};  // bytes of the present GRO unit
  std::uint32_t unit_flow_ = 0;
  bool front_joins_ = false;  // the packet being taken belongs to the unit of the one before it
  State state_ = State::kIdle;
  std::uint64_t interrupts_ = 0;
};

}  // namespace weft::host
