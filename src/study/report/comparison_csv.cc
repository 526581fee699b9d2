#include "study/report/comparison_csv.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace weft::study::report {
namespace {

using Json = nlohmann::ordered_json;
using Row = std::vector<std::pair<std::string, std::string>>;  // column and field

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  std::string field = "\"";
  for (const char c : text) {
    field += c == '"' ? "\"\"" : std::string(1, c);
  }
  return field + '"';
}

std::string field_of(const Json& value) {
  if (value.is_string()) {
    return value.get<std::string>();
  }
  return value.is_null() ? "" : value.dump();
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
  void add(const Json& object, const Place& place) {
    const std::size_t table = index_of(place.table);
    Row row = place.row;
    collect(object, "", row);
    add_row(table, std::move(row));
    add_lists(object, place.prefix, place.inside);
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
  static void collect(const Json& object, const std::string& path, Row& row) {
    for (const auto& [key, value] : object.items()) {
      if (value.is_object()) {
        collect(value, path + key + ".", row);
      } else if (!value.is_array()) {
        row.emplace_back(path + key, field_of(value));
      }
    }
  }

  void add_lists(const Json& object, const std::string& prefix, const Row& before) {
    for (const auto& [key, value] : object.items()) {
      if (value.is_object()) {
        add_lists(value, prefix + key + ".", before);
      } else if (value.is_array()) {
        add_list(value, {.table = prefix + key, .prefix = prefix + key + ".", .row = before, .inside = before});
      }
    }
  }

  void add_list(const Json& list, const Place& place) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      const Json& value = list[i];
      if (value.is_object()) {
        Place inner = place;
        inner.inside.emplace_back(place.table, std::to_string(i));
        add(value, inner);
        continue;
      }
      Row row = place.row;
      row.emplace_back("place", std::to_string(i));
      if (value.is_array() && value.size() == 2) {
        row.emplace_back("x", field_of(value[0]));
        row.emplace_back("y", field_of(value[1]));
      } else {
        row.emplace_back("value", field_of(value));
      }
      add_row(index_of(place.table), std::move(row));
    }
  }

  static results::CsvFile written(const Table& table) {
    std::string text;
    for (const std::string& column : table.columns) {
      text += (text.empty() ? "" : ",") + quoted(column);
    }
    text += '\n';
    for (const Row& row : table.rows) {
      bool first = true;
      for (const std::string& column : table.columns) {
        const auto found = std::ranges::find(row, column, &Row::value_type::first);
        text += (first ? "" : ",") + (found == row.end() ? std::string() : quoted(found->second));
        first = false;
      }
      text += '\n';
    }
    return {table.name + ".csv", text};
  }

  std::vector<Table> tables_;
};

}  // namespace

std::vector<results::CsvFile> comparison_csv(const Json& document) {
  Json rest = document;
  rest.erase("fabrics");
  Tables tables;
  for (const Json& fabric : document["fabrics"]) {
    const Row name{{"fabric", field_of(fabric["name"])}};
    tables.add(fabric, {.table = "fabrics", .prefix = "", .row = {}, .inside = name});
  }
  tables.add(rest, {.table = "comparison", .prefix = "", .row = {}, .inside = {}});
  return tables.take();
}

}  // namespace weft::study::report
