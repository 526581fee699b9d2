// Subnet administration (SA) of a simulated manager: what it answers, and to whom.
//
// Requests with its SM_Key are trusted. One with another SM_Key that is not 0 is discarded without an answer; one
// without any is answered with less: no M_Key in PortInfoRecords, no port, state of join or proxy in MCMemberRecords,
// and P_KeyTableRecords not at all. As OpenSM 3.3.23, whose SM_Key here is `sa_key`; 1 by default, which everybody
// knows.
//
// MCMemberRecords are set, deleted and read, the other two are read, by LID. All else is refused.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "subnet/agent/mad_packet.h"
#include "subnet/manager/known_subnet.h"
#include "subnet/multicast/group_records.h"
#include "subnet/routing_view.h"

namespace weft::subnet {

/// How many requests had which SM_Key, and what became of them.
struct AdministrationCounters {
  std::uint64_t discarded = 0;  // an SM_Key that is neither 0 nor the own one
  std::uint64_t refused = 0;    // without an SM_Key, for what only trusted requests get
  std::uint64_t reduced = 0;    // answered without what only trusted requests are told
  std::uint64_t joins = 0;      // of members that were carried out, with those that left
};

class Administration {
 public:
  explicit Administration(std::uint64_t sa_key) : sa_key_(sa_key) {}

  /// What the manager has found, in its last sweep.
  struct Network {
    const KnownSubnet& known;
    const RoutingView& view;
  };
  /// None: the request is discarded.
  //= ibta-1.7 15.4.1
  [[nodiscard]] std::optional<MadPacket> answer(const MadPacket& request, const Network& network, GroupRecords& groups);
  [[nodiscard]] const AdministrationCounters& counters() const { return counters_; }

 private:
  struct Request {
    const MadPacket& packet;
    const Network& network;
    bool is_trusted = false;
  };
  [[nodiscard]] SaStatus answer_member(const Request& request, GroupRecords& groups, std::span<std::byte> out);
  [[nodiscard]] SaStatus answer_port_info(const Request& request, std::span<std::byte> out);
  [[nodiscard]] SaStatus answer_p_keys(const Request& request, std::span<std::byte> out);

  std::uint64_t sa_key_;
  AdministrationCounters counters_{};
};

}  // namespace weft::subnet
