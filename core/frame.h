// Decoded pictures as features see them, and the format of the video they come from.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/plane.h"

namespace vq {

enum class Chroma { k400, k420, k422, k444, kOther };
enum class Range { kUnspecified, kLimited, kFull };
// Transfer characteristics that a metric treats apart; everything else is kOther.
enum class Transfer { kUnspecified, kBt1886, kPq, kHlg, kOther };

std::string_view to_string(Chroma chroma);      // "4:2:0", ...
std::string_view to_string(Range range);        // "limited", "full", "unspecified"
std::string_view to_string(Transfer transfer);  // "bt1886", "pq", "hlg", ...

// The largest side of a picture, in samples: twice that of 8K. Checked before anything is allocated.
inline constexpr int kMaxSide = 16384;
// Frames a second where a video does not say; FFmpeg assumes the same.
inline constexpr double kAssumedFrameRate = 25;

// What is constant over a video. Width and height are of the luma plane, in samples; bit_depth is 8..16. The
// name is for messages.
struct VideoFormat {
  std::string name;
  int width = 0;
  int height = 0;
  int bit_depth = 8;
  Chroma chroma = Chroma::k420;
  Range range = Range::kUnspecified;
  Transfer transfer = Transfer::kUnspecified;
};

// A luma plane as decoded: 8-bit samples in bytes, deeper ones in the low bits of native 16-bit words.
// Exactly one of the two views is set.
struct LumaView {
  PlaneView<const uint8_t> u8;
  PlaneView<const uint16_t> u16;

  bool is_u8() const { return u8.data != nullptr; }
  int width() const { return is_u8() ? u8.width : u16.width; }
  int height() const { return is_u8() ? u8.height : u16.height; }
};

// One picture. The samples stay valid and unchanged as long as a copy of the frame (hence of `owner`) lives.
// `index` counts from 0 after skipping; `timestamp` is in seconds, absent where the container has none.
struct Frame {
  LumaView luma;
  int bit_depth = 8;
  int64_t index = 0;
  std::optional<double> timestamp;
  std::shared_ptr<const void> owner;
};

// What one step of a run hands to every feature: the distorted picture and, where there is one, its
// reference.
struct FramePair {
  Frame distorted;
  std::optional<Frame> reference;
  int64_t index = 0;
};

}  // namespace vq
