// Records of a results file as data: the fields of each, and where their rows are in RunResults.
//
// One table describes a record for all its forms: the SQLite schema, what writes and reads it, CSV columns, JSON
// members and the reference in docs/results.md. A field is a line of its table (study/results/record_table_*.cc,
// nic_row.cc).
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "study/results/record_cell.h"

namespace weft::study::results {

struct RunResults;

/// How a field's value is read from its row and written to it. Rows are passed as `const void*`: `row_type` tells them
/// apart, and a test holds it against the table's. Made by study/results/record_access.h.
struct Access {
  CellKind kind = CellKind::kNumber;
  const void* row_type = nullptr;
  Cell (*get)(const void* row) = nullptr;
  void (*set)(void* row, const Cell& value) = nullptr;     // null: it follows from other fields
  std::string_view (*word)(std::int64_t value) = nullptr;  // CSV and JSON have the word, SQLite the number
};

enum class Order : std::uint8_t { kInPlace, kLast };
enum class WhenEmpty : std::uint8_t { kShown, kLeftOut };

/// A field of a NIC whose sum over all NICs is a figure of the network.
struct Total {
  std::string_view json{};   // member of `network`; empty: no figure
  std::string_view label{};  // of a line of its own in the summary, where the sum is not zero; empty: none
  int order = 100;           // among the members of `network`
};

/// Where a field appears beside its table in SQLite, and how.
struct Forms {
  std::string_view unit{};                   // empty: that of its kind
  std::string_view csv{};                    // empty: not in CSV
  std::string_view json{};                   // empty: not in JSON. A value that is not there is left out.
  Order csv_order = Order::kInPlace;         // last: behind the columns of the record that the file has a row for
  Order json_order = Order::kInPlace;        // last: behind all others
  WhenEmpty json_empty = WhenEmpty::kShown;  // zero, or no text
  /// CSV and JSON have this name in place of the number.
  std::string_view (*name_of)(const RunResults& results, const void* row) = nullptr;
  Total total{};
};

struct Field {
  std::string_view column;  // empty: it follows from others and has none
  Access access;
  std::string_view about;  // one sentence of the reference
  Forms forms{};

  /// What a value counts, in SQLite and CSV: "packets", "ps".
  [[nodiscard]] std::string_view unit() const;
};

/// Number of a row in its list; before it, of the row that the list belongs to.
using Place = std::array<std::uint32_t, 2>;

/// A column that is no member of the row: its place.
struct PlaceColumn {
  std::string_view name;
  std::string_view about;
  std::string_view csv{};  // empty: not in CSV
};

using RowVisitor = std::function<void(const Place& place, const void* row)>;

/// Where the rows of a table are.
struct RowSource {
  const void* row_type = nullptr;
  void (*each)(const RunResults& results, const RowVisitor& visit) = nullptr;
  /// A new row that belongs there. Null: there is nothing that it could belong to.
  void* (*add)(RunResults& results, const Place& place) = nullptr;
};

/// A column per field, or a row per field, whose first column is the field's name.
enum class Layout : std::uint8_t { kColumnPerField, kRowPerField };

struct RecordTable {
  std::string_view name;
  std::string_view one_per;         // what there is a row for
  std::vector<PlaceColumn> places;  // behind the run's key; of a row per field: the columns of name and value
  std::size_t own_keys = 0;         // so many of its first fields are part of the primary key
  std::vector<Field> fields;
  RowSource rows;
  Layout layout = Layout::kColumnPerField;
};

/// All tables of a results file, in the order of its schema.
[[nodiscard]] std::span<const RecordTable* const> record_tables();

// Each by itself, for forms that need one.
[[nodiscard]] const RecordTable& run_table();
[[nodiscard]] const RecordTable& machine_table();  // not in SQLite: run.machine holds it
[[nodiscard]] const RecordTable& job_table();
[[nodiscard]] const RecordTable& rank_table();
[[nodiscard]] const RecordTable& collective_table();
[[nodiscard]] const RecordTable& message_table();
[[nodiscard]] const RecordTable& silent_flow_table();
[[nodiscard]] const RecordTable& port_table();
[[nodiscard]] const RecordTable& lane_table();
[[nodiscard]] const RecordTable& nic_table();
[[nodiscard]] const RecordTable& late_table();
[[nodiscard]] const RecordTable& port_choice_table();
[[nodiscard]] const RecordTable& port_grade_table();
[[nodiscard]] const RecordTable& dropped_table();
[[nodiscard]] const RecordTable& sample_table();
[[nodiscard]] const RecordTable& decision_table();
[[nodiscard]] const RecordTable& cpu_table();
[[nodiscard]] const RecordTable& stage_table();
[[nodiscard]] const RecordTable& step_table();
[[nodiscard]] const RecordTable& step_part_table();
[[nodiscard]] const RecordTable& step_tier_table();
[[nodiscard]] const RecordTable& step_flow_table();
[[nodiscard]] const RecordTable& step_path_table();
[[nodiscard]] const RecordTable& step_collective_table();
[[nodiscard]] const RecordTable& step_memory_table();
[[nodiscard]] const RecordTable& tier_table();
[[nodiscard]] const RecordTable& scale_up_table();
[[nodiscard]] const RecordTable& memory_access_table();
[[nodiscard]] const RecordTable& event_table();
[[nodiscard]] const RecordTable& security_table();
[[nodiscard]] const RecordTable& controller_table();
[[nodiscard]] const RecordTable& attack_table();
[[nodiscard]] const RecordTable& control_table();
[[nodiscard]] const RecordTable& control_event_table();
[[nodiscard]] const RecordTable& control_destination_table();
[[nodiscard]] const RecordTable& cabling_table();
[[nodiscard]] const RecordTable& subnet_table();
[[nodiscard]] const RecordTable& multicast_table();
[[nodiscard]] const RecordTable& multicast_member_table();
/// The columns of jobs.csv: figures of the summary, in no table.
[[nodiscard]] const RecordTable& job_summary_table();

}  // namespace weft::study::results
