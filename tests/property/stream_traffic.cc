#include "tests/property/stream_traffic.h"

#include <cstring>

#include "base/assert.h"

namespace weft::testing {

using verbs::WrOpcode;

StreamTraffic::StreamTraffic(StreamPair& pair, StreamKind kind, const StreamTrafficOptions& options)
    : pair_(pair),
      options_(options),
      checks_bytes_(pair.side(0).context.memory().find(pair.side(0).key)->bytes != nullptr),
      random_(options.seed, "stream traffic") {
  WEFT_ASSERT(options.messages <= kSlots);
  for (int side = 0; side < 2; ++side) {
    for (std::byte& byte : pair_.side(side).memory().first(kAreaBytes)) {
      byte = static_cast<std::byte>(random_.next() & 0xFF);
    }
    for (int slot = 0; slot < options_.messages; ++slot) {
      messages_[side].push_back(draw(kind, slot));
      receives_needed_[1 - side] += messages_[side].back().needs_receive() ? 1 : 0;
    }
  }
}

StreamTraffic::Message StreamTraffic::draw(StreamKind kind, int slot) {
  static constexpr WrOpcode kOverTcp[] = {WrOpcode::kSend, WrOpcode::kSendWithImm, WrOpcode::kRdmaWrite,
                                          WrOpcode::kRdmaWriteWithImm};
  static constexpr WrOpcode kOverIwarp[] = {WrOpcode::kSend, WrOpcode::kRdmaRead, WrOpcode::kRdmaWrite,
                                            WrOpcode::kRdmaWriteWithImm};
  Message message;
  message.opcode = (kind == StreamKind::kTcp ? kOverTcp : kOverIwarp)[random_.uniform(4)];
  message.slot = slot;
  // Often at the edges of a segment, sometimes empty.
  const std::uint64_t shape = random_.uniform(8);
  message.length = shape == 0   ? 0
                   : shape <= 2 ? static_cast<std::uint32_t>(1420 + random_.uniform(40))
                                : static_cast<std::uint32_t>(random_.uniform(kSlotBytes + 1));
  message.signaled = random_.uniform(3) != 0;
  message.fenced = random_.uniform(5) == 0;
  message.solicited = random_.uniform(4) == 0;
  message.inlined = message.opcode != WrOpcode::kRdmaRead && message.length <= 256 && random_.uniform(2) == 0;
  message.split = message.length > 1 && random_.uniform(3) == 0;
  return message;
}

void StreamTraffic::post(int side, const Message& message) {
  StreamSide& mine = pair_.side(side);
  const StreamSide& peer = pair_.side(1 - side);
  const auto slot = static_cast<std::uint32_t>(message.slot) * kSlotBytes;
  const bool reads = message.opcode == WrOpcode::kRdmaRead;
  const std::uint32_t local = (reads ? kReadBack : kSource) + slot;
  const std::uint32_t head = message.split ? message.length / 3 : message.length;
  const verbs::Sge elements[2] = {mine.sge(local, head), mine.sge(local + head, message.length - head)};
  verbs::SendWr wr;
  wr.wr_id = static_cast<std::uint64_t>(message.slot);
  wr.opcode = message.opcode;
  wr.sg_list = std::span(elements, message.split ? 2U : 1U);
  wr.send_flags = static_cast<std::uint8_t>(
      (message.signaled ? verbs::kSendSignaled : 0) | (message.fenced ? verbs::kSendFence : 0) |
      (message.inlined ? verbs::kSendInline : 0) | (message.solicited ? verbs::kSendSolicited : 0));
  wr.imm_data = 0x1000U + static_cast<std::uint32_t>(message.slot);
  wr.rdma = {StreamSide::kBase + (reads ? kSource : kWritten) + slot, peer.key};
  const Result<void> posted = pair_.post_send(side, wr);
  WEFT_ASSERT(posted.has_value());
}

void StreamTraffic::post_receives(int side, int upto) {
  for (int& posted = receives_posted_[side]; posted < upto; ++posted) {
    const auto slot = static_cast<std::uint32_t>(posted) * kSlotBytes;
    const Result<void> done = pair_.post_recv(side, static_cast<std::uint64_t>(posted), kReceived + slot, kSlotBytes);
    WEFT_ASSERT(done.has_value());
  }
}

bool StreamTraffic::run() {
  if (!options_.late_receives) {
    post_receives(0, receives_needed_[0]);
    post_receives(1, receives_needed_[1]);
  }
  for (int i = 0; i < options_.messages; ++i) {
    for (int side = 0; side < 2; ++side) {
      post(side, messages_[side][static_cast<std::size_t>(i)]);
    }
    if (random_.uniform(2) == 0) {
      pair_.run_until(pair_.now() + Duration::nanoseconds(static_cast<std::int64_t>(random_.uniform(50'000))));
    }
    const int side = static_cast<int>(random_.uniform(2));
    if (receives_posted_[side] < receives_needed_[side]) {
      post_receives(side, receives_posted_[side] + 1);
    }
  }
  for (int side = 0; side < 2; ++side) {
    while (receives_posted_[side] < receives_needed_[side]) {
      pair_.run_until(pair_.now() + Duration::microseconds(30));
      post_receives(side, receives_posted_[side] + 1);
    }
  }
  return pair_.run();
}

std::string StreamTraffic::verify() {
  for (int side = 0; side < 2; ++side) {
    if (pair_.side(side).qp->state() != verbs::QpState::kRts) {
      return fmt::format("side {} is in {}", side, verbs::to_string(pair_.side(side).qp->state()));
    }
    if (!pair_.side(side).guards_intact()) {
      return fmt::format("side {}: memory outside the region was touched", side);
    }
    const std::string data = checks_bytes_ ? verify_data(side) : std::string{};
    for (const std::string& fault : {data, verify_completions(side), verify_receives(side)}) {
      if (!fault.empty()) {
        return fmt::format("side {}: {}", side, fault);
      }
    }
  }
  return {};
}

bool StreamTraffic::same(int side, std::uint32_t at, std::uint32_t peer_at, std::uint32_t length) {
  return std::memcmp(pair_.side(side).memory().data() + at, pair_.side(1 - side).memory().data() + peer_at, length) ==
         0;
}

// Every slot holds its message and, behind it, what was there before.
std::string StreamTraffic::verify_data(int side) {
  for (const Message& message : messages_[side]) {
    const std::uint32_t slot = static_cast<std::uint32_t>(message.slot) * kSlotBytes;
    const std::uint32_t arrived = message.is_write() ? message.length : 0;
    if (!same(side, kSource + slot, kWritten + slot, arrived)) {
      return fmt::format("message {}: WRITE data differ", message.slot);
    }
    for (const std::byte byte :
         pair_.side(1 - side).memory().subspan(kWritten + slot + arrived, kSlotBytes - arrived)) {
      if (byte != StreamSide::kGuardByte) {
        return fmt::format("message {}: bytes beyond the message were written", message.slot);
      }
    }
    if (message.opcode == WrOpcode::kRdmaRead && !same(side, kReadBack + slot, kSource + slot, message.length)) {
      return fmt::format("message {}: READ data differ", message.slot);
    }
  }
  return {};
}

void StreamTraffic::note(int side, const verbs::WorkCompletion& completion) {
  completion_log_.push_back(fmt::format("{}: {} {} {} bytes immediate {:#x} flags {}", side, completion.wr_id,
                                        verbs::to_string(completion.status), completion.byte_len, completion.imm_data,
                                        completion.wc_flags));
}

std::string StreamTraffic::verify_completions(int side) {
  const std::vector<verbs::WorkCompletion> completions = pair_.side(side).poll_send();
  std::size_t next = 0;
  for (const Message& message : messages_[side]) {
    if (!message.signaled) {
      continue;
    }
    if (next == completions.size()) {
      return fmt::format("message {}: no completion", message.slot);
    }
    const verbs::WorkCompletion& completion = completions[next++];
    note(side, completion);
    if (completion.wr_id != static_cast<std::uint64_t>(message.slot) ||
        completion.status != verbs::WcStatus::kSuccess) {
      return fmt::format("message {}: completion of {} with {}", message.slot, completion.wr_id,
                         verbs::to_string(completion.status));
    }
  }
  return next == completions.size() ? "" : "more completions than signalled requests";
}

std::string StreamTraffic::verify_receives(int side) {
  const std::vector<verbs::WorkCompletion> completions = pair_.side(side).poll_recv();
  std::size_t next = 0;
  for (const Message& message : messages_[1 - side]) {
    if (!message.needs_receive()) {
      continue;
    }
    if (next == completions.size()) {
      return fmt::format("message {}: not received", message.slot);
    }
    const verbs::WorkCompletion& completion = completions[next];
    note(side, completion);
    const auto buffer = kReceived + static_cast<std::uint32_t>(next) * kSlotBytes;
    const std::uint32_t slot = static_cast<std::uint32_t>(message.slot) * kSlotBytes;
    const std::uint32_t immediate = message.has_immediate() ? 0x1000U + static_cast<std::uint32_t>(message.slot) : 0;
    const bool solicited = (completion.wc_flags & verbs::kWcSolicited) != 0;
    if (completion.wr_id != next || completion.status != verbs::WcStatus::kSuccess ||
        completion.byte_len != message.length || completion.imm_data != immediate || solicited != message.solicited) {
      return fmt::format("message {}: received as {} with {} bytes, {}", message.slot, completion.wr_id,
                         completion.byte_len, verbs::to_string(completion.status));
    }
    if (checks_bytes_ && message.is_send() && !same(side, buffer, kSource + slot, message.length)) {
      return fmt::format("message {}: SEND data differ", message.slot);
    }
    ++next;
  }
  return next == completions.size() ? "" : "more receptions than messages";
}

}  // namespace weft::testing
