#include "fabric/hash/header_hash.h"

#include <span>

#include "base/assert.h"

namespace weft::fabric {
namespace {

class FieldBytes {
 public:
  void add(std::span<const std::byte> bytes) {
    for (const std::byte byte : bytes) {
      bytes_[size_++] = byte;
    }
  }
  void add_number(std::uint32_t value, unsigned bytes) {
    for (unsigned i = bytes; i > 0; --i) {
      bytes_[size_++] = static_cast<std::byte>(value >> (8 * (i - 1)) & 0xFF);
    }
  }
  [[nodiscard]] std::span<const std::byte> all() const { return std::span(bytes_).first(size_); }

 private:
  static constexpr std::size_t kMost = 2 * HeaderFields::kMaxAddress + 2 + 2 + 1 + 3 + 3;
  std::array<std::byte, kMost> bytes_{};
  std::size_t size_ = 0;
};

}  // namespace

std::uint32_t HeaderHash::of(const HeaderFields& headers) const {
  WEFT_DCHECK(headers.address_bytes <= HeaderFields::kMaxAddress);
  const auto has = [this](HashField field) { return (fields & field) != 0; };
  FieldBytes input;
  if (has(kHashSource)) {
    input.add(std::span(headers.source).first(headers.address_bytes));
  }
  if (has(kHashDestination)) {
    input.add(std::span(headers.destination).first(headers.address_bytes));
  }
  if (has(kHashSourcePort) && headers.source_port) {
    input.add_number(*headers.source_port, 2);
  }
  if (has(kHashDestinationPort) && headers.destination_port) {
    input.add_number(*headers.destination_port, 2);
  }
  if (has(kHashProtocol) && headers.protocol) {
    input.add_number(*headers.protocol, 1);
  }
  if (has(kHashDestinationQp) && headers.destination_qp) {
    input.add_number(*headers.destination_qp, 3);
  }
  if (has(kHashFlowLabel) && headers.flow_label) {
    input.add_number(*headers.flow_label, 3);
  }
  return row_of(function).of(input.all());
}

}  // namespace weft::fabric
