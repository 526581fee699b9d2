#include "wire/extension_headers.h"

#include "base/assert.h"

namespace weft::wire {

namespace {

/// Calls `visit(member, present in this opcode)` for every member in wire order. The one place that states the order.
template <class Headers, class Visit>
void for_each_header(Headers& headers, const OpcodeInfo& opcode, Visit visit) {
  visit(headers.rdeth, opcode.rdeth);
  visit(headers.deth, opcode.deth);
  visit(headers.xrceth, opcode.xrceth);
  visit(headers.feth, opcode.feth);
  visit(headers.reth, opcode.reth);
  visit(headers.atomic, opcode.atomic);
  visit(headers.aeth, opcode.aeth);
  visit(headers.atomic_ack, opcode.atomic_ack);
  visit(headers.immediate, opcode.immediate);
  visit(headers.invalidate, opcode.invalidate);
  visit(headers.sack, opcode.sack);
  visit(headers.cnp, opcode.cnp_reserved);
}

/// Reads headers one behind the other and keeps the first error.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> rest) : rest_(rest) {}

  template <class Header>
  void operator()(std::optional<Header>& member, bool present) {
    if (!present || error_) {
      return;
    }
    auto header = Header::parse(rest_);
    if (!header) {
      error_ = std::move(header.error());
      return;
    }
    member = *header;
    rest_ = rest_.subspan(Header::kSize);
  }

  std::optional<Error>& error() { return error_; }

 private:
  std::span<const std::byte> rest_;
  std::optional<Error> error_;
};

}  // namespace

ExtensionHeaders ExtensionHeaders::for_opcode(const OpcodeInfo& opcode) {
  ExtensionHeaders headers;
  for_each_header(headers, opcode, [](auto& member, bool present) {
    if (present) {
      member.emplace();
    }
  });
  return headers;
}

std::size_t ExtensionHeaders::size() const {
  std::size_t total = 0;
  for_each_header(*this, OpcodeInfo{}, [&total]<class Header>(const std::optional<Header>& member, bool) {
    total += member ? Header::kSize : 0;
  });
  return total;
}

Result<ExtensionHeaders> ExtensionHeaders::parse(const OpcodeInfo& opcode, std::span<const std::byte> bytes) {
  ExtensionHeaders headers;
  Reader reader(bytes);
  for_each_header(headers, opcode, [&reader](auto& member, bool present) { reader(member, present); });
  if (reader.error()) {
    return tl::unexpected<Error>(std::move(*reader.error()));
  }
  return headers;
}

void ExtensionHeaders::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= size());
  for_each_header(*this, OpcodeInfo{}, [&out]<class Header>(const std::optional<Header>& member, bool) {
    if (member) {
      member->emit(out);
      out = out.subspan(Header::kSize);
    }
  });
}

}  // namespace weft::wire
