#include "study/results/record_json.h"

#include <nlohmann/json.hpp>

#include "base/assert.h"
#include "base/time.h"

namespace weft::study::results {
namespace {

using Json = nlohmann::ordered_json;

Json value_of(const Access& access, const Cell& cell) {
  const auto* integer = std::get_if<std::int64_t>(&cell);
  if (integer == nullptr) {
    const auto* real = std::get_if<double>(&cell);
    return real != nullptr ? Json(*real) : Json(text_of(cell));
  }
  if (access.word != nullptr) {
    return access.word(*integer);
  }
  switch (access.kind) {
    case CellKind::kFlag:
      return *integer != 0;
    case CellKind::kTime:
    case CellKind::kDuration:
      return Duration::picoseconds(*integer).seconds();
    case CellKind::kMillionths:
      return static_cast<double>(*integer) * 1e-6;
    case CellKind::kNumber:
    case CellKind::kReal:
    case CellKind::kText:
    case CellKind::kBytes:
    case CellKind::kRate:
      break;
  }
  return *integer;
}

bool is_left_out(const Field& field, const Cell& cell) {
  if (is_empty(cell)) {
    return true;
  }
  return field.forms.json_empty == WhenEmpty::kLeftOut && real_of(cell) == 0 && text_of(cell).empty();
}

}  // namespace

void add_fields(Json& json, const RecordTable& table, const void* row, const RunResults* names) {
  for (const Order order : {Order::kInPlace, Order::kLast}) {
    for (const Field& field : table.fields) {
      if (field.forms.json.empty() || field.forms.json_order != order) {
        continue;
      }
      const std::string name(field.forms.json);
      if (field.forms.name_of != nullptr) {
        WEFT_ASSERT(names != nullptr);
        json[name] = field.forms.name_of(*names, row);
      } else if (const Cell cell = field.access.get(row); !is_left_out(field, cell)) {
        json[name] = value_of(field.access, cell);
      }
    }
  }
}

Json record_json(const RecordTable& table, const void* row, const RunResults* names) {
  Json json = Json::object();
  add_fields(json, table, row, names);
  return json;
}

}  // namespace weft::study::results
