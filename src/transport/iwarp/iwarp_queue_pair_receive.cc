// FPDUs are taken out of the stream, in their turn or early.
#include <algorithm>
#include <array>

#include "base/assert.h"
#include "transport/iwarp/iwarp_queue_pair.h"
#include "transport/iwarp/terminate_codes.h"
#include "wire/byte_order.h"

namespace weft::transport {
namespace {

/// The longest part of an FPDU that a ledger notes: length, DDP header, and a payload that is framing.
constexpr std::size_t kMaxNote = wire::kMpaLengthSize + wire::DdpHeader::kUntaggedSize + wire::Terminate::kMaxSize;
/// Shortest FPDU: that of an empty ULPDU.
constexpr std::size_t kMinFpdu = wire::fpdu_size(0);

}  // namespace

StreamQueuePair::Step IwarpQueuePair::read_fpdu(const StreamCall& call) {
  if (early_first_ < early_.size() && early_[early_first_].begin == input().position())
    return take_early(call);
  if (available() < kMinFpdu)
    return Step::kNothing;
  return input().carries_bytes() ? read_bytes(call) : read_lengths(call);
}

StreamQueuePair::Step IwarpQueuePair::take_early(const StreamCall& call) {
  const EarlyFpdu early = early_[early_first_];
  if (available() < early.extent)
    return Step::kNothing;
  Segment segment{.ddp = early.ddp, .ulpdu = early.ulpdu, .placed = true};
  segment.payload = early.ulpdu - static_cast<std::uint32_t>(early.ddp.size());
  const Step step = take(segment, early.extent, call);
  if (step == Step::kDone && ++early_first_ * 2 >= early_.size()) {
    early_.erase(early_.begin(), early_.begin() + static_cast<std::ptrdiff_t>(early_first_));
    early_first_ = 0;
  }
  return step;
}

// What was placed early must begin where an FPDU does.
bool IwarpQueuePair::covers_early(StreamOffset begin, std::size_t extent) const {
  return early_first_ < early_.size() && early_[early_first_].begin < begin + extent;
}

StreamQueuePair::Step IwarpQueuePair::read_bytes(const StreamCall& call) {
  const StreamOffset begin = input().position();
  const std::uint64_t place = begin - read_origin_;
  std::array<std::byte, kMinFpdu> head;
  input().read(begin, head);
  const std::size_t ulpdu = *wire::peek_ulpdu_length(head, place, agreement_.receives.markers);
  const std::size_t extent = wire::fpdu_extent(place, ulpdu, agreement_.receives.markers);
  if (available() < extent)
    return Step::kNothing;
  if (covers_early(begin, extent))
    return terminate(wire::terminate::kMarker, nullptr, call);
  std::vector<std::byte> bytes(extent);
  input().read(begin, bytes);
  const wire::Fpdu fpdu = wire::parse_fpdu(bytes, place, agreement_.receives);
  switch (fpdu.fault) {
    case wire::FpduFault::kNone:
      break;
    case wire::FpduFault::kCrc:
      ++count().crc_errors;
      return terminate(wire::terminate::kCrc, nullptr, call);
    case wire::FpduFault::kMarker:
      ++count().marker_errors;
      return terminate(wire::terminate::kMarker, nullptr, call);
  }
  return take_ulpdu(fpdu.ulpdu, ulpdu, extent, call);
}

StreamQueuePair::Step IwarpQueuePair::read_lengths(const StreamCall& call) {
  const StreamOffset begin = input().position();
  std::array<std::byte, kMaxNote> note;
  const std::size_t noted = input().read_header(begin, note);
  WEFT_ASSERT(noted >= wire::kMpaLengthSize);
  const std::size_t ulpdu = wire::load_be16(note, 0);
  const std::size_t extent = wire::fpdu_extent(begin - read_origin_, ulpdu, agreement_.receives.markers);
  if (available() < extent)
    return Step::kNothing;
  if (covers_early(begin, extent))
    return terminate(wire::terminate::kMarker, nullptr, call);
  return take_ulpdu(std::span(note).first(noted).subspan(wire::kMpaLengthSize), ulpdu, extent, call);
}

// `known` is the ULPDU, or as much of it as a ledger notes.
StreamQueuePair::Step IwarpQueuePair::take_ulpdu(std::span<const std::byte> known, std::size_t ulpdu,
                                                 std::size_t extent, const StreamCall& call) {
  if (ulpdu == 0 && phase_ == Phase::kAwaitsFirst && agreement_.rtr == wire::MpaRtr::kEmptyFpdu) {
    input().consume_to(input().position() + extent);
    phase_ = Phase::kOperation;
    return Step::kDone;
  }
  const Result<wire::DdpHeader> ddp = wire::DdpHeader::parse(known);
  if (!ddp)
    return terminate(wire::terminate::kDdpCatastrophic, nullptr, call);
  WEFT_DCHECK(ddp->size() <= ulpdu);  // it was parsed from the ULPDU
  Segment segment{.ddp = *ddp, .ulpdu = static_cast<std::uint32_t>(ulpdu)};
  segment.payload = static_cast<std::uint32_t>(ulpdu - ddp->size());
  const std::span<const std::byte> behind = known.subspan(ddp->size());
  const wire::RdmapControl control = segment.rdmap();
  const bool framing = !ddp->tagged && !(control.is_known() && wire::is_send(control.operation()));
  if (framing) {
    segment.control = behind;
  } else if (input().carries_bytes()) {
    segment.bytes = behind;
  }
  return take(segment, extent, call);
}

StreamQueuePair::Step IwarpQueuePair::take(const Segment& segment, std::size_t extent, const StreamCall& call) {
  // Whatever comes first shows that the initiator is ready.
  //= rfc5044 7.1.2
  if (phase_ == Phase::kAwaitsFirst)
    phase_ = Phase::kOperation;
  const Step step = deliver(segment, call);
  if (step == Step::kDone) {
    ++count().frames_received;
    input().consume_to(input().position() + extent);
  }
  return step;
}

// A segment that begins with an FPDU and ends with it tells where its data belong, whatever is missing before it. The
// peer aligns its FPDUs with segments; with the CRC or a marker the assumption is also checked.
//= rfc5044 5
bool IwarpQueuePair::place_early(const StreamRun& run, const StreamCall& call) {
  WEFT_DCHECK(run.offset > input().position());
  if (!settings_.early_placement || phase_ != Phase::kOperation || run.length < kMinFpdu || run.offset < read_origin_)
    return false;
  const std::uint64_t place = run.offset - read_origin_;
  if (place % 4 != 0)
    return false;  // every FPDU begins at a multiple of 4
  std::array<std::byte, kMaxNote> note;
  std::span<const std::byte> known;
  std::size_t ulpdu = 0;
  wire::Fpdu fpdu;
  if (input().carries_bytes()) {
    ulpdu = *wire::peek_ulpdu_length(run.bytes, place, agreement_.receives.markers);
    if (wire::fpdu_extent(place, ulpdu, agreement_.receives.markers) != run.length)
      return false;
    fpdu = wire::parse_fpdu(run.bytes, place, agreement_.receives);
    if (fpdu.fault != wire::FpduFault::kNone)
      return false;
    known = fpdu.ulpdu;
  } else {
    const std::size_t noted = input().read_header(run.offset, note);
    if (noted < wire::kMpaLengthSize)
      return false;
    ulpdu = wire::load_be16(note, 0);
    if (wire::fpdu_extent(place, ulpdu, agreement_.receives.markers) != run.length)
      return false;
    known = std::span(note).first(noted).subspan(wire::kMpaLengthSize);
  }
  const Result<wire::DdpHeader> ddp = wire::DdpHeader::parse(known);
  if (!ddp || !ddp->tagged || ddp->version != wire::kDdpVersion)
    return false;
  Segment segment{.ddp = *ddp, .ulpdu = static_cast<std::uint32_t>(ulpdu)};
  segment.payload = static_cast<std::uint32_t>(ulpdu - ddp->size());
  if (input().carries_bytes())
    segment.bytes = known.subspan(ddp->size());
  if (!place_tagged(segment, call))
    return false;
  ++count().frames_placed_early;
  const EarlyFpdu early{
      .begin = run.offset, .extent = run.length, .ddp = *ddp, .ulpdu = static_cast<std::uint32_t>(ulpdu)};
  early_.insert(std::ranges::upper_bound(early_, early.begin, {}, &EarlyFpdu::begin), early);
  return true;
}

// What fails here is judged in its turn, when everything before it is known.
bool IwarpQueuePair::place_tagged(const Segment& segment, const StreamCall& call) {
  const wire::RdmapControl control = segment.rdmap();
  if (control.version != wire::kRdmapVersion || !control.is_known())
    return false;
  if (control.operation() == wire::RdmapOpcode::kWrite) {
    const RemoteRange range{.key = segment.ddp.stag, .address = segment.ddp.tagged_offset, .length = segment.payload};
    if (sink().check(range, verbs::kAccessRemoteWrite, call) != SinkFault::kNone)
      return false;
    sink().place(range, segment.bytes, call);
    return true;
  }
  if (control.operation() != wire::RdmapOpcode::kReadResponse)
    return false;
  // Of a READ only if there is no doubt which one is meant.
  const OutboundRead* meant = nullptr;
  for (std::uint32_t i = 0; i < outbound_reads_.size(); ++i) {
    const OutboundRead& read = outbound_reads_[i];
    const std::uint64_t at = segment.ddp.tagged_offset - read.offset;
    if (read.stag != segment.ddp.stag || at > read.length || segment.payload > read.length - at)
      continue;
    if (meant != nullptr)
      return false;
    meant = &read;
  }
  if (meant == nullptr || meant->number == kNoRequest || !requests().is_pending(meant->number))
    return false;
  const verbs::SgeList& list = requests().pending(meant->number).wqe.sg_list;
  if (list.check(call.context.memory(), core().init().pd, verbs::kAccessLocalWrite) != verbs::AccessFault::kNone)
    return false;
  if (!segment.bytes.empty())
    list.scatter(call.context.memory(), segment.ddp.tagged_offset - meant->offset, segment.bytes);
  return true;
}

}  // namespace weft::transport
