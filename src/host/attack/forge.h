// Makes the packets of an attacker: those that a genuine sender could have sent next, but for the fields that the
// attacker does not know.
//
// Wrong fields are tried by AttackOptions::guess. A forged packet has the source address of the victim's peer; where
// the network looks at source addresses, that is what it sees.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/random.h"
#include "fabric/packet_pool.h"
#include "host/attack/attack_types.h"
#include "host/nic.h"

namespace weft::host {

/// Marks packets of attackers on their way; of trimmed packets the bit means something else.
inline constexpr std::uint8_t kForgedMark = wire::kTrimmedLastHop;
[[nodiscard]] inline bool is_forged(const wire::Packet& packet) {
  return packet.has(wire::kTrimmedLastHop) && !packet.has(wire::kTrimmed);
}

/// One end of a connection at the victim, and the sender at the other.
struct AttackTarget {
  Qpn victim;
  EndpointId peer;
  Qpn peers;
};

class Forge {
 public:
  Forge(const AttackOptions& options, FindNic find_nic);

  /// The next packet of a kind that is for a NIC; false: the victim has no connection now that could be attacked, and
  /// none is sent. Sizes, priority and path hash are set.
  [[nodiscard]] bool make(wire::Packet& packet, wire::ColdPacket& cold);
  /// The packet that was made last has not been sent: what it tried is tried again.
  void take_back();
  /// Makes the UD queue pair at the victim that forged-q-key is about, once.
  [[nodiscard]] Result<void> make_service();
  /// `known`, or the next guess among so many values.
  [[nodiscard]] std::uint32_t value(bool is_known, std::uint32_t known, std::uint32_t bits);

 private:
  void refresh_targets();
  [[nodiscard]] bool is_usable(const AttackTarget& target) const;
  [[nodiscard]] const AttackTarget* next_target();
  [[nodiscard]] std::uint32_t remote_key(const AttackTarget& target, std::uint64_t& address);
  void make_write(const AttackTarget& target, wire::Packet& packet);
  void make_notification(const AttackTarget& target, wire::Packet& packet);
  void make_uet_write(const AttackTarget& target, wire::Packet& packet);
  void make_datagram(wire::Packet& packet, wire::ColdPacket& cold);
  /// Lane and path of a packet that is complete.
  void address(wire::Packet& packet) const;

  AttackOptions options_;
  FindNic find_nic_;
  RandomStream random_;
  std::vector<AttackTarget> targets_;
  std::size_t turn_ = 0;
  std::uint32_t made_ = 0;
  std::uint32_t guesses_ = 0;
  std::map<Qpn, std::uint32_t> key_guesses_;  // of each connection: a wrong one may be its last
  std::uint32_t* last_guess_ = nullptr;       // counter of what was tried last, if anything was in sequence
  std::uint32_t first_guess_;
  Qpn service_ = Qpn::invalid();
  std::uint32_t service_key_ = 0;
  /// Of Ultra Ethernet, as if a peer had opened it.
  struct Context {
    std::uint32_t start = 0;
    std::uint16_t number = 0;
    std::int16_t packets = 0;
  };
  std::map<EndpointId, Context> contexts_;
};

}  // namespace weft::host
