#include "subnet/manager/smp_exchange.h"

#include <algorithm>

#include "base/assert.h"
#include "wire/byte_order.h"

namespace weft::subnet {

DirectedRoute DirectedRoute::through(PortNumber port) const {
  WEFT_ASSERT(can_grow());
  DirectedRoute longer = *this;
  ++longer.hops;
  longer.ports[longer.hops] = port;
  return longer;
}

//= ibta-1.7 14.2.1.2
MadPacket SmpExchange::packet(std::uint64_t transaction, const Smp& smp) const {
  MadPacket made{
      .source = kPermissiveLid, .destination = kPermissiveLid, .source_qp = kSubnetQp, .destination_qp = kSubnetQp};
  const wire::MadHeader header{.management_class = wire::kClassSubnetDirectedRoute,
                               .method = smp.method,
                               .class_specific = smp.route.hops,
                               .transaction_id = transaction,
                               .attribute_id = smp.attribute,
                               .attribute_modifier = smp.modifier};
  header.emit(made.mad);
  wire::store_be64(made.mad, mad_offset::kMKey, options_.m_key);
  wire::store_be16(made.mad, mad_offset::kDirectedSource, kPermissiveLid);
  wire::store_be16(made.mad, mad_offset::kDirectedDestination, kPermissiveLid);
  std::ranges::copy(smp.data, made.mad.begin() + mad_offset::kSmpData);
  for (std::size_t hop = 1; hop <= smp.route.hops; ++hop) {
    wire::store_u8(made.mad, mad_offset::kInitialPath + hop, smp.route.ports[hop]);
  }
  return made;
}

std::optional<MadPacket> SmpExchange::poll(Time now) {
  for (auto& [transaction, pending] : on_wire_) {
    if (pending.deadline <= now && pending.retries < options_.retries) {
      ++pending.retries;
      ++retried_;
      pending.deadline = now + options_.timeout;
      return packet(transaction, pending.smp);
    }
  }
  if (waiting_.empty() || on_wire_.size() >= options_.most_on_wire) {
    return std::nullopt;
  }
  peak_waiting_ = std::max(peak_waiting_, waiting_.size());
  const std::uint64_t transaction = ++last_transaction_;
  const Smp& smp = waiting_.front();
  ++sent_[{smp.attribute, smp.method}];
  const MadPacket made = packet(transaction, smp);
  on_wire_.emplace(transaction, Pending{.smp = smp, .deadline = now + options_.timeout});
  waiting_.pop_front();
  peak_ = std::max(peak_, on_wire_.size());
  return made;
}

std::optional<SmpExchange::Answered> SmpExchange::on_answer(const MadPacket& packet) {
  const Result<wire::MadHeader> header = wire::MadHeader::parse(packet.mad);
  const auto pending = header ? on_wire_.find(header->transaction_id) : on_wire_.end();
  if (pending == on_wire_.end() || header->attribute_id != pending->second.smp.attribute ||
      header->method != wire::kMethodGetResponse) {
    return std::nullopt;
  }
  Answered answered{.request = pending->second.smp};
  answered.status = header->status & static_cast<std::uint16_t>(~wire::DirectedRouteSmp::kReturning);
  std::copy_n(packet.mad.begin() + mad_offset::kSmpData, answered.data.size(), answered.data.begin());
  on_wire_.erase(pending);
  return answered;
}

Time SmpExchange::next_timeout() const {
  Time next = Time::never();
  for (const auto& [transaction, pending] : on_wire_) {
    next = earlier(next, pending.deadline);
  }
  return next;
}

std::optional<Smp> SmpExchange::poll_failed(Time now) {
  for (auto pending = on_wire_.begin(); pending != on_wire_.end(); ++pending) {
    if (pending->second.deadline <= now && pending->second.retries >= options_.retries) {
      const Smp smp = pending->second.smp;
      on_wire_.erase(pending);
      ++failed_;
      return smp;
    }
  }
  return std::nullopt;
}

void SmpExchange::clear() {
  waiting_.clear();
  on_wire_.clear();
}

}  // namespace weft::subnet
