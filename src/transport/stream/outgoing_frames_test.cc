#include "transport/stream/outgoing_frames.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/random.h"

namespace weft::transport {
namespace {

TEST(OutgoingFrames, FindTheFrameOfEveryByteUntilItIsAcknowledged) {
  RandomStream random(1, "outgoing frames");
  OutgoingFrames frames;
  std::vector<StreamOffset> begins;
  for (std::uint32_t i = 0; i < 500; ++i) {
    begins.push_back(frames.end());
    OutgoingFrame frame;
    frame.length = static_cast<std::uint32_t>(1 + random.uniform(30));
    frame.number = i;
    frames.push(frame);
  }
  for (std::size_t first = 0; first < begins.size(); first += 50) {
    frames.acknowledge(begins[first] + 1);  // the byte after may not go yet if the frame is longer
    const StreamOffset low = begins[first] + 1;
    for (int i = 0; i < 300; ++i) {
      const StreamOffset offset = low + random.uniform(frames.end() - low);
      const OutgoingFrame& frame = frames.at(offset);
      EXPECT_LE(frame.begin, offset);
      EXPECT_LT(offset, frame.end());
      EXPECT_EQ(frame.begin, begins[frame.number]);
    }
  }
  frames.acknowledge(frames.end());
  EXPECT_TRUE(frames.empty());
}

}  // namespace
}  // namespace weft::transport
