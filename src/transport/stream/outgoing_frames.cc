#include "transport/stream/outgoing_frames.h"

#include <algorithm>
#include <utility>

#include "base/assert.h"

namespace weft::transport {

void OutgoingFrames::push(OutgoingFrame frame) {
  WEFT_DCHECK(frame.header_bytes + frame.payload_bytes <= frame.length);
  frame.begin = end_;
  end_ += frame.length;
  frames_.push_back(frame);
}

void OutgoingFrames::acknowledge(StreamOffset offset) {
  WEFT_DCHECK(offset <= end_);  // only what was written can be acknowledged
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
  WEFT_DCHECK(offset >= frames_[low].begin && offset < frames_[low].end());
  hint_ = low;
  return frames_[low];
}

}  // namespace weft::transport
