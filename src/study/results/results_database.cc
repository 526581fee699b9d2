#include "study/results/results_database.h"

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

void Statement::bind(std::int64_t value) {
  if (handle_ != nullptr) {
    state_.expect(sqlite3_bind_int64(handle_, ++next_, value) == SQLITE_OK);
  }
}

void Statement::bind(double value) {
  if (handle_ != nullptr) {
    state_.expect(sqlite3_bind_double(handle_, ++next_, value) == SQLITE_OK);
  }
}

void Statement::bind(const std::optional<double>& value) { value ? bind(*value) : bind(std::optional<std::int64_t>()); }

void Statement::bind(Time value) {
  bind(value.is_never() ? std::nullopt : std::optional<std::int64_t>(value.picoseconds()));
}

void Statement::bind(const std::optional<std::int64_t>& value) {
  if (value) {
    bind(*value);
  } else if (handle_ != nullptr) {
    state_.expect(sqlite3_bind_null(handle_, ++next_) == SQLITE_OK);
  }
}

void Statement::bind(std::string_view value) {
  if (handle_ != nullptr) {
    state_.expect(sqlite3_bind_text(handle_, ++next_, value.data(), static_cast<int>(value.size()), SQLITE_TRANSIENT) ==
                  SQLITE_OK);
  }
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

std::int64_t Statement::integer() { return sqlite3_column_int64(handle_, next_++); }

std::optional<std::int64_t> Statement::maybe_integer() {
  if (sqlite3_column_type(handle_, next_) == SQLITE_NULL) {
    ++next_;
    return std::nullopt;
  }
  return integer();
}

double Statement::real() { return sqlite3_column_double(handle_, next_++); }

std::optional<double> Statement::maybe_real() {
  if (sqlite3_column_type(handle_, next_) == SQLITE_NULL) {
    ++next_;
    return std::nullopt;
  }
  return real();
}

Time Statement::time() {
  const std::optional<std::int64_t> value = maybe_integer();
  return value ? Time::from_picoseconds(*value) : Time::never();
}

std::string Statement::text() {
  const int column = next_++;
  const unsigned char* const bytes = sqlite3_column_text(handle_, column);
  const int size = sqlite3_column_bytes(handle_, column);
  return bytes == nullptr ? std::string()
                          : std::string(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
}

}  // namespace weft::study::results
