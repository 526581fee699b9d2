#include "tests/property/rc_traffic.h"

#include <fmt/format.h>

#include <cstring>

#include "base/assert.h"

namespace weft::testing {

using verbs::WrOpcode;

namespace {
constexpr std::byte kUntouched{0xA5};  // what memory is filled with at first
}  // namespace

RcTraffic::RcTraffic(TrafficEnds& pair, const TrafficOptions& options)
    : pair_(pair), options_(options), random_(options.seed, "traffic") {
  WEFT_ASSERT(options.messages <= kSlots);
  for (int side = 0; side < 2; ++side) {
    for (std::byte& byte : pair_.memory(side).first(kAreaBytes)) {
      byte = static_cast<std::byte>(random_.next() & 0xFF);
    }
    std::memset(pair_.memory(side).data() + kCounter, 0, 64);
    for (int slot = 0; slot < options_.messages; ++slot) {
      messages_[side].push_back(draw(slot));
      const WrOpcode opcode = messages_[side].back().opcode;
      receives_needed_[1 - side] +=
          opcode == WrOpcode::kSend || opcode == WrOpcode::kSendWithImm || opcode == WrOpcode::kRdmaWriteWithImm ? 1
                                                                                                                 : 0;
    }
  }
}

RcTraffic::Message RcTraffic::draw(int slot) {
  static constexpr WrOpcode kOpcodes[] = {WrOpcode::kSend,      WrOpcode::kSendWithImm,
                                          WrOpcode::kRdmaWrite, WrOpcode::kRdmaWriteWithImm,
                                          WrOpcode::kRdmaRead,  WrOpcode::kAtomicFetchAndAdd};
  Message message;
  message.opcode = kOpcodes[random_.uniform(6)];
  message.slot = slot;
  // Often at the edges of a packet, sometimes empty.
  const std::uint64_t shape = random_.uniform(8);
  message.length = shape == 0   ? 0
                   : shape <= 2 ? static_cast<std::uint32_t>(256U << random_.uniform(5))
                                : static_cast<std::uint32_t>(random_.uniform(kSlotBytes + 1));
  message.addend = static_cast<std::uint32_t>(random_.uniform(1000) + 1);
  message.signaled = random_.uniform(3) != 0;
  message.fenced = random_.uniform(5) == 0;
  const bool reads = message.opcode == WrOpcode::kRdmaRead || message.opcode == WrOpcode::kAtomicFetchAndAdd;
  message.inlined = !reads && message.length <= 256 && random_.uniform(2) == 0;
  message.split = message.opcode != WrOpcode::kAtomicFetchAndAdd && message.length > 1 && random_.uniform(3) == 0;
  if (message.opcode == WrOpcode::kAtomicFetchAndAdd) {
    message.length = 8;
  }
  return message;
}

void RcTraffic::post(int side, const Message& message) {
  const auto slot = static_cast<std::uint32_t>(message.slot) * kSlotBytes;
  const bool reads = message.opcode == WrOpcode::kRdmaRead || message.opcode == WrOpcode::kAtomicFetchAndAdd;
  const std::uint32_t local = (reads ? kReadBack : kSource) + slot;
  const std::uint32_t head = message.split ? message.length / 3 : message.length;
  const verbs::Sge elements[2] = {pair_.sge(side, local, head), pair_.sge(side, local + head, message.length - head)};
  verbs::SendWr wr;
  wr.wr_id = static_cast<std::uint64_t>(message.slot);
  wr.opcode = message.opcode;
  wr.sg_list = std::span(elements, message.split ? 2U : 1U);
  wr.send_flags =
      static_cast<std::uint8_t>((message.signaled ? verbs::kSendSignaled : 0) |
                                (message.fenced ? verbs::kSendFence : 0) | (message.inlined ? verbs::kSendInline : 0));
  wr.imm_data = 0x1000U + static_cast<std::uint32_t>(message.slot);
  wr.atomic.compare_add = message.addend;
  const std::uint32_t remote = message.opcode == WrOpcode::kAtomicFetchAndAdd ? kCounter
                               : message.opcode == WrOpcode::kRdmaRead        ? kSource + slot
                                                                              : kWritten + slot;
  wr.rdma = {TrafficEnds::kBase + remote, pair_.key(1 - side)};
  const Result<void> posted = pair_.post_send(side, wr);
  WEFT_ASSERT(posted.has_value());
}

void RcTraffic::post_receives(int side, int upto) {
  for (int& posted = receives_posted_[side]; posted < upto; ++posted) {
    const auto slot = static_cast<std::uint32_t>(posted) * kSlotBytes;
    const verbs::Sge element = pair_.sge(side, kReceived + slot, kSlotBytes);
    const Result<void> done =
        pair_.post_recv(side, {.wr_id = static_cast<std::uint64_t>(posted), .sg_list = std::span(&element, 1)});
    WEFT_ASSERT(done.has_value());
  }
}

bool RcTraffic::run() {
  if (!options_.late_receives) {
    post_receives(0, receives_needed_[0]);
    post_receives(1, receives_needed_[1]);
  }
  for (int i = 0; i < options_.messages; ++i) {
    for (int side = 0; side < 2; ++side) {
      post(side, messages_[side][static_cast<std::size_t>(i)]);
    }
    if (random_.uniform(2) == 0) {
      pair_.run_until(pair_.now() + Duration::nanoseconds(static_cast<std::int64_t>(random_.uniform(20'000))));
    }
    const int side = static_cast<int>(random_.uniform(2));
    if (receives_posted_[side] < receives_needed_[side]) {
      post_receives(side, receives_posted_[side] + 1);
    }
  }
  for (int side = 0; side < 2; ++side) {
    while (receives_posted_[side] < receives_needed_[side]) {
      pair_.run_until(pair_.now() + Duration::microseconds(10));
      post_receives(side, receives_posted_[side] + 1);
    }
  }
  return pair_.run();
}

std::string RcTraffic::verify() {
  for (int side = 0; side < 2; ++side) {
    for (const std::string& fault :
         {pair_.fault(side), verify_data(side), verify_completions(side), verify_receives(side)}) {
      if (!fault.empty()) {
        return fmt::format("side {}: {}", side, fault);
      }
    }
  }
  return {};
}

bool RcTraffic::same(int side, std::uint32_t at, std::uint32_t peer_at, std::uint32_t length) {
  return std::memcmp(pair_.memory(side).data() + at, pair_.memory(1 - side).data() + peer_at, length) == 0;
}

// Every slot holds its message and, behind it, what was there before.
std::string RcTraffic::verify_data(int side) {
  std::uint64_t sum = 0;
  for (const Message& message : messages_[side]) {
    const std::uint32_t slot = static_cast<std::uint32_t>(message.slot) * kSlotBytes;
    const bool written = message.opcode == WrOpcode::kRdmaWrite || message.opcode == WrOpcode::kRdmaWriteWithImm;
    const std::uint32_t arrived = written ? message.length : 0;
    if (!same(side, kSource + slot, kWritten + slot, arrived)) {
      return fmt::format("message {}: WRITE data differ", message.slot);
    }
    const std::span<std::byte> rest = pair_.memory(1 - side).subspan(kWritten + slot + arrived, kSlotBytes - arrived);
    for (const std::byte byte : rest) {
      if (byte != kUntouched) {
        return fmt::format("message {}: bytes beyond the message were written", message.slot);
      }
    }
    if (message.opcode == WrOpcode::kRdmaRead && !same(side, kReadBack + slot, kSource + slot, message.length)) {
      return fmt::format("message {}: READ data differ", message.slot);
    }
    if (message.opcode == WrOpcode::kAtomicFetchAndAdd) {
      std::uint64_t original = 0;
      std::memcpy(&original, pair_.memory(side).data() + kReadBack + slot, sizeof original);
      if (original != sum) {
        return fmt::format("message {}: fetch-and-add returned {}, not {}", message.slot, original, sum);
      }
      sum += message.addend;
    }
  }
  std::uint64_t counter = 0;
  std::memcpy(&counter, pair_.memory(1 - side).data() + kCounter, sizeof counter);
  return counter == sum ? "" : fmt::format("the peer's counter is {}, not {}", counter, sum);
}

std::string RcTraffic::verify_completions(int side) {
  const std::vector<verbs::WorkCompletion> completions = pair_.poll_send(side);
  std::size_t next = 0;
  for (const Message& message : messages_[side]) {
    if (!message.signaled) {
      continue;
    }
    if (next == completions.size()) {
      return fmt::format("message {}: no completion", message.slot);
    }
    const verbs::WorkCompletion& completion = completions[next++];
    if (completion.wr_id != static_cast<std::uint64_t>(message.slot) ||
        completion.status != verbs::WcStatus::kSuccess) {
      return fmt::format("message {}: completion of {} with {}", message.slot, completion.wr_id,
                         verbs::to_string(completion.status));
    }
  }
  return next == completions.size() ? "" : "more completions than signalled requests";
}

std::string RcTraffic::verify_receives(int side) {
  const std::vector<verbs::WorkCompletion> completions = pair_.poll_recv(side);
  std::size_t next = 0;
  for (const Message& message : messages_[1 - side]) {
    const bool sends = message.opcode == WrOpcode::kSend || message.opcode == WrOpcode::kSendWithImm;
    const bool immediate = message.opcode == WrOpcode::kSendWithImm || message.opcode == WrOpcode::kRdmaWriteWithImm;
    if (!sends && !immediate) {
      continue;
    }
    if (next == completions.size()) {
      return fmt::format("message {}: not received", message.slot);
    }
    const verbs::WorkCompletion& completion = completions[next];
    const auto buffer = kReceived + static_cast<std::uint32_t>(next) * kSlotBytes;
    const std::uint32_t slot = static_cast<std::uint32_t>(message.slot) * kSlotBytes;
    if (completion.wr_id != next || completion.status != verbs::WcStatus::kSuccess ||
        completion.byte_len != message.length ||
        (immediate && completion.imm_data != 0x1000U + static_cast<std::uint32_t>(message.slot))) {
      return fmt::format("message {}: received as {} with {} bytes, {}", message.slot, completion.wr_id,
                         completion.byte_len, verbs::to_string(completion.status));
    }
    if (sends && !same(side, buffer, kSource + slot, message.length)) {
      return fmt::format("message {}: SEND data differ", message.slot);
    }
    ++next;
  }
  return next == completions.size() ? "" : "more receptions than messages";
}

}  // namespace weft::testing
