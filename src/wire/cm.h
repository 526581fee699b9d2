// A connection management datagram: MAD header and one of the messages that set up and end an RC connection.
//
// The alternate-path (LAP, APR) and service-resolution (SIDR) messages are not known here.
#pragma once

#include <cstddef>
#include <span>
#include <variant>

#include "base/result.h"
#include "wire/cm_disconnect.h"
#include "wire/cm_reply.h"
#include "wire/cm_request.h"
#include "wire/mad.h"

namespace weft::wire {

using CmMessage = std::variant<CmReq, CmMra, CmRej, CmRep, CmRtu, CmDreq, CmDrep>;

//= ibta-1.7 12.6
struct CmDatagram {
  static constexpr std::size_t kSize = kMadSize;
  static constexpr std::uint8_t kClassVersion = 2;

  MadHeader header{.management_class = kClassConnection, .class_version = kClassVersion, .method = kMethodSend};
  CmMessage message{};

  /// Sets the attribute id that belongs to `message`, too.
  [[nodiscard]] static CmDatagram of(CmMessage message);

  /// Errors: another management class, another class version or method, an attribute that is none of these messages.
  [[nodiscard]] static Result<CmDatagram> parse(std::span<const std::byte> bytes);
  void emit(std::span<std::byte> out) const;

  friend bool operator==(const CmDatagram&, const CmDatagram&) = default;
};

}  // namespace weft::wire
