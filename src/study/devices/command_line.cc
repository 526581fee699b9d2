#include "study/devices/command_line.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/printable.h"

namespace weft::study::devices {

bool CommandReader::is(std::initializer_list<std::string_view> pattern, std::size_t from) const {
  if (line_->words.size() < from + pattern.size()) {
    return false;
  }
  return std::equal(pattern.begin(), pattern.end(), line_->words.begin() + static_cast<std::ptrdiff_t>(from),
                    [](std::string_view want, std::string_view word) { return want == "*" || want == word; });
}

std::string_view CommandReader::word(std::size_t index, std::string_view what) {
  if (index >= line_->words.size()) {
    refuse(fmt::format("the line ends where {} has to stand", what));
    return "";
  }
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
