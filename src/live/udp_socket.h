// A UDP socket that moves many datagrams per system call, without privileges.
//
// Bound, not connected, never fragmenting (IP_PMTUDISC_DO): its IPv4 packets leave with identification 0, and segment k
// of a run with identification k. Segmentation (UDP_SEGMENT) and coalescing (UDP_GRO) are used if the kernel has them;
// if it refuses a segmented send, the socket sends one by one from then on.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/data_size.h"
#include "base/result.h"
#include "live/datagram_socket.h"
#include "live/file_descriptor.h"

namespace weft::live {

struct UdpSocketOptions {
  /// Where to bind; port 0 takes any.
  SocketAddress local{};
  /// What to ask of the kernel for each direction; it may give less (net.core.rmem_max).
  Bytes buffer = 4_mib;
  /// Off: behave as on a kernel without them.
  enum class Offload : std::uint8_t { kProbe, kOff };
  Offload offload = Offload::kProbe;
};

class UdpSocket final : public DatagramSocket {
 public:
  /// Errors: the port is in use, the address is not this machine's.
  static Result<UdpSocket> open(const UdpSocketOptions& options);

  [[nodiscard]] std::size_t send(std::span<const OutgoingDatagram> datagrams, Time now) override;
  [[nodiscard]] std::span<const IncomingDatagram> receive(Time now) override;
  [[nodiscard]] int descriptor() const override { return socket_.get(); }
  [[nodiscard]] std::size_t max_segments() const override { return segments_ ? kMaxSegments : 1; }
  [[nodiscard]] Time next_event() const override { return Time::never(); }
  [[nodiscard]] std::uint64_t refused() const override { return refused_; }

  [[nodiscard]] const SocketAddress& local_address() const { return local_; }
  /// What the kernel gave for receiving, in its own accounting: about half of it is for payload.
  [[nodiscard]] Bytes receive_buffer() const { return receive_buffer_; }
  [[nodiscard]] bool coalesces() const { return coalesces_; }

 private:
  /// The kernel's own limit is 64 in versions before 6.9, 128 after.
  static constexpr std::size_t kMaxSegments = 64;
  static constexpr std::size_t kSendBatch = 64;
  static constexpr std::size_t kReceiveBatch = 8;
  static constexpr std::size_t kBufferBytes = 65'536;

  struct SendScratch;
  struct ReceiveScratch;
  struct ScratchDeleter {
    void operator()(SendScratch* scratch) const;
    void operator()(ReceiveScratch* scratch) const;
  };

  explicit UdpSocket(FileDescriptor socket);
  Result<void> configure(const UdpSocketOptions& options);
  [[nodiscard]] std::size_t send_some(std::span<const OutgoingDatagram> datagrams);
  void split(std::size_t index, std::size_t bytes);

  FileDescriptor socket_;
  SocketAddress local_;
  Bytes receive_buffer_;
  std::unique_ptr<SendScratch, ScratchDeleter> send_scratch_;
  std::unique_ptr<ReceiveScratch, ScratchDeleter> receive_scratch_;
  std::vector<IncomingDatagram> incoming_;
  std::uint64_t refused_ = 0;
  bool segments_ = false;
  bool coalesces_ = false;
};

}  // namespace weft::live
