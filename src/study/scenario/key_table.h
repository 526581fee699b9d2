// All keys of a scenario, by section, in the order of the reference.
//
// A section is a table of the file ([switch]), a group of like tables ([ethernet.priority.3]; keys written directly in
// [ethernet.priority] mean all of the group), or a list of tables ([[traffic]]). The table is constant data.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "study/scenario/key.h"
#include "study/scenario/scenario.h"

namespace weft::study::scenario {

/// What the keys write to. Keys of devices write to `devices`, which an override has alone; all others to `scenario`.
struct Target {
  Scenario* scenario = nullptr;
  DeviceSettings* devices = nullptr;
};

enum class SectionShape : std::uint8_t { kTable, kGroup, kList };

struct Section {
  std::string_view path;  // "" for the keys before the first table
  std::string_view about;
  std::span<const Key> keys;
  /// The settings that the keys are bound to; `index` counts the group's tables or the list's elements.
  void* (*settings)(const Target& target, std::size_t index) = nullptr;
  SectionShape shape = SectionShape::kTable;
  std::span<const std::string_view> group{};                           // names of the group's tables
  void (*resize)(Scenario& scenario, std::size_t elements) = nullptr;  // lists
  std::size_t (*size)(const Scenario& scenario) = nullptr;
  std::string_view selecting_key{};  // the key whose word decides which others apply (Key::only_for)
  bool of_devices = false;           // may stand in an [[override]]
};

[[nodiscard]] inline bool is_no_list(const Section& section) { return section.shape != SectionShape::kList; }

/// In the order of the reference.
[[nodiscard]] std::span<const Section> sections();

/// The section of exactly this path, without the name of a group's table; null if there is none.
[[nodiscard]] const Section* find_section(std::string_view path);
[[nodiscard]] const Key* find_key(const Section& section, std::string_view name);
/// The key whose word decides whether this one applies: its own `selecting`, or the section's.
[[nodiscard]] const Key* selecting_key_of(const Section& section, const Key& key);

/// One key of one table.
struct KeyAt {
  const Section* section = nullptr;
  const Key* key = nullptr;
  /// Of the group's table or the list's element. None for a plain table, and for all tables of a group.
  std::optional<std::size_t> index;
};

/// Whether `word` is one of `words`, which are separated by single spaces (Key::only_for).
[[nodiscard]] bool has_word(std::string_view words, std::string_view word);

/// "switch.buffer", "ethernet.priority.3.alpha", "traffic[0].size".
[[nodiscard]] std::string path_of(const KeyAt& at);
/// "[switch]", "[ethernet.priority]", "[[traffic]]", "the top level".
[[nodiscard]] std::string title_of(const Section& section);

}  // namespace weft::study::scenario
