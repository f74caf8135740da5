// Decoded pictures as features see them, and the format of the video they come from.
#pragma once

#include <array>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/plane.h"

namespace vq {

// Chroma subsampling. kOther: a layout of which only the luma can be read.
enum class Chroma { k400, k410, k411, k420, k422, k440, k444, kOther };
enum class Range { kUnspecified, kLimited, kFull };
// Transfer characteristics that some metric distinguishes; all others are kOther.
enum class Transfer { kUnspecified, kBt1886, kPq, kHlg, kOther, kSrgb, kLinear };

// How Y, Cb and Cr are derived from R, G and B. kOther: a matrix without such luma coefficients. kRgb: not at
// all; the planes are G, B and R.
enum class Matrix { kUnspecified, kBt601, kBt709, kFcc, kSmpte240, kBt2020, kOther, kRgb };

// The parts that R and B have in luma; G has the rest. Nothing for a matrix without such coefficients.
struct LumaShares {
  double red = 0, blue = 0;
};
std::optional<LumaShares> luma_shares(Matrix matrix);

// The colours that R, G and B mean. kBt601: those of either line standard.
enum class Primaries { kUnspecified, kBt601, kBt709, kBt2020, kOther };

// Where chroma samples lie among those of luma, as H.273 says.
enum class ChromaLocation { kUnspecified, kLeft, kCenter, kTopLeft, kTop, kBottomLeft, kBottom };

std::string_view to_string(Chroma chroma);            // "4:2:0", ...
std::string_view to_string(Range range);              // "limited", "full", "unspecified"
std::string_view to_string(Transfer transfer);        // "bt1886", "pq", "hlg", ...
std::string_view to_string(Matrix matrix);            // "bt601", "bt709", "fcc", "smpte240", "bt2020", ...
std::string_view to_string(Primaries primaries);      // "bt601", "bt709", "bt2020", ...
std::string_view to_string(ChromaLocation location);  // "left", "center", "topleft", ...

// The largest side of a picture, in samples: twice that of 8K. Checked before any allocation.
inline constexpr int kMaxSide = 16384;
// Frames per second if a video does not declare its rate; FFmpeg assumes the same.
inline constexpr double kAssumedFrameRate = 25;

// What a video says of its own light, in cd/m2: the brightest pixel and the brightest mean of a frame (MaxCLL
// and MaxFALL of CTA-861.3; 0: unknown), and the peak of the display it was mastered on (SMPTE ST 2086).
struct StoredLight {
  std::optional<double> maxcll = {}, maxfall = {}, mastering_peak = {};
  bool operator==(const StoredLight&) const = default;
};

// In samples.
struct PlaneSize {
  int width = 0, height = 0;
  bool operator==(const PlaneSize&) const = default;
};
std::string size_text(PlaneSize size);  // "320x180"

// Properties that are constant over a video. Width and height are those of the luma plane, in samples;
// bit_depth is 8..16. The name is for messages.
struct VideoFormat {
  PlaneSize size() const { return {width, height}; }

  std::string name;
  int width = 0;
  int height = 0;
  int bit_depth = 8;
  Chroma chroma = Chroma::k420;
  Range range = Range::kUnspecified;
  Transfer transfer = Transfer::kUnspecified;
  Matrix matrix = Matrix::kUnspecified;
  Primaries primaries = Primaries::kUnspecified;
  ChromaLocation chroma_location = ChromaLocation::kUnspecified;
  // With odd sides, chroma has no samples for the last column or row of luma.
  bool rounds_chroma_down = false;
  double frame_rate = 0;      // frames per second; 0: unknown
  bool is_picture = false;    // a still, or a sequence of stills
  bool assumes_srgb = false;  // `transfer` is sRGB because pictures of this kind have no tag
  StoredLight stored_light = {};
};

// The video's matrix. One that is not tagged has that of BT.709 from 1280 columns or 577 rows on, and that of
// BT.601 below, as players have it.
Matrix matrix_of(const VideoFormat& format);

// Y, Cb and Cr.
inline constexpr int kMaxPlanes = 3;

// A video as its container and its stream have it.
struct StoredVideo {
  std::string path;
  std::string container;              // "mov,mp4", "matroska,webm", "yuv4mpegpipe", "raw", ...
  std::string codec;                  // "hevc", "rawvideo", ...
  std::string pixel_format;           // FFmpeg's name
  std::optional<double> duration;     // of all of it, in seconds
  std::optional<int64_t> file_bytes;  // if the end of the bytes is known
  std::optional<int64_t> bit_rate;    // bits per second of the stream
  std::string encoder;                // as the stream or its container names it; empty if neither does
  std::string encoder_settings;       // as in the stream
  std::string decoder;                // "hevc", "hevc (cuda)"; empty if nothing is decoded
  bool operator==(const StoredVideo&) const = default;
};

// Frames from `first` up to `end`, by their numbers.
struct FrameSpan {
  int64_t first = 0, end = 0;
  int64_t frames() const { return end - first; }
  bool operator==(const FrameSpan&) const = default;
};

// Frames per second as a fraction of positive numbers.
struct FrameRate {
  int num = 0, den = 1;
  bool operator==(const FrameRate&) const = default;
};

// The same with what is known of its pictures before they are read.
struct VideoHeader : StoredVideo {
  VideoFormat format;             // named by the path
  FrameRate rate = {};            // 0/1 if unknown
  std::optional<int64_t> frames;  // declared by the container, or by the file's size
  int rotation = 0;               // counterclockwise degrees by which players rotate the frames
  double sample_aspect = 0;       // displayed width of a sample divided by its height; 0 if unknown

  std::optional<double> frame_rate() const {
    if (rate.num <= 0 || rate.den <= 0) return std::nullopt;
    return static_cast<double>(rate.num) / rate.den;
  }
};

class FrameMemory;

// Number of readable planes of a picture: 3, or 1 if it has no chroma or chroma that cannot be read.
int plane_count(Chroma chroma);
// Base-2 logarithms of the number of luma columns and rows per chroma sample; 0 if there is no readable
// chroma.
struct ChromaShifts {
  int x = 0, y = 0;
};
ChromaShifts chroma_shifts(Chroma chroma);
// Twice the place of the first chroma sample among those of luma: its column and row.
std::pair<int, int> first_chroma(ChromaLocation location, ChromaShifts shifts);
// Size of one plane of a picture with this luma size; chroma sizes are rounded up. Needs: 0 <= plane <
// plane_count(chroma).
PlaneSize plane_size(PlaneSize luma, Chroma chroma, int plane);
// The same for a video, whose chroma may be rounded down.
PlaneSize plane_size(const VideoFormat& format, int plane);
// Total number of samples in the first `planes` planes. Needs: planes <= plane_count(chroma).
int64_t sample_count(PlaneSize luma, Chroma chroma, int planes);

// One plane as decoded: 8-bit samples in bytes, deeper ones in the low bits of native 16-bit words. At most
// one of the two views is set; neither if the plane does not exist.
struct SampleView {
  PlaneView<const uint8_t> u8;
  PlaneView<const uint16_t> u16;

  bool is_u8() const { return u8.data != nullptr; }
  bool empty() const { return u8.data == nullptr && u16.data == nullptr; }
  int width() const { return is_u8() ? u8.width : u16.width; }
  int height() const { return is_u8() ? u8.height : u16.height; }
};

// How a picture was coded: without reference to others, from at most one other, or from two. kUnknown if the
// codec has no such types.
enum class PictureType : uint8_t { kUnknown, kIntra, kPredicted, kBidirectional };
inline constexpr size_t kPictureTypes = 4;

// One picture, with the planes that were requested and that its format has. If the host cannot see the
// samples, there are no planes but a `place`. The samples stay valid and unchanged as long as a copy of the
// frame (hence of `owner` and `place`) lives. `index` counts from 0 after skipping; `timestamp` is in
// seconds, absent if the container has none.
struct Frame {
  std::array<SampleView, kMaxPlanes> planes;
  int bit_depth = 8;
  int64_t index = 0;
  std::optional<double> timestamp;
  PictureType type = PictureType::kUnknown;
  // Number of leading planes known to be identical to the previous pushed frame (0 if unchecked, kMaxPlanes
  // if all are).
  int repeated_planes = 0;
  std::shared_ptr<const void> owner;
  std::shared_ptr<const FrameMemory> place;  // null: memory that no device can read

  SampleView& luma() { return planes[0]; }
  const SampleView& luma() const { return planes[0]; }
};

// A stretch of a video that does not change: a frame, and the last one up to it whose samples differ from
// those of the frame of this kind before by more than `noise`, a mean absolute difference in parts of
// 2^depth.
struct Freeze {
  double noise = 0;
  int64_t since = 0;  // Frame::index
};

// Input of every feature at one step of a run: the distorted picture and, if used, its reference.
struct FramePair {
  Frame distorted;
  std::optional<Frame> reference;
  int64_t index = 0;
  bool is_reported = true;  // false: only for features that read every frame
  // The frames right before this one, the latest first. Their number is FrameNeeds::before, less at the start
  // of the videos.
  std::vector<Frame> distorted_before = {}, references_before = {};
  // The distorted video's for each of NeighbourCount::noises. All frames before have a part in them, so that
  // they are known if pairs are read from the start.
  std::vector<Freeze> freezes = {};
};

// Number of previous frames of each video.
struct NeighbourCount {
  int distorted = 0, references = 0;
  // On devices: all planes that are read of a frame, and that of the first frame before it; else luma alone.
  bool all_planes = false;
  std::vector<double> noises = {};  // of FramePair::freezes
};

// The parts of a FramePair that a feature reads.
struct FrameNeeds {
  int planes = 1;  // 1 or 3
  bool reference = false;
  NeighbourCount before = {};
};

// A rectangle in a picture.

// In luma samples.
struct Rectangle {
  int x = 0, y = 0, width = 0, height = 0;
  bool operator==(const Rectangle&) const = default;
};

std::string crop_text(const Rectangle& rectangle);  // W:H:X:Y

// A deep copy of a plane.

// Throws std::bad_alloc.
template <typename T>
Plane<T> copy_plane(const PlaneView<const T>& view) {
  Plane<T> copy(view.width, view.height);
  for (int y = 0; y < copy.height(); ++y) std::copy_n(view.row(y), view.width, copy.row(y));
  return copy;
}

// Locations of samples that a device can read directly, and memory of that kind for decoders.

// Rows of a luma and columns, in any order.
struct LumaLines {
  std::vector<int> rows, columns;
};

// Location of one picture's samples. Its frame owns it, and it owns the samples. May be used from any thread.
class FrameMemory {
 public:
  virtual ~FrameMemory() = default;
  // Identity of the device that can read the samples without the host's help. Only for comparison; never
  // dereferenced.
  virtual const void* device() const = 0;
  // The planes of a picture whose samples the host cannot see. The first call copies them to the host; they
  // are valid as long as this object. Throws Error{kBackend}.
  virtual const std::array<SampleView, kMaxPlanes>& planes() const = 0;
  // Size of such a picture, and a part of its luma, for callers that need no more: a frame with one row for
  // each of lines.rows, of which the samples in lines.columns are those of the picture. Throws
  // Error{kBackend}.
  virtual PlaneSize luma_size() const = 0;
  virtual Frame luma_part(const LumaLines& lines) const = 0;
};

// Copies of such rows of a frame that the host can read.
Frame copied_rows(const Frame& frame, std::span<const int> rows);

// Whether the host can read the samples without a copy.
bool is_on_host(const Frame& frame);
// The same picture with samples that the host can read. Throws Error{kBackend}.
Frame on_host(const Frame& frame);
void bring_to_host(FramePair& pair);

// A block of memory that the host accesses through its caches and that a device can read. It returns to its
// store when the last owner releases it.
class HostVisibleMemory : public FrameMemory {
 public:
  virtual std::byte* data() const = 0;  // aligned to kStoreAlignment
  virtual int64_t bytes() const = 0;
  // Not to be called: the frame itself has its planes, as the host sees all samples.
  const std::array<SampleView, kMaxPlanes>& planes() const final;
  PlaneSize luma_size() const final;
  Frame luma_part(const LumaLines& lines) const final;
};

inline constexpr int64_t kStoreAlignment = 64;  // bytes

// Minimum alignment of planes in such memory, so that shaders of any device can read them in place.
inline constexpr int64_t kPlaneAlignment = 256;

// Distance in bytes between rows of a plane, so that devices can copy the plane as one block: rows as in
// core/plane.h.
constexpr int64_t stored_stride(int64_t row_bytes) {
  return (row_bytes + 63) / 64 * 64 + static_cast<int64_t>(kRowGuardBytes);
}

// Memory allocator for decoders. May be used from any thread.
class FrameStore {
 public:
  virtual ~FrameStore() = default;
  // Null if the store is exhausted: the caller then uses ordinary memory.
  virtual std::shared_ptr<const HostVisibleMemory> take(int64_t bytes) = 0;
};

// A FrameStore that is attached after its users were created. Returns null while none is attached.
class DeferredFrameStore final : public FrameStore {
 public:
  void set(std::shared_ptr<FrameStore> store);
  std::shared_ptr<const HostVisibleMemory> take(int64_t bytes) override;

 private:
  std::mutex mutex_;
  std::shared_ptr<FrameStore> store_;
};

// The frames right before each frame of a run, for features that read them.

class PreviousFrames {
 public:
  explicit PreviousFrames(const NeighbourCount& count) : count_(count) {}

  // Adds the frames of earlier calls to the pair, the latest first, and its freezes, and keeps the pair's own
  // for later calls. Throws Error{kBackend} if samples that freezes need cannot be fetched.
  void give(FramePair& pair);

 private:
  void give_freezes(FramePair& pair);

  const NeighbourCount count_;
  std::deque<Frame> distorted_, references_;  // the latest first
  std::vector<Frame> frozen_;                 // the frame of each of the last pair's freezes
};

// Detection of pictures that are identical to the previous one, so that nothing is computed twice.

class RepeatFinder {
 public:
  // Compares a video's frame with the previous one, sample by sample up to the first plane that differs, and
  // sets its repeated_planes. Keeps a copy of the frame, not of its samples.
  void mark(Frame& frame);

 private:
  std::optional<Frame> last_;
};

}  // namespace vq
