// The streams of a training step, shared by the parts of TransformerStep.
#pragma once

#include <array>
#include <string_view>

#include "workload/training/step_graph.h"

namespace weft::workload::transformer {

inline constexpr StreamId kCompute{0};
inline constexpr StreamId kTensor{1};
inline constexpr StreamId kContext{2};
inline constexpr StreamId kExpert{3};
inline constexpr StreamId kSendForward{4};
inline constexpr StreamId kSendBackward{5};
inline constexpr StreamId kReceiveForward{6};
inline constexpr StreamId kReceiveBackward{7};
inline constexpr StreamId kData{8};
inline constexpr StreamId kGather{9};
inline constexpr StreamId kEmbedding{10};
inline constexpr std::uint32_t kStreams = 11;
/// For timelines.
inline constexpr std::array<std::string_view, kStreams> kStreamNames{
    "compute",        "tensor parallel",     "context parallel",  "expert parallel", "send activations",
    "send gradients", "receive activations", "receive gradients", "gradients",       "parameters",
    "embedding"};

}  // namespace weft::workload::transformer
