#include "subnet/manager/subnet_manager.h"

#include <algorithm>
#include <span>

#include "wire/byte_order.h"

namespace weft::subnet {

SubnetManager::SubnetManager(const ManagerOptions& options)
    : options_(options), exchange_(options.smps), administration_(options.sa_key) {}

void SubnetManager::start(Time now) {
  thread_free_ = now;
  begin_sweep(SweepCause::kStart, now);
}

void SubnetManager::on_mad(const MadPacket& packet, Time now) {
  const Result<wire::MadHeader> header = wire::MadHeader::parse(packet.mad);
  if (!header) {
    return;
  }
  Incoming came{.ready = later(now, thread_free_) + options_.mad_time, .what = packet};
  if (header->method == wire::kMethodGetResponse) {
    std::optional<SmpExchange::Answered> answered = exchange_.on_answer(packet);
    if (!answered) {
      ++late_;
      return;
    }
    came.what = *answered;
  }
  thread_free_ = came.ready;
  incoming_.push_back(came);
}

std::optional<MadPacket> SubnetManager::poll_transmit(Time now) {
  if (outgoing_.empty()) {
    return exchange_.poll(now);
  }
  const MadPacket first = outgoing_.front();
  outgoing_.pop_front();
  return first;
}

Time SubnetManager::next_timeout() const {
  Time next = earlier(exchange_.next_timeout(), routed_);
  next = incoming_.empty() ? next : earlier(next, incoming_.front().ready);
  return step_ ? next : earlier(next, earlier(next_light_, next_poll_));
}

void SubnetManager::on_timeout(Time now) {
  while (!incoming_.empty() && incoming_.front().ready <= now) {
    const Incoming came = incoming_.front();
    incoming_.pop_front();
    if (const auto* answered = std::get_if<SmpExchange::Answered>(&came.what)) {
      take(*answered, now);
    } else {
      take_mad(std::get<MadPacket>(came.what), now);
    }
  }
  while (const std::optional<Smp> failed = exchange_.poll_failed(now)) {
    if (failed->attribute == wire::kAttributeSmInfo && state_ == ManagerState::kStandby) {
      ++polls_missed_;
    }
  }
  proceed(now);
  begin_next(now);
}

void SubnetManager::take(const SmpExchange::Answered& answered, Time now) {
  const Smp& request = answered.request;
  if (request.attribute == wire::kAttributeSmInfo) {
    take_sm_info(answered, now);
    return;
  }
  report_.refused += answered.status != 0 ? 1 : 0;
  if (request.method == wire::kMethodSet) {
    take_set(answered, now);
    return;
  }
  if (discovery_) {
    discovery_->on_answer(answered);
    ask_rivals();
    return;
  }
  if (step_ == SweepStep::kLight && answered.status == 0) {
    const Result<wire::SwitchInfo> info = wire::SwitchInfo::parse(answered.data);
    if (info && info->port_state_change != 0) {
      wanted_ = SweepCause::kChange;
    }
  }
}

/// What the agent has now, as its answer says it.
void SubnetManager::take_set(const SmpExchange::Answered& answered, Time now) {
  const Smp& request = answered.request;
  if (answered.status != 0 || request.node.value() >= known_.nodes().size()) {
    return;
  }
  const PortPlace place{.node = request.node, .port = request.port};
  switch (request.attribute) {
    case wire::kAttributeSwitchInfo:
      known_[request.node].switch_info = *wire::SwitchInfo::parse(answered.data);
      break;
    case wire::kAttributePortInfo:
      known_.port(place).info = *wire::PortInfo::parse(answered.data);
      break;
    case wire::kAttributePKeyTable:
      known_.port(place).p_keys[request.modifier & 0xFFFFU] = answered.data;
      break;
    case wire::kAttributeLinearForwarding:
      take_block(answered, now);
      break;
    case wire::kAttributeMulticastForwarding:
      ++report_.group_blocks;
      report_.last_block = now;
      break;
    default:
      written_.others[{Guid{known_[request.node].info.node_guid}, request.attribute, request.modifier, request.port}] =
          answered.data;
      break;
  }
}

void SubnetManager::take_block(const SmpExchange::Answered& answered, Time now) {
  ForwardingTable& table = written_.linear[{known_[answered.request.node].info.node_guid}];
  const std::size_t first = std::size_t{answered.request.modifier} * wire::kLidsPerBlock;
  table.resize(std::max(table.size(), first + wire::kLidsPerBlock), kNoRoute);
  for (std::size_t i = 0; i < wire::kLidsPerBlock; ++i) {
    const auto port = std::to_integer<PortNumber>(answered.data[i]);
    report_.entries += table[first + i] != port ? 1 : 0;
    table[first + i] = port;
  }
  ++report_.blocks;
  report_.last_block = now;
}

void SubnetManager::take_mad(const MadPacket& packet, Time /*now*/) {
  const wire::MadHeader header = *wire::MadHeader::parse(packet.mad);
  // Its attributes have the numbers of others here.
  if (header.management_class == wire::kClassSubnetAdministration) {
    administrate(packet);
    return;
  }
  if (header.attribute_id == wire::kAttributeSmInfo) {
    const bool is_handover = header.method == wire::kMethodSet && header.attribute_modifier == wire::SmInfo::kHandover;
    if (header.method == wire::kMethodGet || is_handover) {
      answer_sm_info(packet);
    }
    if (is_handover && state_ == ManagerState::kStandby) {
      state_ = ManagerState::kMaster;
      wanted_ = SweepCause::kHandover;
    }
    return;
  }
  if (header.method != wire::kMethodTrap || state_ == ManagerState::kStandby) {
    return;
  }
  ++traps_;
  repress(packet);
  const Result<wire::Notice> notice = wire::Notice::parse(std::span(packet.mad).subspan(mad_offset::kSmpData));
  if (notice &&
      (notice->trap_number == wire::Notice::kLinkStateChange || notice->trap_number == wire::Notice::kLocalChange)) {
    wanted_ = SweepCause::kTrap;
  } else {
    light_wanted_ = true;
  }
}

//= ibta-1.7 13.4.9
void SubnetManager::repress(const MadPacket& trap) {
  MadPacket back = turned_around(trap);
  wire::store_u8(back.mad, mad_offset::kMethod, wire::kMethodTrapRepress);
  wire::store_be64(back.mad, mad_offset::kMKey, options_.smps.m_key);
  outgoing_.push_back(back);
}

wire::SmInfo SubnetManager::own_info() {
  return {.guid = known_.nodes().empty() ? 0 : known_.nodes().front().info.port_guid,
          .activity_count = ++activity_,
          .priority = options_.priority,
          .state = static_cast<std::uint8_t>(state_)};
}

//= ibta-1.7 14.2.5.13
void SubnetManager::answer_sm_info(const MadPacket& request) {
  MadPacket back = turned_around(request);
  wire::store_u8(back.mad, mad_offset::kMethod, wire::kMethodGetResponse);
  own_info().emit(std::span(back.mad).subspan(mad_offset::kSmpData, kSmpDataSize));
  outgoing_.push_back(back);
}

/// Trap 144 of the own port, by the LID of the master. OpenSM sends it when it begins to stand by, and after each poll.
//= ibta-1.7 14.2.5.1
void SubnetManager::announce() {
  if (known_.nodes().empty() || master_->info.priority >= options_.priority) {
    return;
  }
  const KnownNode& own = known_.nodes().front();
  const wire::PortInfo& port = own.ports[own.is_switch() ? 0 : own.info.local_port].info;
  if (port.lid == 0 || port.sm_lid == 0) {
    return;  // the master has not come so far
  }
  MadPacket trap{.source = port.lid, .destination = port.sm_lid, .source_qp = kSubnetQp, .destination_qp = kSubnetQp};
  const wire::MadHeader header{.management_class = wire::kClassSubnetLidRouted,
                               .method = wire::kMethodTrap,
                               .transaction_id = ++announced_,
                               .attribute_id = wire::kAttributeNotice};
  header.emit(trap.mad);
  wire::store_be64(trap.mad, mad_offset::kMKey, options_.smps.m_key);
  const wire::Notice notice{.type = wire::Notice::kUrgent,
                            .producer_type = own.info.node_type,
                            .trap_number = wire::Notice::kLocalChange,
                            .issuer_lid = port.lid,
                            .lid = port.lid};
  notice.emit(std::span(trap.mad).subspan(mad_offset::kSmpData));
  outgoing_.push_back(trap);
}

/// Who is not the master says nothing.
void SubnetManager::administrate(const MadPacket& request) {
  if (is_response(wire::MadHeader::parse(request.mad)->method) || state_ != ManagerState::kMaster) {
    return;
  }
  if (const std::optional<MadPacket> back =
          administration_.answer(request, {.known = known_, .view = view_}, groups_)) {
    outgoing_.push_back(*back);
  }
}

void SubnetManager::take_sm_info(const SmpExchange::Answered& answered, Time /*now*/) {
  const Result<wire::SmInfo> info = wire::SmInfo::parse(answered.data);
  const bool is_there = info && answered.status == 0;
  if (state_ == ManagerState::kStandby) {
    polls_missed_ = is_there ? 0 : polls_missed_ + 1;
    if (is_there) {
      master_->info = *info;
      announce();
    }
  } else if (is_there) {
    rivals_.push_back({.info = *info,
                       .place = {.node = answered.request.node, .port = answered.request.port},
                       .route = answered.request.route});
  }
}

}  // namespace weft::subnet
