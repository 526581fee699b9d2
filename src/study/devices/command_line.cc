#include "study/devices/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/printable.h"

namespace weft::study::devices {

void CommandReader::begin(const ConfigLine& line) {
  line_ = &line;
  read_.assign(line.words.size(), false);
}

bool CommandReader::is(std::initializer_list<std::string_view> pattern, std::size_t from) {
  if (line_->words.size() < from + pattern.size()) {
    return false;
  }
  const bool same =
      std::equal(pattern.begin(), pattern.end(), line_->words.begin() + static_cast<std::ptrdiff_t>(from),
                 [](std::string_view want, std::string_view word) { return want == "*" || want == word; });
  for (std::size_t i = 0; same && i < pattern.size(); ++i) {
    read_[from + i] = true;
  }
  return same;
}

void CommandReader::note_unread(DeviceConfig& device) const {
  if (std::ranges::find(read_, false) != read_.end()) {
    device.unread.push_back({.place = place(), .text = fmt::format("{}", fmt::join(line_->words, " "))});
  }
}

void NativeOfPorts::move_to(DeviceConfig& device) {
  for (const PortSetting& port : device.bridge.ports) {
    for (auto& [item, setting] : known_[port.name]) {
      device.native[fmt::format("port.{}.{}", port.number, item)] = std::move(setting);
    }
  }
}

std::string_view CommandReader::word(std::size_t index, std::string_view what) {
  if (index >= line_->words.size()) {
    refuse(fmt::format("the line ends where {} has to stand", what));
    return "";
  }
  read_[index] = true;
  return line_->words[index];
}

std::uint64_t CommandReader::number_in(std::string_view text, std::string_view what, const Span& span) {
  const Result<std::uint64_t> found = number_of(text, span);
  if (!found) {
    refuse(fmt::format("{}: {}", what, found.error().message));
    return span.least;
  }
  return *found;
}

std::uint64_t CommandReader::number(std::size_t index, std::string_view what, const Span& span) {
  const std::string_view text = word(index, what);
  return text.empty() ? span.least : number_in(text, what, span);
}

void CommandReader::refuse(std::string_view message) {
  if (!fault_) {
    fault_ = Error{fmt::format("{}: {}", place(), message)};
  }
}

PortSetting& port_named(DeviceConfig& device, std::string_view name, const std::string& place) {
  auto& ports = device.bridge.ports;
  const auto found = std::ranges::find(ports, name, &PortSetting::name);
  if (found != ports.end()) {
    return *found;
  }
  ports.push_back({.name = std::string(name)});
  device.places[fmt::format("name.{}", name)] = place;
  return ports.back();
}

}  // namespace weft::study::devices
