// Queue pair: its types, states, attributes, and which modify_qp is allowed when (the table of ibv_modify_qp).
//
// `check_modify` is the whole state machine in one function of values; engines keep the state and obey it.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/data_size.h"
#include "base/ids.h"
#include "base/psn.h"
#include "base/result.h"
#include "verbs/access.h"
#include "verbs/handles.h"

namespace weft::verbs {

enum class QpType : std::uint8_t { kRc, kUc, kUd };
[[nodiscard]] std::string_view to_string(QpType type);

//= ibta-1.7 10.3.1
enum class QpState : std::uint8_t { kReset, kInit, kRtr, kRts, kSqd, kSqe, kErr };
[[nodiscard]] std::string_view to_string(QpState state);

/// Path MTU, the largest payload of a packet in bytes. The specification has the five that are named, and peers on real
/// wires know no others; simulated devices on Ethernet may use what else their links carry.
//= ibta-1.7 7.7.8
enum class PathMtu : std::uint16_t { k256 = 256, k512 = 512, k1024 = 1024, k2048 = 2048, k4096 = 4096 };
/// Packets are whole words, so a path MTU is a multiple of 4. 8192 and all headers fit into a jumbo frame of 9000
/// bytes.
inline constexpr Bytes kSmallestPathMtu = Bytes(256);
inline constexpr Bytes kLargestPathMtu = Bytes(8192);
[[nodiscard]] constexpr Bytes to_bytes(PathMtu mtu) { return Bytes(static_cast<std::int64_t>(mtu)); }
/// Errors: not one of 256, 512, 1024, 2048, 4096.
[[nodiscard]] Result<PathMtu> path_mtu_from(Bytes bytes);
/// Errors: not a multiple of 4 from 256 to 8192.
[[nodiscard]] Result<PathMtu> ethernet_path_mtu_from(Bytes bytes);

/// Bits that say which attributes a modify_qp sets (`ibv_qp_attr_mask`).
enum QpAttributeBit : std::uint32_t {
  kQpState = 1U << 0,
  kQpAccessFlags = 1U << 1,
  kQpPkeyIndex = 1U << 2,
  kQpPort = 1U << 3,
  kQpQkey = 1U << 4,
  kQpAv = 1U << 5,
  kQpPathMtu = 1U << 6,
  kQpTimeout = 1U << 7,
  kQpRetryCnt = 1U << 8,
  kQpRnrRetry = 1U << 9,
  kQpRqPsn = 1U << 10,
  kQpMaxQpRdAtomic = 1U << 11,
  kQpMinRnrTimer = 1U << 12,
  kQpSqPsn = 1U << 13,
  kQpMaxDestRdAtomic = 1U << 14,
  kQpDestQpn = 1U << 15,
  kQpCurState = 1U << 16,
};
using QpAttributeMask = std::uint32_t;

/// Where a queue pair's packets go: the part of `ibv_ah_attr` that the transports need. The endpoint's addresses
/// (LID, GID, MAC) are known to whoever puts packets on a wire.
struct AddressVector {
  EndpointId destination{};
  std::uint8_t service_level = 0;
  std::uint8_t traffic_class = 0;  // the whole byte of the IP header: DSCP in the upper six bits
  std::uint8_t hop_limit = 64;
  std::uint16_t source_port = 0xC000;  // entropy: UDP source port, 0xC000..0xFFFF
};

/// Errors: no destination, a service level above 15, a source port below 0xC000.
[[nodiscard]] Result<void> check_address(const AddressVector& address);

/// `ibv_qp_attr`. Coded values (timeout, timers) are those of the specification.
struct QpAttributes {
  QpState state = QpState::kReset;
  QpState current_state = QpState::kReset;
  AccessMask access_flags = 0;  // what remote requests the responder admits
  std::uint16_t partition_key = 0xFFFF;
  std::uint8_t port = 1;
  std::uint32_t queue_key = 0;
  AddressVector address{};
  PathMtu path_mtu = PathMtu::k1024;
  std::uint8_t timeout = 14;            // local ACK timeout 4.096 us * 2^timeout; 0 = never; 0..31
  std::uint8_t retry_count = 7;         // 0..7
  std::uint8_t rnr_retry = 7;           // 0..7, 7 = for ever
  std::uint8_t min_rnr_timer = 12;      // 0..31, code of the RNR timer table
  std::uint8_t max_rd_atomic = 1;       // READs and atomics this requester may have outstanding; 0..128
  std::uint8_t max_dest_rd_atomic = 1;  // the same as responder
  Psn rq_psn{};
  Psn sq_psn{};
  Qpn destination_qpn{};
};

/// What a queue pair is created with (`ibv_qp_init_attr`).
struct QpInitAttributes {
  QpType type = QpType::kRc;
  PdHandle pd{};
  CqHandle send_cq{};
  CqHandle recv_cq{};
  SrqHandle srq{};  // invalid: a receive queue of its own
  std::uint32_t max_send_wr = 128;
  std::uint32_t max_recv_wr = 128;
  std::uint32_t max_send_sge = 4;
  std::uint32_t max_recv_sge = 4;
  std::uint32_t max_inline_data = 256;
  bool sq_sig_all = false;            // every send request is signalled
  bool blocks_own_multicast = false;  // UD: does not receive what it sends itself to a group that it is attached to
};

/// A modify_qp to be judged.
struct QpModification {
  QpType type = QpType::kRc;
  QpState from = QpState::kReset;
  QpAttributeMask mask = 0;
  QpAttributes attributes{};
};

/// Whether the specification allows the modification: the transition exists, every required attribute is set, none
/// is set that may not be, every value is in range. The error names the attribute and what would be right.
//= ibta-1.7 11.2.5.2
[[nodiscard]] Result<void> check_modify(const QpModification& modification);

/// The state after an allowed modification.
[[nodiscard]] QpState state_after(const QpModification& modification);

}  // namespace weft::verbs
