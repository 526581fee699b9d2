#include "transport/stream/stream_input.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/assert.h"

namespace weft::transport {
namespace {

constexpr std::size_t kSmallestBuffer = 4096;

}  // namespace

void StreamInput::start(FramingHeaderLog* ledger) {
  reset();
  ledger_ = ledger;
}

void StreamInput::reset() { *this = StreamInput{}; }

void StreamInput::store(const StreamRun& run) {
  WEFT_DCHECK(carries_bytes() && run.bytes.size() == run.length);
  std::span<const std::byte> bytes = run.bytes;
  StreamOffset offset = run.offset;
  if (offset < position_) {
    const auto passed = std::min<StreamOffset>(position_ - offset, bytes.size());
    bytes = bytes.subspan(static_cast<std::size_t>(passed));
    offset += passed;
  }
  const StreamOffset end = offset + bytes.size();
  grow(static_cast<std::size_t>(end - position_));
  WEFT_DCHECK(bytes.empty() || (std::has_single_bit(buffer_.size()) && end - position_ <= buffer_.size()));
  farthest_ = std::max(farthest_, end);
  while (!bytes.empty()) {
    const std::size_t at = offset & (buffer_.size() - 1);
    const std::size_t piece = std::min(bytes.size(), buffer_.size() - at);
    std::memcpy(buffer_.data() + at, bytes.data(), piece);
    bytes = bytes.subspan(piece);
    offset += piece;
  }
}

void StreamInput::grow(std::size_t needed) {
  if (needed <= buffer_.size())
    return;
  std::vector<std::byte> larger(std::bit_ceil(std::max(needed, kSmallestBuffer)));
  for (StreamOffset offset = position_; offset < farthest_;) {
    const std::span<const std::byte> piece = view(offset, static_cast<std::size_t>(farthest_ - offset));
    for (std::size_t i = 0; i < piece.size(); ++i)
      larger[(offset + i) & (larger.size() - 1)] = piece[i];
    offset += piece.size();
  }
  buffer_ = std::move(larger);
}

void StreamInput::consume_to(StreamOffset offset) {
  WEFT_DCHECK(offset >= position_);
  position_ = offset;
  farthest_ = std::max(farthest_, offset);
  if (ledger_ != nullptr)
    ledger_->discard_before(offset);
}

std::size_t StreamInput::read_header(StreamOffset offset, std::span<std::byte> out) const {
  if (ledger_ == nullptr) {
    read(offset, out);
    return out.size();
  }
  const std::optional<FramingHeaderLog::Entry> entry = ledger_->find(offset);
  if (!entry.has_value())
    return 0;
  const std::size_t length = std::min(out.size(), entry->header.size());
  std::copy_n(entry->header.begin(), length, out.begin());
  return length;
}

void StreamInput::read(StreamOffset offset, std::span<std::byte> out) const {
  while (!out.empty()) {
    const std::span<const std::byte> piece = view(offset, out.size());
    std::ranges::copy(piece, out.begin());
    out = out.subspan(piece.size());
    offset += piece.size();
  }
}

std::span<const std::byte> StreamInput::view(StreamOffset offset, std::size_t length) const {
  WEFT_DCHECK(carries_bytes() && offset >= position_ && offset + length <= farthest_);
  const std::size_t at = offset & (buffer_.size() - 1);
  return std::span(buffer_).subspan(at, std::min(length, buffer_.size() - at));
}

}  // namespace weft::transport
