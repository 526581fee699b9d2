// A value as JSON has it, and what a record keeps of the JSON that it was read from beside its members' values.
//
// Documents of other versions of weft have members that this one does not know, and any document may have null, or an
// integer where a real number is written. They are kept, so that a document that was read is written as it was.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace weft::study::report {

struct UntypedMember;

/// Null, true or false, a number, text, a list, or an object with its members in the order in which they stood.
struct UntypedValue {
  using List = std::vector<UntypedValue>;
  using Object = std::vector<UntypedMember>;
  using Any = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, List, Object>;

  // Declared here and defined below, where the members of an object are known.
  UntypedValue();
  explicit UntypedValue(Any any);
  UntypedValue(const UntypedValue& other);
  UntypedValue(UntypedValue&& other) noexcept;
  UntypedValue& operator=(const UntypedValue& other);
  UntypedValue& operator=(UntypedValue&& other) noexcept;
  ~UntypedValue();

  Any value;
};

struct UntypedMember {
  std::string name;
  UntypedValue value;
};

inline UntypedValue::UntypedValue() = default;
inline UntypedValue::UntypedValue(Any any) : value(std::move(any)) {}
inline UntypedValue::UntypedValue(const UntypedValue& other) = default;
inline UntypedValue::UntypedValue(UntypedValue&& other) noexcept = default;
inline UntypedValue& UntypedValue::operator=(const UntypedValue& other) = default;
inline UntypedValue& UntypedValue::operator=(UntypedValue&& other) noexcept = default;
inline UntypedValue::~UntypedValue() = default;

/// A member in its place. `value` is there if the record's own members do not say it: the member is unknown, or its
/// value has another form than weft would write.
struct WrittenMember {
  std::string name;
  std::optional<UntypedValue> value{};
};

/// How a record is written: its members in this order, then what has been set besides. None: all that it has, in the
/// order of its table (study/report/member_table.h).
using WrittenForm = std::optional<std::vector<WrittenMember>>;

}  // namespace weft::study::report
