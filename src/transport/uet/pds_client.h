// What packet delivery asks of the semantic sublayer (SES) above it.
//
// PDS delivers packets; which part of which message each of them is, SES says when the packet is made, and hears again
// when it has been delivered. An owner is whoever has packets to send through a PDC: a number that SES chooses.
#pragma once

#include <cstdint>
#include <optional>

#include "transport/packet_io.h"
#include "transport/uet/uet_types.h"

namespace weft::transport {

/// A packet as SES knows it.
struct SesPacket {
  static constexpr std::uint32_t kNobody = 0xFFFFFFFF;  // nothing but a place in the PSN sequence
  std::uint32_t owner = kNobody;
  std::uint32_t message = 0;
  std::uint32_t index = 0;  // within the message

  /// Owner and message, which the packets of one message share.
  [[nodiscard]] std::uint64_t whole() const { return std::uint64_t{message} << 32 | owner; }
};

/// Whether an owner had a packet to give, and has more.
struct SesNext {
  bool made = false;
  bool more = false;
  SesPacket packet{};
  std::uint16_t header_bytes = 0;  // of SES
  bool expects_answer = false;     // data in the return direction
};

/// What SES made of a packet: taken, not now (a NACK), or taken and answered.
struct SesReception {
  wire::UetNack nack = wire::UetNack::kNone;
  std::uint32_t nack_payload = 0;
  bool answered = false;
  bool answer_follows = false;    // as data in the return direction
  wire::UetExtension response{};  // kept until it is cleared
};

/// What has become of an answer with data.
enum class AnswerState : std::uint8_t { kGiven, kProcessing, kUnderWay, kUnavailable };

class PdsClient {
 public:
  virtual ~PdsClient() = default;
  /// The owner's next packet: request fields, target and payload bytes are filled in. The rest of the record is set.
  [[nodiscard]] virtual SesNext make_next(std::uint32_t owner, const TransmitSlot& slot, Time now) = 0;
  /// About how many bytes the owner could send now, headers included, for the credit that they need: not looked for
  /// beyond `enough`, and rather too little than too much.
  [[nodiscard]] virtual Bytes backlog(std::uint32_t owner, Bytes enough, Time now) = 0;
  /// The same packet once more; the size of its SES header. 0: nobody wants it any longer.
  [[nodiscard]] virtual std::uint16_t make_again(const SesPacket& packet, const TransmitSlot& slot, Time now) = 0;
  virtual void on_delivered(const SesPacket& packet, Time now) = 0;
  /// The fast path of `on_delivered`, for so many packets of one message: how many of them SES has counted, for whom
  /// nothing follows from it. Of the others, which may be all, it is to be told one by one.
  [[nodiscard]] virtual std::uint32_t count_delivered(const SesPacket& packet, std::uint32_t count) = 0;
  /// The peer took it, and answered with something other than success.
  virtual void on_response(const SesPacket& packet, const wire::UetExtension& response, Time now) = 0;
  /// The peer could not take it now. After how long to send it again; Duration::max(): not at all.
  [[nodiscard]] virtual Duration on_refused(const SesPacket& packet, const wire::UetNoticeFields& notice, Time now) = 0;
  /// A packet that has come for the first time. `pdc` is the context that answers go through.
  [[nodiscard]] virtual SesReception deliver(const ReceivedPacket& received, std::uint16_t pdc, Time now) = 0;
  /// Of a request that was taken, whose answer follows.
  struct Asked {
    EndpointId peer{};
    std::uint32_t resource = 0;
    std::uint16_t message_id = 0;
  };
  [[nodiscard]] virtual AnswerState answer_state(const Asked& asked) const = 0;
};

}  // namespace weft::transport
