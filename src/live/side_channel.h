// The side channel itself: a TCP connection that carries side messages, each wait bounded, no input from a peer
// trusted.
//
// A peer that sends a long line, an unknown one, or nothing in time is an error; the connection is then closed by
// destroying the channel. Source: the role of perftest's TCP exchange.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "live/file_descriptor.h"
#include "live/side_message.h"
#include "live/socket_address.h"

namespace weft::live {

class SideChannel {
 public:
  struct ConnectOptions {
    SocketAddress to{};
    std::optional<SocketAddress> from{};  // nothing: the kernel chooses
    Duration timeout = Duration::seconds(10);
  };
  /// Error: no answer in time, refused, or `from` is not this machine's.
  static Result<SideChannel> connect(const ConnectOptions& options);
  /// Takes over an accepted connection.
  static Result<SideChannel> take(FileDescriptor socket);

  /// Errors: the peer has closed, or its kernel takes nothing more.
  Result<void> send(const SideMessage& message);
  /// True if a whole line has arrived: it is then in `message`. Does not wait. Errors: closed, not a message.
  Result<bool> poll(SideMessage& message);

  [[nodiscard]] int descriptor() const { return socket_.get(); }
  [[nodiscard]] const SocketAddress& local_address() const { return local_; }
  [[nodiscard]] const SocketAddress& peer_address() const { return peer_; }
  /// Largest IP packet of the path, as TCP knows it.
  [[nodiscard]] std::int64_t path_mtu() const;

 private:
  explicit SideChannel(FileDescriptor socket) : socket_(std::move(socket)) {}
  Result<bool> take_line(SideMessage& message);

  FileDescriptor socket_;
  SocketAddress local_;
  SocketAddress peer_;
  std::string received_;  // at most two lines
};

/// Accepts side channels.
class SideListener {
 public:
  /// Port 0 takes any. Error: the port is in use, the address is not this machine's.
  static Result<SideListener> open(const SocketAddress& local);

  /// A waiting connection, if there is one.
  Result<std::optional<SideChannel>> accept();
  [[nodiscard]] int descriptor() const { return socket_.get(); }
  [[nodiscard]] const SocketAddress& local_address() const { return local_; }

 private:
  explicit SideListener(FileDescriptor socket) : socket_(std::move(socket)) {}

  FileDescriptor socket_;
  SocketAddress local_;
};

}  // namespace weft::live
