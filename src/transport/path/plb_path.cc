#include "transport/path/plb_path.h"

#include "transport/path/spray_cycle.h"

namespace weft::transport {

PlbPath::PlbPath(const Options& options, RandomStream random)
    : PathSelector(Feedback::kWanted, Progress::kAcknowledgements),
      options_(options),
      random_(random),
      rule_(options.rule, RandomStream(random_.next(), "plb")),
      entropy_(options.range.at(static_cast<std::uint32_t>(random_.uniform(options.range.paths)))) {}

// Another path, if there is one.
void PlbPath::move() {
  if (options_.range.paths > 1) {
    const auto step = 1 + static_cast<std::uint32_t>(random_.uniform(options_.range.paths - 1U));
    entropy_ = options_.range.at((options_.range.index_of(entropy_) + step) % options_.range.paths);
    count_change();
  }
}

std::uint16_t PlbPath::entropy_for(Psn psn, Time now) {
  if (!begun_) {
    begun_ = true;
    unacknowledged_ = next_ = psn;
    round_end_ = psn + 1;
  }
  if (psn == next_ && unacknowledged_ == next_ && rule_.leaves(PlbRule::Flight::kNone, now)) {
    move();
  }
  if (psn >= next_) {
    next_ = psn + 1;
  }
  return entropy_;
}

void PlbPath::on_ack(std::uint16_t /*entropy*/, PathMark mark, Time /*now*/) {
  ++round_.acknowledged;
  round_.marked += mark == PathMark::kMarked ? 1 : 0;
}

void PlbPath::on_loss(std::uint16_t entropy, PathLoss sign, Time now) {
  // One timeout may tell of many packets: those of the path that is left already mean nothing more.
  if (sign == PathLoss::kTimeout && entropy == entropy_) {
    rule_.on_timeout(now);
    move();
  }
}

void PlbPath::on_progress(const PathProgress& progress, Time now) {
  unacknowledged_ = progress.unacknowledged;
  if (unacknowledged_ < round_end_ || round_.acknowledged == 0) {
    return;
  }
  rule_.on_round(round_);
  round_ = {};
  round_end_ = next_;
  const auto flight = unacknowledged_ == next_ ? PlbRule::Flight::kNone : PlbRule::Flight::kSome;
  if (rule_.leaves(flight, now)) {
    move();
  }
}

}  // namespace weft::transport
