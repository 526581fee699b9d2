#include "live/perf_responder.h"

#include <algorithm>
#include <cstring>

#include "live/message_pattern.h"

namespace weft::live {

PerfResponder::PerfResponder(PerfEndpoint& endpoint, PerfRow row)
    : endpoint_(endpoint),
      row_(row),
      ping_pong_(is_ping_pong(endpoint.plan().op, endpoint.plan().test)),
      slots_(slots_for(endpoint.plan(), row.size)) {
  for (std::uint32_t slot = 0; slot < slots_; ++slot) {
    const std::span<std::byte> source = endpoint.outgoing(row.size, slot);
    fill_body(source);
    stamp(source, slot);
    std::ranges::fill(endpoint.incoming(row.size, slot), std::byte{0});
  }
  if (is_atomic(endpoint.plan().op))
    std::ranges::fill(endpoint.outgoing(row.size, 0), std::byte{0});
}

Result<void> PerfResponder::prepare() {
  if (endpoint_.plan().op != PerfOp::kSend)
    return {};
  for (std::uint32_t slot = 0; slot < slots_ && offered_ < row_.iterations; ++slot) {
    if (Result<void> posted = post_receive(); !posted)
      return posted;
  }
  return {};
}

Result<void> PerfResponder::post_receive() { return endpoint_.post_receive(row_.size, offered_++); }

Result<void> PerfResponder::step(Time /*now*/) {
  for (const verbs::WorkCompletion& completion : endpoint_.poll_sends()) {
    if (completion.status != verbs::WcStatus::kSuccess)
      return fail("a reply of {} bytes failed: {}", row_.size, verbs::to_string(completion.status));
    ++completed_;
  }
  if (endpoint_.plan().op == PerfOp::kSend)
    return receive();
  if (ping_pong_ && arrived_ < row_.iterations && has_stamp(endpoint_.incoming(row_.size, 0), arrived_)) {
    ++arrived_;
    return answer();
  }
  return {};
}

Result<void> PerfResponder::receive() {
  for (const verbs::WorkCompletion& completion : endpoint_.poll_receives()) {
    if (completion.status != verbs::WcStatus::kSuccess)
      return fail("a receive request failed: {}", verbs::to_string(completion.status));
    const bool right = completion.wr_id == arrived_ && completion.byte_len == row_.size &&
                       has_stamp(endpoint_.incoming(row_.size, arrived_), arrived_);
    wrong_ += right ? 0 : 1;
    ++arrived_;
    if (offered_ < row_.iterations) {
      if (Result<void> posted = post_receive(); !posted)
        return posted;
    }
    if (ping_pong_) {
      if (Result<void> posted = answer(); !posted)
        return posted;
    }
  }
  return {};
}

Result<void> PerfResponder::answer() {
  const std::uint64_t n = answered_++;
  stamp(endpoint_.outgoing(row_.size, n), n);
  return endpoint_.post({.size = row_.size, .n = n});
}

std::uint64_t PerfResponder::count_wrong() {
  const PerfOp op = endpoint_.plan().op;
  if (op == PerfOp::kRead)
    return 0;
  if (is_atomic(op)) {
    std::uint64_t counter = 0;
    std::memcpy(&counter, endpoint_.outgoing(row_.size, 0).data(), sizeof(counter));
    return counter == row_.iterations ? 0 : 1;
  }
  // The last message of every slot is still there, whole.
  const std::uint64_t first = row_.iterations - std::min(row_.iterations, slots_);
  for (std::uint64_t n = first; n < row_.iterations; ++n) {
    const std::span<const std::byte> message = endpoint_.incoming(row_.size, n);
    wrong_ += has_stamp(message, n) && has_body(message) ? 0 : 1;
  }
  if (op == PerfOp::kSend)
    wrong_ += row_.iterations - arrived_;
  return wrong_;
}

}  // namespace weft::live
