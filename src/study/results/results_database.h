// SQLite as the results store uses it: one connection, prepared statements, errors kept until asked for.
//
// After the first failure every call does nothing, and `check` says what went wrong; so a sequence of rows needs one
// check at its end. Integers are signed 64 bits, Time::never() and empty optionals are NULL.
#pragma once

#include <sqlite3.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "base/time.h"

namespace weft::study::results {

class Statement;

class Database {
 public:
  enum class Open : std::uint8_t { kCreate, kReadOnly, kReadWrite };
  [[nodiscard]] static Result<Database> open(const std::string& path, Open how);

  /// Statements without results.
  void execute(const std::string& sql);
  [[nodiscard]] Statement prepare(const std::string& sql);
  [[nodiscard]] Result<void> check() const;
  /// Closes; no statement may be alive. Gives what `check` gives.
  [[nodiscard]] Result<void> close();

 private:
  friend class Statement;
  struct State {
    sqlite3* handle = nullptr;
    std::string path;
    std::string failure;
    ~State() { sqlite3_close_v2(handle); }
    void expect(bool success);
  };
  explicit Database(std::unique_ptr<State> state) : state_(std::move(state)) {}

  std::unique_ptr<State> state_;
};

/// Borrows its database.
class Statement {
 public:
  Statement(Statement&& other) noexcept
      : state_(other.state_), handle_(std::exchange(other.handle_, nullptr)), next_(other.next_) {}
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;
  Statement& operator=(Statement&&) = delete;
  ~Statement() { sqlite3_finalize(handle_); }

  /// Binds the parameters from the first on and runs it once.
  template <class... Values>
  void run(const Values&... values) {
    next_ = 0;
    (bind(values), ...);
    finish();
  }
  /// The same for a statement that has rows: then `next` gives them.
  template <class... Values>
  void start(const Values&... values) {
    next_ = 0;
    (bind(values), ...);
  }
  /// False: there is none left, or something failed.
  [[nodiscard]] bool next();

  // Columns of the present row, from the first on.
  [[nodiscard]] std::int64_t integer();
  [[nodiscard]] std::uint64_t count() { return static_cast<std::uint64_t>(integer()); }
  [[nodiscard]] std::uint32_t number() { return static_cast<std::uint32_t>(integer()); }
  [[nodiscard]] std::optional<std::int64_t> maybe_integer();
  [[nodiscard]] double real();
  [[nodiscard]] std::optional<double> maybe_real();
  [[nodiscard]] Time time();
  [[nodiscard]] Duration duration() { return Duration::picoseconds(integer()); }
  [[nodiscard]] std::string text();

 private:
  friend class Database;
  Statement(Database::State& state, const std::string& sql);
  void bind(std::int64_t value);
  void bind(std::uint64_t value) { bind(static_cast<std::int64_t>(value)); }
  void bind(std::uint32_t value) { bind(std::int64_t{value}); }
  void bind(std::uint8_t value) { bind(std::int64_t{value}); }
  void bind(Duration value) { bind(value.picoseconds()); }
  void bind(double value);
  void bind(const std::optional<double>& value);
  void bind(Time value);
  void bind(const std::optional<std::int64_t>& value);
  void bind(std::string_view value);
  void bind(const std::string& value) { bind(std::string_view(value)); }
  void bind(bool value) { bind(std::int64_t{value ? 1 : 0}); }
  void finish();

  Database::State& state_;
  sqlite3_stmt* handle_ = nullptr;
  int next_ = 0;
};

}  // namespace weft::study::results
