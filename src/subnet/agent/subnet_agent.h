// The subnet management agent of a node: what it answers to Get and Set of each attribute.
//
// NodeDescription, NodeInfo, SwitchInfo, GUIDInfo, PortInfo, P_KeyTable, SLtoVLMappingTable, VLArbitrationTable,
// LinearForwardingTable and MulticastForwardingTable. SMInfo is the manager's, not the agent's. The M_Key of the end
// port guards all of them by its protection level, and its lease runs out (IBTA 1.7, 14.2.4 and 14.2.5).
#pragma once

#include <cstdint>
#include <optional>

#include "base/time.h"
#include "subnet/agent/served_node.h"
#include "wire/mad.h"

namespace weft::subnet {

/// Codes of the status field of a MAD.
enum class MadStatus : std::uint16_t {
  kOk = 0,
  kBadVersion = 1U << 2,
  kMethodNotSupported = 2U << 2,
  kAttributeNotSupported = 3U << 2,  // or not with this method
  kInvalidField = 7U << 2,
};

struct SmpRequest {
  wire::MadHeader header;
  std::uint64_t m_key = 0;
  PortNumber port = 0;  // where it arrived; 0: at a switch, from the switch itself
  Time now;
};

/// What a Set asks of a link: to be done when the answer has left.
struct LinkCommand {
  /// The link goes down to its LinkDownDefaultState; or to that state in any case.
  enum class Kind : std::uint8_t { kDown, kPoll, kSleep, kDisable };
  PortNumber port = 0;
  Kind kind = Kind::kDown;
};

struct SmpAnswer {
  MadStatus status = MadStatus::kOk;
  std::optional<LinkCommand> command{};
};

/// Whether the M_Key that guards the end port lets it pass; counts what it does not, and starts and ends the lease.
//= ibta-1.7 14.2.4
[[nodiscard]] bool passes_m_key(ServedNode& node, const SmpRequest& request);

/// `data` is that of the request and becomes that of the answer. The method is Get or Set, and the M_Key has been
/// checked.
[[nodiscard]] SmpAnswer answer_smp(ServedNode& node, const SmpRequest& request, SmpData& data);

}  // namespace weft::subnet
