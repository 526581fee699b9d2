#include "study/devices/sonic_emit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace weft::study::devices {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kMap = "WEFT";
constexpr const char* kPool = "ingress_lossless_pool";

std::string text_of(std::uint64_t number) { return fmt::format("{}", number); }

/// Names of settings that ports share, in the order in which they first occur: "WEFT_P3", then "WEFT_P3_2".
template <class Setting>
class Profiles {
 public:
  explicit Profiles(std::string_view stem) : stem_(stem) {}
  std::string name(std::size_t number, const Setting& setting) {
    auto& known = known_[number];
    auto found = std::ranges::find(known, setting);
    const auto index = found - known.begin();
    if (found == known.end()) {
      known.push_back(setting);
    }
    return index == 0 ? fmt::format("{}_P{}", stem_, number) : fmt::format("{}_P{}_{}", stem_, number, index + 1);
  }
  template <class Visit>
  void each(const Visit& visit) const {
    for (std::size_t number = 0; number < kClasses; ++number) {
      for (std::size_t i = 0; i < known_[number].size(); ++i) {
        visit(i == 0 ? fmt::format("{}_P{}", stem_, number) : fmt::format("{}_P{}_{}", stem_, number, i + 1),
              known_[number][i]);
      }
    }
  }

 private:
  std::string stem_;
  std::array<std::vector<Setting>, kClasses> known_;
};

class SonicWriter {
 public:
  explicit SonicWriter(const DeviceConfig& device) : device_(device), own_(device.bridge) {}

  std::string text() {
    metadata();
    maps();
    ports();
    profiles();
    watchdog();
    routing();
    return json_.dump(4) + "\n";
  }

 private:
  void metadata() {
    Json& host = json_["DEVICE_METADATA"]["localhost"];
    host["hostname"] = device_.name;
    if (own_.as_number > 0) {
      host["bgp_asn"] = text_of(own_.as_number);
      host["docker_routing_config_mode"] = "unified";
      host["frr_mgmt_framework_config"] = "true";
    }
  }

  void maps() {
    Json& dscp = json_["DSCP_TO_TC_MAP"][kMap];
    for (std::uint64_t i = 0; i < kCodePoints; ++i) {
      const auto found = own_.dscp_class.find(i);
      dscp[text_of(i)] = text_of(found == own_.dscp_class.end() ? 0 : found->second);
    }
    for (const char* table : {"TC_TO_QUEUE_MAP", "TC_TO_PRIORITY_GROUP_MAP", "MAP_PFC_PRIORITY_TO_QUEUE",
                              "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP"}) {
      for (std::uint64_t i = 0; i < kClasses; ++i) {
        json_[table][kMap][text_of(i)] = text_of(i);
      }
    }
  }

  static std::string list_of(const PortSetting& port, bool ClassSetting::*member) {
    std::vector<std::size_t> classes;
    for (std::size_t i = 0; i < kClasses; ++i) {
      if (port.classes[i].*member) {
        classes.push_back(i);
      }
    }
    return fmt::format("{}", fmt::join(classes, ","));
  }

  void ports() {
    for (const PortSetting& port : own_.ports) {
      Json& row = json_["PORT"][port.name];
      row["admin_status"] = "up";
      if (port.speed > 0) {
        row["speed"] = text_of(port.speed);
      }
      if (port.mtu) {
        row["mtu"] = text_of(*port.mtu);
      }
      if (port.metres) {
        json_["CABLE_LENGTH"]["AZURE"][port.name] = fmt::format("{}m", *port.metres);
      }
      if (!port.peer.empty()) {
        json_["DEVICE_NEIGHBOR"][port.name] = {{"name", port.peer}, {"port", port.peer_port}};
      }
      Json& qos = json_["PORT_QOS_MAP"][port.name];
      qos["dscp_to_tc_map"] = kMap;
      qos["tc_to_queue_map"] = kMap;
      qos["tc_to_pg_map"] = kMap;
      qos["pfc_to_queue_map"] = kMap;
      qos["pfc_to_pg_map"] = kMap;
      qos["pfc_enable"] = list_of(port, &ClassSetting::pfc);
      qos["pfcwd_sw_enable"] = list_of(port, &ClassSetting::watchdog);
      classes(port);
    }
  }

  void classes(const PortSetting& port) {
    for (std::size_t i = 0; i < kClasses; ++i) {
      const ClassSetting& one = port.classes[i];
      const std::string key = fmt::format("{}|{}", port.name, i);
      if (one.weight) {
        json_["QUEUE"][key]["scheduler"] = schedulers_.name(i, *one.weight);
      }
      if (one.mark) {
        json_["QUEUE"][key]["wred_profile"] = marks_.name(i, *one.mark);
      }
      if (one.buffer) {
        json_["BUFFER_PG"][key]["profile"] = buffers_.name(i, *one.buffer);
      }
    }
  }

  void profiles() {
    schedulers_.each([this](const std::string& name, std::uint64_t weight) {
      Json& row = json_["SCHEDULER"][name];
      row["type"] = weight == 0 ? "STRICT" : "DWRR";
      if (weight > 0) {
        row["weight"] = text_of(weight);
      }
    });
    marks_.each([this](const std::string& name, const MarkSetting& mark) {
      json_["WRED_PROFILE"][name] = {{"ecn", "ecn_all"},
                                     {"wred_green_enable", "true"},
                                     {"wred_yellow_enable", "true"},
                                     {"wred_red_enable", "true"}};
      for (const char* colour : {"green", "yellow", "red"}) {
        Json& row = json_["WRED_PROFILE"][name];
        row[fmt::format("{}_min_threshold", colour)] = text_of(mark.kmin);
        row[fmt::format("{}_max_threshold", colour)] = text_of(mark.kmax);
        row[fmt::format("{}_drop_probability", colour)] = text_of(mark.percent);
      }
    });
    if (own_.pool) {
      Json& row = json_["BUFFER_POOL"][kPool];
      row = {{"type", "ingress"}, {"mode", "dynamic"}, {"size", text_of(*own_.pool)}};
      if (own_.pool_headroom) {
        row["xoff"] = text_of(*own_.pool_headroom);
      }
    }
    buffers_.each([this](const std::string& name, const BufferSetting& buffer) {
      Json& row = json_["BUFFER_PROFILE"][name];
      row["pool"] = kPool;
      row["size"] = text_of(buffer.reserve);
      row["xon_offset"] = text_of(buffer.xon_offset);
      if (buffer.headroom) {
        row["xoff"] = text_of(*buffer.headroom);
      }
      if (buffer.limit) {
        row["static_th"] = text_of(*buffer.limit);
      } else {
        row["dynamic_th"] = fmt::format("{}", buffer.exponent);
      }
    });
  }

  void watchdog() {
    if (own_.watchdog) {
      for (const PortSetting& port : own_.ports) {
        json_["PFC_WD"][port.name] = {{"action", own_.watchdog->drops ? "drop" : "forward"},
                                      {"detection_time", text_of(own_.watchdog->detect)},
                                      {"restoration_time", text_of(own_.watchdog->restore)}};
      }
    }
    if (own_.trimming) {
      json_["SWITCH_TRIMMING"]["GLOBAL"] = {{"size", text_of(own_.trimming->size)},
                                            {"dscp_value", text_of(own_.trimming->dscp)},
                                            {"queue_index", text_of(own_.trimming->queue)}};
    }
  }

  void routing() {
    if (own_.as_number == 0) {
      return;
    }
    json_["LOOPBACK_INTERFACE"]["Loopback0"] = Json::object();
    json_["LOOPBACK_INTERFACE"][fmt::format("Loopback0|{}/32", own_.router_id)] = Json::object();
    for (const PortSetting& port : own_.ports) {
      if (!port.address.empty()) {
        json_["INTERFACE"][port.name] = Json::object();
        json_["INTERFACE"][fmt::format("{}|{}", port.name, port.address)] = Json::object();
      }
    }
    json_["BGP_GLOBALS"]["default"] = {{"local_asn", text_of(own_.as_number)},
                                       {"router_id", own_.router_id},
                                       {"load_balance_mp_relax", "true"},
                                       {"default_ipv4_unicast", "true"}};
    json_["BGP_GLOBALS_AF"]["default|ipv4_unicast"] = {{"max_ebgp_paths", text_of(own_.paths)}};
    for (const NeighbourSetting& one : own_.neighbours) {
      json_["BGP_NEIGHBOR"][fmt::format("default|{}", one.address)] = {
          {"asn", text_of(one.as_number)},         {"name", one.name},
          {"keepalive", text_of(one.keepalive)},   {"holdtime", text_of(one.hold)},
          {"min_adv_interval", text_of(one.mrai)}, {"bfd", one.bfd ? "true" : "false"}};
      protection(json_["BGP_NEIGHBOR"][fmt::format("default|{}", one.address)], one);
    }
  }

  static void protection(Json& row, const NeighbourSetting& one) {
    if (one.bfd) {
      row["desired_minimum_tx_interval"] = text_of(one.bfd_interval);
      row["required_minimum_receive"] = text_of(one.bfd_receive);
      row["detection_multiplier"] = text_of(one.bfd_multiplier);
    }
    if (!one.password.empty()) {
      row["auth_password"] = one.password;
    }
    if (one.ttl_hops) {
      row["ttl_security_hops"] = text_of(*one.ttl_hops);
    }
  }

  const DeviceConfig& device_;
  const SwitchSetting& own_;
  Json json_;
  Profiles<std::uint64_t> schedulers_{"WEFT"};
  Profiles<MarkSetting> marks_{"WEFT"};
  Profiles<BufferSetting> buffers_{"WEFT"};
};

}  // namespace

std::string sonic_text(const DeviceConfig& device) { return SonicWriter(device).text(); }

}  // namespace weft::study::devices
