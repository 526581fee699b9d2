// SQLiteCpp as the results store uses it: one connection, prepared statements, cells as records have them. Its
// exceptions end here.
//
// After the first failure every call does nothing, and `check` says what went wrong; so a sequence of rows needs one
// check at its end. Integers are signed 64 bits, empty cells are NULL.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"
#include "study/results/record_cell.h"

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
    std::string path;
    std::string failure{};
    std::optional<SQLite::Database> open{};

    /// Does it unless something has failed before; false: it fails, or was left out.
    template <class Action>
    bool attempt(const Action& action) {
      if (!failure.empty()) {
        return false;
      }
      try {
        action();
        return true;
      } catch (const SQLite::Exception& error) {
        failure = error.what();
        return false;
      }
    }
  };
  explicit Database(std::unique_ptr<State> state) : state_(std::move(state)) {}

  std::unique_ptr<State> state_;
};

/// Borrows its database.
class Statement {
 public:
  Statement(Statement&&) = default;
  Statement& operator=(Statement&&) = delete;

  /// Binds the parameters from the first on and runs it once.
  void run(std::span<const Cell> values);
  /// The same for a statement that has rows: then `next` gives them.
  void start(std::span<const Cell> values);
  /// False: there is none left, or something failed.
  [[nodiscard]] bool next();

  /// How many columns its rows have, and what they are called.
  [[nodiscard]] int columns() const { return prepared_ ? prepared_->getColumnCount() : 0; }
  [[nodiscard]] std::string_view column_name(int column) const { return prepared_->getColumnName(column); }

  // Columns of the present row, from the first on. Text of a cell is gone with the row.
  [[nodiscard]] Cell cell();
  [[nodiscard]] std::int64_t integer() { return integer_of(cell()); }
  [[nodiscard]] std::string text();

 private:
  friend class Database;
  Statement(Database::State& state, const std::string& sql);
  void bind(int parameter, const Cell& value);

  Database::State& state_;
  std::optional<SQLite::Statement> prepared_{};
  int next_ = 0;
};

}  // namespace weft::study::results
