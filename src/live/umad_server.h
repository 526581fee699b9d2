// Serves programs under libumad2sim over UNIX datagram sockets with abstract names, as ibsim does.
//
// For the name "sim": "sim:ctl" takes control messages, and each client has a socket "sim:out<client>" that is
// connected to the "sim:in<process>" of its program. A client that does not read gets at most kMostWaiting packets
// later, what comes after is dropped. One whose process has ended is detached within a second, and before another
// program attaches or becomes a manager.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "live/clock.h"
#include "live/file_descriptor.h"
#include "subnet/umad/umad_service.h"

namespace weft::live {

class UmadServer {
 public:
  static constexpr std::size_t kLongestName = 80;
  static constexpr std::size_t kMostWaiting = 4'096;

  /// Binds the control socket. Errors: an empty or too long name, or one that another server has.
  [[nodiscard]] static Result<UmadServer> open(const std::string& name);

  struct Options {
    /// Asked at least four times a second; false ends serving.
    std::function<bool()> keep_going;
    /// Where lines of commands come from; negative: there are none. Its end is no end of serving, and ends its last
    /// line.
    int console = -1;
    /// A line of it; false ends serving.
    std::function<bool(std::string_view)> on_line;
    /// What a user may want to know: who attaches and leaves, what is refused.
    std::function<void(const std::string&)> note;
  };
  struct Counts {
    std::uint64_t packets = 0;    // taken from clients
    std::uint64_t refused = 0;    // datagrams that are no message of the protocol
    std::uint64_t unwritten = 0;  // packets that a client did not take
  };
  /// Until it is ended. Errors: the operating system's, of waiting.
  [[nodiscard]] Result<Counts> serve(const Options& options, subnet::UmadService& service,
                                     subnet::ServedSubnet& served);

 private:
  struct Connection {
    FileDescriptor socket;
    std::uint32_t process = 0;
    std::deque<std::array<std::byte, subnet::UmadPacket::kSize>> waiting{};
  };

  UmadServer(std::string name, FileDescriptor control) : name_(std::move(name)), control_(std::move(control)) {}

  [[nodiscard]] Result<void> wait(const Options& options, Time next_timeout);
  void take_control(const Options& options, subnet::UmadService& service);
  [[nodiscard]] Result<FileDescriptor> connect_client(subnet::UmadClientId client, std::uint32_t process) const;
  void take_packets(const Options& options, subnet::UmadService& service);
  void write_packets(const Options& options, subnet::UmadService& service);
  void write_waiting(const Options& options, subnet::UmadService& service);
  void detach_ended(const Options& options, subnet::UmadService& service);
  void detach_ended_before(std::span<const std::byte> control, const Options& options, subnet::UmadService& service);
  [[nodiscard]] bool take_lines(const Options& options);

  std::string name_;
  FileDescriptor control_;
  std::map<subnet::UmadClientId, Connection> connections_;
  Clock clock_;
  Counts counts_;
  Time last_look_;
  std::string line_;  // what has come of one so far
  bool console_ready_ = false;
  bool console_open_ = true;
  bool control_ready_ = false;
  std::vector<subnet::UmadClientId> readable_;
};

}  // namespace weft::live
