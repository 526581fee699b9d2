// What configurations of switches, NICs and subnet managers say, whichever vendor's syntax they are in.
//
// A writer makes text of it and a reader makes it of text; each pair is inverse. Sizes are bytes, rates Mb/s, times
// what their names say: whole numbers in the units that the devices have. What a text does not say is absent.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace weft::study::devices {

inline constexpr std::size_t kClasses = 8;
inline constexpr std::size_t kCodePoints = 64;

enum class Syntax : std::uint8_t { kSonic, kNvue, kEos, kNic, kOpensm, kPartitions, kQosPolicy };
/// "sonic", "nvue", "eos", "nic", "opensm.conf", "partitions.conf", "QoS policy".
[[nodiscard]] const char* to_string(Syntax syntax);

/// ECN marking of a queue.
struct MarkSetting {
  std::uint64_t kmin = 0;
  std::uint64_t kmax = 0;
  std::uint64_t percent = 100;  // at kmax
  friend bool operator==(const MarkSetting&, const MarkSetting&) = default;
};

/// Ingress buffer of a class at a port.
struct BufferSetting {
  std::uint64_t reserve = 0;
  std::uint64_t xon_offset = 0;
  std::optional<std::uint64_t> headroom{};  // beyond XOFF; lossless classes only
  std::int64_t exponent = 0;                // alpha = 2^this
  std::optional<std::uint64_t> limit{};     // fixed, in place of alpha
  friend bool operator==(const BufferSetting&, const BufferSetting&) = default;
};

/// One of eight classes at a port: traffic class, priority and queue of one number.
struct ClassSetting {
  bool pfc = false;
  bool watchdog = false;
  std::optional<MarkSetting> mark{};
  std::optional<BufferSetting> buffer{};
  std::optional<std::uint64_t> weight{};  // of DWRR, 1 to 100; 0: strict; none: not said
  friend bool operator==(const ClassSetting&, const ClassSetting&) = default;
};

struct PortSetting {
  std::string name{};                     // the device's: "Ethernet8", "swp2", "Ethernet2/1"
  std::uint64_t number = 0;               // of the plan's port, from 0
  std::uint64_t speed = 0;                // Mb/s; 0: not said
  std::optional<std::uint64_t> mtu{};     // of IP
  std::optional<std::uint64_t> metres{};  // of the cable
  std::string peer{};                     // device at the other end; empty: not said
  std::string peer_port{};                // as the peer's own syntax names it
  std::string address{};                  // "10.0.0.0/31"
  std::array<ClassSetting, kClasses> classes{};
  friend bool operator==(const PortSetting&, const PortSetting&) = default;
};

/// A BGP neighbour.
struct NeighbourSetting {
  std::string address{};
  std::string name{};
  std::uint64_t as_number = 0;
  std::uint64_t keepalive = 0;  // s
  std::uint64_t hold = 0;       // s
  std::uint64_t mrai = 0;       // s
  bool bfd = false;
  std::uint64_t bfd_interval = 300;  // ms, between packets that are sent; devices have 300 ms and 3 where none is given
  std::uint64_t bfd_receive = 300;   // ms, at least between packets that are taken
  std::uint64_t bfd_multiplier = 3;
  std::string password{};                   // of TCP's authentication, as it stands; empty: none
  std::optional<std::uint64_t> ttl_hops{};  // of TTL security; 0: they are not given; none: it is off
  friend bool operator==(const NeighbourSetting&, const NeighbourSetting&) = default;
};

struct WatchdogSetting {
  std::uint64_t detect = 0;   // ms
  std::uint64_t restore = 0;  // ms
  bool drops = true;          // else: forwards
  friend bool operator==(const WatchdogSetting&, const WatchdogSetting&) = default;
};

/// Packet trimming.
struct TrimSetting {
  std::uint64_t size = 0;
  std::uint64_t dscp = 0;
  std::uint64_t queue = 0;
  friend bool operator==(const TrimSetting&, const TrimSetting&) = default;
};

struct SwitchSetting {
  std::uint64_t as_number = 0;  // 0: no BGP
  std::string router_id{};
  std::uint64_t paths = 0;              // of ECMP
  std::optional<std::uint64_t> pool{};  // shared buffer of lossless classes with their reserves
  std::optional<std::uint64_t> pool_headroom{};
  std::map<std::uint64_t, std::uint64_t> dscp_class{};
  std::optional<WatchdogSetting> watchdog{};
  std::optional<TrimSetting> trimming{};
  std::vector<PortSetting> ports{};  // by number
  std::vector<NeighbourSetting> neighbours{};
  friend bool operator==(const SwitchSetting&, const SwitchSetting&) = default;
};

/// Whose commands set a NIC: of the drivers mlx5, mlx4 and bnxt, of Pensando's nicctl, of any driver of Linux, or of
/// cxgb4, which takes classes from its firmware.
enum class NicCommands : std::uint8_t { kMlx5, kMlx4, kBroadcom, kPensando, kLinux, kChelsio };

/// A port of a NIC.
struct NicSetting {
  NicCommands commands = NicCommands::kMlx5;
  std::string interface {};  // "eth0"
  std::string rdma{};        // "mlx5_0"
  std::array<bool, kClasses> pfc{};
  std::map<std::uint64_t, std::uint64_t> dscp_class{};
  std::array<std::optional<std::uint64_t>, kClasses> weight{};  // percent; 0: strict
  std::optional<std::uint64_t> metres{};
  std::optional<std::uint64_t> mtu{};
  std::optional<std::uint64_t> data_dscp{};           // from the ToS of RDMA-CM and of queue pairs
  std::array<bool, kClasses> reaction{};              // RP
  std::array<bool, kClasses> notification{};          // NP
  std::map<std::string, std::uint64_t> congestion{};  // "rpg_time_reset" -> 300, "cnp_dscp" -> 48
  friend bool operator==(const NicSetting&, const NicSetting&) = default;
};

/// What is written in place of secrets, which no scenario holds.
inline constexpr const char* kPasswordPlaceholder = "CHANGE-ME";
inline constexpr const char* kKeyPlaceholder = "0x0123456789abcdef";  // of 64 bits, as OpenSM has keys

struct PartitionMember {
  std::string who{};  // "0x0002c90000000101", "ALL"
  bool full = false;
  std::string place{};
  friend bool operator==(const PartitionMember& a, const PartitionMember& b) {
    return a.who == b.who && a.full == b.full;
  }
};

/// A definition of partitions.conf.
struct PartitionSetting {
  std::string name{};
  std::uint16_t p_key = 0;  // 15 bits; 0: OpenSM chooses
  std::vector<PartitionMember> members{};
  friend bool operator==(const PartitionSetting&, const PartitionSetting&) = default;
};

/// Options of opensm.conf, and rules of a QoS policy or of partitions, each as its text.
struct ManagerSetting {
  std::map<std::string, std::string> options{};
  std::vector<std::string> lines{};
  std::vector<PartitionSetting> partitions{};  // what a reader makes of the lines
  friend bool operator==(const ManagerSetting&, const ManagerSetting&) = default;
};

/// What a syntax says that the model above has no member for, as it stands: "dscp" of "qos trust dscp".
struct NativeSetting {
  std::string value{};
  std::string place{};
};

/// An interface that a line is for.
struct InterfaceLine {
  std::string name{};
  std::string place{};
  bool rdma = false;  // of NICs: an RDMA device
};

/// What a reader could not make anything of.
struct UnreadLine {
  std::string place{};
  std::string text{};  // empty: the place says it
};

struct DeviceConfig {
  Syntax syntax = Syntax::kSonic;
  std::string name{};  // of the device: "leaf0", "host3/nic0"
  std::string file{};  // where it was read from; empty: it was not
  SwitchSetting bridge{};
  NicSetting nic{};
  ManagerSetting manager{};
  /// "leaf0.json: PORT|Ethernet0|mtu", "leaf0.eos:17", by item: "port.0.mtu", "class.3.mark".
  std::map<std::string, std::string> places{};
  /// By item: "port.3.trust", "port.3.class.2.mark.red", "pool.mode". What readers find; writers have it in their text.
  std::map<std::string, NativeSetting> native{};
  std::vector<UnreadLine> unread{};
  /// Of a NIC every line's; of a switch those that stand a second time.
  std::vector<InterfaceLine> interfaces{};

  /// The place of an item, of the nearest item above it, or the file.
  [[nodiscard]] std::string where(const std::string& item) const;
};

[[nodiscard]] inline bool is_switch(Syntax syntax) {
  return syntax == Syntax::kSonic || syntax == Syntax::kNvue || syntax == Syntax::kEos;
}
[[nodiscard]] inline bool is_manager(Syntax syntax) { return !is_switch(syntax) && syntax != Syntax::kNic; }

/// A session has the placeholder for its password.
[[nodiscard]] bool has_placeholder(const SwitchSetting& device);

/// The device's name of the plan's port.
[[nodiscard]] std::string port_label(Syntax syntax, std::uint64_t number);
/// "port.3.class.2.mark".
[[nodiscard]] std::string item_of(const PortSetting& port, std::size_t number, const char* what);

}  // namespace weft::study::devices
