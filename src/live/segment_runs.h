// Which datagrams the kernel may cut out of one buffer (UDP segmentation, GSO), and with which segment number.
//
// A run has one destination and one size; only its last datagram may be shorter. The number matters beyond the system
// call: segment k leaves with IPv4 identification k, which the ICRC covers, so it is asked for before a packet is
// sealed. Source: Linux, UDP_SEGMENT.
#pragma once

#include <cstddef>
#include <cstdint>

namespace weft::live {

class SegmentRuns {
 public:
  /// Largest UDP payload of an IPv4 packet.
  static constexpr std::size_t kMaxRunBytes = 65'507;

  explicit SegmentRuns(std::size_t max_segments) : max_segments_(max_segments) {}

  /// The number of the next datagram within its run; 0 begins a run. Destinations are compared as pointers.
  std::uint16_t place(std::size_t size, const void* destination) {
    const bool fits = count_ > 0 && open_ && destination == destination_ && size <= segment_size_ &&
                      count_ < max_segments_ && run_bytes_ + size <= kMaxRunBytes;
    if (!fits) {
      count_ = 0;
      run_bytes_ = 0;
      segment_size_ = size;
      destination_ = destination;
    }
    open_ = size == segment_size_;
    run_bytes_ += size;
    return static_cast<std::uint16_t>(count_++);
  }

  /// The next datagram begins a run: a batch has ended.
  void end() { count_ = 0; }

 private:
  std::size_t max_segments_;
  std::size_t segment_size_ = 0;
  std::size_t run_bytes_ = 0;
  std::size_t count_ = 0;
  const void* destination_ = nullptr;
  bool open_ = false;  // no shorter datagram has ended the run
};

}  // namespace weft::live
