// Any SES header with its extensions: the PDS header's next header says which.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <variant>

#include "base/result.h"
#include "wire/uet/pds_prologue.h"
#include "wire/uet/ses_extensions.h"
#include "wire/uet/ses_request.h"
#include "wire/uet/ses_response.h"

namespace weft::wire::uet {

/// Nothing, when the PDS header has no next header or a reserved one.
using SesHeader = std::variant<std::monostate, SesSmallRequest, SesMediumRequest, SesStandardRequest, SesResponse,
                               SesDataResponse, SesSmallDataResponse>;

struct Ses {
  SesHeader header{};
  SesExtensions extensions{};  // only of requests

  [[nodiscard]] std::size_t size() const;
  /// `bytes` begin behind the PDS header.
  //= uet-1.0 3.4
  [[nodiscard]] static Result<Ses> parse(NextHeader next, std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;
  /// Of a request; nothing of a response.
  [[nodiscard]] std::optional<SesOperation> operation() const;

  friend bool operator==(const Ses&, const Ses&) = default;
};

}  // namespace weft::wire::uet
