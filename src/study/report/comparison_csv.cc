#include "study/report/comparison_csv.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "base/csv_writer.h"
#include "study/report/comparison_tables.h"
#include "study/report/member_json.h"

namespace weft::study::report {
namespace {

using Row = std::vector<std::pair<std::string, std::string>>;  // column and field

std::string field_of(const ValueRef& value) {
  if (const std::string_view* text = value.text()) {
    return std::string(*text);
  }
  return value.is_null() ? "" : json_text(value);
}

/// Rows of one file; a row need not have every column.
struct Table {
  std::string name;
  std::vector<std::string> columns;
  std::vector<Row> rows;
};

class Tables {
 public:
  /// What an object becomes: a row of `table`, and rows of tables below it for its lists.
  struct Place {
    std::string table;   // "topology.links"
    std::string prefix;  // of the names of its lists: "topology.links."
    Row row;             // begins its row
    Row inside;          // begins every row of its lists
  };
  void add(std::span<const MemberRef> members, const Place& place) {
    const std::size_t table = index_of(place.table);
    Row row = place.row;
    collect(members, "", row);
    add_row(table, std::move(row));
    add_lists(members, place.prefix, place.inside);
  }

  std::vector<results::CsvFile> take() {
    std::vector<results::CsvFile> files;
    for (const Table& table : tables_) {
      files.push_back(written(table));
    }
    return files;
  }

 private:
  std::size_t index_of(const std::string& name) {
    const auto found = std::ranges::find(tables_, name, &Table::name);
    if (found != tables_.end()) {
      return static_cast<std::size_t>(found - tables_.begin());
    }
    tables_.push_back({name, {}, {}});
    return tables_.size() - 1;
  }

  void add_row(std::size_t table, Row row) {
    std::vector<std::string>& columns = tables_[table].columns;
    for (const auto& [column, field] : row) {
      if (std::ranges::find(columns, column) == columns.end()) {
        columns.push_back(column);
      }
    }
    tables_[table].rows.push_back(std::move(row));
  }

  /// Single values, those of objects in it with dots.
  static void collect(std::span<const MemberRef> members, const std::string& path, Row& row) {
    for (const auto& [name, value] : members) {
      if (const ObjectRef* object = value.object()) {
        collect(members_of(*object), fmt::format("{}{}.", path, name), row);
      } else if (value.list() == nullptr) {
        row.emplace_back(fmt::format("{}{}", path, name), field_of(value));
      }
    }
  }

  void add_lists(std::span<const MemberRef> members, const std::string& prefix, const Row& before) {
    for (const auto& [name, value] : members) {
      const std::string table = fmt::format("{}{}", prefix, name);
      if (const ObjectRef* object = value.object()) {
        add_lists(members_of(*object), table + ".", before);
      } else if (const ListRef* list = value.list()) {
        add_list(*list, {.table = table, .prefix = table + ".", .row = before, .inside = before});
      }
    }
  }

  void add_list(const ListRef& list, const Place& place) {
    for (std::size_t i = 0; i < list.size; ++i) {
      const ValueRef value = list.at(list.list, i);
      if (const ObjectRef* object = value.object()) {
        Place inner = place;
        inner.inside.emplace_back(place.table, std::to_string(i));
        add(members_of(*object), inner);
        continue;
      }
      Row row = place.row;
      row.emplace_back("place", std::to_string(i));
      if (const ListRef* pair = value.list(); pair != nullptr && pair->size == 2) {
        row.emplace_back("x", field_of(pair->at(pair->list, 0)));
        row.emplace_back("y", field_of(pair->at(pair->list, 1)));
      } else {
        row.emplace_back("value", field_of(value));
      }
      add_row(index_of(place.table), std::move(row));
    }
  }

  static results::CsvFile written(const Table& table) {
    CsvWriter csv;
    for (const std::string& column : table.columns) {
      csv.field(column);
    }
    csv.end_line();
    for (const Row& row : table.rows) {
      for (const std::string& column : table.columns) {
        const auto found = std::ranges::find(row, column, &Row::value_type::first);
        csv.field(found == row.end() ? std::string_view() : found->second);
      }
      csv.end_line();
    }
    return {table.name + ".csv", csv.take()};
  }

  std::vector<Table> tables_;
};

}  // namespace

std::vector<results::CsvFile> comparison_csv(const Comparison& comparison) {
  Tables tables;
  for (const ComparedFabric& fabric : comparison.fabrics) {
    const Row name{{"fabric", fabric.name}};
    tables.add(members_of(object_ref(fabric)), {.table = "fabrics", .prefix = "", .row = {}, .inside = name});
  }
  std::vector<MemberRef> rest = members_of(object_ref(comparison));
  std::erase_if(rest, [](const MemberRef& own) { return own.name == name_of<&Comparison::fabrics>(); });
  tables.add(rest, {.table = "comparison", .prefix = "", .row = {}, .inside = {}});
  return tables.take();
}

}  // namespace weft::study::report
