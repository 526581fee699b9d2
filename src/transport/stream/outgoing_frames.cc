#include "transport/stream/outgoing_frames.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"

namespace weft::transport {

void OutgoingFrames::push(OutgoingFrame frame) {
  frame.begin = end_;
  end_ += frame.length;
  frames_.push_back(frame);
}

void OutgoingFrames::acknowledge(StreamOffset offset) {
  while (!frames_.empty() && frames_.front().end() <= offset) {
    (void)frames_.pop_front();
    hint_ -= std::min(hint_, 1U);
  }
}

void OutgoingFrames::clear() {
  frames_ = Ring<OutgoingFrame>();
  end_ = 0;
  hint_ = 0;
}

const OutgoingFrame& OutgoingFrames::at(StreamOffset offset) const {
  WEFT_ASSERT(!frames_.empty() && offset >= frames_.front().begin && offset < end_);
  // Segments mostly follow one another.
  for (std::uint32_t i = hint_; i < std::min(hint_ + 2, frames_.size()); ++i) {
    if (offset >= frames_[i].begin && offset < frames_[i].end()) {
      hint_ = i;
      return frames_[i];
    }
  }
  std::uint32_t low = 0;
  std::uint32_t high = frames_.size() - 1;
  while (low < high) {
    const std::uint32_t middle = (low + high) / 2;
    if (offset < frames_[middle].end()) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  hint_ = low;
  return frames_[low];
}

}  // namespace weft::transport
