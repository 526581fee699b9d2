#include "study/results/results_database.h"

#include "base/printable.h"

namespace weft::study::results {

void Database::State::expect(bool success) {
  if (!success && failure.empty()) {
    failure = sqlite3_errmsg(handle);
  }
}

Result<Database> Database::open(const std::string& path, Open how) {
  auto state = std::make_unique<State>();
  state->path = path;
  int flags = SQLITE_OPEN_NOMUTEX;
  switch (how) {
    case Open::kCreate:
      flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
      break;
    case Open::kReadOnly:
      flags |= SQLITE_OPEN_READONLY;
      break;
    case Open::kReadWrite:
      flags |= SQLITE_OPEN_READWRITE;
      break;
  }
  const int status = sqlite3_open_v2(path.c_str(), &state->handle, flags, nullptr);
  if (status != SQLITE_OK) {
    return fail("{}: {}", path, sqlite3_errstr(status));
  }
  return Database(std::move(state));
}

void Database::execute(const std::string& sql) {
  if (state_->failure.empty()) {
    state_->expect(sqlite3_exec(state_->handle, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
  }
}

Statement Database::prepare(const std::string& sql) { return Statement(*state_, sql); }

Result<void> Database::check() const {
  if (!state_->failure.empty()) {
    return fail("{}: {}", state_->path, state_->failure);
  }
  return {};
}

Result<void> Database::close() {
  Result<void> result = check();
  if (sqlite3_close_v2(std::exchange(state_->handle, nullptr)) != SQLITE_OK && result) {
    return fail("{}: cannot be closed", state_->path);
  }
  return result;
}

Statement::Statement(Database::State& state, const std::string& sql) : state_(state) {
  if (state_.failure.empty()) {
    state_.expect(sqlite3_prepare_v2(state_.handle, sql.c_str(), -1, &handle_, nullptr) == SQLITE_OK);
  }
}

void Statement::bind(const Cell& value) {
  if (handle_ == nullptr) {
    return;
  }
  ++next_;
  int status = SQLITE_OK;
  if (const auto* integer = std::get_if<std::int64_t>(&value)) {
    status = sqlite3_bind_int64(handle_, next_, *integer);
  } else if (const auto* real = std::get_if<double>(&value)) {
    status = sqlite3_bind_double(handle_, next_, *real);
  } else if (is_empty(value)) {
    status = sqlite3_bind_null(handle_, next_);
  } else {
    const std::string_view text = text_of(value);
    // Text without bytes is still text, not NULL.
    status = sqlite3_bind_text(handle_, next_, text.empty() ? "" : text.data(), static_cast<int>(text.size()),
                               SQLITE_TRANSIENT);
  }
  state_.expect(status == SQLITE_OK);
}

void Statement::start(std::span<const Cell> values) {
  next_ = 0;
  for (const Cell& value : values) {
    bind(value);
  }
}

void Statement::run(std::span<const Cell> values) {
  start(values);
  finish();
}

void Statement::finish() {
  if (handle_ == nullptr || !state_.failure.empty()) {
    return;
  }
  state_.expect(sqlite3_step(handle_) == SQLITE_DONE);
  sqlite3_reset(handle_);
}

bool Statement::next() {
  if (handle_ == nullptr || !state_.failure.empty()) {
    return false;
  }
  next_ = 0;
  const int status = sqlite3_step(handle_);
  if (status != SQLITE_ROW) {
    state_.expect(status == SQLITE_DONE);
    sqlite3_reset(handle_);
    return false;
  }
  return true;
}

int Statement::columns() const { return sqlite3_column_count(handle_); }

std::string_view Statement::column_name(int column) const {
  const char* const name = sqlite3_column_name(handle_, column);
  return name == nullptr ? std::string_view() : name;
}

Cell Statement::cell() {
  switch (sqlite3_column_type(handle_, next_)) {
    case SQLITE_NULL:
      ++next_;
      return {};
    case SQLITE_INTEGER:
      return std::int64_t{sqlite3_column_int64(handle_, next_++)};
    case SQLITE_FLOAT:
      return sqlite3_column_double(handle_, next_++);
    default: {
      const int column = next_++;
      const unsigned char* const bytes = sqlite3_column_text(handle_, column);
      const std::string_view text(reinterpret_cast<const char*>(bytes),
                                  static_cast<std::size_t>(sqlite3_column_bytes(handle_, column)));
      // Whoever wrote the file, its texts go to terminals and pages.
      std::string shown = terminal_text(text, LineBreaks::kKept);
      return shown == text ? Cell(text) : Cell(std::move(shown));
    }
  }
}

std::string Statement::text() {
  const int column = next_++;
  const unsigned char* const bytes = sqlite3_column_text(handle_, column);
  const int size = sqlite3_column_bytes(handle_, column);
  return bytes == nullptr ? std::string()
                          : std::string(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
}

}  // namespace weft::study::results
