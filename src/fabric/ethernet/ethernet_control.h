// What an Ethernet fabric has whose switches decide for themselves (fabric/control/): the control plane, the frames of
// it that are under way, and the packets that it lost.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fabric/control/control_plane.h"
#include "fabric/packet_notes.h"
#include "fabric/packet_pool.h"
#include "sim/actor.h"

namespace weft::fabric {

class EthernetFabric;

/// Packets of hosts by what became of them, to the endpoints of one leaf.
struct LeafLosses {
  std::uint64_t black_hole = 0;  // no entry, or one with a dead cable
  std::uint64_t on_cable = 0;    // on or in front of a cable when it failed
  std::uint64_t hop_limit = 0;   // went round until they had no hops left
  std::uint64_t looped = 0;      // came to one of the last seven switches again, whatever became of them
};
struct ControlLosses {
  std::vector<LeafLosses> leaves;    // per switch ordinal
  std::uint64_t control_frames = 0;  // of the control plane itself
};

class EthernetControl final : public ControlNetwork {
 public:
  EthernetControl(EthernetFabric& fabric, std::unique_ptr<ControlPlane> plane);

  void send(SwitchPort from, ControlFrame&& frame, Time now) override;
  void write_entry(std::uint32_t switch_ordinal, std::uint32_t leaf, std::span<const std::uint16_t> ports) override;
  void wake(std::uint32_t switch_ordinal, Time at) override;

  [[nodiscard]] ControlFrame take(PacketHandle handle) { return std::exchange(frames_[handle.value()], {}); }
  /// Whether a packet has come to the switch before, of the last seven it came to; once for each packet.
  [[nodiscard]] bool comes_again(PacketHandle handle, std::uint32_t switch_ordinal);
  enum class From : std::uint8_t { kHost, kSwitch };
  void note_origin(PacketHandle handle, From from) {
    if (from == From::kHost) {
      visits_[handle] = {};
    }
  }

  std::unique_ptr<ControlPlane> plane;
  std::vector<sim::Wake> wakes;     // per switch
  std::vector<bool> is_cable_down;  // per link
  ControlLosses losses;
  bool is_failing = false;  // a cable, now: what is lost was on it

 private:
  struct Visits {
    std::array<std::uint16_t, 7> last{};  // one more than the ordinal
    std::uint8_t next = 0;
    std::uint8_t looped = 0;
  };

  EthernetFabric& fabric_;
  std::unordered_map<std::uint32_t, ControlFrame> frames_;  // lookup only
  PacketNotes<Visits> visits_;
};

}  // namespace weft::fabric
