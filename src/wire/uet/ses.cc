#include "wire/uet/ses.h"

#include "base/assert.h"

namespace weft::wire::uet {

namespace {

template <class Header>
std::size_t fixed_size(const Header&) {
  if constexpr (std::is_same_v<Header, std::monostate>) {
    return 0;
  } else {
    return Header::kSize;
  }
}

template <class Header>
Result<Ses> parse_ses_as(std::span<const std::byte> bytes) {
  Result<Header> header = Header::parse(bytes);
  if (!header) {
    return pass_on(header);
  }
  Ses ses{.header = *header};
  if (const std::optional<SesOperation> operation = ses.operation()) {
    Result<SesExtensions> extensions = SesExtensions::parse(operation->opcode, bytes.subspan(Header::kSize));
    if (!extensions) {
      return pass_on(extensions);
    }
    ses.extensions = *extensions;
  }
  return ses;
}

}  // namespace

std::size_t Ses::size() const {
  return std::visit([](const auto& one) { return fixed_size(one); }, header) + extensions.size();
}

Result<Ses> Ses::parse(NextHeader next, std::span<const std::byte> bytes) {
  switch (next) {
    case NextHeader::kNone:
      return Ses{};
    case NextHeader::kRequestSmall:
      return parse_ses_as<SesSmallRequest>(bytes);
    case NextHeader::kRequestMedium:
      return parse_ses_as<SesMediumRequest>(bytes);
    case NextHeader::kRequestStandard:
      return parse_ses_as<SesStandardRequest>(bytes);
    case NextHeader::kResponse:
      return parse_ses_as<SesResponse>(bytes);
    case NextHeader::kResponseData:
      return parse_ses_as<SesDataResponse>(bytes);
    case NextHeader::kResponseDataSmall:
      return parse_ses_as<SesSmallDataResponse>(bytes);
  }
  return Ses{};
}

void Ses::emit(std::span<std::byte> out) const {
  WEFT_ASSERT(out.size() >= size());
  std::visit(
      [&out](const auto& one) {
        if constexpr (requires { one.emit(out); }) {
          one.emit(out);
        }
        out = out.subspan(fixed_size(one));
      },
      header);
  extensions.emit(out);
}

std::optional<SesOperation> Ses::operation() const {
  return std::visit(
      [](const auto& one) -> std::optional<SesOperation> {
        if constexpr (requires { one.operation; }) {
          return one.operation;
        } else {
          return std::nullopt;
        }
      },
      header);
}

}  // namespace weft::wire::uet
