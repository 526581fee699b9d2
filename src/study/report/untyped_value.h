// A value as JSON has it, and what a record keeps of the JSON that it was read from beside its members' values.
//
// Documents of other versions of weft have members that this one does not know, and any document may have null, or an
// integer where a real number is written. They are kept, so that a document that was read is written as it was.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace weft::study::report {

struct UntypedMember;

/// Null, true or false, a number, text, a list, or an object with its members in the order in which they stood.
struct UntypedValue {
  using List = std::vector<UntypedValue>;
  using Object = std::vector<UntypedMember>;
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, List, Object> value{};
};

struct UntypedMember {
  std::string name;
  UntypedValue value;
};

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
