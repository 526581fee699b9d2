// What programs of a job ask of SES, and what they are told: sends and receives that match, WRITEs and READs.
#pragma once

#include <cstdint>
#include <optional>

#include "transport/uet/match_list.h"
#include "transport/uet/ses_message_fields.h"
#include "verbs/queue_pair.h"
#include "verbs/work_request.h"
#include "wire/uet/ses_codes.h"

namespace weft::transport {

/// Over what a message travels. A receiver sees the messages of a sender in order with kRod only. RUDI is for WRITEs
/// and READs, whose packets may be executed more than once.
enum class SesDelivery : std::uint8_t { kRud, kRod, kRudi };

/// What a send does while its receiver has no receive for it: all of it waits there; nothing does, and the receiver
/// asks for it later; or the first `eager` bytes do, and the receiver reads the rest.
enum class SesForm : std::uint8_t { kEager, kDeferrable, kRendezvous };

/// A place that messages of a job are sent to and from.
struct SesPortSetup {
  SesAddress address{};
  verbs::PdHandle pd{};         // of all memory that it may touch
  std::uint32_t initiator = 0;  // its name for its peers; not MatchList::kAnyInitiator
  verbs::PathMtu mtu = verbs::PathMtu::k4096;
  MatchList::Limits matching{};
  std::uint64_t unexpected_bytes = 1 << 20;  // of messages that wait for their receive
  std::uint32_t max_reads = 64;              // of peers, that are answered at a time; at least 1
};
using SesPortId = std::uint32_t;

/// Whom an operation is for.
struct SesPeer {
  EndpointId endpoint{};
  SesAddress address{};
  std::uint8_t traffic_class = 0;  // DSCP
  std::uint16_t entropy = 0xC000;  // without a path selector
};

struct SesSend {
  std::uint64_t id = 0;  // the program's own
  SesPeer peer{};
  verbs::Sge local{};
  std::uint64_t tag = 0;  // with `tagged`
  bool tagged = true;
  std::optional<std::uint64_t> header_data{};
  SesForm form = SesForm::kEager;
  std::uint32_t eager = 0;  // bytes; with kRendezvous
  SesDelivery delivery = SesDelivery::kRud;
};

struct SesReceive {
  std::uint64_t id = 0;
  verbs::Sge local{};
  MatchList::Wanted wanted{};  // without `tagged` its tag says nothing
  bool tagged = true;
};

/// A WRITE or READ.
struct SesAccess {
  std::uint64_t id = 0;
  SesPeer peer{};
  verbs::Sge local{};
  std::uint64_t remote_address = 0;
  std::uint32_t remote_key = 0;
  SesDelivery delivery = SesDelivery::kRud;
};

struct SesCompletion {
  enum class Kind : std::uint8_t { kSend, kReceive, kWrite, kRead };
  std::uint64_t id = 0;
  SesPortId port = 0;
  Kind kind = Kind::kSend;
  wire::uet::SesReturnCode status = wire::uet::SesReturnCode::kOk;
  // Of a receive:
  std::uint32_t length = 0;
  std::uint32_t initiator = 0;
  std::uint64_t tag = 0;
  std::optional<std::uint64_t> header_data{};
  EndpointId source{};
};

}  // namespace weft::transport
