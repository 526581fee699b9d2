// Makes the Access of a field from a pointer to a member, and the RowSource of a table from a list of RunResults.
//
// Templates over the rows' types: for the files that define tables alone (study/results/record_table_*.cc, nic_row.cc).
#pragma once

#include <concepts>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "base/data_size.h"
#include "base/ids.h"
#include "base/rate.h"
#include "base/time.h"
#include "study/results/record_table.h"
#include "study/results/results.h"

namespace weft::study::results {

/// Its address stands for the type of a row.
template <class Row>
inline constexpr char kRowType = 0;

/// How a type becomes a cell and back: `kKind`, `cell`, and `set` of a cell that is not empty.
template <class T>
struct CellCodec;

template <std::integral T>
requires(!std::same_as<T, bool>) struct CellCodec<T> {
  static constexpr CellKind kKind = CellKind::kNumber;
  static Cell cell(T value) { return static_cast<std::int64_t>(value); }
  static void set(T& value, const Cell& cell) { value = static_cast<T>(integer_of(cell)); }
};

template <class T>
requires std::is_enum_v<T>
struct CellCodec<T> {
  static constexpr CellKind kKind = CellKind::kNumber;
  static Cell cell(T value) { return static_cast<std::int64_t>(value); }
  static void set(T& value, const Cell& cell) { value = static_cast<T>(integer_of(cell)); }
};

template <class Tag>
struct CellCodec<Id<Tag>> {
  static constexpr CellKind kKind = CellKind::kNumber;
  static Cell cell(Id<Tag> value) { return std::int64_t{value.value()}; }
  static void set(Id<Tag>& value, const Cell& cell) { value = Id<Tag>(static_cast<std::uint32_t>(integer_of(cell))); }
};

template <>
struct CellCodec<bool> {
  static constexpr CellKind kKind = CellKind::kFlag;
  static Cell cell(bool value) { return std::int64_t{value ? 1 : 0}; }
  static void set(bool& value, const Cell& cell) { value = integer_of(cell) != 0; }
};

template <>
struct CellCodec<double> {
  static constexpr CellKind kKind = CellKind::kReal;
  static Cell cell(double value) { return value; }
  static void set(double& value, const Cell& cell) { value = real_of(cell); }
};

template <>
struct CellCodec<std::string> {
  static constexpr CellKind kKind = CellKind::kText;
  static Cell cell(const std::string& value) { return std::string_view(value); }
  static void set(std::string& value, const Cell& cell) { value = text_of(cell); }
};

template <>
struct CellCodec<Duration> {
  static constexpr CellKind kKind = CellKind::kDuration;
  static Cell cell(Duration value) { return value.picoseconds(); }
  static void set(Duration& value, const Cell& cell) { value = Duration::picoseconds(integer_of(cell)); }
};

/// Never is an empty cell.
template <>
struct CellCodec<Time> {
  static constexpr CellKind kKind = CellKind::kTime;
  static Cell cell(Time value) { return value.is_never() ? Cell() : Cell(value.picoseconds()); }
  static void set(Time& value, const Cell& cell) { value = Time::from_picoseconds(integer_of(cell)); }
};

template <>
struct CellCodec<Bytes> {
  static constexpr CellKind kKind = CellKind::kBytes;
  static Cell cell(Bytes value) { return value.count(); }
  static void set(Bytes& value, const Cell& cell) { value = Bytes(integer_of(cell)); }
};

template <>
struct CellCodec<Rate> {
  static constexpr CellKind kKind = CellKind::kRate;
  static Cell cell(Rate value) { return value.bits_per_second(); }
  static void set(Rate& value, const Cell& cell) { value = Rate::bits_per_second(integer_of(cell)); }
};

template <class T>
struct CellCodec<std::optional<T>> {
  static constexpr CellKind kKind = CellCodec<T>::kKind;
  static Cell cell(const std::optional<T>& value) { return value ? CellCodec<T>::cell(*value) : Cell(); }
  static void set(std::optional<T>& value, const Cell& cell) { CellCodec<T>::set(value.emplace(), cell); }
};

namespace access {

template <class Row, class Member>
Row row_of(Member Row::*);
/// The class of the first member of a path.
template <auto first, auto...>
struct RowOfPath {
  using Type = decltype(row_of(first));
};
template <auto... path>
using RowOf = typename RowOfPath<path...>::Type;

template <class T>
const T& inside(const T& value) {
  return value;
}
template <class T>
const T& inside(const std::optional<T>& value) {
  return *value;
}
template <class T>
T& made_inside(T& value) {
  return value;
}
template <class T>
T& made_inside(std::optional<T>& value) {
  return value ? *value : value.emplace();
}
template <class T>
bool is_there(const T&) {
  return true;
}
template <class T>
bool is_there(const std::optional<T>& value) {
  return value.has_value();
}

/// The member at the end of a path of members. Null: an optional on the way is empty.
template <auto first, auto... rest, class Row>
const auto* find(const Row& row) {
  if constexpr (sizeof...(rest) == 0) {
    return &(row.*first);
  } else {
    decltype(find<rest...>(inside(row.*first))) found = nullptr;
    if (is_there(row.*first)) {
      found = find<rest...>(inside(row.*first));
    }
    return found;
  }
}
/// The same; optionals on the way are made.
template <auto first, auto... rest, class Row>
auto& reach(Row& row) {
  if constexpr (sizeof...(rest) == 0) {
    return row.*first;
  } else {
    return reach<rest...>(made_inside(row.*first));
  }
}

template <auto... path>
Cell get(const void* row) {
  const auto* value = find<path...>(*static_cast<const RowOf<path...>*>(row));
  return value == nullptr ? Cell() : CellCodec<std::remove_cvref_t<decltype(*value)>>::cell(*value);
}

template <auto... path>
void set(void* row, const Cell& cell) {
  auto& own = *static_cast<RowOf<path...>*>(row);
  using T = std::remove_cvref_t<decltype(*find<path...>(own))>;
  if (!is_empty(cell)) {
    CellCodec<T>::set(reach<path...>(own), cell);
  } else if constexpr (std::same_as<T, Time>) {
    reach<path...>(own) = Time::never();
  }
}

template <auto... path>
using TypeOf = std::remove_cvref_t<decltype(*find<path...>(std::declval<const RowOf<path...>&>()))>;

}  // namespace access

/// A member of the row, or a member of a member. Through an optional that is empty, the cell is.
template <auto... path>
inline constexpr Access member = {.kind = CellCodec<access::TypeOf<path...>>::kKind,
                                  .row_type = &kRowType<access::RowOf<path...>>,
                                  .get = &access::get<path...>,
                                  .set = &access::set<path...>};

/// An enumeration that CSV and JSON name by its to_string.
template <auto... path>
inline constexpr Access worded = {
    .kind = CellKind::kNumber,
    .row_type = &kRowType<access::RowOf<path...>>,
    .get = &access::get<path...>,
    .set = &access::set<path...>,
    .word = [](std::int64_t value) { return to_string(static_cast<access::TypeOf<path...>>(value)); }};

/// What `get(row)` gives, in CSV and JSON alone.
template <class Row, auto get>
inline constexpr Access derived = {
    .kind = CellCodec<std::remove_cvref_t<std::invoke_result_t<decltype(get), const Row&>>>::kKind,
    .row_type = &kRowType<Row>,
    .get = [](const void* row) {
      auto value = std::invoke(get, *static_cast<const Row*>(row));
      static_assert(!std::is_same_v<decltype(value), std::string>, "the cell would borrow text that is gone");
      return CellCodec<decltype(value)>::cell(value);
    }};

/// A member as text of its own: `get` gives a string, `set` takes one.
template <class Row, auto get_text, auto set_text>
inline constexpr Access text_member = {
    .kind = CellKind::kText,
    .row_type = &kRowType<Row>,
    .get = [](const void* row) { return Cell(std::string(get_text(*static_cast<const Row*>(row)))); },
    .set = [](void* row, const Cell& cell) { set_text(*static_cast<Row*>(row), text_of(cell)); }};

/// An integer member that counts millionths.
template <auto... path>
inline constexpr Access millionths = {.kind = CellKind::kMillionths,
                                      .row_type = &kRowType<access::RowOf<path...>>,
                                      .get = &access::get<path...>,
                                      .set = &access::set<path...>};

/// The rows of a list of RunResults; its place is their number.
template <auto list>
RowSource rows_of() {
  using Row = typename std::remove_cvref_t<decltype(std::declval<RunResults>().*list)>::value_type;
  return {.row_type = &kRowType<Row>,
          .each =
              [](const RunResults& results, const RowVisitor& visit) {
                std::uint32_t number = 0;
                for (const Row& row : results.*list) {
                  visit({number++, 0}, &row);
                }
              },
          .add = [](RunResults& results, const Place&) -> void* { return &(results.*list).emplace_back(); }};
}

/// The rows of lists that belong to the rows of a list; its place is the numbers of both.
template <auto outer, auto... path>
RowSource rows_within() {
  using Outer = std::remove_cvref_t<decltype((std::declval<RunResults>().*outer).front())>;
  using Row = typename std::remove_cvref_t<decltype(*access::find<path...>(std::declval<const Outer&>()))>::value_type;
  return {.row_type = &kRowType<Row>,
          .each =
              [](const RunResults& results, const RowVisitor& visit) {
                std::uint32_t of = 0;
                for (const Outer& own : results.*outer) {
                  std::uint32_t number = 0;
                  for (const Row& row : *access::find<path...>(own)) {
                    visit({of, number++}, &row);
                  }
                  ++of;
                }
              },
          .add = [](RunResults& results, const Place& place) -> void* {
            auto& all = results.*outer;
            return place[0] < all.size() ? &access::reach<path...>(all[place[0]]).emplace_back() : nullptr;
          }};
}

}  // namespace weft::study::results
