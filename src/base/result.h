// Errors of bad input (a scenario, a trace, bytes from a wire, a socket) and the value-or-error type that carries them.
//
// An Error is a message for the user: it says where, what was found and what would be right. Callers add the place
// (file, line, column) with `at`. Protocol events (NAK, loss) are not errors; a programmer's error is WEFT_ASSERT.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace weft {

/// What was wrong with an input, in words for the one who gave it.
struct Error {
  std::string message;

  /// The same error with the place it was found at in front: "flows.txt:3:7: message".
  [[nodiscard]] Error at(std::string_view place) && { return Error{fmt::format("{}: {}", place, message)}; }

  friend bool operator==(const Error&, const Error&) = default;
};

/// A value, or the Error that says why there is none.
template <class T>
using Result = tl::expected<T, Error>;

/// Makes the error branch of any Result: `return fail("unknown unit '{}'", unit);`
template <class... Args>
[[nodiscard]] tl::unexpected<Error> fail(fmt::format_string<Args...> format, Args&&... args) {
  return tl::unexpected<Error>(Error{fmt::format(format, std::forward<Args>(args)...)});
}

/// Passes an error on unchanged from a Result of another type: `return pass_on(result);`
template <class T>
[[nodiscard]] tl::unexpected<Error> pass_on(Result<T>& result) {
  return tl::unexpected<Error>(std::move(result.error()));
}

}  // namespace weft
