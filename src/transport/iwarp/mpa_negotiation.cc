#include "transport/iwarp/mpa_negotiation.h"

#include <algorithm>

namespace weft::transport {
namespace {

using wire::MpaEnhanced;
using wire::MpaRtr;
using wire::MpaStartFrame;

wire::MpaForm form(bool markers, bool crc) {
  return {.markers = markers ? wire::MpaMarkers::kOn : wire::MpaMarkers::kOff,
          .crc = crc ? wire::MpaCrc::kOn : wire::MpaCrc::kOff};
}

void set_rtr(MpaEnhanced& words, MpaRtr rtr) {
  words.fpdu_rtr = rtr == MpaRtr::kEmptyFpdu;
  words.write_rtr = rtr == MpaRtr::kZeroLengthWrite;
  words.read_rtr = rtr == MpaRtr::kZeroLengthRead;
}

/// The one that is cheapest for the responder, of those that are set.
MpaRtr choice_of(const MpaEnhanced& words) {
  if (words.write_rtr)
    return MpaRtr::kZeroLengthWrite;
  if (words.fpdu_rtr)
    return MpaRtr::kEmptyFpdu;
  return words.read_rtr ? MpaRtr::kZeroLengthRead : MpaRtr::kNone;
}

bool offers(const MpaEnhanced& words, MpaRtr rtr) {
  switch (rtr) {
    case MpaRtr::kNone:
      return false;
    case MpaRtr::kEmptyFpdu:
      return words.fpdu_rtr;
    case MpaRtr::kZeroLengthWrite:
      return words.write_rtr;
    case MpaRtr::kZeroLengthRead:
      return words.read_rtr;
  }
  return false;
}

std::uint16_t depth(std::uint16_t value) { return std::min(value, MpaEnhanced::kMaxDepth); }

IwarpNegotiated common(const MpaStartFrame& own, const MpaStartFrame& peers, ReadDepths depths) {
  const bool crc = own.crc || peers.crc;
  return {.sends = form(peers.markers, crc),
          .receives = form(own.markers, crc),
          .ird = depths.ird,
          .ord = depths.ord,
          .rtr = MpaRtr::kNone};
}

}  // namespace

IwarpNegotiated assume_negotiated(const IwarpOptions& options, ReadDepths own) {
  return {.sends = form(options.markers, options.crc),
          .receives = form(options.markers, options.crc),
          .ird = own.ird,
          .ord = own.ord,
          .rtr = MpaRtr::kNone};
}

MpaStartFrame make_request(const IwarpOptions& options, ReadDepths own) {
  MpaStartFrame request;
  request.kind = wire::MpaFrameKind::kRequest;
  request.markers = options.markers;
  request.crc = options.crc;
  request.revision = options.mpa_revision;
  request.private_data = options.private_data;
  if (options.mpa_revision >= 2) {
    request.enhanced = MpaEnhanced{.ird = depth(own.ird), .ord = depth(own.ord)};
    request.enhanced->peer_to_peer = options.peer_to_peer;
    if (options.peer_to_peer)
      set_rtr(*request.enhanced, options.rtr);
  }
  return request;
}

//= rfc6581 9
MpaStartFrame make_reply(const MpaStartFrame& request, const IwarpOptions& options, ReadDepths own) {
  MpaStartFrame reply;
  reply.kind = wire::MpaFrameKind::kReply;
  reply.markers = options.markers;
  reply.crc = options.crc || request.crc;
  reply.revision = std::min(request.revision, options.mpa_revision);
  reply.private_data = options.private_data;
  if (reply.revision >= 2 && request.enhanced.has_value()) {
    reply.enhanced = MpaEnhanced{.ird = depth(own.ird), .ord = std::min(depth(own.ord), request.enhanced->ird)};
    reply.enhanced->peer_to_peer = request.enhanced->peer_to_peer;
    if (request.enhanced->peer_to_peer)
      set_rtr(*reply.enhanced, choice_of(*request.enhanced));
  }
  return reply;
}

IwarpNegotiated agree_as_responder(const MpaStartFrame& request, const MpaStartFrame& reply, ReadDepths own) {
  IwarpNegotiated agreement = common(reply, request, own);
  if (reply.enhanced.has_value()) {
    agreement.ord = std::min(own.ord, request.enhanced->ird);
    agreement.rtr = choice_of(*reply.enhanced);
  }
  return agreement;
}

//= rfc6581 9.2
tl::expected<IwarpNegotiated, wire::TerminateCode> agree_as_initiator(const MpaStartFrame& request,
                                                                      const MpaStartFrame& reply, ReadDepths own) {
  IwarpNegotiated agreement = common(request, reply, own);
  if (!request.enhanced.has_value() || !reply.enhanced.has_value())
    return agreement;
  if (reply.enhanced->ord != MpaEnhanced::kMaxDepth && reply.enhanced->ord > own.ird)
    return tl::unexpected(wire::terminate::kInsufficientIrd);
  agreement.ord = std::min(own.ord, reply.enhanced->ird);
  if (request.enhanced->peer_to_peer) {
    agreement.rtr = choice_of(*reply.enhanced);
    if (!offers(*request.enhanced, agreement.rtr))
      return tl::unexpected(wire::terminate::kNoMatchingRtr);
  }
  return agreement;
}

}  // namespace weft::transport
