// Attacks from one endpoint of a network on another: what an attacker does and knows, what switches and NICs check
// against it, and what is counted.
//
// An attacker owns a host: it sends what it likes through the host's own port, at a rate of its choice, beside what the
// host's programs send. Its packets are those of a NIC but for the fields that it forges; they wait for the wire, for
// pauses and credits, like others. Sources: Rothenberger et al., "ReDMArk: Bypassing RDMA Security Mechanisms" (USENIX
// Security 2021); IBTA 1.7 chapters 9 and 10; IEEE 802.1Q clause 36.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/rate.h"
#include "base/time.h"

namespace weft::host {

class Nic;
/// The NIC of an endpoint.
using FindNic = std::function<Nic&(EndpointId)>;

enum class AttackKind : std::uint8_t {
  kForgedRKey,   // WRITEs into a connection of the victim, with an R_Key
  kForgedPKey,   // the same, from outside of its partition
  kForgedQKey,   // datagrams to a UD queue pair of the victim
  kPsnGuess,     // WRITEs with everything right but the PSN
  kCnpFlood,     // congestion notifications for connections of the victim
  kPauseFlood,   // PFC frames to the own switch
  kRogueSm,      // subnet management packets that change forwarding tables
  kBgpSpoof,     // resets of the victim's leaf's BGP sessions
  kGidSpoof,     // ARP or neighbour advertisements that claim the victim's address
  kRogueCc,      // settings of InfiniBand's congestion control for the victim's port
  kForgedSmKey,  // requests to subnet administration for the M_Key, and what kRogueSm does with it
};

/// How what is not known is tried: one value after the other, or drawn.
enum class Guess : std::uint8_t { kSequential, kRandom };

/// Fields of the victim's connections that the attacker has seen. Addresses of memory are taken as known.
struct Knowledge {
  bool qpn = false;
  bool psn = false;  // of the next packet that the genuine sender will send
  bool r_key = false;
  bool p_key = false;
  bool q_key = false;
  bool sm_key = false;  // of subnet administration
};

struct AttackOptions {
  std::string name{};
  AttackKind kind = AttackKind::kForgedRKey;
  EndpointId from{};
  EndpointId victim{};
  EndpointId administration{};  // of kForgedSmKey: the port of the subnet manager, another than `from`
  Time start;
  Time stop = Time::never();
  Duration interval = Duration::microseconds(1);  // between two packets, if the wire takes them; above zero
  Rate bandwidth = Rate::zero();                  // above zero: of what is sent on the wire, in place of `interval`
  Knowledge knows{};
  Guess guess = Guess::kRandom;
  std::uint16_t payload = 64;  // bytes of a forged WRITE or datagram; at most the smallest path MTU
  std::uint64_t seed = 1;      // of what is drawn
};

/// What a network checks besides what its engines do always.
struct Defences {
  /// Switches discard what comes from a host with a P_Key whose partition the host is not in.
  bool switch_partitions = false;
  /// By endpoint: P_Keys of the partitions that it is in. Only with switch_partitions.
  std::vector<std::vector<std::uint16_t>> partitions{};
  /// Leaves discard what comes from a host with another source address than its own, ARP included.
  bool source_check = false;
  /// Packets are authenticated from end to end (TSS): forged ones fail there.
  bool authenticates = false;
  /// A NIC takes a CNP for a queue pair only so long after the last one that it took; zero: any.
  Duration cnp_interval;
  /// Switches take no subnet management packets without their M_Key, which hosts do not have.
  bool m_key = false;
  /// Subnet administration has an SM_Key that hosts do not have, in place of OpenSM's default, which everybody knows.
  bool sa_key = false;
  /// Agents of congestion control (class 21h) take no settings without their CC_Key, which hosts do not have.
  bool cc_key = false;
  /// Switches take segments of BGP with TTL 255 alone: from neighbours, not from further away.
  bool bgp_ttl_security = false;
  /// Segments of BGP are authenticated by a key that hosts do not have (RFC 2385, RFC 5925).
  bool bgp_password = false;
};

/// What became of a forged packet.
enum class Outcome : std::uint8_t {
  kAccepted,         // did what it was forged for
  kSwitchPartition,  // discarded by the attacker's switch: P_Key
  kSwitchAddress,    // likewise: source address
  kSmKey,            // discarded by subnet administration: an SM_Key that is neither 0 nor its own
  kUntrusted,        // answered by it, without what only those get that have its SM_Key: 0 in place of the M_Key
  kSwitchKey,        // by the switch or agent that it is for: M_Key, CC_Key, or TTL or password of BGP
  kAuthentication,   // by the victim: TSS
  kQueuePair,        // no such queue pair or context, or one that has failed
  kPartition,        // P_Key
  kQueueKey,         // Q_Key
  kAhead,            // PSN beyond the next one, or outside of the window
  kBehind,           // PSN of a packet that has come already
  kRemoteKey,        // R_Key, bounds or rights of memory
  kLimit,            // more CNPs than the NIC takes
  kNoReceive,        // a datagram that found no receive request
  kOther,
};
inline constexpr std::size_t kOutcomes = 16;

struct AttackCounters {
  std::uint64_t sent = 0;
  std::uint64_t arrived = 0;  // at the victim's NIC; of PFC, ARP and BGP: at the switch that they are for
  std::array<std::uint64_t, kOutcomes> outcomes{};
  std::uint64_t bytes_written = 0;       // into memory of the victim
  std::uint64_t queue_pairs_broken = 0;  // of the victim, that a forged packet brought to the error state
  Duration throttled;                    // the victim's connections, from a forged notification to the next, summed
  std::uint64_t diverted = 0;            // genuine packets that came to the attacker in place of the victim
  std::uint64_t diverted_bytes = 0;      // of their payload
  std::uint64_t sessions_broken = 0;     // of BGP
  Duration paused;                       // the attacker's switch port, until now

  [[nodiscard]] std::uint64_t& of(Outcome outcome) { return outcomes[static_cast<std::size_t>(outcome)]; }
  [[nodiscard]] std::uint64_t of(Outcome outcome) const { return outcomes[static_cast<std::size_t>(outcome)]; }
  /// Neither arrived nor discarded by a check: dropped on the way, or still under way.
  [[nodiscard]] std::uint64_t lost() const {
    std::uint64_t known = 0;
    for (const std::uint64_t count : outcomes) {
      known += count;
    }
    return sent - known;
  }
};

}  // namespace weft::host
