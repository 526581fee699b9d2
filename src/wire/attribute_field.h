// Fields of management attributes as tables: each a name, a place in bits, and the member that holds it.
//
// A record has `kSize` bytes on the wire and a function `fields()`. Bits of no field are zero when it is emitted and
// ignored when it is parsed. A field that a manager may set is `kWritable`; Set copies those and leaves the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <variant>

#include "base/assert.h"
#include "base/result.h"
#include "wire/header_error.h"

namespace weft::wire {

/// Where a field lies: bits from the most significant one of the first byte.
struct FieldPlace {
  std::uint16_t bit = 0;
  std::uint8_t width = 0;  // 1 to 64; a field that is no whole bytes lies within 8 of them
};

[[nodiscard]] std::uint64_t load_field(std::span<const std::byte> bytes, FieldPlace place);
/// Other bits stay.
void store_field(std::span<std::byte> bytes, FieldPlace place, std::uint64_t value);

enum class FieldAccess : std::uint8_t { kReadOnly, kWritable };

template <class Record>
struct AttributeField {
  using Member =
      std::variant<std::uint8_t Record::*, std::uint16_t Record::*, std::uint32_t Record::*, std::uint64_t Record::*>;

  std::string_view name;  // as the specification writes it
  FieldPlace place;
  Member member;
  FieldAccess access = FieldAccess::kReadOnly;

  [[nodiscard]] std::uint64_t get(const Record& record) const {
    return std::visit([&](auto pointer) { return static_cast<std::uint64_t>(record.*pointer); }, member);
  }
  void set(Record& record, std::uint64_t value) const {
    std::visit([&](auto pointer) { record.*pointer = static_cast<std::decay_t<decltype(record.*pointer)>>(value); },
               member);
  }
};

/// Errors: too few bytes.
template <class Record>
[[nodiscard]] Result<Record> parse_attribute(std::span<const std::byte> bytes) {
  if (bytes.size() < Record::kSize) {
    return too_short(Record::kName, {.needed = Record::kSize, .found = bytes.size()});
  }
  Record record;
  for (const AttributeField<Record>& field : Record::fields()) {
    field.set(record, load_field(bytes, field.place));
  }
  return record;
}

template <class Record>
void emit_attribute(const Record& record, std::span<std::byte> out) {
  WEFT_ASSERT(out.size() >= Record::kSize);
  for (std::byte& byte : out.first(Record::kSize)) {
    byte = std::byte{0};
  }
  for (const AttributeField<Record>& field : Record::fields()) {
    store_field(out, field.place, field.get(record));
  }
}

}  // namespace weft::wire
