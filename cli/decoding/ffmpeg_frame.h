// Conversion of FFmpeg's pictures to frames: the planes as decoded, and the tags. Samples are neither
// converted nor scaled, except for those of SampleForm that are no integers of 8 to 16 bits.
#pragma once

#include "cli/decoding/ffmpeg_functions.h"
#include "cli/decoding/video_source.h"
#include "core/frame.h"

namespace vq::cli {

// A picture of a decoder, on its way to a frame.
struct Picture {
  // Its properties, and its samples unless these are on a device alone, in `place`. If `place` is a
  // HostVisibleMemory, `frame` refers to that memory. Null if the picture was lost.
  AvPtr<AVFrame> frame = {};
  std::shared_ptr<const FrameMemory> place = {};
  int64_t packet = 0;  // number of the packet it began with, from 1
  int64_t after = 0;   // number of the last packet that its decoder was given; with several decoders
  FilmGrain film_grain = FilmGrain::kUnknown;  // in the stream so far
  // By StreamVerdict:
  int64_t index = 0;                       // in display order, from 0; lost pictures are counted
  std::optional<std::string> damage = {};  // the reason if it is damaged or lost
};

// Location of the samples of one component of a pixel format.
struct ComponentLayout {
  int plane = 0;
  int step_bytes = 1;    // between samples
  int offset_bytes = 0;  // of the first
  int shift = 0;         // unused bits below the sample in its word
  int word_bytes = 1;    // 1, 2 or 4
  bool big_endian = false;

  // Whether the plane can be used in place.
  bool direct() const;
};

// kPalette: bytes that stand for colours of the picture's palette; its alpha is ignored. kBits: a bit for
// each sample, the first in the highest; black is 0 and white 255. kFloats: 0 to 1, rounded to 16 bits; what
// lies outside is clipped.
enum class SampleForm { kIntegers, kPalette, kBits, kFloats };

struct PictureLayout {
  std::array<ComponentLayout, kMaxPlanes> components;  // as many as plane_count(chroma)
  int bit_depth = 8;
  Chroma chroma = Chroma::k420;
  bool full_range = false;  // implied by the format (yuvj420p, ...)
  bool is_rgb = false;      // components are G, B and R, in this order
  SampleForm form = SampleForm::kIntegers;
  bool inverts = false;    // of kBits: 1 is black
  bool bottom_up = false;  // of kFloats: the last row comes first
};

// The bytes of one component of a picture.
struct ComponentBytes {
  const uint8_t* first = nullptr;  // of the row's first word, not of the sample's position in it
  ptrdiff_t linesize = 0;
  ComponentLayout layout;
  int bit_depth = 8;
};
// Copies as many samples as `to` has room for; 8-bit ones need T uint8_t, deeper ones uint16_t.
template <typename T>
void copy_samples(const ComponentBytes& from, PlaneView<T> to);
extern template void copy_samples(const ComponentBytes&, PlaneView<uint8_t>);
extern template void copy_samples(const ComponentBytes&, PlaneView<uint16_t>);

// Whether the decoder marked the picture as damaged.
inline bool is_flagged(const AVFrame& picture) {
  return picture.decode_error_flags != 0 || (picture.flags & AV_FRAME_FLAG_CORRUPT) != 0;
}

// Throws Error{kMismatch}, without a file name, for formats that have neither luma nor RGB of 8 to 16 bits,
// nor another SampleForm.
PictureLayout picture_layout(AVPixelFormat format);

// The layout of a picture of `format` in memory of another format, such as that of hardware: chroma may be
// interleaved, and samples may be in the high bits of 16-bit words. Nothing if that format cannot hold it
// exactly. Throws as picture_layout().
std::optional<PictureLayout> layout_within(AVPixelFormat memory, AVPixelFormat format);

// Number of planes to deliver if `asked` are asked for: all of RGB, since its luma follows from all of them.
int delivered_planes(const PictureLayout& layout, int asked);

// The first planes of a decoded picture, which it takes over. Index and timestamp are not set. `place`: the
// memory of the picture, which becomes the frame's unless all its planes are copies. Needs: planes <=
// plane_count(layout.chroma).
Frame make_frame(AvPtr<AVFrame> picture, const PictureLayout& layout, int planes,
                 std::shared_ptr<const FrameMemory> place = nullptr);

Range map_range(AVColorRange range);
// RGB without a tag is of full range.
Range range_of(const AVFrame& picture, const PictureLayout& layout);
PictureType map_type(AVPictureType type);
Transfer map_transfer(AVColorTransferCharacteristic transfer);
Matrix map_matrix(AVColorSpace matrix);
Primaries map_primaries(AVColorPrimaries primaries);
ChromaLocation map_location(AVChromaLocation location);
std::string pixel_format_name(AVPixelFormat format);  // "none" for AV_PIX_FMT_NONE

}  // namespace vq::cli
