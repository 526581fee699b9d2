#include "live/perf_requester.h"

#include <algorithm>
#include <cstring>

#include "live/message_pattern.h"
#include "verbs/completion.h"

namespace weft::live {
namespace {

/// Samples kept of a row; more completions than that share samples.
constexpr std::size_t kMaxSamples = 1 << 20;

}  // namespace

PerfRequester::PerfRequester(PerfEndpoint& endpoint, PerfRow row)
    : endpoint_(endpoint),
      row_(row),
      ping_pong_(is_ping_pong(endpoint.plan().op, endpoint.plan().test)),
      slots_(slots_for(endpoint.plan(), row.size)),
      in_flight_(in_flight_for(endpoint.plan(), row.size)),
      signal_interval_(std::clamp(in_flight_ / 4, 1U, 32U)) {
  for (std::uint32_t slot = 0; slot < slots_; ++slot) {
    fill_body(endpoint.outgoing(row.size, slot));
    clear_stamp(endpoint.incoming(row.size, slot));
  }
  completions_.reserve(std::min<std::size_t>(kMaxSamples, row.iterations));
  if (endpoint.plan().test == PerfTest::kLatency)
    latencies_.reserve(row.iterations);
}

bool PerfRequester::finished() const {
  return completed_ == row_.iterations && (!ping_pong_ || answered_ == row_.iterations);
}

Result<void> PerfRequester::step(Time now) {
  if (posted_ == 0)
    begin_ = now;
  if (Result<void> reaped = reap(); !reaped)
    return reaped;
  return ping_pong_ ? step_ping_pong() : post_messages();
}

Result<void> PerfRequester::reap() {
  const std::uint64_t before = completed_;
  for (const verbs::WorkCompletion& completion : endpoint_.poll_sends()) {
    if (completion.status != verbs::WcStatus::kSuccess) {
      return fail("message {} of {} bytes failed: {}", completion.wr_id, row_.size,
                  verbs::to_string(completion.status));
    }
    for (; completed_ <= completion.wr_id; ++completed_)
      check_response(completed_);
  }
  if (completed_ == before)
    return {};
  const Time now = endpoint_.clock().now();
  if (completions_.size() < kMaxSamples || finished())
    completions_.push_back({.at = now, .completed = completed_});
  if (endpoint_.plan().test == PerfTest::kLatency && !ping_pong_)
    latencies_.push_back(now - asked_);
  return {};
}

bool PerfRequester::responses_hold_data() const {
  return endpoint_.plan().op == PerfOp::kRead || is_atomic(endpoint_.plan().op);
}

// A READ brings the server's slot, stamped with the slot's number; an atomic the count of those before it.
void PerfRequester::check_response(std::uint64_t n) {
  if (!responses_hold_data())
    return;
  const std::span<std::byte> answer = endpoint_.incoming(row_.size, n);
  if (is_atomic(endpoint_.plan().op)) {
    std::uint64_t original = 0;
    std::memcpy(&original, answer.data(), sizeof(original));
    wrong_ += original == n ? 0 : 1;
    return;
  }
  const bool whole = n + slots_ >= row_.iterations;  // the last message of its slot
  wrong_ += has_stamp(answer, n % slots_) && (!whole || has_body(answer)) ? 0 : 1;
  clear_stamp(answer);
}

Result<void> PerfRequester::post_messages() {
  while (posted_ < row_.iterations && posted_ - completed_ < in_flight_) {
    if (!responses_hold_data())
      stamp(endpoint_.outgoing(row_.size, posted_), posted_);
    const bool signaled = (posted_ + 1) % signal_interval_ == 0 || posted_ + 1 == row_.iterations;
    asked_ = endpoint_.device().now();
    if (Result<void> posted = endpoint_.post({.size = row_.size, .n = posted_, .signaled = signaled}); !posted)
      return posted;
    ++posted_;
  }
  return {};
}

void PerfRequester::take_pong() {
  const std::span<std::byte> answer = endpoint_.incoming(row_.size, 0);
  if (endpoint_.plan().op == PerfOp::kSend) {
    const std::span<verbs::WorkCompletion> received = endpoint_.poll_receives();
    if (received.empty())
      return;
    wrong_ += has_stamp(answer, answered_) ? 0 : 1;
  } else if (!has_stamp(answer, answered_)) {
    return;
  }
  latencies_.push_back((endpoint_.clock().now() - asked_) / 2);
  ++answered_;
  if (answered_ == row_.iterations)
    wrong_ += has_body(answer) ? 0 : 1;
}

Result<void> PerfRequester::step_ping_pong() {
  if (answered_ < posted_)
    take_pong();
  // Completions may come after the answer; as many may be missing as the send queue has room for.
  if (answered_ < posted_ || posted_ == row_.iterations || posted_ - completed_ >= 32)
    return {};
  if (endpoint_.plan().op == PerfOp::kSend) {
    if (Result<void> posted = endpoint_.post_receive(row_.size, posted_); !posted)
      return posted;
  }
  stamp(endpoint_.outgoing(row_.size, 0), posted_);
  asked_ = endpoint_.clock().now();
  if (Result<void> posted = endpoint_.post({.size = row_.size, .n = posted_}); !posted)
    return posted;
  ++posted_;
  return {};
}

RowResult PerfRequester::result() {
  RowResult result{.row = row_, .wrong = wrong_};
  if (endpoint_.plan().test == PerfTest::kLatency) {
    result.latency = latency_of(latencies_);
  } else {
    result.bandwidth =
        bandwidth_of({.row = row_, .begin = begin_, .completions = completions_, .in_flight = in_flight_});
  }
  return result;
}

}  // namespace weft::live
