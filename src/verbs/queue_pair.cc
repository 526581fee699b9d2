#include "verbs/queue_pair.h"

#include <array>
#include <string>

#include "base/assert.h"

namespace weft::verbs {

namespace {

/// One row of the table: which attributes a transition of one type needs, and which it may have besides. The state
/// itself (kQpState) may always be given.
struct Transition {
  QpType type;
  QpState from;
  QpState to;
  QpAttributeMask required;
  QpAttributeMask optional;
};

// Attributes that a whole group of rows shares.
constexpr QpAttributeMask kIdentity = kQpPkeyIndex | kQpPort;
constexpr QpAttributeMask kPath = kQpAv | kQpPathMtu | kQpDestQpn | kQpRqPsn;
constexpr QpAttributeMask kRcResponder = kQpMaxDestRdAtomic | kQpMinRnrTimer;
constexpr QpAttributeMask kRcRequester = kQpTimeout | kQpRetryCnt | kQpRnrRetry | kQpMaxQpRdAtomic;
constexpr QpAttributeMask kRcLive = kQpCurState | kQpAccessFlags | kQpMinRnrTimer;
constexpr QpAttributeMask kUcLive = kQpCurState | kQpAccessFlags;
constexpr QpAttributeMask kUdLive = kQpCurState | kQpQkey;

// Moves to RESET and ERR are allowed from everywhere without attributes and need no row.
//= ibta-1.7 11.2.5.2
constexpr std::array kTransitions = {
    Transition{QpType::kRc, QpState::kReset, QpState::kInit, kIdentity | kQpAccessFlags, 0},
    Transition{QpType::kUc, QpState::kReset, QpState::kInit, kIdentity | kQpAccessFlags, 0},
    Transition{QpType::kUd, QpState::kReset, QpState::kInit, kIdentity | kQpQkey, 0},
    Transition{QpType::kRc, QpState::kInit, QpState::kInit, 0, kIdentity | kQpAccessFlags},
    Transition{QpType::kUc, QpState::kInit, QpState::kInit, 0, kIdentity | kQpAccessFlags},
    Transition{QpType::kUd, QpState::kInit, QpState::kInit, 0, kIdentity | kQpQkey},
    Transition{QpType::kRc, QpState::kInit, QpState::kRtr, kPath | kRcResponder, kQpAccessFlags | kQpPkeyIndex},
    Transition{QpType::kUc, QpState::kInit, QpState::kRtr, kPath, kQpAccessFlags | kQpPkeyIndex},
    Transition{QpType::kUd, QpState::kInit, QpState::kRtr, 0, kQpPkeyIndex | kQpQkey},
    Transition{QpType::kRc, QpState::kRtr, QpState::kRts, kRcRequester | kQpSqPsn, kRcLive},
    Transition{QpType::kUc, QpState::kRtr, QpState::kRts, kQpSqPsn, kUcLive},
    Transition{QpType::kUd, QpState::kRtr, QpState::kRts, kQpSqPsn, kUdLive},
    Transition{QpType::kRc, QpState::kRts, QpState::kRts, 0, kRcLive},
    Transition{QpType::kUc, QpState::kRts, QpState::kRts, 0, kUcLive},
    Transition{QpType::kUd, QpState::kRts, QpState::kRts, 0, kUdLive},
    Transition{QpType::kRc, QpState::kRts, QpState::kSqd, 0, 0},
    Transition{QpType::kUc, QpState::kRts, QpState::kSqd, 0, 0},
    Transition{QpType::kUd, QpState::kRts, QpState::kSqd, 0, 0},
    Transition{QpType::kRc, QpState::kSqd, QpState::kRts, 0, kRcLive},
    Transition{QpType::kUc, QpState::kSqd, QpState::kRts, 0, kUcLive},
    Transition{QpType::kUd, QpState::kSqd, QpState::kRts, 0, kUdLive},
    Transition{QpType::kRc, QpState::kSqd, QpState::kSqd, 0,
               kIdentity | kQpAv | kQpAccessFlags | kRcResponder | kRcRequester},
    Transition{QpType::kUc, QpState::kSqd, QpState::kSqd, 0, kQpPkeyIndex | kQpAv | kQpAccessFlags},
    Transition{QpType::kUd, QpState::kSqd, QpState::kSqd, 0, kQpPkeyIndex | kQpQkey},
    // A reliable connection that fails goes to ERR: SQE exists for the unreliable services only.
    Transition{QpType::kUc, QpState::kSqe, QpState::kRts, 0, kUcLive},
    Transition{QpType::kUd, QpState::kSqe, QpState::kRts, 0, kUdLive},
};

constexpr std::array<std::string_view, 17> kAttributeNames = {
    "state",           "access_flags",  "partition_key", "port",        "queue_key",
    "address",         "path_mtu",      "timeout",       "retry_count", "rnr_retry",
    "rq_psn",          "max_rd_atomic", "min_rnr_timer", "sq_psn",      "max_dest_rd_atomic",
    "destination_qpn", "current_state"};

constexpr QpAttributeMask kAllAttributes = (1U << kAttributeNames.size()) - 1;
constexpr std::uint32_t kLargestQpn = Psn::kMask;

/// "path_mtu, rq_psn"; "none" for an empty mask.
std::string names_of(QpAttributeMask mask) {
  std::string names;
  for (std::size_t i = 0; i < kAttributeNames.size(); ++i) {
    if ((mask >> i & 1) != 0) {
      names += names.empty() ? "" : ", ";
      names += kAttributeNames[i];
    }
  }
  return names.empty() ? "none" : names;
}

const Transition* find_transition(QpType type, QpState from, QpState to) {
  for (const Transition& row : kTransitions) {
    if (row.type == type && row.from == from && row.to == to) {
      return &row;
    }
  }
  return nullptr;
}

/// "RESET, INIT, ERR": where a modify_qp may lead.
std::string successors(QpType type, QpState from) {
  std::string names = "RESET, ERR";
  for (const Transition& row : kTransitions) {
    if (row.type == type && row.from == from) {
      names += fmt::format(", {}", to_string(row.to));
    }
  }
  return names;
}

/// One attribute whose range is that of a small number.
struct NumberRange {
  QpAttributeBit bit;
  unsigned value;
  unsigned least;
  unsigned greatest;
};

Result<void> check_numbers(QpAttributeMask mask, const QpAttributes& attributes) {
  const std::array ranges = {
      NumberRange{kQpPort, attributes.port, 1, 255},
      NumberRange{kQpTimeout, attributes.timeout, 0, 31},
      NumberRange{kQpRetryCnt, attributes.retry_count, 0, 7},
      NumberRange{kQpRnrRetry, attributes.rnr_retry, 0, 7},
      NumberRange{kQpMinRnrTimer, attributes.min_rnr_timer, 0, 31},
      NumberRange{kQpMaxQpRdAtomic, attributes.max_rd_atomic, 0, 128},
      NumberRange{kQpMaxDestRdAtomic, attributes.max_dest_rd_atomic, 0, 128},
      NumberRange{kQpDestQpn, attributes.destination_qpn.value(), 0, kLargestQpn},
      NumberRange{kQpAccessFlags, attributes.access_flags, 0, kAccessAll},
  };
  for (const NumberRange& range : ranges) {
    if ((mask & range.bit) != 0 && (range.value < range.least || range.value > range.greatest)) {
      return fail("modify_qp: {} is {}; it must be {} to {}", names_of(range.bit), range.value, range.least,
                  range.greatest);
    }
  }
  return {};
}

Result<void> check_values(const QpModification& modification) {
  const QpAttributes& attributes = modification.attributes;
  if (auto checked = check_numbers(modification.mask, attributes); !checked) {
    return checked;
  }
  if ((modification.mask & kQpPathMtu) != 0) {
    if (auto mtu = ethernet_path_mtu_from(to_bytes(attributes.path_mtu)); !mtu) {
      return fail("modify_qp: path_mtu: {}", mtu.error().message);
    }
  }
  //= ibta-1.7 10.9
  if ((modification.mask & kQpPkeyIndex) != 0 && (attributes.partition_key & 0x7FFF) == 0) {
    return fail("modify_qp: partition_key is {:#06x}; its low 15 bits must not all be 0", attributes.partition_key);
  }
  if ((modification.mask & kQpCurState) != 0 && attributes.current_state != modification.from) {
    return fail("modify_qp: current_state is {}, but the queue pair is in {}", to_string(attributes.current_state),
                to_string(modification.from));
  }
  if ((modification.mask & kQpAv) != 0) {
    return check_address(attributes.address);
  }
  return {};
}

}  // namespace

std::string_view to_string(QpType type) {
  switch (type) {
    case QpType::kRc:
      return "RC";
    case QpType::kUc:
      return "UC";
    case QpType::kUd:
      return "UD";
  }
  return "unknown type";
}

std::string_view to_string(QpState state) {
  switch (state) {
    case QpState::kReset:
      return "RESET";
    case QpState::kInit:
      return "INIT";
    case QpState::kRtr:
      return "RTR";
    case QpState::kRts:
      return "RTS";
    case QpState::kSqd:
      return "SQD";
    case QpState::kSqe:
      return "SQE";
    case QpState::kErr:
      return "ERR";
  }
  return "unknown state";
}

Result<PathMtu> path_mtu_from(Bytes bytes) {
  for (const PathMtu mtu : {PathMtu::k256, PathMtu::k512, PathMtu::k1024, PathMtu::k2048, PathMtu::k4096}) {
    if (to_bytes(mtu) == bytes) {
      return mtu;
    }
  }
  return fail("path MTU of {} bytes; it must be 256, 512, 1024, 2048 or 4096", bytes.count());
}

Result<PathMtu> ethernet_path_mtu_from(Bytes bytes) {
  if (bytes < kSmallestPathMtu || bytes > kLargestPathMtu || bytes.count() % 4 != 0) {
    return fail("path MTU of {} bytes; it must be a multiple of 4 from {} to {}", bytes.count(),
                kSmallestPathMtu.count(), kLargestPathMtu.count());
  }
  return static_cast<PathMtu>(bytes.count());
}

Result<void> check_address(const AddressVector& address) {
  if (!address.destination.is_valid()) {
    return fail("address vector: no destination");
  }
  if (address.service_level > 15) {
    return fail("address vector: service_level is {}; it must be 0 to 15", address.service_level);
  }
  if (address.source_port < 0xC000) {
    return fail("address vector: source_port is {:#x}; it must be 0xc000 to 0xffff", address.source_port);
  }
  return {};
}

Result<void> check_modify(const QpModification& modification) {
  const QpType type = modification.type;
  const QpState from = modification.from;
  const QpState to = state_after(modification);
  const bool always_allowed = to == QpState::kReset || to == QpState::kErr;
  const Transition bare{type, from, to, 0, 0};
  const Transition* row = always_allowed ? &bare : find_transition(type, from, to);
  if (row == nullptr) {
    return fail("modify_qp: {} queue pair cannot go from {} to {}; from {} it may go to {}", to_string(type),
                to_string(from), to_string(to), to_string(from), successors(type, from));
  }
  const auto given = modification.mask & ~QpAttributeMask{kQpState};
  if (const auto missing = row->required & ~given; missing != 0) {
    return fail("modify_qp: {} {} to {} lacks {}; it requires {}", to_string(type), to_string(from), to_string(to),
                names_of(missing), names_of(row->required));
  }
  if ((given & ~kAllAttributes) != 0) {
    return fail("modify_qp: attribute mask {:#x} has bits that mean nothing", modification.mask);
  }
  if (const auto surplus = given & ~(row->required | row->optional); surplus != 0) {
    return fail("modify_qp: {} {} to {} may not set {}; required: {}; optional: {}", to_string(type), to_string(from),
                to_string(to), names_of(surplus), names_of(row->required), names_of(row->optional));
  }
  return check_values(modification);
}

QpState state_after(const QpModification& modification) {
  return (modification.mask & kQpState) != 0 ? modification.attributes.state : modification.from;
}

}  // namespace weft::verbs
