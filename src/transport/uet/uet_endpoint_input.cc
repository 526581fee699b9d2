// How packets find their context, and what contexts ask of the queue pairs.
#include "base/assert.h"
#include "base/stable_hash.h"
#include "transport/uet/uet_endpoint.h"
#include "transport/uet/uet_fast_path.h"

namespace weft::transport {
namespace {

/// Packets without a context that wait to leave; more are not sent.
constexpr std::uint32_t kMostStrays = 1'024;

/// Flags of packets that the fast path does not take.
constexpr std::uint8_t kNeverFast = wire::kCorrupted | wire::kTrimmed | wire::kHasCold;

}  // namespace

// Out of line, as Pdc::poll_transmit is: the fast path saves no registers for it.
[[gnu::noinline]] std::uint16_t UetEndpoint::deliver(const ReceivedPacket& received, Time now) {
  const wire::Packet& packet = received.packet;
  last_srq_ = {};
  ++counters_.slow_received;
  if (packet.has(wire::kCorrupted)) {
    ++counters_.discarded;
    return 0;
  }
  const bool opens = is_request(packet.uet.type) && packet.uet.has(wire::kUetSyn);
  const std::uint16_t place = opens ? find_target(packet, now) : find_numbered(received, now);
  if (place != 0) {
    pool_[place]->pdc.on_packet(received, call(now));
    if (credits_ != nullptr && pool_[place]->pdc.live()) {
      credits_->on_packet(place, received, now);
      grant_credit(now);
    }
    settle(place, now);
  }
  return place;
}

bool UetEndpoint::deliver_in_turn(const ReceivedPacket& received, Time now) {
  const wire::Packet& packet = received.packet;
  const std::uint16_t number = packet.uet.destination_pdc;
  return (packet.common.flags & kNeverFast) == 0 && received.payload.empty() && !packet.uet.has(wire::kUetSyn) &&
         number < pool_.size() &&
         pool_[number]->pdc.take_in_turn(packet, context_.memory().version(), setup_.options, now);
}

std::uint16_t UetEndpoint::deliver_fast(const ReceivedPacket& received, Time now) {
  const wire::Packet& packet = received.packet;
  // With credit for this endpoint's senders, every packet tells of theirs.
  if ((packet.common.flags & kNeverFast) != 0 || !received.payload.empty() || credits_ != nullptr)
    return 0;
  const bool opens = packet.uet.type == wire::UetType::kRudRequest && packet.uet.has(wire::kUetSyn);
  const std::uint16_t number = opens ? find_open_target(packet) : packet.uet.destination_pdc;
  if (number >= pool_.size())
    return 0;
  Pdc& pdc = pool_[number]->pdc;
  if (packet.uet.type == wire::UetType::kRudRequest) {
    const std::uint32_t version = context_.memory().version();
    const bool in_run =
        pdc.is_in_run(packet, version) || (find_take_run(packet, pdc) && pdc.is_in_run(packet, version));
    return in_run && pdc.take_in_run(packet, call(now)) ? number : std::uint16_t{0};
  }
  if (packet.uet.type != wire::UetType::kAckCc || !pdc.acknowledge_fast(packet, call(now)))
    return 0;
  settle(number, now);
  return number;
}

// The context that packets with SYN of before have made; 0: find_target has to look.
[[gnu::noinline]] std::uint16_t UetEndpoint::find_open_target(const wire::Packet& packet) const {
  const wire::UetHeader& header = packet.uet;
  if (header.psn_offset < 0 || header.psn_offset >= 4'096 || header.source_pdc == 0)
    return 0;
  const auto found = targets_.find(key_of(packet.common.source, header.source_pdc));
  if (found == targets_.end())
    return 0;
  const std::uint32_t start = header.psn - static_cast<std::uint32_t>(header.psn_offset);
  return pool_[found->second]->pdc.receiver().start() == start ? found->second : std::uint16_t{0};
}

// The run that the packet is of, if it may be one of several that the context can take on its own.
[[gnu::noinline]] bool UetEndpoint::find_take_run(const wire::Packet& packet, Pdc& pdc) {
  const wire::UetHeader& header = packet.uet;
  if (!pdc.may_have_take_run(packet) || (header.flags & ~(wire::kUetAckRequest | wire::kUetSyn)) != 0 ||
      header.request.ses_flags != 0 || header.next_header() != wire::UetNextHeader::kRequestStandard)
    return false;
  const QpSlot slot = numbers_.find(Qpn(header.resource()));
  TakeRun run{.header = RunHeader::of(header),
              .source = packet.common.source,
              .source_pdc = header.source_pdc,
              .payload = packet.common.payload_bytes,
              .memory_version = context_.memory().version()};
  if (slot.kind != EngineKind::kUet || !slot.exists() ||
      !queue_pairs_[Handle(slot.index)].find_take_run(packet, pdc.id(), context_, run))
    return false;
  pdc.take_run() = run;
  return true;
}

// The run of whose turn it is.
[[gnu::noinline]] bool UetEndpoint::find_send_run(Place& place) {
  Pdc& pdc = place.pdc;
  if (!pdc.may_have_send_run() || setup_.options.full_headers)
    return false;
  const std::uint32_t owner = pdc.sender().first_owner();
  if (is_message(owner))
    return false;
  const SesRequester::Run found = queue_pair_of(owner).find_send_run(owner, place.common);
  if (found.run == nullptr)
    return false;
  WEFT_DCHECK(found.fresh || found.run->next.uet.source_pdc == pdc.id());
  if (found.fresh)
    pdc.prepare(*found.run, setup_.options);
  pdc.sender().begin_run(*found.run);
  return true;
}

// Packets that are answers are not answered: two ends would never stop.
std::uint16_t UetEndpoint::find_numbered(const ReceivedPacket& received, Time now) {
  const wire::Packet& packet = received.packet;
  const wire::UetHeader& header = packet.uet;
  const std::uint16_t number = header.destination_pdc;
  const bool exists = number != 0 && number < pool_.size() && pool_[number]->pdc.live();
  const bool answerable = is_request(header.type) || header.type == wire::UetType::kControl;
  if (!exists) {
    if (deliver_without_context(received, now))
      return 0;
    ++counters_.discarded;
    if (answerable)
      refuse(packet, wire::UetNack::kInvalidDestinationPdc, 0);
    return 0;
  }
  const Pdc& pdc = pool_[number]->pdc;
  const bool knows_peer = pdc.state() != Pdc::State::kSyn;
  // A target that refuses to make a context has no number to name.
  const bool refuses = header.type == wire::UetType::kNack && header.source_pdc == 0;
  if (pdc.key().peer != packet.common.source || (knows_peer && !refuses && pdc.peer_id() != header.source_pdc)) {
    ++counters_.discarded;
    if (answerable)
      refuse(packet, wire::UetNack::kPdcHeaderMismatch, 0);
    return 0;
  }
  return number;
}

//= uet-1.0 3.5
std::uint16_t UetEndpoint::find_target(const wire::Packet& packet, Time now) {
  const wire::UetHeader& header = packet.uet;
  if (header.psn_offset < 0 || header.psn_offset >= 4'096 || header.source_pdc == 0) {
    refuse(packet, wire::UetNack::kInvalidSyn, 0);
    return 0;
  }
  const std::uint32_t start = header.psn - static_cast<std::uint32_t>(header.psn_offset);
  const auto found = targets_.find(key_of(packet.common.source, header.source_pdc));
  if (found == targets_.end())
    return open_target(packet, start, now);
  Pdc& pdc = pool_[found->second]->pdc;
  if (pdc.receiver().start() == start)
    return found->second;
  if (psn_distance(pdc.receiver().start(), start) < 0) {
    // Late, from before its initiator was named the start that it now has: a refusal would name a PSN of today.
    ++counters_.duplicates;
    return 0;
  }
  if (psn_distance(pdc.end_psn(), start) < 0) {
    refuse(packet, wire::UetNack::kInvalidSyn, 0);
    return 0;
  }
  if (setup_.options.secure_start == SecureStart::kOneRtt) {
    // It may be a late one, from before the initiator was named its start; a new context takes a start that is new.
    const std::uint32_t least = raise_start(least_starts_, packet.common.source, pdc.end_psn());
    if (start != least) {
      refuse(packet, wire::UetNack::kNewStartPsn, least);
      return 0;
    }
  }
  // Its initiator has given it up, and uses the number again.
  const std::uint16_t old = found->second;
  pdc.fail(call(now));
  release(old, now);
  touch(old);
  return open_target(packet, start, now);
}

// So that a packet of an earlier context, late or played back, is not executed again.
//= uet-1.0 3.5
bool UetEndpoint::start_allowed(const wire::Packet& packet, std::uint32_t start) {
  const std::uint32_t source = packet.common.source.value();
  if (setup_.options.secure_start == SecureStart::kOneRtt) {
    // Not where our own contexts with it start: late packets of one direction are not to look like the other's.
    const auto first = static_cast<std::uint32_t>(stable_hash(setup_.seed + source, "uet first least psn"));
    const std::uint32_t least = least_starts_.try_emplace(source, first).first->second;
    if (start == least)
      return true;
    refuse(packet, wire::UetNack::kNewStartPsn, least);
    return false;
  }
  const auto found = least_starts_.find(source);
  if (found == least_starts_.end() || psn_distance(found->second, start) >= 0)
    return true;
  refuse(packet, wire::UetNack::kNewStartPsn, found->second);
  return false;
}

std::uint16_t UetEndpoint::open_target(const wire::Packet& packet, std::uint32_t start, Time now) {
  if (!start_allowed(packet, start))
    return 0;
  const wire::UetNack missing = shortage();
  const std::uint16_t number = allocate();
  if (number == 0) {
    ++counters_.refused;
    refuse(packet, missing, 0);
    reclaim(now);
    return 0;
  }
  wire::PacketCommon common;
  common.source = setup_.endpoint;
  common.destination = packet.common.source;
  common.encapsulation = setup_.encapsulation;
  common.kind = wire::PacketKind::kUet;
  common.entropy = packet.common.entropy;
  common.traffic_class = packet.common.traffic_class;
  targets_.emplace(key_of(packet.common.source, packet.uet.source_pdc), number);
  open(number,
       {.key = {.peer = packet.common.source,
                .traffic_class = packet.common.traffic_class,
                .mode = is_rod(packet.uet.type) ? UetMode::kRod : UetMode::kRud},
        .role = Pdc::Role::kTarget,
        .peer_id = packet.uet.source_pdc,
        .start_psn = start,
        .common = common},
       now);
  return number;
}

void UetEndpoint::refuse(const wire::Packet& packet, wire::UetNack code, std::uint32_t payload) {
  send_stray({.destination = packet.common.source,
              .psn = packet.uet.psn,
              .payload = payload,
              .source_pdc = packet.uet.has(wire::kUetSyn) ? std::uint16_t{0} : packet.uet.destination_pdc,
              .destination_pdc = packet.uet.source_pdc,
              .traffic_class = packet.common.traffic_class,
              .nack = code});
}

void UetEndpoint::send_stray(const Stray& stray) {
  if (strays_.size() < kMostStrays)
    strays_.push_back(stray);
  touch(0);
}

// Out of line, and so is what is rarer: the next packet of a run saves no registers for it.
[[gnu::noinline]] bool UetEndpoint::poll_transmit(std::uint16_t number, const TransmitSlot& slot, Time now) {
  Pdc& pdc = pool_[number]->pdc;
  if (!slot.payload.empty() || !pdc.may_send_fast(now)) [[unlikely]]
    return poll_otherwise(number, slot, now);
  pdc.send_fast(slot.packet, setup_.options, now);
  return true;
}

[[gnu::noinline]] bool UetEndpoint::poll_otherwise(std::uint16_t number, const TransmitSlot& slot, Time now) {
  if (number == 0)
    return poll_stray(slot) || (jobs_ != nullptr && jobs_->rudi.poll_transmit(slot, rudi_call(now)));
  Place& place = *pool_[number];
  if (!slot.payload.empty())
    return poll_general(number, slot, now);
  if (place.pdc.answer_fast(slot.packet, setup_.options))
    return true;
  const bool sent = find_send_run(place) && place.pdc.may_send_fast(now);
  if (sent)
    place.pdc.send_fast(slot.packet, setup_.options, now);
  // One owner keeps its run; each of several has another, and its turn.
  if (place.pdc.sender().has_several_owners())
    place.pdc.sender().end_run();
  if (!sent)
    return poll_general(number, slot, now);
  place.pdc.sender().take_turns();
  return true;
}

[[gnu::noinline]] bool UetEndpoint::poll_general(std::uint16_t number, const TransmitSlot& slot, Time now) {
  const bool sent = pool_[number]->pdc.poll_transmit(slot, call(now));
  counters_.slow_sent += sent ? 1 : 0;
  settle(number, now);
  return sent;
}

bool UetEndpoint::poll_stray(const TransmitSlot& slot) {
  if (strays_.empty())
    return false;
  const Stray stray = strays_.pop_front();
  slot.packet = wire::Packet{};
  slot.packet.uet = wire::UetHeader{};
  wire::PacketCommon& common = slot.packet.common;
  common.source = setup_.endpoint;
  common.destination = stray.destination;
  common.encapsulation = setup_.encapsulation;
  common.kind = wire::PacketKind::kUet;
  common.flags = wire::kControl;
  common.traffic_class = stray.traffic_class;
  common.entropy = 0xC000;
  wire::UetHeader& header = slot.packet.uet;
  header.psn = stray.psn;
  header.source_pdc = stray.source_pdc;
  header.destination_pdc = stray.destination_pdc;
  const bool acknowledges = stray.nack == wire::UetNack::kNone;
  header.type = acknowledges ? wire::UetType::kAckCc : wire::UetType::kNack;
  if (acknowledges) {
    header.ack = {};
  } else {
    header.notice = {.payload = stray.payload, .code = static_cast<std::uint8_t>(stray.nack)};
    ++counters_.nacks_sent[static_cast<std::size_t>(stray.nack)];
  }
  set_uet_sizes(slot.packet, UetSizeClass::kControl,
                {.headers = Bytes(acknowledges ? kPdsAckCcBytes : kPdsNoticeBytes)}, setup_.options.sizes);
  return true;
}

void UetEndpoint::on_timeout(std::uint16_t number, Time now) {
  if (number == 0) {
    grant_at_ = Time::never();
    if (credits_ != nullptr)
      grant_credit(now);
    if (jobs_ != nullptr)
      jobs_->rudi.on_timeout(rudi_call(now));
    return;
  }
  pool_[number]->pdc.on_timeout(call(now));
  settle(number, now);
}

}  // namespace weft::transport
