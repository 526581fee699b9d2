#include "transport/uet/rudi.h"

#include <algorithm>
#include <cstring>

namespace weft::transport {

using wire::UetNack;

namespace {

Duration timeout_of(std::uint8_t retries, const UetOptions& options) {
  const unsigned doublings = std::min<unsigned>(retries, 16);
  return std::min(options.timeout * (std::int64_t{1} << doublings), std::max(options.max_timeout, options.timeout));
}

void clear_header(const TransmitSlot& slot) {
  std::memset(static_cast<void*>(&slot.packet.uet), 0, sizeof(slot.packet.uet));
}

}  // namespace

// Initiator.

bool RudiExchange::poll_transmit(const TransmitSlot& slot, const Call& call) {
  if (!replies_.empty()) {
    send_reply(slot, call);
    return true;
  }
  return send_again(slot, call) || send_new(slot, call);
}

bool RudiExchange::send_again(const TransmitSlot& slot, const Call& call) {
  while (!lost_.empty()) {
    const std::uint32_t id = lost_.pop_front();
    const std::uint32_t place = id - first_id_;
    if (place >= requests_.size() || requests_[place].state != State::kLost)
      continue;
    Request& request = requests_[place];
    slot.packet.common = request.common;
    clear_header(slot);
    const std::uint16_t header = client_.make_again(request.packet, slot, call.now);
    if (header == 0) {
      finish(request);  // nobody wants it any longer
      continue;
    }
    slot.packet.uet.flags = wire::kUetRetransmit;
    ++call.counters.retransmissions;
    depart(slot, request, id, header, call);
    return true;
  }
  return false;
}

bool RudiExchange::send_new(const TransmitSlot& slot, const Call& call) {
  while (!owners_.empty() && requests_.size() < call.options.max_rudi_requests) {
    const Owner owner = owners_.pop_front();
    slot.packet.common = owner.common;
    clear_header(slot);
    const SesNext made = client_.make_next(owner.owner, slot, call.now);
    if (made.more)
      owners_.push_back(owner);
    if (!made.made)
      continue;
    const std::uint32_t id = first_id_ + requests_.size();
    requests_.push_back({.packet = made.packet, .common = owner.common, .due = call.now});
    depart(slot, requests_.back(), id, made.header_bytes, call);
    return true;
  }
  return false;
}

//= uet-1.0 3.5
void RudiExchange::depart(const TransmitSlot& slot, Request& request, std::uint32_t id, std::uint16_t header,
                          const Call& call) {
  wire::Packet& packet = slot.packet;
  packet.uet.type = wire::UetType::kRudiRequest;
  packet.uet.psn = id;
  packet.common.flags |= wire::kUnordered;
  if (call.options.trimming && packet.common.payload_bytes > 0)
    packet.common.flags |= wire::kTrimmable;
  set_uet_sizes(packet, UetSizeClass::kData,
                {.headers = Bytes(kPdsRudiBytes + header), .payload = Bytes(packet.common.payload_bytes)},
                call.options.sizes);
  request.state = State::kInFlight;
  request.due = call.now + timeout_of(request.retries, call.options);
  deadline_ = earlier(deadline_, request.due);
}

RudiExchange::Request* RudiExchange::find(const wire::Packet& packet) {
  const std::uint32_t place = packet.uet.psn - first_id_;
  if (place >= requests_.size() || requests_[place].state == State::kDone ||
      requests_[place].common.destination != packet.common.source)
    return nullptr;
  return &requests_[place];
}

void RudiExchange::finish(Request& request) {
  request.state = State::kDone;
  while (!requests_.empty() && requests_.front().state == State::kDone) {
    (void)requests_.pop_front();
    ++first_id_;
  }
}

void RudiExchange::lose(std::uint32_t id, Request& request) {
  if (request.state == State::kLost || request.state == State::kDone)
    return;
  request.state = State::kLost;
  lost_.push_back(id);
}

void RudiExchange::fail(Request& request, const Call& call) {
  const SesPacket packet = request.packet;
  finish(request);
  client_.on_rudi_failure(packet, call.now);
}

void RudiExchange::on_response(const ReceivedPacket& received, const Call& call) {
  Request* const request = find(received.packet);
  if (request == nullptr) {
    ++call.counters.duplicates;
    return;
  }
  if (received.packet.has(wire::kTrimmed)) {
    ++call.counters.trimmed;
    lose(received.packet.uet.psn, *request);
    return;
  }
  const SesPacket packet = request->packet;
  finish(*request);
  client_.on_rudi_response(packet, received, call.now);
}

void RudiExchange::on_nack(const wire::Packet& packet, const Call& call) {
  const auto code = static_cast<UetNack>(packet.uet.notice.code);
  if (packet.uet.notice.code < wire::kUetNackCodes)
    ++call.counters.nacks_received[packet.uet.notice.code];
  Request* const request = find(packet);
  if (request == nullptr) {
    ++call.counters.discarded;
    return;
  }
  switch (code) {
    case UetNack::kTrimmed:
    case UetNack::kTrimmedLastHop:
    case UetNack::kTrimmedAck:
    case UetNack::kPacketNotReceived:
    case UetNack::kReceiverInferredLoss:
      lose(packet.uet.psn, *request);
      return;
    case UetNack::kNoCcc:
    case UetNack::kNoPacketBuffer:
    case UetNack::kNoSesMessage:
    case UetNack::kNoResource:
    case UetNack::kReceivedSesProcessing:
      request->state = request->state == State::kInFlight ? State::kWaiting : request->state;
      return;  // its timeout is when it is sent again
    default:
      fail(*request, call);
      return;
  }
}

// Looks at all requests, which are bounded, at most once per timeout.
void RudiExchange::on_timeout(const Call& call) {
  if (deadline_ > call.now)
    return;
  deadline_ = Time::never();
  Ring<std::uint32_t> hopeless;
  for (std::uint32_t place = 0; place < requests_.size(); ++place) {
    Request& request = requests_[place];
    if (request.state != State::kInFlight && request.state != State::kWaiting)
      continue;
    if (request.due > call.now) {
      deadline_ = earlier(deadline_, request.due);
    } else if (request.retries == call.options.max_retries) {
      hopeless.push_back(first_id_ + place);
    } else {
      ++request.retries;
      ++call.counters.timeouts;
      lose(first_id_ + place, request);
    }
  }
  while (!hopeless.empty())
    fail(requests_[hopeless.pop_front() - first_id_], call);
}

// Target.

void RudiExchange::on_request(const ReceivedPacket& received, const Call& call) {
  const wire::PacketCommon& common = received.packet.common;
  Reply reply{.answer = {},
              .destination = common.source,
              .id = received.packet.uet.psn,
              .entropy = common.entropy,
              .traffic_class = common.traffic_class,
              .marked = common.ecn == wire::Ecn::kCe,
              .again = received.packet.uet.has(wire::kUetRetransmit)};
  // NACKs have as much room again: they are what a full queue is told by.
  if (replies_.size() >= 2U * call.options.max_rudi_responses)
    return;
  if (received.packet.has(wire::kTrimmed)) {
    ++call.counters.trimmed;
    reply.nack = received.packet.has(wire::kTrimmedLastHop) ? UetNack::kTrimmedLastHop : UetNack::kTrimmed;
  } else if (replies_.size() >= call.options.max_rudi_responses) {
    reply.nack = UetNack::kNoPacketBuffer;
  } else {
    reply.answer = client_.execute(received);
  }
  replies_.push_back(reply);
}

void RudiExchange::send_reply(const TransmitSlot& slot, const Call& call) {
  const Reply reply = replies_.pop_front();
  slot.packet.common = wire::PacketCommon{};
  clear_header(slot);
  wire::PacketCommon& common = slot.packet.common;
  common.source = setup_.endpoint;
  common.destination = reply.destination;
  common.encapsulation = setup_.encapsulation;
  common.kind = wire::PacketKind::kUet;
  common.traffic_class = reply.traffic_class;
  common.entropy = reply.entropy;
  slot.packet.uet.psn = reply.id;
  slot.packet.uet.flags =
      static_cast<std::uint8_t>((reply.marked ? wire::kUetMarked : 0) | (reply.again ? wire::kUetRetransmit : 0));
  if (reply.nack != UetNack::kNone) {
    fill_nack(reply, slot, call);
    ++call.counters.nacks_sent[static_cast<std::size_t>(reply.nack)];
  } else {
    fill_answer(reply, slot, call);
  }
}

void RudiExchange::fill_nack(const Reply& reply, const TransmitSlot& slot, const Call& call) const {
  slot.packet.common.flags = wire::kControl;
  slot.packet.uet.type = wire::UetType::kNack;
  slot.packet.uet.flags |= wire::kUetNackRudi;
  slot.packet.uet.notice = {.payload = 0, .code = static_cast<std::uint8_t>(reply.nack)};
  set_uet_sizes(slot.packet, UetSizeClass::kControl, {.headers = Bytes(kPdsNoticeBytes)}, call.options.sizes);
}

//= uet-1.0 3.5
void RudiExchange::fill_answer(const Reply& reply, const TransmitSlot& slot, const Call& call) const {
  RudiAnswer answer = reply.answer;
  wire::Packet& packet = slot.packet;
  packet.uet.type = wire::UetType::kRudiResponse;
  packet.uet.request.message_id = answer.message_id;
  if (answer.has_data && !client_.fill_data(answer, slot)) {
    answer.has_data = false;
    answer.return_code = static_cast<std::uint8_t>(wire::uet::SesReturnCode::kPermissionViolation);
  }
  packet.uet.request.memory_key = answer.return_code;
  packet.common.flags = answer.has_data ? wire::kUnordered : wire::kControl;
  if (!answer.has_data) {
    packet.uet.set_target(wire::UetNextHeader::kResponse, answer.job);
    set_uet_sizes(packet, UetSizeClass::kControl, {.headers = Bytes(kPdsRudiBytes + kSesResponseBytes)},
                  call.options.sizes);
    return;
  }
  packet.uet.set_target(wire::UetNextHeader::kResponseData, answer.job);
  packet.common.payload_bytes = static_cast<std::uint16_t>(answer.length);
  if (call.options.trimming && answer.length > 0)
    packet.common.flags |= wire::kTrimmable;
  set_uet_sizes(packet, UetSizeClass::kData,
                {.headers = Bytes(kPdsRudiBytes + kSesResponseDataBytes), .payload = Bytes(answer.length)},
                call.options.sizes);
}

}  // namespace weft::transport
