// How a packet is cut into cells, and which links those take.
//
// Cells of a packet are as equal as bytes allow: of a packet of 4,158 bytes and cells of 240 and a header, 18 cells of
// 231. Those of one leaf for another visit its links in rounds: each link once per round, in an order that is turned
// by a random number from round to round, so that loads differ by one cell at most and no pattern of packet sizes falls
// into step with the number of links.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/assert.h"
#include "base/random.h"

namespace weft::fabric {

struct CellFormat {
  std::uint32_t size = 256;   // largest, with the header
  std::uint32_t header = 16;  // < size

  [[nodiscard]] std::uint32_t cells_of(std::uint32_t frame_bytes) const {
    const std::uint32_t room = size - header;
    return std::max<std::uint32_t>((frame_bytes + room - 1) / room, 1);
  }
  /// On links between switches, which have no gaps.
  [[nodiscard]] std::uint32_t wire_bytes_of(std::uint32_t frame_bytes) const {
    return frame_bytes + cells_of(frame_bytes) * header;
  }
};

class CellSprayer {
 public:
  CellSprayer() = default;
  explicit CellSprayer(std::uint64_t seed) : random_(seed) {}

  /// Calls take(link, cells) for every link, 0 to links - 1, that gets any of so many cells, in ascending order.
  /// `counts` is scratch space. Another number of links begins a new round.
  template <class Take>
  void spray(std::uint32_t cells, std::uint32_t links, std::vector<std::uint16_t>& counts, Take take) {
    WEFT_DCHECK(cells > 0 && links > 0);
    if (links != links_) {
      links_ = links;
      begin_round();
    }
    const std::uint32_t left = links_ - position_;
    const std::uint32_t whole_rounds = cells > left ? (cells - left) / links_ : 0;
    counts.assign(links, static_cast<std::uint16_t>(whole_rounds));
    for (std::uint32_t rest = cells - whole_rounds * links_; rest > 0; --rest) {
      std::uint32_t link = position_ + rotation_;
      link -= link >= links_ ? links_ : 0;
      ++counts[link];
      if (++position_ == links_) {
        begin_round();
      }
    }
    for (std::uint32_t link = 0; link < links; ++link) {
      if (counts[link] != 0) {
        take(link, std::uint32_t{counts[link]});
      }
    }
  }

 private:
  void begin_round() {
    position_ = 0;
    rotation_ = static_cast<std::uint32_t>(random_.next() % links_);
  }

  SplitMix64 random_{0};
  std::uint32_t links_ = 0;
  std::uint32_t position_ = 0;  // in the round
  std::uint32_t rotation_ = 0;
};

}  // namespace weft::fabric
