// The client's program for one row: posts the messages, takes the times, and checks what comes back.
#pragma once

#include <vector>

#include "live/perf_endpoint.h"
#include "live/perf_report.h"
#include "live/perf_session.h"

namespace weft::live {

class PerfRequester final : public PerfProgram {
 public:
  /// Fills the outgoing memory. The endpoint must be connected and outlive this.
  PerfRequester(PerfEndpoint& endpoint, PerfRow row);

  Result<void> step(Time now) override;
  [[nodiscard]] bool finished() const override;

  /// After the end; the server's count of wrong messages is not in it.
  [[nodiscard]] RowResult result();

 private:
  Result<void> reap();
  void check_response(std::uint64_t n);
  Result<void> post_messages();
  Result<void> step_ping_pong();
  void take_pong();
  [[nodiscard]] bool responses_hold_data() const;

  PerfEndpoint& endpoint_;
  PerfRow row_;
  bool ping_pong_;
  std::uint32_t slots_;
  std::uint32_t in_flight_;  // messages at most
  std::uint32_t signal_interval_;
  std::uint64_t posted_ = 0;
  std::uint64_t completed_ = 0;
  std::uint64_t answered_ = 0;  // pongs
  std::uint64_t wrong_ = 0;
  Time begin_;
  Time asked_;  // when the message under way was posted, in a latency test
  std::vector<CompletionSample> completions_;
  std::vector<Duration> latencies_;
};

}  // namespace weft::live
