#include "transport/uet/endpoint_credits.h"

#include "base/random.h"
#include "wire/packet.h"

namespace weft::transport {

EndpointCredits::EndpointCredits(const UetCredits& policy, std::uint64_t seed)
    : policy_(policy), scheduler_(policy.receiver), seed_(seed) {}

EndpointCredits::Place& EndpointCredits::at(std::uint16_t place) {
  if (place >= places_.size())
    places_.resize(place + std::size_t{1});
  return places_[place];
}

CreditScheduler::Handle EndpointCredits::handle_of(std::uint16_t number) {
  Place& place = at(number);
  if (!place.receives) {
    place.receives = true;
    place.handle = scheduler_.add();
    if (place.handle >= place_of_.size())
      place_of_.resize(place.handle + std::size_t{1});
    place_of_[place.handle] = number;
  }
  return place.handle;
}

//= uet-1.0 3.6
void EndpointCredits::on_packet(std::uint16_t place, const ReceivedPacket& received, Time now) {
  const wire::Packet& packet = received.packet;
  if (has_congestion_context(packet.uet.type) && packet.has(wire::kHasCold)) {
    if (policy_.core)
      follow_core(packet, now);
    const CreditScheduler::Handle handle = handle_of(place);
    scheduler_.on_target(handle, CreditTotal(received.cold.uet.credit_target));
    if (packet.has(wire::kTrimmed))
      scheduler_.on_request(handle);
  } else if (packet.uet.type == wire::UetType::kControl &&
             static_cast<wire::UetControl>(packet.uet.notice.code) == wire::UetControl::kCreditRequest) {
    const CreditScheduler::Handle handle = handle_of(place);
    scheduler_.on_target(handle, CreditTotal(packet.uet.notice.payload));
    scheduler_.on_request(handle);
  }
}

void EndpointCredits::follow_core(const wire::Packet& packet, Time now) {
  if (!rate_)
    rate_.emplace(*policy_.core, RandomStream(seed_, "uet credit rate"), now);
  const bool marked = packet.common.ecn == wire::Ecn::kCe;
  const bool trimmed = packet.has(wire::kTrimmed);
  rate_->on_arrival(trimmed  ? (packet.has(wire::kTrimmedLastHop) ? CreditRate::Arrival::kTrimmedLastHop
                                                                  : CreditRate::Arrival::kTrimmed)
                    : marked ? CreditRate::Arrival::kMarked
                             : CreditRate::Arrival::kUnmarked,
                    now);
}

std::optional<EndpointCredits::Grant> EndpointCredits::poll(Time now) {
  if (rate_)
    scheduler_.set_part_of_rate(rate_->part(now));
  const std::optional<CreditScheduler::Grant> grant = scheduler_.poll(now);
  if (!grant)
    return std::nullopt;
  return Grant{.place = place_of_[grant->sender], .total = grant->total};
}

void EndpointCredits::note_ready(std::uint16_t number, bool ready) {
  Place& place = at(number);
  if (place.ready == ready)
    return;
  place.ready = ready;
  ready ? ++ready_ : --ready_;
}

void EndpointCredits::forget(std::uint16_t number) {
  note_ready(number, false);
  Place& place = at(number);
  if (place.receives)
    scheduler_.remove(place.handle);
  place = {};
}

std::size_t EndpointCredits::heap_bytes() const {
  return places_.capacity() * sizeof(Place) + place_of_.capacity() * sizeof(place_of_[0]) + scheduler_.heap_bytes();
}

}  // namespace weft::transport
