// The server's program for one row: offers memory and receive requests, answers pings, and counts wrong messages.
#pragma once

#include "live/perf_endpoint.h"
#include "live/perf_session.h"

namespace weft::live {

class PerfResponder final : public PerfProgram {
 public:
  /// Prepares the memory. The endpoint must be connected and outlive this.
  PerfResponder(PerfEndpoint& endpoint, PerfRow row);
  /// Posts the first receive requests; once, before the client is told to begin.
  Result<void> prepare();

  Result<void> step(Time now) override;
  /// Answers are all acknowledged.
  [[nodiscard]] bool finished() const override { return completed_ == answered_; }

  /// After the client is done: messages whose data are wrong, or that never came.
  [[nodiscard]] std::uint64_t count_wrong();

 private:
  Result<void> receive();
  Result<void> answer();
  Result<void> post_receive();

  PerfEndpoint& endpoint_;
  PerfRow row_;
  bool ping_pong_;
  std::uint32_t slots_;
  std::uint64_t offered_ = 0;   // receive requests posted
  std::uint64_t arrived_ = 0;   // messages noticed
  std::uint64_t answered_ = 0;  // pongs posted
  std::uint64_t completed_ = 0;
  std::uint64_t wrong_ = 0;
};

}  // namespace weft::live
