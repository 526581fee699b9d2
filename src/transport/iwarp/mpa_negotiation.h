// What the two ends of an iWARP connection agree on: request, reply, and what each end concludes. Pure functions.
//
// CRCs are used unless both ends want none; each end decides whether it wants markers in what it receives. With
// revision 2 each end's ORD is at most the other's IRD, and the initiator sends first what the responder has chosen of
// its offers. Source: RFC 5044 7, RFC 6581 9.
#pragma once

#include "base/result.h"
#include "transport/iwarp/iwarp_types.h"
#include "wire/mpa.h"
#include "wire/rdmap.h"

namespace weft::transport {

/// READ queue depths of an end: what it admits, and what it would like to use.
struct ReadDepths {
  std::uint16_t ird = 0;
  std::uint16_t ord = 0;
};

/// The exchange taken as done between two ends with these same options.
[[nodiscard]] IwarpNegotiated assume_negotiated(const IwarpOptions& options, ReadDepths own);

/// `private_data` of the frame views the options.
[[nodiscard]] wire::MpaStartFrame make_request(const IwarpOptions& options, ReadDepths own);
[[nodiscard]] wire::MpaStartFrame make_reply(const wire::MpaStartFrame& request, const IwarpOptions& options,
                                             ReadDepths own);

/// What the responder concludes from the request and its own reply.
[[nodiscard]] IwarpNegotiated agree_as_responder(const wire::MpaStartFrame& request, const wire::MpaStartFrame& reply,
                                                 ReadDepths own);

/// What the initiator concludes; the error is the TERMINATE that it answers with.
[[nodiscard]] tl::expected<IwarpNegotiated, wire::TerminateCode> agree_as_initiator(const wire::MpaStartFrame& request,
                                                                                    const wire::MpaStartFrame& reply,
                                                                                    ReadDepths own);

}  // namespace weft::transport
