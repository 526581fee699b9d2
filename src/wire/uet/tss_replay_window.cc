#include "wire/uet/tss_replay_window.h"

namespace weft::wire::uet {

bool TssReplayWindow::seen(std::uint64_t counter) const {
  return ((words_[counter / kWordBits % kWords] >> (counter % kWordBits)) & 1U) != 0;
}

bool TssReplayWindow::is_new(std::uint64_t counter) const {
  if (counter >= next_) {
    return true;
  }
  return next_ - counter <= kWindow && !seen(counter);
}

void TssReplayWindow::advance(std::uint64_t counter) {
  if (counter - next_ >= kWindow) {
    words_.fill(0);
  } else {
    // Bits of counters that leave the window are those of counters that enter it.
    for (std::uint64_t entering = next_; entering <= counter; ++entering) {
      words_[entering / kWordBits % kWords] &= ~(std::uint64_t{1} << (entering % kWordBits));
    }
  }
  next_ = counter + 1;
}

bool TssReplayWindow::accept(std::uint64_t counter) {
  if (!is_new(counter)) {
    return false;
  }
  if (counter >= next_) {
    advance(counter);
  }
  words_[counter / kWordBits % kWords] |= std::uint64_t{1} << (counter % kWordBits);
  return true;
}

}  // namespace weft::wire::uet
