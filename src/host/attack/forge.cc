#include "host/attack/forge.h"

#include <utility>

#include "transport/flow_policies.h"
#include "transport/qp_core.h"
#include "transport/uet/uet_types.h"
#include "transport/uet/uud_datagram.h"
#include "wire/opcode.h"

namespace weft::host {
namespace {

/// So often connections are looked up again.
constexpr std::uint32_t kPacketsPerLook = 64;
constexpr std::uint32_t kServiceRequests = 4'096;
constexpr std::uint16_t kFirstContext = 0x8000;        // numbers that the victim's peer hardly has
constexpr std::int16_t kPacketsPerContext = 4'095;     // that may come with SYN
constexpr std::uint32_t kPrivilegedBit = 0x8000'0000;  // of a Q_Key

bool is_alive(verbs::QpState state) { return state == verbs::QpState::kRtr || state == verbs::QpState::kRts; }

}  // namespace

Forge::Forge(const AttackOptions& options, FindNic find_nic)
    : options_(options),
      find_nic_(std::move(find_nic)),
      random_(options.seed, "attack " + options.name),
      first_guess_(options.kind == AttackKind::kForgedPKey ? 0x8001 : static_cast<std::uint32_t>(random_.next())) {}

bool Forge::is_usable(const AttackTarget& target) const {
  const transport::Device& device = find_nic_(options_.victim).device();
  const transport::QpSlot slot = device.slot_of(target.victim);
  return slot.exists() && is_alive(device.core_of(slot).state()) &&
         find_nic_(target.peer).device().slot_of(target.peers).exists();
}

void Forge::refresh_targets() {
  targets_.clear();
  const transport::Device& device = find_nic_(options_.victim).device();
  for (const Qpn qpn : device.queue_pair_numbers()) {
    const transport::QpSlot slot = device.slot_of(qpn);
    const bool connected = slot.kind == transport::EngineKind::kRc || slot.kind == transport::EngineKind::kUet;
    if (!connected || !is_alive(device.core_of(slot).state())) {
      continue;
    }
    const verbs::QpAttributes& attributes = device.core_of(slot).attributes();
    const AttackTarget target{
        .victim = qpn, .peer = attributes.address.destination, .peers = attributes.destination_qpn};
    if (find_nic_(target.peer).device().slot_of(target.peers).exists()) {
      targets_.push_back(target);
    }
  }
}

const AttackTarget* Forge::next_target() {
  if (made_++ % kPacketsPerLook == 0 || targets_.empty()) {
    refresh_targets();
  }
  for (std::size_t tried = 0; tried < targets_.size(); ++tried) {
    const AttackTarget& target = targets_[turn_++ % targets_.size()];
    if (is_usable(target)) {
      return &target;
    }
  }
  return nullptr;
}

std::uint32_t Forge::value(bool is_known, std::uint32_t known, std::uint32_t bits) {
  if (is_known) {
    return known;
  }
  const std::uint32_t mask = bits == 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << bits) - 1;
  if (options_.guess == Guess::kRandom) {
    return static_cast<std::uint32_t>(random_.next()) & mask;
  }
  last_guess_ = &guesses_;
  return (first_guess_ + guesses_++) & mask;
}

// One who guesses in sequence begins with the first key that a device gives if it numbers them so.
std::uint32_t Forge::remote_key(const AttackTarget& target, std::uint64_t& address) {
  const transport::Device& device = find_nic_(options_.victim).device();
  const verbs::PdHandle pd = device.core_of(device.slot_of(target.victim)).init().pd;
  const verbs::MemoryRegion* const region = device.context().memory().first_open(pd, verbs::kAccessRemoteWrite);
  address = region == nullptr ? 0 : region->address;
  if (options_.knows.r_key) {
    return region == nullptr ? 0 : region->key;
  }
  if (options_.guess == Guess::kRandom) {
    return static_cast<std::uint32_t>(random_.next());
  }
  last_guess_ = &key_guesses_[target.victim];
  return verbs::MemoryTable::key_in_sequence((*last_guess_)++);
}

void Forge::make_write(const AttackTarget& target, wire::Packet& packet) {
  const transport::Device& peer = find_nic_(target.peer).device();
  peer.core_of(peer.slot_of(target.peers)).start_packet(packet);
  wire::IbTransportHeader& header = packet.ib;
  header.opcode = wire::make_opcode(wire::Service::kRc, wire::Operation::kWriteOnly);
  header.destination_qp = value(options_.knows.qpn, target.victim.value(), 24);
  const transport::RcQueuePair* const sender = peer.find_rc(target.peers);
  const std::uint32_t next = sender == nullptr ? 0 : sender->requester().next_psn().value();
  header.psn = Psn(value(options_.knows.psn, next, 24));
  header.partition_key = static_cast<std::uint16_t>(0x8000 | value(options_.knows.p_key, header.partition_key, 15));
  std::uint64_t address = 0;
  const std::uint32_t key = remote_key(target, address);
  header.reth = {.virtual_address = address, .remote_key = key, .dma_length = options_.payload};
  transport::set_payload(packet, options_.payload);
}

void Forge::make_notification(const AttackTarget& target, wire::Packet& packet) {
  const transport::Device& peer = find_nic_(target.peer).device();
  peer.core_of(peer.slot_of(target.peers)).start_packet(packet);
  transport::make_cnp(packet);
  wire::IbTransportHeader& header = packet.ib;
  header.destination_qp = value(options_.knows.qpn, target.victim.value(), 24);
  header.partition_key = static_cast<std::uint16_t>(0x8000 | value(options_.knows.p_key, header.partition_key, 15));
}

// As the first packets of a context that the peer would open: nothing of it has to be guessed but the message's number.
void Forge::make_uet_write(const AttackTarget& target, wire::Packet& packet) {
  const transport::Device& victim = find_nic_(options_.victim).device();
  const transport::UetQueuePair& qp = *victim.find_uet(target.victim);
  const transport::Device& peer = find_nic_(target.peer).device();
  peer.core_of(peer.slot_of(target.peers)).start_packet(packet);
  packet.common.kind = wire::PacketKind::kUet;
  Context& context = contexts_[target.peer];
  if (context.packets == 0 || context.packets == kPacketsPerContext) {
    context = {.start = static_cast<std::uint32_t>(random_.next()),
               .number = static_cast<std::uint16_t>(kFirstContext | (random_.next() & 0x3FFF))};
  }
  std::uint64_t address = 0;
  const std::uint32_t key = remote_key(target, address);
  wire::UetHeader& header = packet.uet;
  header = wire::UetHeader{};
  header.type = wire::UetType::kRudRequest;
  header.flags = wire::kUetSyn;
  header.psn = context.start + static_cast<std::uint32_t>(context.packets);
  header.psn_offset = context.packets++;
  header.source_pdc = context.number;
  header.request = {
      .buffer_offset = address,
      .memory_key = key,
      .message_id = static_cast<std::uint16_t>(value(options_.knows.psn, qp.responder().next_message(), 16)),
      .operation = static_cast<std::uint8_t>(wire::UetOperation::kWrite),
      .ses_flags = static_cast<std::uint8_t>(wire::kUetStartOfMessage | wire::kUetEndOfMessage)};
  header.set_target(wire::UetNextHeader::kRequestStandard, value(options_.knows.qpn, target.victim.value(), 24));
  transport::set_uet_sizes(packet, transport::UetSizeClass::kData,
                           {.headers = Bytes(transport::kPdsRequestBytes + transport::kSesStandardBytes),
                            .payload = Bytes(options_.payload)},
                           victim.options().uet.sizes);
}

Result<void> Forge::make_service() {
  if (service_.is_valid()) {
    return {};
  }
  Nic& nic = find_nic_(options_.victim);
  transport::Device& device = nic.device();
  Result<verbs::PdHandle> pd = device.alloc_pd();
  if (!pd) {
    return pass_on(pd);
  }
  Result<verbs::CqHandle> cq = device.create_cq(2 * kServiceRequests);
  if (!cq) {
    return pass_on(cq);
  }
  Result<Qpn> qpn = nic.create_qp({.type = verbs::QpType::kUd,
                                   .pd = *pd,
                                   .send_cq = *cq,
                                   .recv_cq = *cq,
                                   .max_send_wr = 1,
                                   .max_recv_wr = kServiceRequests,
                                   .max_send_sge = 1,
                                   .max_recv_sge = 1,
                                   .max_inline_data = 0},
                                  Service::kRdma);
  if (!qpn) {
    return pass_on(qpn);
  }
  service_key_ = static_cast<std::uint32_t>(random_.next()) & ~kPrivilegedBit;
  verbs::QpAttributes attributes{.state = verbs::QpState::kInit, .queue_key = service_key_};
  const auto to = [&](verbs::QpState state, verbs::QpAttributeMask mask) {
    attributes.state = state;
    return device.modify_qp(*qpn, attributes, mask | verbs::kQpState);
  };
  if (Result<void> up = to(verbs::QpState::kInit, verbs::kQpPkeyIndex | verbs::kQpPort | verbs::kQpQkey); !up) {
    return up;
  }
  if (Result<void> up = to(verbs::QpState::kRtr, 0); !up) {
    return up;
  }
  Result<std::uint32_t> key = device.reg_mr(
      {.pd = *pd, .address = 1U << 20, .length = 8'192, .bytes = nullptr, .access = verbs::kAccessLocalWrite});
  if (!key) {
    return pass_on(key);
  }
  const std::array<verbs::Sge, 1> room{{{.address = 1U << 20, .length = 8'192, .lkey = *key}}};
  for (std::uint32_t i = 0; i < kServiceRequests; ++i) {
    if (Result<void> posted = device.post_recv(*qpn, {.wr_id = i, .sg_list = room}); !posted) {
      return posted;
    }
  }
  service_ = *qpn;
  return {};
}

void Forge::make_datagram(wire::Packet& packet, wire::ColdPacket& cold) {
  const Nic& own = find_nic_(options_.from);
  const transport::DeviceOptions& options = own.device().options();
  packet = wire::Packet{};
  packet.common.source = options_.from;
  packet.common.destination = options_.victim;
  packet.common.encapsulation = options.encapsulation;
  packet.common.entropy = 0xC000;
  packet.ib = wire::IbTransportHeader{};
  packet.ib.opcode = wire::make_opcode(wire::Service::kUd, wire::Operation::kSendOnly);
  packet.ib.destination_qp = value(options_.knows.qpn, service_.value(), 24);
  packet.ib.deth = {.queue_key = value(options_.knows.q_key, service_key_, 31), .source_qp = 2};
  transport::set_payload(packet, options_.payload);
  if (wire::is_uet(options.encapsulation)) {
    transport::to_uud({packet, cold, {}}, options.uet.sizes);
  }
}

void Forge::address(wire::Packet& packet) const {
  const Nic& sender = find_nic_(packet.common.source);
  const NicOptions& nic = sender.options();
  packet.common.priority = nic.lane_of_mark[packet.common.traffic_class];
  if (options_.kind == AttackKind::kCnpFlood && nic.cnp) {
    packet.common.priority = nic.cnp->priority;
    packet.common.traffic_class = nic.cnp->mark;
  }
  packet.common.flow_hash = sender.path_hash_of(packet);
  packet.common.flags = static_cast<std::uint8_t>(packet.common.flags | kForgedMark);
}

void Forge::take_back() {
  if (last_guess_ != nullptr) {
    --*last_guess_;
    last_guess_ = nullptr;
  }
}

bool Forge::make(wire::Packet& packet, wire::ColdPacket& cold) {
  last_guess_ = nullptr;
  if (options_.kind == AttackKind::kForgedQKey) {
    make_datagram(packet, cold);
    address(packet);
    return true;
  }
  const AttackTarget* const target = next_target();
  if (target == nullptr) {
    return false;
  }
  const transport::Device& victim = find_nic_(options_.victim).device();
  if (victim.slot_of(target->victim).kind == transport::EngineKind::kUet) {
    make_uet_write(*target, packet);
  } else if (options_.kind == AttackKind::kCnpFlood) {
    make_notification(*target, packet);
  } else {
    make_write(*target, packet);
  }
  address(packet);
  return true;
}

}  // namespace weft::host
