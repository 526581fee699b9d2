#include "study/devices/config_file.h"

#include <fmt/core.h>

#include <algorithm>

#include "study/devices/eos.h"
#include "study/devices/manager.h"
#include "study/devices/nic.h"
#include "study/devices/nvue.h"
#include "study/devices/sonic_emit.h"
#include "study/devices/sonic_read.h"

namespace weft::study::devices {
namespace {

bool is_option(std::string_view word) {
  return word.starts_with("qos_") || word == "routing_engine" || word == "lmc" || word == "m_key" || word == "qos" ||
         word == "sm_priority" || word == "subnet_prefix" || word == "partition_config_file";
}

/// Told by the first line that only one of them has.
std::optional<Syntax> syntax_of(const ConfigText& source) {
  for (const ConfigLine& line : lines_of(source.text, "#!")) {
    const std::string_view first = line.words[0];
    if (first.starts_with('{') || first.starts_with('[')) {
      return Syntax::kSonic;
    }
    if (first == "nv") {
      return Syntax::kNvue;
    }
    if (first == "mlnx_qos" || first == "cma_roce_tos" || first == "ethtool" || first == "ip" || first == "mlxconfig" ||
        first == "dcb" || first == "nicctl") {
      return Syntax::kNic;
    }
    if (first == "hostname" || (first == "interface" && line.words.size() > 1)) {
      return Syntax::kEos;
    }
    if (first == "qos-ulps" || first == "qos-levels" || first == "port-groups" || first == "qos-match-rules") {
      return Syntax::kQosPolicy;
    }
    if (is_option(first)) {
      return Syntax::kOpensm;
    }
    if (first.find("=0x") != std::string_view::npos || first.starts_with("Default")) {
      return Syntax::kPartitions;
    }
  }
  return std::nullopt;
}

}  // namespace

Result<DeviceConfig> read_config(const ConfigText& source) {
  if (source.text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    return fail("{}: the file is empty", source.name);
  }
  if (const std::size_t at = source.text.find('\0'); at != std::string_view::npos) {
    return fail("{}: byte {} is zero: this is no text", source.name, at);
  }
  const std::optional<Syntax> syntax = syntax_of(source);
  if (!syntax) {
    return fail(
        "{}: this is no configuration that is known: config_db.json of SONiC, 'nv set' commands, EOS, commands for a "
        "NIC, opensm.conf, partitions.conf, a QoS policy of OpenSM",
        source.name);
  }
  switch (*syntax) {
    case Syntax::kSonic:
      return read_sonic(source);
    case Syntax::kNvue:
      return read_nvue(source);
    case Syntax::kEos:
      return read_eos(source);
    case Syntax::kNic:
      return read_nic(source);
    case Syntax::kOpensm:
      return read_opensm(source);
    case Syntax::kPartitions:
      return read_partitions(source);
    case Syntax::kQosPolicy:
      break;
  }
  return read_qos_policy(source);
}

std::string config_text(const DeviceConfig& device) {
  switch (device.syntax) {
    case Syntax::kSonic:
      return sonic_text(device);
    case Syntax::kNvue:
      return nvue_text(device);
    case Syntax::kEos:
      return eos_text(device);
    case Syntax::kNic:
      return nic_text(device);
    case Syntax::kOpensm:
    case Syntax::kPartitions:
    case Syntax::kQosPolicy:
      break;
  }
  return manager_text(device);
}

std::string file_name_of(const DeviceConfig& device) {
  std::string stem = device.name;
  std::ranges::replace(stem, '/', '-');
  switch (device.syntax) {
    case Syntax::kSonic:
      return stem + ".config_db.json";
    case Syntax::kNvue:
      return stem + ".nv";
    case Syntax::kEos:
      return stem + ".eos";
    case Syntax::kNic:
      return stem + ".sh";
    default:
      return stem + ".conf";
  }
}

}  // namespace weft::study::devices
