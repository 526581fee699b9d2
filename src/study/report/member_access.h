// Makes the access of a member from a pointer to it, and tables from the types of records.
//
// A record is a struct with a member `WrittenForm form`, and a table: `template <> const RecordTable&
// record_table<Record>()`. Templates over the records' types: for the files that define tables, and for what asks for a
// member's name.
#pragma once

#include <concepts>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "study/report/comparison.h"
#include "study/report/member_table.h"

namespace weft::study::report {

/// The table of a type of records.
template <class Record>
[[nodiscard]] const RecordTable& record_table();

namespace access {

template <class T>
concept IsRecord = requires(T record) {
  { record.form } -> std::same_as<WrittenForm&>;
};

/// How a type of members is read and written; `set` is that of MemberAccess.
template <class T>
struct Codec;

template <>
struct Codec<std::string> {
  static constexpr MemberKind kKind = MemberKind::kText;
  static ValueRef get(const std::string& own) { return {std::string_view(own)}; }
  static bool set(std::string& own, UntypedValue& value) {
    auto* text = std::get_if<std::string>(&value.value);
    if (text != nullptr) {
      own = std::move(*text);
    }
    return text != nullptr;
  }
};

template <>
struct Codec<bool> {
  static constexpr MemberKind kKind = MemberKind::kFlag;
  static ValueRef get(bool own) { return {own}; }
  static bool set(bool& own, UntypedValue& value) {
    const auto* flag = std::get_if<bool>(&value.value);
    own = flag != nullptr ? *flag : own;
    return flag != nullptr;
  }
};

/// An integer is taken, but would be written as a real number.
template <>
struct Codec<double> {
  static constexpr MemberKind kKind = MemberKind::kNumber;
  static ValueRef get(double own) { return {own}; }
  static bool set(double& own, UntypedValue& value) {
    own = ref_of(value).number().value_or(own);
    return std::holds_alternative<double>(value.value);
  }
};

template <std::integral T>
requires(!std::same_as<T, bool>) struct Codec<T> {
  static constexpr MemberKind kKind = MemberKind::kNumber;
  using Wide = std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>;
  static ValueRef get(T own) { return {static_cast<Wide>(own)}; }
  static bool set(T& own, UntypedValue& value) {
    const auto* integer = std::get_if<std::int64_t>(&value.value);
    const auto* natural = std::get_if<std::uint64_t>(&value.value);
    const bool taken =
        (integer != nullptr && std::in_range<T>(*integer)) || (natural != nullptr && std::in_range<T>(*natural));
    if (taken) {
      own = integer != nullptr ? static_cast<T>(*integer) : static_cast<T>(*natural);
    }
    return taken;
  }
};

/// A pair of numbers.
template <>
struct Codec<CurvePoint> {
  static constexpr MemberKind kKind = MemberKind::kNumbers;
  static ValueRef get(const CurvePoint& own) {
    return {ListRef{.list = &own, .size = 2, .at = [](const void* point, std::size_t place) -> ValueRef {
                      const auto& at = *static_cast<const CurvePoint*>(point);
                      return {place == 0 ? at.x : at.y};
                    }}};
  }
  static bool set(CurvePoint& own, UntypedValue& value) {
    auto* pair = std::get_if<UntypedValue::List>(&value.value);
    if (pair == nullptr || pair->size() != 2) {
      return false;
    }
    const bool first = Codec<double>::set(own.x, pair->front());
    return Codec<double>::set(own.y, pair->back()) && first;
  }
};

template <IsRecord T>
struct Codec<T> {
  static constexpr MemberKind kKind = MemberKind::kObject;
  static ValueRef get(const T& own) { return {ObjectRef{.table = &record_table<T>(), .record = &own}}; }
  static bool set(T& own, UntypedValue& value) {
    auto* object = std::get_if<UntypedValue::Object>(&value.value);
    if (object != nullptr) {
      read_record(record_table<T>(), &own, std::move(*object));
    }
    return object != nullptr;
  }
};

template <class T>
constexpr MemberKind list_kind() {
  if constexpr (std::same_as<T, CurvePoint>) {
    return MemberKind::kPoints;
  } else if constexpr (std::same_as<T, std::string>) {
    return MemberKind::kTexts;
  } else {
    return IsRecord<T> ? MemberKind::kList : MemberKind::kNumbers;
  }
}

/// A list of which one element has another form is not taken as a whole: its elements are then left as they were.
template <class T>
struct Codec<std::vector<T>> {
  static constexpr MemberKind kKind = list_kind<T>();
  static ValueRef get(const std::vector<T>& own) {
    return {ListRef{.list = &own, .size = own.size(), .at = [](const void* list, std::size_t place) {
                      return Codec<T>::get((*static_cast<const std::vector<T>*>(list))[place]);
                    }}};
  }
  static bool set(std::vector<T>& own, UntypedValue& value) {
    auto* list = std::get_if<UntypedValue::List>(&value.value);
    if (list == nullptr || !all_alike(*list)) {
      return false;
    }
    own.resize(list->size());
    bool taken = true;
    for (std::size_t i = 0; i < own.size(); ++i) {
      taken = Codec<T>::set(own[i], (*list)[i]) && taken;
    }
    return taken;
  }

 private:
  /// Records and texts are moved out of the value: only if all of them are.
  static bool all_alike(const UntypedValue::List& list) {
    using Whole = std::conditional_t<IsRecord<T>, UntypedValue::Object, std::string>;
    if constexpr (IsRecord<T> || std::same_as<T, std::string>) {
      for (const UntypedValue& element : list) {
        if (!std::holds_alternative<Whole>(element.value)) {
          return false;
        }
      }
    }
    return true;
  }
};

template <class T>
struct Unwrapped {
  using Type = T;
  static constexpr bool kOptional = false;
};
template <class T>
struct Unwrapped<std::optional<T>> {
  using Type = T;
  static constexpr bool kOptional = true;
};

template <class T>
struct InnerTable {
  static constexpr const RecordTable& (*kTable)() = nullptr;
};
template <IsRecord T>
struct InnerTable<T> {
  static constexpr const RecordTable& (*kTable)() = &record_table<T>;
};
template <IsRecord T>
struct InnerTable<std::vector<T>> {
  static constexpr const RecordTable& (*kTable)() = &record_table<T>;
};

template <class Record, class Member>
Record record_of(Member Record::*);
template <auto first, auto...>
struct RecordOfPath {
  using Type = decltype(record_of(first));
};
template <auto... path>
using RecordOf = typename RecordOfPath<path...>::Type;

/// The member at the end of a path of members, each in the one before.
template <auto first, auto... rest, class Record>
auto& reach(Record& record) {
  if constexpr (sizeof...(rest) == 0) {
    return record.*first;
  } else {
    return reach<rest...>(record.*first);
  }
}
template <auto... path>
using TypeOf = std::remove_cvref_t<decltype(reach<path...>(std::declval<RecordOf<path...>&>()))>;

template <auto... path>
std::optional<ValueRef> get(const void* record) {
  const auto& own = reach<path...>(*static_cast<const RecordOf<path...>*>(record));
  using Own = Unwrapped<TypeOf<path...>>;
  if constexpr (Own::kOptional) {
    return own ? std::optional(Codec<typename Own::Type>::get(*own)) : std::nullopt;
  } else {
    return Codec<typename Own::Type>::get(own);
  }
}

template <auto... path>
bool set(void* record, UntypedValue& value) {
  auto& own = reach<path...>(*static_cast<RecordOf<path...>*>(record));
  using Own = Unwrapped<TypeOf<path...>>;
  typename Own::Type read{};
  const bool taken = Codec<typename Own::Type>::set(read, value);
  // A number in another form is that number all the same.
  constexpr bool kNumber = std::same_as<typename Own::Type, double>;
  if (taken || (kNumber && ref_of(value).number())) {
    own = std::move(read);
  }
  return taken;
}

}  // namespace access

/// A member of the record, or of a struct in it whose members stand among the record's own.
template <auto... path>
inline constexpr MemberAccess member = {
    .kind = access::Codec<typename access::Unwrapped<access::TypeOf<path...>>::Type>::kKind,
    .optional = access::Unwrapped<access::TypeOf<path...>>::kOptional,
    .get = &access::get<path...>,
    .set = &access::set<path...>,
    .inner = access::InnerTable<typename access::Unwrapped<access::TypeOf<path...>>::Type>::kTable};

template <class Record>
[[nodiscard]] RecordTable table_of(std::vector<MemberField> fields) {
  return {.fields = std::move(fields),
          .form = [](const void* record) -> const WrittenForm& { return static_cast<const Record*>(record)->form; },
          .set_form = [](void* record, WrittenForm form) { static_cast<Record*>(record)->form = std::move(form); }};
}

template <class Record>
[[nodiscard]] ObjectRef object_ref(const Record& record) {
  return {.table = &record_table<Record>(), .record = &record};
}

/// The member's name in its table.
template <auto... path>
[[nodiscard]] std::string_view name_of() {
  for (const MemberField& field : record_table<access::RecordOf<path...>>().fields) {
    if (field.access.get == &access::get<path...>) {
      return field.name;
    }
  }
  WEFT_ASSERT(false);
}

}  // namespace weft::study::report
