// Commands for NICs beside mlx5's, as a reader takes them: dcb of iproute2, nicctl, and files of configfs.
#pragma once

#include <array>
#include <initializer_list>
#include <optional>
#include <string_view>

#include "study/devices/command_line.h"
#include "study/devices/device_config.h"

namespace weft::study::devices {

/// Takes the lines that are its own into the device; borrows both.
class NicToolReader {
 public:
  NicToolReader(CommandReader& read, DeviceConfig& device) : read_(read), device_(device) {}

  /// Whether the line is of one of its tools; what it does not understand of it stays unread.
  bool command();
  /// Behind the last line.
  void finish();

 private:
  void dcb();
  void ets();
  void nicctl();
  void nicctl_qos(std::string_view what);
  void nicctl_dcqcn();
  void folder();
  void file();
  void bnxt_file(std::string_view name);

  /// "3:on" in its halves; an error if it has none.
  struct Pair {
    std::string_view key;
    std::string_view value;
  };
  [[nodiscard]] std::optional<Pair> pair_at(std::size_t at);
  /// Classes that a key names: one, or all.
  [[nodiscard]] std::array<bool, kClasses> classes_of_key(std::string_view key, std::string_view what);
  [[nodiscard]] NativeSetting here(std::string_view value) const;
  [[nodiscard]] std::size_t option(std::initializer_list<std::string_view> names) const;

  CommandReader& read_;
  DeviceConfig& device_;
  std::array<bool, kClasses> strict_{};
  bool has_strict_ = false;
  std::optional<std::uint64_t> roce_class_{};
  bool ecn_ = false;
  bool dcb_ = false;
  bool bnxt_ = false;
  bool nicctl_ = false;
};

}  // namespace weft::study::devices
