#include "transport/path/bitmap_path.h"

#include <algorithm>

namespace weft::transport {

BitmapPath::BitmapPath(const Options& options, RandomStream random)
    : PathSelector(Feedback::kWanted),
      options_(options),
      cycle_(options.range.paths, random),
      points_(options.range.paths) {}

std::uint16_t BitmapPath::entropy_for(Psn, Time) {
  if (std::uint8_t& first = points_[cycle_.current()]; first > 0) {
    --first;
    count_change();
    cycle_.advance();
    // What is left of this cycle and the whole next one hold every path.
    for (std::uint32_t tried = 0; tried < 2U * options_.range.paths && points_[cycle_.current()] > 0; ++tried) {
      cycle_.advance();
    }
  }
  const std::uint16_t entropy = options_.range.at(cycle_.current());
  cycle_.advance();
  return entropy;
}

void BitmapPath::punish(std::uint16_t entropy, std::uint8_t points) {
  if (!options_.range.contains(entropy)) {
    return;  // of a packet that left before this selector chose
  }
  std::uint8_t& now = points_[options_.range.index_of(entropy)];
  now = static_cast<std::uint8_t>(std::min(now + points, +options_.penalties.most));
}

void BitmapPath::on_ack(std::uint16_t entropy, PathMark mark, Time) {
  if (mark == PathMark::kMarked) {
    punish(entropy, options_.penalties.mark);
  }
}

void BitmapPath::on_loss(std::uint16_t entropy, PathLoss sign, Time) {
  punish(entropy, sign == PathLoss::kTimeout ? options_.penalties.timeout : options_.penalties.trim);
}

std::uint8_t BitmapPath::penalty(std::uint16_t entropy) const {
  return options_.range.contains(entropy) ? points_[options_.range.index_of(entropy)] : std::uint8_t{0};
}

}  // namespace weft::transport
