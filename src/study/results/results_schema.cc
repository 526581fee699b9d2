#include "study/results/results_schema.h"

#include <fmt/core.h>

#include <algorithm>

namespace weft::study::results {
namespace {

bool in_schema(const Field& field) { return !field.column.empty(); }

std::string_view type_of(const Field& field) {
  switch (field.access.kind) {
    case CellKind::kText:
      return "TEXT";
    case CellKind::kReal:
      return "REAL";
    default:
      return "INTEGER";
  }
}

std::string columns(const RecordTable& table) {
  std::string text = "run TEXT";
  if (table.layout == Layout::kRowPerField) {
    return text + fmt::format(", {} TEXT, {} INTEGER", table.places[0].name, table.places[1].name);
  }
  for (const PlaceColumn& place : table.places) {
    text += fmt::format(", {} INTEGER", place.name);
  }
  for (const Field& field : table.fields) {
    text += in_schema(field) ? fmt::format(", {} {}", field.column, type_of(field)) : std::string();
  }
  return text;
}

}  // namespace

std::string primary_key(const RecordTable& table) {
  std::string key = "run";
  if (table.layout == Layout::kRowPerField) {
    return key + fmt::format(", {}", table.places[0].name);
  }
  for (const PlaceColumn& place : table.places) {
    key += fmt::format(", {}", place.name);
  }
  for (std::size_t i = 0; i < table.own_keys; ++i) {
    key += fmt::format(", {}", table.fields[i].column);
  }
  return key;
}

std::size_t column_count(const RecordTable& table) {
  const bool row_per_field = table.layout == Layout::kRowPerField;
  const auto fields = row_per_field ? 0 : std::ranges::count_if(table.fields, in_schema);
  return 1 + table.places.size() + static_cast<std::size_t>(fields);
}

std::string create_statement(const RecordTable& table) {
  return fmt::format("CREATE TABLE {} ({}, PRIMARY KEY ({})) WITHOUT ROWID;", table.name, columns(table),
                     primary_key(table));
}

std::string insert_statement(const RecordTable& table) {
  std::string marks = "?";
  for (std::size_t i = 1; i < column_count(table); ++i) {
    marks += ", ?";
  }
  return fmt::format("INSERT INTO {} VALUES ({})", table.name, marks);
}

}  // namespace weft::study::results
