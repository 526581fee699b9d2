// Records of a document as data: the members of each, and how generic code meets their values.
//
// One table per record describes it for all its forms: JSON both ways, the check of a document, CSV, the figures that
// `weft diff` compares, the reference in docs/report.md, and the names that the page's JavaScript takes. The tables of
// a comparison stand in study/report/comparison_tables*.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "study/report/untyped_value.h"

namespace weft::study::report {

enum class MemberKind : std::uint8_t { kText, kNumber, kNumbers, kTexts, kPoints, kFlag, kObject, kList };
/// "a list of numbers".
[[nodiscard]] std::string_view to_string(MemberKind kind);

enum class Need : std::uint8_t { kMust, kMay };
/// Whether a record that has no form of its own writes the member if it has no value.
enum class WhenAbsent : std::uint8_t { kLeftOut, kNull };

struct RecordTable;
struct ValueRef;

/// A record of a table, or the object of an UntypedValue (`table` is null).
struct ObjectRef {
  const RecordTable* table = nullptr;
  const void* record = nullptr;
};
/// A list of any kind. `at(list, place)` for places below `size`.
struct ListRef {
  const void* list = nullptr;
  std::size_t size = 0;
  ValueRef (*at)(const void* list, std::size_t place) = nullptr;
};

/// A value of the document, borrowed from it. Null is a value, too.
struct ValueRef {
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string_view, ObjectRef, ListRef> value{};

  [[nodiscard]] bool is_null() const { return std::holds_alternative<std::monostate>(value); }
  [[nodiscard]] bool is_real() const { return std::holds_alternative<double>(value); }
  [[nodiscard]] std::optional<double> number() const;
  [[nodiscard]] const std::string_view* text() const { return std::get_if<std::string_view>(&value); }
  [[nodiscard]] const ObjectRef* object() const { return std::get_if<ObjectRef>(&value); }
  [[nodiscard]] const ListRef* list() const { return std::get_if<ListRef>(&value); }
};

struct MemberRef {
  std::string_view name;
  ValueRef value;
};

/// How a member is read and written. Records are passed as `const void*`: the table tells their types apart. Made by
/// study/report/member_access.h.
struct MemberAccess {
  MemberKind kind = MemberKind::kNumber;
  bool optional = false;  // else the record always has it
  std::optional<ValueRef> (*get)(const void* record) = nullptr;
  /// False: `value` is not of the member's type, or would be written otherwise; it is then as it was.
  bool (*set)(void* record, UntypedValue& value) = nullptr;
  const RecordTable& (*inner)() = nullptr;  // of objects and of lists of them
};

struct MemberField {
  std::string_view name;
  MemberAccess access;
  std::string_view about{};  // one sentence of the reference; empty: it is not in it, and not checked
  std::string_view unit{};   // of numbers
  Need need = Need::kMay;
  WhenAbsent when_absent = WhenAbsent::kLeftOut;
};

struct RecordTable {
  std::vector<MemberField> fields;
  const WrittenForm& (*form)(const void* record) = nullptr;
  void (*set_form)(void* record, WrittenForm form) = nullptr;

  [[nodiscard]] const MemberField* find(std::string_view name) const;
};

/// The members that are there, in the order in which they are written.
[[nodiscard]] std::vector<MemberRef> members_of(const ObjectRef& object);

[[nodiscard]] ValueRef ref_of(const UntypedValue& value);

/// `form`, or the order of the table, with a member behind another; both have to be in it.
[[nodiscard]] WrittenForm form_with_moved(const RecordTable& table, WrittenForm form, std::string_view name,
                                          std::string_view other);

/// Reads a record from an object. What is unknown or has another form is kept in the record's form.
void read_record(const RecordTable& table, void* record, UntypedValue::Object members);

}  // namespace weft::study::report
