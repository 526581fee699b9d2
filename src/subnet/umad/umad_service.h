// Programs under libumad2sim as clients of a served subnet: who is attached where, and which MAD is for whom.
//
// A program attaches to a node by its name and then is at its first port with a cable, at a switch at port 0. An answer
// goes to the client that asked: by class and transaction. SMInfo, traps and subnet administration go to the client
// that is the manager of the port, and requests of the class of ibping to clients that only listen, such as `ibping
// -S`. Those of other classes are nobody's: the protocol does not say who takes them, and libumad2sim fails in a
// program that does not. A request without an answer comes back to its client as the kernel gives it back, with the
// status of a timeout: at once if it is lost, finds no program or loses the one that has it, else when its time is
// over. No sockets and no clock: the caller hands over the bytes of datagrams with times, and is told what to send.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "subnet/agent/served_subnet.h"
#include "subnet/umad/open_requests.h"
#include "subnet/umad/umad_message.h"

namespace weft::subnet {

class UmadService {
 public:
  /// A server's descriptors are not without end.
  static constexpr std::size_t kMostClients = 128;

  /// Programs that name no node attach to `anywhere`. Both subnets must outlive the service.
  struct Options {
    const Subnet& subnet;
    PortPlace anywhere;
  };
  UmadService(const Options& options, ServedSubnet& served)
      : subnet_(options.subnet), anywhere_(options.anywhere), served_(served) {}

  struct ControlOutcome {
    UmadControl reply;
    /// A client that is new, to be reached at its process, or that has left.
    std::optional<UmadClientId> attached{};
    std::optional<UmadClientId> detached{};
    std::string problem{};  // why the reply is an error; empty: it is none
  };
  /// Errors: no control message, which has no reply.
  [[nodiscard]] Result<ControlOutcome> on_control(std::span<const std::byte> bytes);

  /// Errors: no packet, or of a client that is not attached.
  [[nodiscard]] Result<void> on_packet(UmadClientId from, std::span<const std::byte> bytes, Time now);

  struct Output {
    UmadClientId to = 0;
    std::array<std::byte, UmadPacket::kSize> bytes{};
  };
  [[nodiscard]] std::optional<Output> poll_output();

  /// A client whose process has ended without a word, or could not be reached.
  void detach(UmadClientId client);

  /// The earliest time at which a request comes back for want of an answer.
  [[nodiscard]] Time next_timeout() const { return open_.next_timeout(); }
  void on_timeout(Time now);

  struct Client {
    std::uint32_t process = 0;
    PortPlace at;
    bool is_sm = false;
    bool has_asked = false;  // sent a request of its own
    /// Requests whose answers are its, the oldest first; only the last kMostTransactions.
    std::deque<UmadTransaction> asked{};
  };
  [[nodiscard]] const std::map<UmadClientId, Client>& clients() const { return clients_; }
  /// MADs that came to a port where no program takes them.
  [[nodiscard]] std::uint64_t unclaimed() const { return unclaimed_; }
  /// Requests that came back to their programs.
  [[nodiscard]] std::uint64_t returned() const { return returned_; }

 private:
  static constexpr std::size_t kMostTransactions = 1024;

  struct Pending {
    UmadClientId to;
    UmadPacket packet;
  };
  /// What a client has asked just now, and what has become of it so far.
  struct Asked {
    UmadClientId from;
    UmadTransaction transaction;
    bool is_answered = false;
    std::vector<UmadClientId> takers{};
  };

  void attach(UmadControl& control, ControlOutcome& outcome);
  void tell(const Client& client, UmadControl& control) const;
  [[nodiscard]] Result<PortPlace> place_of(const std::string& node) const;
  [[nodiscard]] bool has_manager(PortPlace at) const;
  void set_manager(UmadClientId client, ControlOutcome& outcome);
  void take_deliveries(Asked* asked);
  void give_back(const OpenRequests::Request& request);
  [[nodiscard]] std::vector<UmadClientId> takers(const ServedSubnet::Delivery& delivery) const;

  const Subnet& subnet_;
  PortPlace anywhere_;
  ServedSubnet& served_;
  std::map<UmadClientId, Client> clients_;
  std::deque<Pending> pending_;
  OpenRequests open_;
  std::uint64_t unclaimed_ = 0;
  std::uint64_t returned_ = 0;
};

}  // namespace weft::subnet
