// The program's side of SesMessenger.
#include "transport/uet/ses_messenger.h"

#include <algorithm>

#include "transport/qp_core.h"
#include "transport/segmentation.h"
#include "transport/uet/uet_endpoint.h"

namespace weft::transport {

using wire::UetOperation;

namespace {

constexpr std::uint64_t relative_key(const SesAddress& address) {
  return static_cast<std::uint64_t>(address.job) << 24 | address.resource();
}

UetOperation operation_of(const SesSend& send) {
  switch (send.form) {
    case SesForm::kEager:
      break;
    case SesForm::kDeferrable:
      return send.tagged ? UetOperation::kDeferrableTaggedSend : UetOperation::kDeferrableSend;
    case SesForm::kRendezvous:
      return send.tagged ? UetOperation::kRendezvousTaggedSend : UetOperation::kRendezvousSend;
  }
  return send.tagged ? UetOperation::kTaggedSend : UetOperation::kSend;
}

}  // namespace

SesMessenger::SesMessenger(UetEndpoint& endpoint, verbs::Context& context) : endpoint_(endpoint), context_(context) {}

Result<SesPortId> SesMessenger::open(const SesPortSetup& setup) {
  const SesAddress& address = setup.address;
  if (address.job > 0xFFFFFF || address.pid_on_fep > 0xFFF || address.resource_index > 0xFFF) {
    return fail("open: job {}, PID {}, index {}; a job has 24 bits, the others have 12", address.job,
                address.pid_on_fep, address.resource_index);
  }
  if (setup.initiator == MatchList::kAnyInitiator)
    return fail("open: initiator {:#x} stands for any; choose another", setup.initiator);
  if (setup.matching.expected == 0 || setup.matching.unexpected == 0 || setup.max_reads == 0)
    return fail("open: the limits of matching and of reads are at least 1");
  if (absolute_.contains(address.resource()) || endpoint_.has_queue_pair(address.resource())) {
    return fail("open: PID {}, index {} is taken at this endpoint", address.pid_on_fep, address.resource_index);
  }
  const SesPortId id = next_port_++;
  ports_.emplace(id, Port{.setup = setup, .tagged = MatchList(setup.matching), .untagged = MatchList(setup.matching)});
  absolute_.emplace(address.resource(), id);
  relative_.emplace(relative_key(address), id);
  return id;
}

void SesMessenger::close(SesPortId id, Time now) {
  const auto found = ports_.find(id);
  if (found == ports_.end())
    return;
  for (auto message = outgoing_.begin(); message != outgoing_.end();) {
    const std::uint16_t number = message->first;
    const bool mine = message->second.port == id;
    ++message;
    if (mine)
      finish(number, Code::kCancelled, now);
  }
  for (const bool tagged : {true, false}) {
    while (const auto name = found->second.list(tagged).take_any_expected()) {
      complete({.id = receives_.at(*name).id,
                .port = id,
                .kind = SesCompletion::Kind::kReceive,
                .status = Code::kCancelled});
      receives_.erase(*name);
    }
  }
  for (const auto& [key, message] : incoming_) {
    if (message.port == id && message.receive)
      complete_receive(message, *message.receive, Code::kCancelled, key);
  }
  std::erase_if(incoming_, [id](const auto& entry) { return entry.second.port == id; });
  std::erase_if(answers_, [id](const auto& entry) { return entry.second.port == id; });
  absolute_.erase(found->second.setup.address.resource());
  relative_.erase(relative_key(found->second.setup.address));
  ports_.erase(found);
}

Result<SesMessenger::Port*> SesMessenger::find(SesPortId port) {
  const auto found = ports_.find(port);
  if (found == ports_.end())
    return fail("there is no port {}; open one", port);
  return &found->second;
}

bool SesMessenger::allowed(const Port& port, const verbs::Sge& range, verbs::AccessMask access) const {
  return context_.memory()
             .check({.pd = port.setup.pd,
                     .key = range.lkey,
                     .address = range.address,
                     .length = range.length,
                     .access = access})
             .fault == verbs::AccessFault::kNone;
}

Result<void> SesMessenger::check_local(const Port& port, const verbs::Sge& local, verbs::AccessMask access) const {
  if (!allowed(port, local, access)) {
    return fail("memory from {:#x}, {} bytes, key {:#x}, may not be {}; register it in the port's domain",
                local.address, local.length, local.lkey, access == 0 ? "read" : "accessed so");
  }
  return {};
}

wire::PacketCommon SesMessenger::common_to(const SesPeer& peer) const {
  wire::PacketCommon common;
  common.source = endpoint_.endpoint();
  common.destination = peer.endpoint;
  common.encapsulation = endpoint_.encapsulation();
  common.kind = wire::PacketKind::kUet;
  common.traffic_class = peer.traffic_class;
  common.entropy = peer.entropy;
  return common;
}

Result<void> SesMessenger::send(SesPortId id, const SesSend& send, Time now) {
  Result<Port*> port = find(id);
  if (!port)
    return pass_on(port);
  const bool rendezvous = send.form == SesForm::kRendezvous;
  if (send.delivery == SesDelivery::kRudi)
    return fail("send: RUDI may deliver twice, and is for WRITE and READ");
  if (send.eager > send.local.length || (send.eager != 0 && !rendezvous)) {
    return fail("send: {} eager bytes of {}; a rendezvous sends at most its message so, the other forms say nothing",
                send.eager, send.local.length);
  }
  if (Result<void> readable =
          check_local(**port, send.local, rendezvous ? static_cast<verbs::AccessMask>(verbs::kAccessRemoteRead) : 0);
      !readable)
    return readable;
  const std::uint32_t eager = rendezvous ? send.eager : send.local.length;
  return start({.id = send.id,
                .port = id,
                .common = common_to(send.peer),
                .to = send.peer.address,
                .local = send.local,
                .tag = send.tagged ? send.tag : 0,
                .header_data = send.header_data,
                .operation = operation_of(send),
                .delivery = send.delivery,
                .eager = eager,
                .packets = static_cast<std::uint32_t>(packet_count(eager, (*port)->setup.mtu))},
               now);
}

Result<void> SesMessenger::access(SesPortId id, const SesAccess& access, UetOperation operation, Time now) {
  Result<Port*> port = find(id);
  if (!port)
    return pass_on(port);
  const bool write = operation == UetOperation::kWrite;
  if (Result<void> fits =
          check_local(**port, access.local, write ? verbs::AccessMask{0} : verbs::AccessMask{verbs::kAccessLocalWrite});
      !fits)
    return fits;
  const auto pieces = static_cast<std::uint32_t>(packet_count(access.local.length, (*port)->setup.mtu));
  return start({.id = access.id,
                .port = id,
                .common = common_to(access.peer),
                .to = access.peer.address,
                .local = access.local,
                .remote_address = access.remote_address,
                .remote_key = access.remote_key,
                .operation = operation,
                .delivery = access.delivery,
                .eager = write ? access.local.length : 0,
                .packets = write || access.delivery == SesDelivery::kRudi ? pieces : 1},
               now);
}

Result<void> SesMessenger::write(SesPortId port, const SesAccess& access, Time now) {
  return this->access(port, access, UetOperation::kWrite, now);
}
Result<void> SesMessenger::read(SesPortId port, const SesAccess& access, Time now) {
  return this->access(port, access, UetOperation::kRead, now);
}

Result<void> SesMessenger::receive(SesPortId id, const SesReceive& receive, Time now) {
  Result<Port*> port = find(id);
  if (!port)
    return pass_on(port);
  if (Result<void> writable = check_local(**port, receive.local, verbs::kAccessLocalWrite); !writable)
    return writable;
  SesReceive wanted = receive;
  if (!wanted.tagged)
    wanted.wanted = {.ignore = ~std::uint64_t{0}, .initiator = receive.wanted.initiator};
  MatchList& list = (*port)->list(wanted.tagged);
  if (const auto name = list.take_unexpected(wanted.wanted)) {
    accept({static_cast<std::uint32_t>(*name >> 32), static_cast<std::uint32_t>(*name)}, wanted, now);
    return {};
  }
  const std::uint64_t name = next_name_++;
  if (!list.add_expected(name, wanted.wanted))
    return fail("receive: {} receives wait already, the port's limit", list.expected());
  receives_.emplace(name, wanted);
  return {};
}

bool SesMessenger::cancel(SesPortId id, std::uint64_t program_id, Time now) {
  const auto port = ports_.find(id);
  if (port == ports_.end())
    return false;
  for (const auto& [name, receive] : receives_) {
    if (receive.id == program_id && port->second.list(receive.tagged).remove_expected(name)) {
      complete({.id = program_id, .port = id, .kind = SesCompletion::Kind::kReceive, .status = Code::kCancelled});
      receives_.erase(name);
      return true;
    }
  }
  for (auto& [key, incoming] : incoming_) {
    if (incoming.port == id && incoming.receive && incoming.receive->id == program_id) {
      refuse(key, incoming, Code::kCancelled);
      return true;
    }
  }
  const auto message = std::ranges::find_if(outgoing_, [&](const auto& entry) {
    return entry.second.port == id && entry.second.id == program_id && !entry.second.serves;
  });
  if (message == outgoing_.end())
    return false;
  finish(message->first, Code::kCancelled, now);
  return true;
}

std::size_t SesMessenger::poll(std::span<SesCompletion> out) {
  std::size_t count = 0;
  while (count < out.size() && !completions_.empty())
    out[count++] = completions_.pop_front();
  return count;
}

void SesMessenger::complete_receive(const Incoming& message, const SesReceive& receive, Code status, Key key) {
  complete({.id = receive.id,
            .port = message.port,
            .kind = SesCompletion::Kind::kReceive,
            .status = status,
            .length = message.fields.length,
            .initiator = message.fields.initiator,
            .tag = message.fields.match_bits,
            .header_data = message.header_data,
            .source = EndpointId(key.first)});
}

}  // namespace weft::transport
