#include "transport/qpn_table.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/assert.h"

namespace weft::transport {

void QpnTable::insert(Qpn qpn, QpSlot slot) {
  WEFT_ASSERT(qpn.value() != 0 && qpn.value() <= 0xFFFFFF && slot.exists() && !find(qpn).exists());
  if ((used_ + 1) * 4 > entries_.size() * 3)
    grow();
  place_entry({.tagged = static_cast<std::uint32_t>(slot.kind) << 24 | qpn.value(), .index = slot.index});
  ++used_;
  WEFT_DCHECK(used_ < entries_.size());  // a free place ends every search
}

void QpnTable::erase(Qpn qpn) {
  WEFT_ASSERT(find(qpn).exists());
  std::size_t hole = home(qpn.value());
  while (entries_[hole].qpn() != qpn.value())
    hole = next(hole);
  // Entries behind the hole move up where their home allows it, so that no search ends at the hole too early.
  for (std::size_t place = next(hole); !entries_[place].is_free(); place = next(place)) {
    const std::size_t mask = entries_.size() - 1;
    const std::size_t from_home = (place - home(entries_[place].qpn())) & mask;
    const std::size_t from_hole = (place - hole) & mask;
    if (from_home >= from_hole)
      entries_[std::exchange(hole, place)] = entries_[place];
  }
  entries_[hole] = Entry{};
  --used_;
}

void QpnTable::place_entry(const Entry& entry) {
  WEFT_DCHECK(std::has_single_bit(entries_.size()));
  std::size_t place = home(entry.qpn());
  while (!entries_[place].is_free())
    place = next(place);
  entries_[place] = entry;
}

void QpnTable::grow() {
  std::vector<Entry> old(std::max<std::size_t>(entries_.size() * 2, 4));
  old.swap(entries_);
  for (const Entry& entry : old) {
    if (!entry.is_free())
      place_entry(entry);
  }
}

}  // namespace weft::transport
