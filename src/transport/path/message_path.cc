#include "transport/path/message_path.h"

#include "transport/path/hashed_path.h"

namespace weft::transport {

void MessagePath::begin_message(Psn first) {
  entropy_ = range_.at(HashedPath::index_of({.seed = seed_, .number = first.value()}, range_.paths));
}

}  // namespace weft::transport
