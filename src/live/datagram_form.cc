#include "live/datagram_form.h"

namespace weft::live {

// The kernel numbers the IPv4 packets of a run from 0 on, and the ICRC covers the number.
DatagramForm::Sealed RoceForm::seal(DatagramBuffer& buffer, const DatagramPath& path, SegmentRuns& runs) {
  const std::uint16_t segment = runs.place(datagram_size(buffer.packet), &path.destination);
  const SealedDatagram made = live::seal(buffer, {.path = path, .identification = segment});
  sealed_ = made.frame;
  return {.bytes = made.bytes, .segment = segment};
}

DatagramVerdict RoceForm::read(std::span<const std::byte> bytes, const DatagramPath& path) {
  const DatagramVerdict verdict = reader_.read(bytes, path);
  if (verdict == DatagramVerdict::kGood) {
    packet = reader_.packet;
    cold = reader_.cold;
    payload = reader_.frame.payload;
  }
  return verdict;
}

}  // namespace weft::live
