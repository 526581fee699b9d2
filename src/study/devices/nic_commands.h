// Which commands set a NIC: those of its vendor, by its entry of the catalogue, or the ones that Linux has for all.
//
// Sources: iproute2's pages on dcb; NVIDIA's on mlnx_qos; the dcbnl operations of the Linux drivers mlx4 and cxgb4; the
// script with which Broadcom's driver sets RoCE up; AMD's recipes for the Pollara 400.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "study/devices/device_config.h"

namespace weft::study::devices {

/// By the entry of `fabric.nic`. One that is not of a vendor, or not known, has those of Linux alone.
[[nodiscard]] NicCommands nic_commands_of(std::string_view entry);
/// Of the first NIC of a host, without its number: "mlx5_", "bnxt_re".
[[nodiscard]] std::string_view rdma_stem(NicCommands commands);
/// "mlx5_0", "eth12": a name as plans have it, that operators replace by their own.
[[nodiscard]] bool is_planned_interface(std::string_view name);

/// What a key of a scenario becomes in the commands of a NIC.
struct NicKeyLine {
  std::string_view line{};    // empty: there is none
  std::string_view reason{};  // why not; empty: that of every device
};
/// None: the key is as with mlx5, line or none.
[[nodiscard]] std::optional<NicKeyLine> nic_key_line(NicCommands commands, std::string_view key);

/// All of them, but for mlx5's own.
[[nodiscard]] std::string nic_commands_text(const DeviceConfig& device);
/// Takes away what the commands cannot say.
void keep_expressible(NicSetting& nic);

}  // namespace weft::study::devices
