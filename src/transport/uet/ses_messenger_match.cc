// What becomes of messages that wait for their receive, or whose receive is at hand: the rest, refusals, losses.
#include <cstring>

#include "transport/uet/ses_messenger.h"
#include "transport/uet/uet_endpoint.h"

namespace weft::transport {

using wire::UetOperation;

void SesMessenger::read_rest(Key key, Incoming& message, Time now) {
  message.stage = Incoming::Stage::kReading;
  verbs::Sge local = message.receive->local;
  local.address += message.eager;
  local.length = message.fields.length - message.eager;
  SesAddress from = message.fields.read_from;
  from.relative = ports_.at(message.port).setup.address.relative;
  const Result<void> begun = start({.port = message.port,
                                    .common = message.back,
                                    .to = from,
                                    .local = local,
                                    .remote_address = message.fields.read_offset,
                                    .remote_key = static_cast<std::uint32_t>(message.fields.read_key),
                                    .header_data = key.second,
                                    .operation = UetOperation::kRead,
                                    .serves = key},
                                   now);
  if (!begun)
    end_service(key, Code::kCancelled, now);
}

// A receive has been posted for a message that waits.
void SesMessenger::accept(Key key, const SesReceive& receive, Time now) {
  Incoming& message = incoming_.at(key);
  message.receive = receive;
  release_bytes(message);
  const bool deferred = message.stage == Incoming::Stage::kDeferred;
  const Port& port = ports_.at(message.port);
  if (message.fields.length > receive.local.length) {
    if (deferred || wire::uet::is_rendezvous(message.operation))
      tell_sender(key, message, UetOperation::kMessageError, Code::kTooLong, now);
    refuse(key, message, Code::kTooLong);
    return;
  }
  if (deferred) {
    message.stage = Incoming::Stage::kArriving;
    message.fields.restart.target = next_serial_++;
    tell_sender(key, message, UetOperation::kReadyToRestart, Code::kOk, now);
    return;
  }
  if (!message.data.empty()) {
    const auto checked = context_.memory().check({.pd = port.setup.pd,
                                                  .key = receive.local.lkey,
                                                  .address = receive.local.address,
                                                  .length = message.eager,
                                                  .access = verbs::kAccessLocalWrite});
    if (std::byte* const bytes = checked.region == nullptr ? nullptr : checked.region->data(receive.local.address);
        bytes != nullptr)
      std::memcpy(bytes, message.data.data(), message.eager);
    message.data = {};
  }
  if (message.stage == Incoming::Stage::kArrived)
    on_eager_arrived(key, message, now);
}

// A message that has been restarted is remembered as long as packets of its first attempt may come, late or twice.
void SesMessenger::forget(Key key, Incoming& message) {
  if (message.fields.restart.target == 0 || message.first_pdc == 0) {
    incoming_.erase(key);
    return;
  }
  message.stage = Incoming::Stage::kDone;
  message.receive.reset();
}

void SesMessenger::release_bytes(Incoming& message) {
  ports_.at(message.port).unexpected_bytes -= message.reserved;
  message.reserved = 0;
}

// Its receive ends here; packets of it that are still to come find a message that is refused.
void SesMessenger::refuse(Key key, Incoming& message, Code status) {
  complete_receive(message, *message.receive, status, key);
  message.receive.reset();
  if (message.received >= message.eager && message.stage != Incoming::Stage::kArriving &&
      message.stage != Incoming::Stage::kDeferred) {
    incoming_.erase(key);
    return;
  }
  message.data = {};
  message.stage = Incoming::Stage::kRefused;
}

void SesMessenger::tell_sender(Key key, const Incoming& message, UetOperation operation, Code status, Time now) {
  const bool error = operation == UetOperation::kMessageError;
  const SesAddress to{.job = message.fields.job, .relative = true};  // it is found by its token or number
  const Result<void> told =
      start({.port = message.port,
             .common = message.back,
             .to = to,
             .header_data = error ? std::optional<std::uint64_t>(static_cast<std::uint64_t>(key.second) << 8 |
                                                                 static_cast<std::uint64_t>(status))
                                  : std::nullopt,
             .operation = operation,
             .restart = message.fields.restart,
             .serves = error ? std::nullopt : std::optional<Key>(key)},
            now);
  if (!told && !error)
    end_service(key, Code::kCancelled, now);
}

void SesMessenger::on_context_gone(std::uint16_t pdc, ContextEnd end, Time now) {
  for (auto next = outgoing_.begin(); next != outgoing_.end();) {
    const auto message = next++;
    const bool bound =
        message->second.stage == Outgoing::Stage::kSending || message->second.stage == Outgoing::Stage::kAnswered;
    if (message->second.pdc == pdc && bound)
      finish(message->first, Code::kUndeliverable, now);
  }
  for (auto next = answers_.begin(); next != answers_.end();) {
    const auto answer = next++;
    if (answer->second.pdc == pdc)
      end_answer(answer->first, end == ContextEnd::kClosed ? answer->second.code : Code::kUndeliverable, now);
  }
  for (auto next = incoming_.begin(); next != incoming_.end();) {
    const auto found = next++;
    Incoming& message = found->second;
    if (message.first_pdc == pdc)
      message.first_pdc = 0;
    if (message.stage == Incoming::Stage::kDone && message.first_pdc == 0) {
      incoming_.erase(found);
      continue;
    }
    const bool partial = message.stage == Incoming::Stage::kArriving || message.stage == Incoming::Stage::kRefused;
    // One that has been asked to restart comes in a context to be.
    if (message.pdc != pdc || !partial || (message.received == 0 && message.fields.restart.target != 0))
      continue;
    if (message.receive)
      complete_receive(message, *message.receive, Code::kUndeliverable, found->first);
    ports_.at(message.port).list(message.tagged).remove_unexpected(name_of(found->first));
    release_bytes(message);
    incoming_.erase(found);
  }
}

}  // namespace weft::transport
