#include "tests/property/tapped_pair.h"

#include <deque>
#include <map>

#include "transport/operations.h"

namespace weft::testing {

class TappedPair::TappedEnd final : public End {
 public:
  TappedEnd(TappedPair& pair, int index)
      : pair_(pair), index_(index), inner_(*pair.side(index).qp, pair.side(index).context) {}

  void on_packet(const transport::ReceivedPacket& received, Time now) override {
    const Fate fate = fates_.front();
    fates_.pop_front();
    Held copy{received.packet, received.cold, {received.payload.begin(), received.payload.end()}};
    if (fate.ecn == wire::Ecn::kCe) {
      copy.packet.common.ecn = fate.ecn;
    }
    for (const Duration by : fate.copies) {
      held_.emplace((now + by).picoseconds(), copy);
    }
    release(now);
  }
  void on_timeout(Time now) override {
    release(now);
    inner_.on_timeout(now);
  }
  bool poll_transmit(transport::TransmitSlot slot, Time now) override {
    if (now < hold_ || !inner_.poll_transmit(slot, now)) {
      return false;
    }
    pair_.ends_[static_cast<std::size_t>(1 - index_)]->fates_.push_back(
        pair_.judge({index_, now, slot.packet, slot.cold}));
    return true;
  }
  [[nodiscard]] Time next_transmit() const override {
    const Time next = inner_.next_transmit();
    return next.is_never() ? next : later(next, hold_);
  }
  [[nodiscard]] Time next_timeout() const override {
    const Time next = inner_.next_timeout();
    return held_.empty() ? next : earlier(next, Time::from_picoseconds(held_.begin()->first));
  }
  void hold(Time until) { hold_ = until; }

 private:
  struct Held {
    wire::Packet packet;
    wire::ColdPacket cold;
    std::vector<std::byte> payload;
  };
  void release(Time now) {
    while (!held_.empty() && held_.begin()->first <= now.picoseconds()) {
      const auto node = held_.extract(held_.begin());
      const Held& held = node.mapped();
      pair_.arrivals_.push_back({index_, now, held.packet, held.cold});
      inner_.on_packet({held.packet, held.cold, held.payload}, now);
    }
  }

  TappedPair& pair_;
  int index_;
  EngineEnd<transport::RcQueuePair> inner_;
  std::deque<Fate> fates_;                  // of the packets under way to this end
  std::multimap<std::int64_t, Held> held_;  // by the time of arrival
  Time hold_;
};

TappedPair::TappedPair(const RcPairOptions& first, const RcPairOptions& second) : options_(first.network) {
  sides_[0] = std::make_unique<RcSide>(0, first);
  sides_[1] = std::make_unique<RcSide>(1, second);
  sides_[0]->connect(*sides_[1], first);
  sides_[1]->connect(*sides_[0], second);
  ends_[0] = std::make_unique<TappedEnd>(*this, 0);
  ends_[1] = std::make_unique<TappedEnd>(*this, 1);
  network_ = std::make_unique<TestNetwork>(*ends_[0], *ends_[1], first.network);
}

TappedPair::~TappedPair() = default;

Fate TappedPair::judge(const Logged& packet) {
  departures_.push_back(packet);
  return judge_ ? judge_(packet, departures_.size() - 1) : Fate{};
}

Result<void> TappedPair::post(int side, const Job& job) {
  RcSide& mine = this->side(side);
  const verbs::Sge element = mine.sge(job.local, job.length);
  verbs::SendWr wr;
  wr.wr_id = job.wr_id;
  wr.opcode = job.opcode;
  wr.send_flags = job.flags;
  wr.sg_list = std::span(&element, 1);
  wr.imm_data = 0x1000U + static_cast<std::uint32_t>(job.wr_id);
  wr.rdma = {RcSide::kBase + job.remote, this->side(1 - side).key};
  wr.atomic = {job.compare_add, job.swap};
  return mine.qp->post_send(wr, mine.context, network_->now());
}

Result<void> TappedPair::move_to(int side, verbs::QpState state) {
  verbs::QpAttributes attributes;
  attributes.state = state;
  return qp(side).modify(attributes, verbs::kQpState, this->side(side).context, network_->now());
}

int TappedPair::take_events(int side, verbs::AsyncEventType type) {
  int count = 0;
  for (verbs::AsyncEvent event; this->side(side).context.poll_async_event(event);) {
    count += event.type == type ? 1 : 0;
  }
  return count;
}

void TappedPair::hold(int end, Time until) { ends_[static_cast<std::size_t>(end)]->hold(until); }

std::vector<Logged> TappedPair::requests_of(int end) const {
  std::vector<Logged> all;
  for (const Logged& packet : departures_) {
    if (packet.end == end && !is_answer(packet.packet.ib.opcode)) {
      all.push_back(packet);
    }
  }
  return all;
}

std::vector<Logged> TappedPair::answers_of(int end) const {
  std::vector<Logged> all;
  for (const Logged& packet : departures_) {
    if (packet.end == end && is_answer(packet.packet.ib.opcode)) {
      all.push_back(packet);
    }
  }
  return all;
}

Time TappedPair::arrival_of(const Logged& departed) const {
  return departed.at + options_.rate.transmit_time(Bytes(departed.packet.common.wire_bytes)) + options_.delay;
}

bool is_answer(std::uint8_t opcode) {
  switch (transport::rc_opcode_class(opcode)) {
    case transport::OpcodeClass::kResponse:
    case transport::OpcodeClass::kExtensionResponse:
    case transport::OpcodeClass::kCongestionNotification:
      return true;
    case transport::OpcodeClass::kForeign:
    case transport::OpcodeClass::kRequest:
    case transport::OpcodeClass::kExtensionRequest:
      return false;
  }
  return false;
}

std::vector<std::uint32_t> psns(const std::vector<Logged>& packets) {
  std::vector<std::uint32_t> all;
  for (const Logged& packet : packets) {
    all.push_back(packet.psn().value());
  }
  return all;
}

void fill(std::span<std::byte> bytes, unsigned start) {
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::byte>(start + i * 7 + i / 251);
  }
}

}  // namespace weft::testing
