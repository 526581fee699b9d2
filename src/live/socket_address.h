// An IPv4 or IPv6 address with a port, as sockets take it. An IPv4 address inside IPv6 (::ffff:a.b.c.d) becomes IPv4.
#pragma once

#include <netinet/in.h>

#include <cstdint>
#include <string>

#include "base/result.h"
#include "wire/address.h"

namespace weft::live {

class SocketAddress {
 public:
  /// 0.0.0.0 port 0.
  SocketAddress();
  static SocketAddress ipv4(wire::Ipv4Address address, std::uint16_t port);
  static SocketAddress from(const sockaddr_storage& storage);
  /// The first address of a host name or of a numeric address. May ask a name server.
  /// Error: the host is unknown.
  static Result<SocketAddress> resolve(const std::string& host, std::uint16_t port);

  [[nodiscard]] bool is_ipv4() const { return any_.sa_family == AF_INET; }
  /// The address must be of that family.
  [[nodiscard]] wire::Ipv4Address ipv4_address() const;
  [[nodiscard]] wire::Ipv6Address ipv6_address() const;
  [[nodiscard]] std::uint16_t port() const;
  /// Whether only this machine can reach it: 127.0.0.0/8 and ::1.
  [[nodiscard]] bool is_loopback() const;
  [[nodiscard]] SocketAddress with_port(std::uint16_t port) const;

  [[nodiscard]] const sockaddr* data() const { return &any_; }
  [[nodiscard]] socklen_t size() const { return is_ipv4() ? sizeof(v4_) : sizeof(v6_); }

  friend bool operator==(const SocketAddress& a, const SocketAddress& b);

 private:
  union {
    sockaddr any_;
    sockaddr_in v4_;
    sockaddr_in6 v6_;
  };
};

/// Whether only the ports differ, if anything.
[[nodiscard]] bool same_host(const SocketAddress& a, const SocketAddress& b);

/// "127.0.0.1:4791", "[::1]:4791".
[[nodiscard]] std::string to_string(const SocketAddress& address);

}  // namespace weft::live
