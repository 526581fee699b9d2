#include "subnet/umad/umad_service.h"

#include <algorithm>
#include <cstring>

#include "wire/byte_order.h"

namespace weft::subnet {
namespace {

constexpr std::uint32_t kFirmware = 1;
constexpr std::size_t kGidPrefixAt = 8;    // in PortInfo
constexpr std::uint8_t kClassPing = 0x32;  // OpenIB's vendor class of ibping

template <class Number>
void store_number(UmadControl& control, std::size_t offset, Number number) {
  std::memcpy(control.data.data() + offset, &number, sizeof number);
}

/// Classes whose requests are for the subnet manager: its own and subnet administration.
bool is_managers(std::uint8_t management_class) {
  return management_class == wire::kClassSubnetLidRouted || management_class == wire::kClassSubnetDirectedRoute ||
         management_class == wire::kClassSubnetAdministration;
}

/// What is answered by a MAD with the same transaction.
bool is_answer(const wire::MadHeader& header) {
  return is_response(header.method) || header.method == wire::kMethodTrapRepress;
}

UmadTransaction transaction_of(const wire::MadHeader& header) {
  return {header.management_class, header.transaction_id};
}

}  // namespace

Result<UmadService::ControlOutcome> UmadService::on_control(std::span<const std::byte> bytes) {
  Result<UmadControl> control = UmadControl::parse(bytes);
  if (!control) {
    return pass_on(control);
  }
  ControlOutcome outcome{.reply = *control};
  const auto client = clients_.find(control->client);
  if (control->type == UmadControlType::kConnect) {
    attach(outcome.reply, outcome);
  } else if (client == clients_.end()) {
    outcome.problem = fmt::format("client {} is not attached", control->client);
  } else if (control->type == UmadControlType::kDisconnect) {
    detach(control->client);
    outcome.detached = control->client;
  } else if (control->type == UmadControlType::kSetIsSm) {
    set_manager(control->client, outcome);
  } else {
    tell(client->second, outcome.reply);
  }
  if (!outcome.problem.empty()) {
    outcome.reply.type = UmadControlType::kError;
  }
  return outcome;
}

Result<PortPlace> UmadService::place_of(const std::string& name) const {
  if (name.empty()) {
    return anywhere_;
  }
  const Result<NodeIndex> node = find_node(subnet_, name);
  if (!node) {
    return tl::unexpected(node.error());
  }
  if (subnet_[*node].type == NodeType::kSwitch) {
    return PortPlace{.node = *node, .port = 0};
  }
  for (std::size_t port = 1; port < subnet_[*node].ports.size(); ++port) {
    if (subnet_[*node].ports[port].peer) {
      return PortPlace{.node = *node, .port = static_cast<PortNumber>(port)};
    }
  }
  return PortPlace{.node = *node, .port = 1};
}

void UmadService::attach(UmadControl& control, ControlOutcome& outcome) {
  UmadConnect connect = UmadConnect::parse(control);
  const Result<PortPlace> at = place_of(connect.node);
  if (!at) {
    outcome.problem = at.error().message;
    return;
  }
  UmadClientId id = 0;
  while (clients_.contains(id)) {
    ++id;
  }
  if (id >= kMostClients) {
    outcome.problem = fmt::format("{} programs are attached, which is the most", kMostClients);
    return;
  }
  clients_[id] = {.process = connect.id, .at = *at};
  outcome.attached = id;
  connect.id = id;
  connect.node = connect.node.empty() ? subnet_[at->node].id : connect.node;
  connect.emit(control);
}

bool UmadService::has_manager(PortPlace at) const {
  return std::ranges::any_of(clients_, [&](const auto& each) { return each.second.is_sm && each.second.at == at; });
}

void UmadService::set_manager(UmadClientId id, ControlOutcome& outcome) {
  Client& client = clients_.at(id);
  const bool wanted = std::ranges::any_of(std::span(outcome.reply.data).first(sizeof(std::uint32_t)),
                                          [](std::byte byte) { return byte != std::byte{0}; });
  if (wanted && !client.is_sm && has_manager(client.at)) {
    outcome.problem =
        fmt::format("a subnet manager is at {} port {} already", subnet_[client.at.node].id, client.at.port);
    return;
  }
  client.is_sm = wanted;
  served_.set_manager(client.at,
                      has_manager(client.at) ? ServedSubnet::Manager::kPresent : ServedSubnet::Manager::kAbsent);
}

/// What a client asks of its own port. libumad2sim takes the port's GUID for that of the node and the port's number.
void UmadService::tell(const Client& client, UmadControl& control) const {
  const ServedNode& node = served_[client.at.node];
  const ServedPort& port = served_.port(client.at);
  const std::uint8_t asked = std::to_integer<std::uint8_t>(control.data[0]);
  control.data = {};
  switch (control.type) {
    case UmadControlType::kGetPort:
      store_number(control, 0, port.info.lid);
      store_number(control, 2, port.info.port_state);
      break;
    case UmadControlType::kGetVendor:
      store_number(control, 0, node.info.vendor_id);
      store_number(control, 4, std::uint32_t{node.info.device_id});
      store_number(control, 8, node.info.revision);
      store_number(control, 16, std::uint64_t{kFirmware});
      break;
    case UmadControlType::kGetGid:
      wire::store_be64(control.data, 0, port.info.gid_prefix);
      wire::store_be64(control.data, kGidPrefixAt, port.guid.value);
      break;
    case UmadControlType::kGetGuid:
      wire::store_be64(control.data, 0, node.info.node_guid);
      break;
    case UmadControlType::kGetNodeInfo: {
      wire::NodeInfo info = node.info;
      info.local_port = client.at.port;
      info.port_guid = port.guid.value;
      info.node_guid = port.guid.value - client.at.port;
      info.emit(control.data);
      break;
    }
    case UmadControlType::kGetPortInfo: {
      const bool own = asked == 0 || asked >= node.ports.size();
      wire::PortInfo info = own ? port.info : node.ports[asked].info;
      info.local_port = own ? client.at.port : asked;
      info.m_key = 0;
      info.emit(control.data);
      break;
    }
    case UmadControlType::kGetPKeys:
      control.data = node.p_keys(client.at.port);
      break;
    case UmadControlType::kError:
    case UmadControlType::kConnect:
    case UmadControlType::kDisconnect:
    case UmadControlType::kSetIsSm:
      break;
  }
}

Result<void> UmadService::on_packet(UmadClientId from, std::span<const std::byte> bytes, Time now) {
  const auto client = clients_.find(from);
  if (client == clients_.end()) {
    return fail("a packet of client {}, which is not attached", from);
  }
  Result<UmadPacket> packet = UmadPacket::parse(bytes);
  if (!packet) {
    return pass_on(packet);
  }
  take_deliveries(nullptr);  // what follows are those of this packet
  const Result<wire::MadHeader> header = wire::MadHeader::parse(packet->packet.mad);
  if (!header || is_answer(*header)) {
    served_.send(client->second.at, packet->packet, now);
    return {};
  }
  std::deque<UmadTransaction>& transactions = client->second.asked;
  transactions.push_back(transaction_of(*header));
  if (transactions.size() > kMostTransactions) {
    transactions.pop_front();
  }
  client->second.has_asked = true;
  Asked asked{.from = from, .transaction = transaction_of(*header)};
  served_.send(client->second.at, packet->packet, now);
  take_deliveries(&asked);
  if (asked.is_answered || header->method == wire::kMethodSend) {
    return {};
  }
  const OpenRequests::Request request{
      .from = from, .transaction = asked.transaction, .packet = packet->packet, .takers = asked.takers};
  if (request.takers.empty()) {
    give_back(request);
  } else if (const std::optional<OpenRequests::Request> oldest = open_.add(request, now)) {
    give_back(*oldest);
  }
  return {};
}

/// To the client as it was sent.
void UmadService::give_back(const OpenRequests::Request& request) {
  pending_.push_back({.to = request.from, .packet = {.packet = request.packet, .status = UmadPacket::kTimedOut}});
  ++returned_;
}

void UmadService::on_timeout(Time now) {
  for (const OpenRequests::Request& request : open_.on_timeout(now)) {
    give_back(request);
  }
}

/// The clients at the port that a MAD is for.
std::vector<UmadClientId> UmadService::takers(const ServedSubnet::Delivery& delivery) const {
  const wire::MadHeader header = *wire::MadHeader::parse(delivery.packet.mad);
  const UmadTransaction transaction = transaction_of(header);
  std::vector<UmadClientId> listening;
  std::vector<UmadClientId> managing;
  for (const auto& [id, client] : clients_) {
    if (client.at != delivery.at) {
      continue;
    }
    // A TrapRepress answers the trap that a client has sent, as a response answers a request.
    if (is_answer(header)) {
      const auto& asked = client.asked;
      if (std::find(asked.rbegin(), asked.rend(), transaction) != asked.rend()) {
        return {id};
      }
    } else if (client.is_sm) {
      managing.push_back(id);
    } else if (!client.has_asked) {
      listening.push_back(id);
    }
  }
  if (is_managers(header.management_class)) {
    return managing;
  }
  return header.management_class == kClassPing ? listening : std::vector<UmadClientId>();
}

/// Finds who gets what has come to ports of programs, and which requests that answers.
void UmadService::take_deliveries(Asked* asked) {
  while (const std::optional<ServedSubnet::Delivery> delivery = served_.poll_delivery()) {
    const wire::MadHeader header = *wire::MadHeader::parse(delivery->packet.mad);
    const UmadTransaction transaction = transaction_of(header);
    const bool is_of_asked = asked != nullptr && transaction == asked->transaction;
    const std::vector<UmadClientId> to = takers(*delivery);
    unclaimed_ += to.empty() ? 1 : 0;
    for (const UmadClientId client : to) {
      pending_.push_back({.to = client, .packet = {.packet = delivery->packet}});
      if (is_answer(header)) {
        open_.answer(client, transaction);
        if (is_of_asked && client == asked->from) {
          asked->is_answered = true;
        }
      } else if (is_of_asked) {
        asked->takers.push_back(client);
      }
    }
  }
}

std::optional<UmadService::Output> UmadService::poll_output() {
  take_deliveries(nullptr);
  if (pending_.empty()) {
    return std::nullopt;
  }
  const Output output{.to = pending_.front().to, .bytes = pending_.front().packet.emit()};
  pending_.pop_front();
  return output;
}

void UmadService::detach(UmadClientId id) {
  const auto client = clients_.find(id);
  if (client == clients_.end()) {
    return;
  }
  const PortPlace at = client->second.at;
  clients_.erase(client);
  std::erase_if(pending_, [&](const Pending& each) { return each.to == id; });  // its number may be another's soon
  for (const OpenRequests::Request& request : open_.forget(id)) {
    give_back(request);
  }
  served_.set_manager(at, has_manager(at) ? ServedSubnet::Manager::kPresent : ServedSubnet::Manager::kAbsent);
}

}  // namespace weft::subnet
