#include "live/socket_address.h"

#include <arpa/inet.h>
#include <netdb.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "base/assert.h"

namespace weft::live {

SocketAddress::SocketAddress() : v6_{} { v4_ = {.sin_family = AF_INET, .sin_port = 0, .sin_addr = {}, .sin_zero = {}}; }

SocketAddress SocketAddress::ipv4(wire::Ipv4Address address, std::uint16_t port) {
  SocketAddress result;
  result.v4_.sin_addr.s_addr = htonl(address.value);
  result.v4_.sin_port = htons(port);
  return result;
}

SocketAddress SocketAddress::from(const sockaddr_storage& storage) {
  SocketAddress result;
  if (storage.ss_family == AF_INET) {
    std::memcpy(&result.v4_, &storage, sizeof(sockaddr_in));
    return result;
  }
  WEFT_ASSERT(storage.ss_family == AF_INET6);
  sockaddr_in6 v6{};
  std::memcpy(&v6, &storage, sizeof(v6));
  if (IN6_IS_ADDR_V4MAPPED(&v6.sin6_addr)) {
    std::memcpy(&result.v4_.sin_addr, &v6.sin6_addr.s6_addr[12], 4);
    result.v4_.sin_port = v6.sin6_port;
  } else {
    result.v6_ = v6;
    result.v6_.sin6_flowinfo = 0;
  }
  return result;
}

Result<SocketAddress> SocketAddress::resolve(const std::string& host, std::uint16_t port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* list = nullptr;
  if (const int status = getaddrinfo(host.c_str(), nullptr, &hints, &list); status != 0)
    return fail("host '{}' is unknown: {}", host, gai_strerror(status));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(list, freeaddrinfo);
  sockaddr_storage storage{};
  std::memcpy(&storage, list->ai_addr, std::min<std::size_t>(list->ai_addrlen, sizeof(storage)));
  return from(storage).with_port(port);
}

wire::Ipv4Address SocketAddress::ipv4_address() const {
  WEFT_ASSERT(is_ipv4());
  return {.value = ntohl(v4_.sin_addr.s_addr)};
}

wire::Ipv6Address SocketAddress::ipv6_address() const {
  WEFT_ASSERT(!is_ipv4());
  wire::Ipv6Address address;
  std::ranges::copy(v6_.sin6_addr.s6_addr, address.octets.begin());
  return address;
}

std::uint16_t SocketAddress::port() const { return ntohs(is_ipv4() ? v4_.sin_port : v6_.sin6_port); }

bool SocketAddress::is_loopback() const {
  constexpr std::uint32_t kLoopbackNet = 127;
  return is_ipv4() ? ntohl(v4_.sin_addr.s_addr) >> 24 == kLoopbackNet : IN6_IS_ADDR_LOOPBACK(&v6_.sin6_addr) != 0;
}

SocketAddress SocketAddress::with_port(std::uint16_t port) const {
  SocketAddress result = *this;
  (result.is_ipv4() ? result.v4_.sin_port : result.v6_.sin6_port) = htons(port);
  return result;
}

bool operator==(const SocketAddress& a, const SocketAddress& b) {
  if (a.is_ipv4() != b.is_ipv4())
    return false;
  if (a.is_ipv4())
    return a.v4_.sin_addr.s_addr == b.v4_.sin_addr.s_addr && a.v4_.sin_port == b.v4_.sin_port;
  return std::memcmp(&a.v6_.sin6_addr, &b.v6_.sin6_addr, sizeof(in6_addr)) == 0 && a.v6_.sin6_port == b.v6_.sin6_port &&
         a.v6_.sin6_scope_id == b.v6_.sin6_scope_id;
}

bool same_host(const SocketAddress& a, const SocketAddress& b) { return a == b.with_port(a.port()); }

std::string to_string(const SocketAddress& address) {
  if (address.is_ipv4())
    return fmt::format("{}:{}", wire::to_string(address.ipv4_address()), address.port());
  return fmt::format("[{}]:{}", wire::to_string(address.ipv6_address()), address.port());
}

}  // namespace weft::live
