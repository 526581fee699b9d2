// A subnet in simulated time: agents that take a while, links that serialise MADs, and the managers at its ports.
//
// A MAD is 290 bytes on the wire (LRH, BTH, DETH, 256 bytes of MAD, ICRC, VCRC). Each port sends one at a time at the
// data rate of its link; it has reached the other end, last byte included, after that and `cable`. VL15 has no flow
// control: nothing waits for credits, and what comes to a node that holds `buffer` MADs already is lost.
// A node handles MADs with a directed route one at a time, in the order in which they came: `switch_agent` or
// `hca_agent` for one that ends there, `pass` for one that goes on, in either direction. A MAD by LID, such as a trap,
// takes `forward` in each switch and as long at an agent. What is for a manager reaches it at once; its own time is its
// options'. Nothing else takes time: a link that a Set takes down trains in none. Events at one time are in the order
// in which they were made; no random numbers, no clock.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <queue>
#include <vector>

#include "base/data_size.h"
#include "subnet/agent/served_subnet.h"
#include "subnet/manager/subnet_manager.h"

namespace weft::subnet {

/// What MADs take. All but the cable are guesses.
struct MadTimes {
  Duration switch_agent = Duration::microseconds(20);
  Duration hca_agent = Duration::microseconds(20);  // of adapters and routers
  Duration pass = Duration::microseconds(1);
  Duration forward = Duration::nanoseconds(200);
  Duration cable = Duration::nanoseconds(25);  // 5 m of 5 ns
  std::uint32_t buffer = 64;                   // MADs at a node, the one that is handled included
};

/// LRH 8, BTH 12, DETH 8, MAD 256, ICRC 4, VCRC 2.
inline constexpr Bytes kMadWireSize{290};

class TimedSubnet {
 public:
  TimedSubnet(const Subnet& subnet, const MadTimes& times);

  /// A manager at an end port; it does nothing before `start_manager`.
  std::size_t add_manager(PortPlace at, const ManagerOptions& options);
  void start_manager(std::size_t manager, Time at);
  /// It answers nothing any more. Its port and the agent there go on.
  void stop_manager(std::size_t manager, Time at);
  /// A program at an end port sends a MAD then, by its LID; the port's LID is filled in, and that of its manager where
  /// the destination is 0.
  void send(PortPlace from, const MadPacket& packet, Time when);
  /// A MAD that came to a port without a manager, and was no request of its agent.
  struct Received {
    PortPlace at;
    MadPacket packet;
    Time when;
  };
  [[nodiscard]] const std::vector<Received>& received() const { return received_; }

  /// A cable is pulled or put back.
  void set_cable(PortPlace at, ServedSubnet::Cable cable, Time when);

  /// Until `is_done` says so, nothing is left to do, or the next event is later than `limit`.
  void run(const std::function<bool()>& is_done, Time limit);

  [[nodiscard]] Time now() const { return now_; }
  [[nodiscard]] const ServedSubnet& served() const { return served_; }
  [[nodiscard]] const SubnetManager& manager(std::size_t index) const { return *managers_[index].manager; }
  /// MADs that found a full buffer.
  [[nodiscard]] std::uint64_t overflowed() const { return overflowed_; }
  [[nodiscard]] std::uint64_t events() const { return events_; }

 private:
  enum class What : std::uint8_t { kArrive, kHandled, kManager, kTrap, kStart, kStop, kUnplug, kPlug, kSend };
  struct Event {
    Time at;
    std::uint64_t order = 0;
    What what = What::kArrive;
    std::uint32_t index = 0;  // a MAD under way, or a manager
    PortPlace place{};
  };
  struct IsLater {
    bool operator()(const Event& a, const Event& b) const { return a.at != b.at ? a.at > b.at : a.order > b.order; }
  };
  /// A MAD on its way.
  struct Transit {
    MadPacket packet;
    PortPlace at{};          // the node where it is, and the port where it came in
    std::uint8_t hop = 0;    // links crossed; on the way back: still to cross
    std::uint16_t hops = 0;  // by LID: crossed so far
    bool is_directed = false;
    bool is_returning = false;
  };
  struct Host {
    PortPlace at;
    std::unique_ptr<SubnetManager> manager;
    Time alarm = Time::never();  // the earliest that is among the events
    bool is_running = false;
  };
  struct NodeState {
    Time free = Time::zero();
    std::uint32_t held = 0;
    std::vector<Time> port_free;  // per port: when its transmitter is free
  };

  void schedule(Time at, What what, std::uint32_t index, PortPlace place = {});
  void dispatch(const Event& event);
  void attend(std::size_t manager);
  void collect_traps();
  void inject(PortPlace from, const MadPacket& packet);
  void transmit(std::uint32_t transit, PortPlace egress, Duration after = Duration::zero());
  void arrive(std::uint32_t transit);
  void handle(std::uint32_t transit, Duration takes);
  [[nodiscard]] Duration agent_time(NodeIndex node) const {
    return served_[node].is_switch() ? times_.switch_agent : times_.hca_agent;
  }
  void handled(std::uint32_t transit);
  void answer(std::uint32_t transit);
  void go_back(std::uint32_t transit);
  void forward_by_lid(std::uint32_t transit);
  void at_destination(std::uint32_t transit);
  [[nodiscard]] bool give_to_manager(PortPlace end, const MadPacket& packet);
  [[nodiscard]] std::uint32_t add(const Transit& transit);
  void drop(std::uint32_t transit) { free_transits_.push_back(transit); }
  [[nodiscard]] PortPlace end_of(PortPlace place) const;

  ServedSubnet served_;
  MadTimes times_;
  std::vector<NodeState> nodes_;
  std::vector<Host> managers_;
  std::vector<MadPacket> programs_;  // what programs send
  std::vector<Received> received_;
  std::vector<Transit> transits_;
  std::vector<std::uint32_t> free_transits_;
  std::priority_queue<Event, std::vector<Event>, IsLater> events_queue_;
  Time now_ = Time::zero();
  Time trap_alarm_ = Time::never();
  std::uint64_t order_ = 0;
  std::uint64_t overflowed_ = 0;
  std::uint64_t events_ = 0;
};

}  // namespace weft::subnet
