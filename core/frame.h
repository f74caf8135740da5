// Decoded pictures as features see them, and the format of the video they come from.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/plane.h"

namespace vq {

// How chroma is sampled; kOther: in a way of which nothing but the luma can be read.
enum class Chroma { k400, k410, k411, k420, k422, k440, k444, kOther };
enum class Range { kUnspecified, kLimited, kFull };
// Transfer characteristics that a metric treats apart; everything else is kOther.
enum class Transfer { kUnspecified, kBt1886, kPq, kHlg, kOther };

// How Y, Cb and Cr are made of R, G and B; kOther: in a way that has no such luma coefficients.
enum class Matrix { kUnspecified, kBt601, kBt709, kFcc, kSmpte240, kBt2020, kOther };

std::string_view to_string(Chroma chroma);      // "4:2:0", ...
std::string_view to_string(Range range);        // "limited", "full", "unspecified"
std::string_view to_string(Transfer transfer);  // "bt1886", "pq", "hlg", ...
std::string_view to_string(Matrix matrix);      // "bt601", "bt709", "fcc", "smpte240", "bt2020", ...

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
  Matrix matrix = Matrix::kUnspecified;
  // Of odd sides: chroma leaves the last column or row of luma without samples of its own.
  bool rounds_chroma_down = false;
};

// Y, Cb and Cr.
inline constexpr int kMaxPlanes = 3;

class FrameMemory;

// Planes of a picture: 1 or 3; 1 as well where chroma cannot be read.
int plane_count(Chroma chroma);
// Samples of one row or column of luma that share one of chroma, as powers of 2; 0 where there is no chroma
// to read.
struct ChromaShifts {
  int x = 0, y = 0;
};
ChromaShifts chroma_shifts(Chroma chroma);
// In samples.
struct PlaneSize {
  int width = 0, height = 0;
  bool operator==(const PlaneSize&) const = default;
};
// Of one plane of a picture with that luma; sides of chroma are rounded up. Needs: 0 <= plane <
// plane_count(chroma).
PlaneSize plane_size(PlaneSize luma, Chroma chroma, int plane);
// The same of a video, whose chroma may be rounded down.
PlaneSize plane_size(const VideoFormat& format, int plane);
// Of the first so many planes together. Needs: planes <= plane_count(chroma).
int64_t sample_count(PlaneSize luma, Chroma chroma, int planes);

// One plane as decoded: 8-bit samples in bytes, deeper ones in the low bits of native 16-bit words. At most
// one of the two views is set; none where there is no plane.
struct SampleView {
  PlaneView<const uint8_t> u8;
  PlaneView<const uint16_t> u16;

  bool is_u8() const { return u8.data != nullptr; }
  bool empty() const { return u8.data == nullptr && u16.data == nullptr; }
  int width() const { return is_u8() ? u8.width : u16.width; }
  int height() const { return is_u8() ? u8.height : u16.height; }
};

// How a picture was coded: by itself, from one other at most, or from two. Decoders tell, as far as the codec
// has such types.
enum class PictureType : uint8_t { kUnknown, kIntra, kPredicted, kBidirectional };
inline constexpr size_t kPictureTypes = 4;

// One picture, with as many planes as were asked for and its format has; none, but a place, where the host
// cannot see the samples: see core/frame_memory.h. The samples stay valid and unchanged as long as a copy of
// the frame (hence of `owner` and `place`) lives. `index` counts from 0 after skipping; `timestamp` is in
// seconds, absent where the container has none.
struct Frame {
  std::array<SampleView, kMaxPlanes> planes;
  int bit_depth = 8;
  int64_t index = 0;
  std::optional<double> timestamp;
  PictureType type = PictureType::kUnknown;
  // So many planes, from the first on, have the same samples as those of the frame that was pushed before, as
  // far as somebody looked; kMaxPlanes where all that there are do.
  int repeated_planes = 0;
  std::shared_ptr<const void> owner;
  std::shared_ptr<const FrameMemory> place;  // null: memory of which no device knows

  SampleView& luma() { return planes[0]; }
  const SampleView& luma() const { return planes[0]; }
};

// What one step of a run hands to every feature: the distorted picture and, where there is one, its
// reference.
struct FramePair {
  Frame distorted;
  std::optional<Frame> reference;
  int64_t index = 0;
  bool is_reported = true;  // false: only for features that look at every frame
  // The frames right before, the latest first: as many as FrameNeeds::before asks for, fewer where the videos
  // begin.
  std::vector<Frame> distorted_before = {}, references_before = {};
};

// Frames right before a frame, of each video.
struct NeighbourCount {
  int distorted = 0, references = 0;
};

// What somebody looks at of such a pair.
struct FrameNeeds {
  int planes = 1;  // 1 or 3
  bool reference = false;
  NeighbourCount before = {};
};

}  // namespace vq
