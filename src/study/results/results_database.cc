#include "study/results/results_database.h"

#include "base/printable.h"

namespace weft::study::results {
namespace {

int flags_of(Database::Open how) {
  switch (how) {
    case Database::Open::kCreate:
      return SQLite::OPEN_NOMUTEX | SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE;
    case Database::Open::kReadOnly:
      return SQLite::OPEN_NOMUTEX | SQLite::OPEN_READONLY;
    case Database::Open::kReadWrite:
      break;
  }
  return SQLite::OPEN_NOMUTEX | SQLite::OPEN_READWRITE;
}

}  // namespace

Result<Database> Database::open(const std::string& path, Open how) {
  auto state = std::make_unique<State>(State{.path = path});
  state->attempt([&] { state->open.emplace(path, flags_of(how)); });
  Database database(std::move(state));
  if (Result<void> opened = database.check(); !opened) {
    return pass_on(opened);
  }
  return database;
}

void Database::execute(const std::string& sql) {
  state_->attempt([&] { state_->open->exec(sql); });
}

Statement Database::prepare(const std::string& sql) { return Statement(*state_, sql); }

Result<void> Database::check() const {
  if (!state_->failure.empty()) {
    return fail("{}: {}", state_->path, state_->failure);
  }
  return {};
}

Result<void> Database::close() {
  state_->open.reset();
  return check();
}

Statement::Statement(Database::State& state, const std::string& sql) : state_(state) {
  state_.attempt([&] { prepared_.emplace(*state_.open, sql); });
}

void Statement::bind(int parameter, const Cell& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    prepared_->bind(parameter, *integer);
  } else if (const auto* real = std::get_if<double>(&value)) {
    prepared_->bind(parameter, *real);
  } else if (is_empty(value)) {
    prepared_->bind(parameter);
  } else {
    prepared_->bind(parameter, std::string(text_of(value)));
  }
}

void Statement::start(std::span<const Cell> values) {
  state_.attempt([&] {
    int parameter = 0;
    for (const Cell& value : values) {
      bind(++parameter, value);
    }
  });
}

void Statement::run(std::span<const Cell> values) {
  start(values);
  state_.attempt([&] {
    prepared_->exec();
    prepared_->reset();
  });
}

bool Statement::next() {
  next_ = 0;
  bool is_row = false;
  state_.attempt([&] {
    is_row = prepared_->executeStep();
    if (!is_row) {
      prepared_->reset();
    }
  });
  return is_row;
}

Cell Statement::cell() {
  const SQLite::Column column = prepared_->getColumn(next_++);
  if (column.isNull()) {
    return {};
  }
  if (column.isInteger()) {
    return column.getInt64();
  }
  if (column.isFloat()) {
    return column.getDouble();
  }
  const std::string text = column.getString();
  // Whoever wrote the file, its texts go to terminals and pages.
  return Cell(terminal_text(text, LineBreaks::kKept));
}

std::string Statement::text() { return prepared_->getColumn(next_++).getString(); }

}  // namespace weft::study::results
