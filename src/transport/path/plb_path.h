// PLB over acknowledgements that tell of marks: one path, until transport/path/plb_rule.h says to leave it; then any
// other at random.
//
// A round ends when everything that had left at its beginning is acknowledged; its packets are those that were told of
// meanwhile. With a pause, nothing in flight, the first packet after it may take another path. A timeout takes another
// path at once, as a kernel does, and suspends the rule. changes(): the times that it has taken another path.
#pragma once

#include "base/random.h"
#include "transport/path/entropy_range.h"
#include "transport/path/path_selector.h"
#include "transport/path/plb_rule.h"

namespace weft::transport {

class PlbPath final : public PathSelector {
 public:
  struct Options {
    EntropyRange range;
    PlbRule::Options rule{};
  };
  PlbPath(const Options& options, RandomStream random);

  [[nodiscard]] std::uint16_t entropy_for(Psn psn, Time now) override;
  void on_ack(std::uint16_t entropy, PathMark mark, Time now) override;
  void on_loss(std::uint16_t entropy, PathLoss sign, Time now) override;
  void on_progress(const PathProgress& progress, Time now) override;
  [[nodiscard]] std::uint32_t paths() const override { return options_.range.paths; }
  [[nodiscard]] std::optional<std::uint16_t> lasting_entropy() const override { return entropy_; }

  [[nodiscard]] const PlbRule& rule() const { return rule_; }

 private:
  void move();

  Options options_;
  RandomStream random_;
  PlbRule rule_;
  PlbRule::Round round_{};
  std::uint16_t entropy_;
  bool begun_ = false;  // the PSNs below mean something
  Psn unacknowledged_{};
  Psn next_{};  // one past the last packet that has left
  Psn round_end_{};
};

}  // namespace weft::transport
