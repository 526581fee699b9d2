#include "verbs/sge_list.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "base/assert.h"

namespace weft::verbs {

namespace {

/// The bytes behind [address + offset, + length) of an element; null if its region has none. The range must have been
/// checked; a table that changed since would let stray bytes through, hence the assertion in every build.
std::byte* resolve(const MemoryTable& memory, const Sge& element, std::uint64_t offset, std::size_t length) {
  const MemoryRegion* region = memory.find(element.lkey);
  WEFT_ASSERT(region != nullptr);
  const std::uint64_t address = element.address + offset;
  WEFT_ASSERT(address >= region->address && length <= region->length &&
              address - region->address <= region->length - length);
  return region->data(address);
}

/// Calls visit(bytes or null, position in the range, length) for each piece of [offset, offset + length) of a message.
template <class Visit>
void for_each_piece(const MemoryTable& memory, std::span<const Sge> elements, std::uint64_t offset, std::size_t length,
                    Visit visit) {
  std::size_t done = 0;
  for (const Sge& element : elements) {
    if (done == length) {
      return;
    }
    if (offset >= element.length) {
      offset -= element.length;
      continue;
    }
    const auto piece = static_cast<std::size_t>(std::min<std::uint64_t>(element.length - offset, length - done));
    visit(resolve(memory, element, offset, piece), done, piece);
    done += piece;
    offset = 0;
  }
}

void copy_or_clear(std::byte* to, const std::byte* from, std::size_t length) {
  if (from == nullptr) {
    std::memset(to, 0, length);
  } else {
    std::memcpy(to, from, length);
  }
}

std::uint64_t sum_of_lengths(std::span<const Sge> elements) {
  std::uint64_t total = 0;
  for (const Sge& element : elements) {
    total += element.length;
  }
  return total;
}

}  // namespace

AccessFault check_elements(std::span<const Sge> elements, const MemoryTable& memory, PdHandle pd, AccessMask access) {
  for (const Sge& element : elements) {
    const auto checked = memory.check(
        {.pd = pd, .key = element.lkey, .address = element.address, .length = element.length, .access = access});
    if (checked.fault != AccessFault::kNone) {
      return checked.fault;
    }
  }
  return AccessFault::kNone;
}

SgeList::SgeList(std::span<const Sge> elements)
    : total_bytes_(sum_of_lengths(elements)), count_(static_cast<std::uint16_t>(elements.size())) {
  WEFT_ASSERT(elements.size() <= std::numeric_limits<std::uint16_t>::max());
  if (count_ == 1) {
    one_ = elements.front();
  } else if (count_ > 1) {
    many_ = new Sge[count_];
    std::copy(elements.begin(), elements.end(), many_);
  }
}

SgeList::SgeList(SgeList&& other) noexcept { *this = std::move(other); }

SgeList& SgeList::operator=(SgeList&& other) noexcept {
  if (this != &other) {
    release();
    // The union as bytes: whichever member is active, its representation is what moves.
    std::memcpy(in_place_, other.in_place_, kInPlace);
    total_bytes_ = std::exchange(other.total_bytes_, 0);
    count_ = std::exchange(other.count_, std::uint16_t{0});
    is_inline_ = std::exchange(other.is_inline_, false);
  }
  return *this;
}

SgeList::~SgeList() { release(); }

SgeList SgeList::inlined(std::span<const Sge> elements, const MemoryTable& memory) {
  SgeList list;
  list.total_bytes_ = sum_of_lengths(elements);
  list.is_inline_ = true;
  const auto length = static_cast<std::size_t>(list.total_bytes_);
  if (list.on_heap()) {
    list.bytes_ = new std::byte[length];
  }
  std::byte* to = list.on_heap() ? list.bytes_ : list.in_place_;
  for_each_piece(memory, elements, 0, length, [to](const std::byte* from, std::size_t position, std::size_t piece) {
    copy_or_clear(to + position, from, piece);
  });
  return list;
}

std::span<const Sge> SgeList::elements() const {
  if (is_inline_ || count_ == 0) {
    return {};
  }
  return {on_heap() ? many_ : &one_, count_};
}

std::size_t SgeList::heap_bytes() const {
  if (!on_heap()) {
    return 0;
  }
  return is_inline_ ? static_cast<std::size_t>(total_bytes_) : count_ * sizeof(Sge);
}

AccessFault SgeList::check(const MemoryTable& memory, PdHandle pd, AccessMask access) const {
  return check_elements(elements(), memory, pd, access);
}

void SgeList::gather(const MemoryTable& memory, std::uint64_t offset, std::span<std::byte> out) const {
  WEFT_ASSERT(offset <= total_bytes_ && out.size() <= total_bytes_ - offset);
  if (is_inline_) {
    const std::byte* from = on_heap() ? bytes_ : in_place_;
    std::copy_n(from + offset, out.size(), out.data());
    return;
  }
  for_each_piece(memory, elements(), offset, out.size(),
                 [out](const std::byte* from, std::size_t position, std::size_t piece) {
                   copy_or_clear(out.data() + position, from, piece);
                 });
}

void SgeList::scatter(const MemoryTable& memory, std::uint64_t offset, std::span<const std::byte> in) const {
  WEFT_ASSERT(!is_inline_ && offset <= total_bytes_ && in.size() <= total_bytes_ - offset);
  for_each_piece(memory, elements(), offset, in.size(), [in](std::byte* to, std::size_t position, std::size_t piece) {
    if (to != nullptr) {
      std::memcpy(to, in.data() + position, piece);
    }
  });
}

void SgeList::release() {
  if (!on_heap()) {
    return;
  }
  if (is_inline_) {
    delete[] bytes_;
  } else {
    delete[] many_;
  }
}

bool SgeList::on_heap() const { return is_inline_ ? total_bytes_ > kInPlace : count_ > 1; }

}  // namespace weft::verbs
