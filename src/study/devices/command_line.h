// Configurations made of commands, one a line: what their readers share.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "study/devices/reading.h"

namespace weft::study::devices {

/// Takes the words of one line after the other, and keeps the first fault.
class CommandReader {
 public:
  explicit CommandReader(const ConfigText& source) : file_(source.name) {}

  /// Before the words of a line are taken.
  void begin(const ConfigLine& line);

  /// Whether the line's words from `from` on begin with these, "*" being any one. If so, those words have been read.
  [[nodiscard]] bool is(std::initializer_list<std::string_view> pattern, std::size_t from = 0);
  /// A word, without having read it by that.
  [[nodiscard]] std::string_view text(std::size_t index) const { return line_->words[index]; }
  /// A word; an error and "" if the line ends before it.
  std::string_view word(std::size_t index, std::string_view what);
  std::uint64_t number(std::size_t index, std::string_view what, const Span& span);
  /// The same of any text.
  std::uint64_t number_in(std::string_view text, std::string_view what, const Span& span);
  void refuse(std::string_view message);
  /// All words of the line are read: the rest is a text.
  void take_rest() { read_.assign(read_.size(), true); }
  /// None is: what they say is not known.
  void leave() { read_.assign(read_.size(), false); }
  /// Behind a line: where words of it were not read, it is noted.
  void note_unread(DeviceConfig& device) const;

  [[nodiscard]] std::string place() const { return place_of(file_, *line_); }
  [[nodiscard]] std::size_t words() const { return line_->words.size(); }
  [[nodiscard]] const std::optional<Error>& fault() const { return fault_; }

 private:
  std::string file_;
  const ConfigLine* line_ = nullptr;
  std::vector<bool> read_{};  // words
  std::optional<Error> fault_;
};

/// Native settings of ports by name, until the numbers of ports are known.
class NativeOfPorts {
 public:
  void set(const std::string& port, const std::string& item, NativeSetting setting) {
    known_[port][item] = std::move(setting);
  }
  void move_to(DeviceConfig& device);

 private:
  std::map<std::string, std::map<std::string, NativeSetting>> known_;
};

/// The port of that name, made if need be; its place is where it first stands.
[[nodiscard]] PortSetting& port_named(DeviceConfig& device, std::string_view name, const std::string& place);

}  // namespace weft::study::devices
