#include "cli/decoding/ffmpeg_frame.h"

#include <cmath>

#include "core/error.h"
#include "core/platform.h"
#include "core/text.h"

namespace vq::cli {
namespace {

constexpr int kMostBits = 16;  // of a sample

[[noreturn]] void refuse(AVPixelFormat format, const std::string& why) {
  throw Error(ErrorKind::kMismatch,
              "pixel format {} {}. Try: convert it first, for example with ffmpeg -i IN -pix_fmt yuv420p "
              "-c:v ffv1 OUT.mkv",
              pixel_format_name(format), why);
}

bool is_rgb(const AVPixFmtDescriptor& info) { return (info.flags & AV_PIX_FMT_FLAG_RGB) != 0; }

SampleForm form_of(AVPixelFormat format, const AVPixFmtDescriptor& info) {
  if (info.flags & AV_PIX_FMT_FLAG_FLOAT) return SampleForm::kFloats;
  if (format == AV_PIX_FMT_PAL8) return SampleForm::kPalette;
  if (format == AV_PIX_FMT_MONOBLACK || format == AV_PIX_FMT_MONOWHITE) return SampleForm::kBits;
  return SampleForm::kIntegers;
}

void check_floats(AVPixelFormat format, const AVPixFmtDescriptor& info) {
  const bool is_planar = info.nb_components == 1 || (info.flags & AV_PIX_FMT_FLAG_PLANAR) != 0;
  if (info.comp[0].depth != 32 || !is_planar)
    refuse(format, "has floating-point samples that are not planes of 32 bits");
}

void check_readable(AVPixelFormat format, const AVPixFmtDescriptor& info) {
  if (info.flags & AV_PIX_FMT_FLAG_HWACCEL) refuse(format, "lives on a device and cannot be read");
  if (form_of(format, info) == SampleForm::kPalette || form_of(format, info) == SampleForm::kBits) return;
  if (info.flags & AV_PIX_FMT_FLAG_BAYER) refuse(format, "has no luma plane (Bayer)");
  if (format == AV_PIX_FMT_XYZ12LE || format == AV_PIX_FMT_XYZ12BE) refuse(format, "has no luma plane (XYZ)");
  if (info.flags & AV_PIX_FMT_FLAG_FLOAT) return check_floats(format, info);
  const int depth = info.nb_components > 0 ? info.comp[0].depth : 0;
  if (is_rgb(info) && (depth < 8 || info.comp[1].depth != depth || info.comp[2].depth != depth))
    refuse(format, "has RGB of less than 8 bits");
  if ((info.flags & AV_PIX_FMT_FLAG_BITSTREAM) || depth < 8 || depth > 16) {
    refuse(format, words("has luma of {} bits; 8 to 16 can be read", depth));
  }
  // Its samples are not equally spaced, whatever its description says.
  if (format == AV_PIX_FMT_UYYVYY411) refuse(format, "is packed in a way that cannot be read");
}

Chroma chroma_of(const AVPixFmtDescriptor& info) {
  const int colours = info.nb_components - ((info.flags & AV_PIX_FMT_FLAG_ALPHA) ? 1 : 0);
  if (colours == 1) return Chroma::k400;
  if (info.comp[1].depth != info.comp[0].depth || info.comp[2].depth != info.comp[0].depth)
    return Chroma::kOther;
  constexpr Chroma kAll[] = {Chroma::k410, Chroma::k411, Chroma::k420,
                             Chroma::k422, Chroma::k440, Chroma::k444};
  for (const Chroma chroma : kAll) {
    const auto [x, y] = chroma_shifts(chroma);
    if (info.log2_chroma_w == x && info.log2_chroma_h == y) return chroma;
  }
  return Chroma::kOther;
}

uint32_t load_word(const uint8_t* bytes, const ComponentLayout& layout) {
  uint32_t word = 0;
  for (int i = 0; i < layout.word_bytes; ++i) {
    const int place = layout.big_endian ? layout.word_bytes - 1 - i : i;
    word |= uint32_t{bytes[i]} << (8 * place);
  }
  return word;
}

// Owner of a frame's samples: the decoder's picture, or copies if it holds them in another way.
struct Samples {
  AvPtr<AVFrame> picture;
  std::array<Plane<uint8_t>, kMaxPlanes> u8;
  std::array<Plane<uint16_t>, kMaxPlanes> u16;
};

// Loops that compilers turn into vectors: words of the host, so many apart.
template <int kStep, typename Word, typename T>
void copy_row(const Word* from, int shift, Word mask, std::span<T> to) {
  for (size_t x = 0; x < to.size(); ++x)
    to[x] = static_cast<T>(static_cast<Word>(from[kStep * x] >> shift) & mask);
}

template <typename Word, typename T>
void copy_words(const Word* from, const ComponentBytes& source, std::span<T> to) {
  const auto mask = static_cast<Word>((uint32_t{1} << source.bit_depth) - 1);
  const int shift = source.layout.shift;
  switch (source.layout.step_bytes / static_cast<int>(sizeof(Word))) {
    case 1:
      return copy_row<1>(from, shift, mask, to);
    case 2:
      return copy_row<2>(from, shift, mask, to);
    default:
      return copy_row<4>(from, shift, mask, to);
  }
}

template <typename T>
void copy_any_row(const uint8_t* from, const ComponentBytes& source, std::span<T> to) {
  const uint32_t mask = (uint32_t{1} << source.bit_depth) - 1;
  for (T& sample : to) {
    sample = static_cast<T>(load_word(from, source.layout) >> source.layout.shift & mask);
    from += source.layout.step_bytes;
  }
}

// Whether rows are words of the host, 1, 2 or 4 of them from one sample to the next.
bool has_plain_words(const ComponentBytes& source) {
  const ComponentLayout& layout = source.layout;
  const int bytes = layout.word_bytes, words = layout.step_bytes / bytes;
  const bool is_native = bytes == 1 || layout.big_endian == (std::endian::native == std::endian::big);
  return bytes <= 2 && is_native && layout.step_bytes % bytes == 0 &&
         (words == 1 || words == 2 || words == 4) &&
         reinterpret_cast<uintptr_t>(source.first + layout.offset_bytes) % static_cast<uintptr_t>(bytes) ==
             0 &&
         source.linesize % bytes == 0;
}

template <typename T>
Plane<T> repack(const AVFrame& picture, const ComponentLayout& from, PlaneSize size, int bit_depth) {
  Plane<T> result(size.width, size.height);
  copy_samples<T>({picture.data[from.plane], picture.linesize[from.plane], from, bit_depth}, result.view());
  return result;
}

// Rows of packets that a container cut out of a larger buffer may start at odd addresses.
bool is_aligned(const AVFrame& picture, int plane, size_t sample_bytes) {
  return reinterpret_cast<uintptr_t>(picture.data[plane]) % sample_bytes == 0 &&
         picture.linesize[plane] % static_cast<int>(sample_bytes) == 0;
}

template <typename T>
PlaneView<const T> view_of(const AVFrame& picture, int plane, PlaneSize size) {
  return {reinterpret_cast<const T*>(picture.data[plane]), size.width, size.height,
          picture.linesize[plane] / static_cast<ptrdiff_t>(sizeof(T))};
}

// By the components of the layout: G, B and R.
Plane<uint8_t> look_up(const AVFrame& picture, int component) {
  const int shift = std::array{8, 0, 16}[static_cast<size_t>(component)];
  std::array<uint8_t, 256> levels;
  for (size_t i = 0; i < levels.size(); ++i) {
    uint32_t colour = 0;  // a word of the host: alpha, R, G, B
    std::memcpy(&colour, picture.data[1] + 4 * i, sizeof(colour));
    levels[i] = static_cast<uint8_t>(colour >> shift);
  }
  Plane<uint8_t> plane(picture.width, picture.height);
  for (int y = 0; y < picture.height; ++y) {
    const uint8_t* const row = picture.data[0] + ptrdiff_t{picture.linesize[0]} * y;
    std::transform(row, row + picture.width, plane.row(y), [&](uint8_t index) { return levels[index]; });
  }
  return plane;
}

Plane<uint8_t> spread_bits(const AVFrame& picture, bool inverts) {
  Plane<uint8_t> plane(picture.width, picture.height);
  for (int y = 0; y < picture.height; ++y) {
    const uint8_t* const row = picture.data[0] + ptrdiff_t{picture.linesize[0]} * y;
    for (int x = 0; x < picture.width; ++x) {
      const bool bit = (row[x / 8] >> (7 - x % 8) & 1) != 0;
      plane.row(y)[x] = bit != inverts ? UINT8_MAX : 0;
    }
  }
  return plane;
}

Plane<uint16_t> rounded_floats(const AVFrame& picture, const ComponentLayout& from, bool bottom_up) {
  Plane<uint16_t> plane(picture.width, picture.height);
  for (int y = 0; y < picture.height; ++y) {
    const int row = bottom_up ? picture.height - 1 - y : y;
    const uint8_t* bytes = picture.data[from.plane] + ptrdiff_t{picture.linesize[from.plane]} * row;
    for (int x = 0; x < picture.width; ++x, bytes += sizeof(float)) {
      const float value = std::bit_cast<float>(load_word(bytes, from));
      const double inside = value > 0 ? std::min(value, 1.0F) : 0;  // of what is no number as well
      plane.row(y)[x] = static_cast<uint16_t>(std::lround(inside * UINT16_MAX));
    }
  }
  return plane;
}

void convert_plane(const AVFrame& picture, const PictureLayout& layout, int plane, Plane<uint8_t>& to) {
  to = layout.form == SampleForm::kPalette ? look_up(picture, plane) : spread_bits(picture, layout.inverts);
}

void convert_plane(const AVFrame& picture, const PictureLayout& layout, int plane, Plane<uint16_t>& to) {
  to = rounded_floats(picture, layout.components[static_cast<size_t>(plane)], layout.bottom_up);
}

// A view of the picture's own samples if they are as ours, otherwise of a copy in `copy`.
template <typename T>
PlaneView<const T> plane_of(const AVFrame& picture, const PictureLayout& layout, int plane, Plane<T>& copy) {
  const ComponentLayout& from = layout.components[static_cast<size_t>(plane)];
  if (layout.form != SampleForm::kIntegers) {
    convert_plane(picture, layout, plane, copy);
    return copy.view();
  }
  const PlaneSize size = plane_size({picture.width, picture.height}, layout.chroma, plane);
  if (from.direct() && is_aligned(picture, from.plane, sizeof(T)))
    return view_of<T>(picture, from.plane, size);
  copy = repack<T>(picture, from, size, layout.bit_depth);
  return copy.view();
}

}  // namespace

template <typename T>
void copy_samples(const ComponentBytes& from, PlaneView<T> to) {
  const bool is_plain = has_plain_words(from);
  for (int y = 0; y < to.height; ++y) {
    const uint8_t* const row = from.first + from.linesize * y + from.layout.offset_bytes;
    const std::span<T> out(to.row(y), static_cast<size_t>(to.width));
    if (!is_plain) {
      copy_any_row(row, from, out);
    } else if (from.layout.word_bytes == 1) {
      copy_words(row, from, out);
    } else {
      copy_words(reinterpret_cast<const uint16_t*>(row), from, out);
    }
  }
}
template void copy_samples(const ComponentBytes&, PlaneView<uint8_t>);
template void copy_samples(const ComponentBytes&, PlaneView<uint16_t>);

bool ComponentLayout::direct() const {
  return offset_bytes == 0 && shift == 0 && word_bytes <= 2 && step_bytes == word_bytes &&
         (word_bytes == 1 || !big_endian);
}

PictureLayout picture_layout(AVPixelFormat format) {
  const AVPixFmtDescriptor* const info = av_pix_fmt_desc_get(format);
  if (info == nullptr) {
    throw Error(ErrorKind::kInput, "the pixel format is not known");
  }
  check_readable(format, *info);
  PictureLayout layout;
  layout.form = form_of(format, *info);
  const bool has_palette = layout.form == SampleForm::kPalette;
  layout.chroma = has_palette ? Chroma::k444 : chroma_of(*info);
  layout.is_rgb = has_palette || is_rgb(*info);
  layout.full_range = layout.form != SampleForm::kIntegers || pixel_format_name(format).starts_with("yuvj");
  layout.inverts = format == AV_PIX_FMT_MONOWHITE;
  layout.bit_depth = layout.form == SampleForm::kFloats ? kMostBits : info->comp[0].depth;
  if (has_palette || layout.form == SampleForm::kBits) {
    layout.bit_depth = 8;
    return layout;
  }
  for (int plane = 0; plane < plane_count(layout.chroma); ++plane) {
    // FFmpeg's components are R, G and B.
    const AVComponentDescriptor& from = info->comp[layout.is_rgb ? (plane + 1) % kMaxPlanes : plane];
    const int used_bits = from.shift + from.depth;
    layout.components[static_cast<size_t>(plane)] = {.plane = from.plane,
                                                     .step_bytes = from.step,
                                                     .offset_bytes = from.offset,
                                                     .shift = from.shift,
                                                     .word_bytes = used_bits <= 8    ? 1
                                                                   : used_bits <= 16 ? 2
                                                                                     : 4,
                                                     .big_endian = (info->flags & AV_PIX_FMT_FLAG_BE) != 0};
  }
  return layout;
}

std::optional<PictureLayout> layout_within(AVPixelFormat memory, AVPixelFormat format) {
  const PictureLayout wanted = picture_layout(format);
  PictureLayout layout = picture_layout(memory);
  const int unused_bits = layout.bit_depth - wanted.bit_depth;
  const bool fills_words = layout.bit_depth == kMostBits && wanted.bit_depth > 8;
  if (unused_bits != 0 && !fills_words) return std::nullopt;
  if (wanted.chroma != layout.chroma && wanted.chroma != Chroma::k400) return std::nullopt;
  layout.bit_depth = wanted.bit_depth;
  layout.chroma = wanted.chroma;
  layout.full_range = wanted.full_range;
  for (ComponentLayout& component : layout.components) component.shift += unused_bits;
  return layout;
}

int delivered_planes(const PictureLayout& layout, int asked) {
  return layout.is_rgb ? kMaxPlanes : std::min(asked, plane_count(layout.chroma));
}

Frame make_frame(AvPtr<AVFrame> picture, const PictureLayout& layout, int planes,
                 std::shared_ptr<const FrameMemory> place) {
  const auto samples = std::make_shared<Samples>();
  Frame frame;
  frame.bit_depth = layout.bit_depth;
  bool all_copied = true;
  for (int plane = 0; plane < planes; ++plane) {
    const auto i = static_cast<size_t>(plane);
    SampleView& view = frame.planes[i];
    if (layout.bit_depth > 8) {
      view.u16 = plane_of<uint16_t>(*picture, layout, plane, samples->u16[i]);
    } else {
      view.u8 = plane_of<uint8_t>(*picture, layout, plane, samples->u8[i]);
    }
    all_copied = all_copied && (samples->u8[i].height() > 0 || samples->u16[i].height() > 0);
  }
  if (!all_copied) {
    samples->picture = std::move(picture);
    frame.place = std::move(place);
  }
  frame.owner = samples;
  return frame;
}

Range map_range(AVColorRange range) {
  return range == AVCOL_RANGE_MPEG   ? Range::kLimited
         : range == AVCOL_RANGE_JPEG ? Range::kFull
                                     : Range::kUnspecified;
}

Range range_of(const AVFrame& picture, const PictureLayout& layout) {
  const Range range = layout.full_range ? Range::kFull : map_range(picture.color_range);
  return layout.is_rgb && range == Range::kUnspecified ? Range::kFull : range;
}

PictureType map_type(AVPictureType type) {
  using enum PictureType;
  static constexpr std::pair<AVPictureType, PictureType> kTypes[] = {
      {AV_PICTURE_TYPE_I, kIntra},        {AV_PICTURE_TYPE_SI, kIntra},    {AV_PICTURE_TYPE_BI, kIntra},
      {AV_PICTURE_TYPE_P, kPredicted},    {AV_PICTURE_TYPE_S, kPredicted}, {AV_PICTURE_TYPE_SP, kPredicted},
      {AV_PICTURE_TYPE_B, kBidirectional}};
  return meaning(type, kTypes, kUnknown);
}

// Camera curves of standard-range television are shown with BT.1886 or its older equivalents.
Transfer map_transfer(AVColorTransferCharacteristic transfer) {
  using enum Transfer;
  static constexpr std::pair<AVColorTransferCharacteristic, Transfer> kTransfers[] = {
      {AVCOL_TRC_SMPTE2084, kPq},           {AVCOL_TRC_ARIB_STD_B67, kHlg},
      {AVCOL_TRC_BT709, kBt1886},           {AVCOL_TRC_SMPTE170M, kBt1886},
      {AVCOL_TRC_SMPTE240M, kBt1886},       {AVCOL_TRC_GAMMA22, kBt1886},
      {AVCOL_TRC_GAMMA28, kBt1886},         {AVCOL_TRC_BT2020_10, kBt1886},
      {AVCOL_TRC_BT2020_12, kBt1886},       {AVCOL_TRC_IEC61966_2_1, kSrgb},
      {AVCOL_TRC_LINEAR, kLinear},          {AVCOL_TRC_RESERVED0, kUnspecified},
      {AVCOL_TRC_UNSPECIFIED, kUnspecified}};
  return meaning(transfer, kTransfers, kOther);
}

// Others have constant luminance, or no luma and colour difference at all.
Matrix map_matrix(AVColorSpace matrix) {
  using enum Matrix;
  static constexpr std::pair<AVColorSpace, Matrix> kMatrices[] = {
      {AVCOL_SPC_BT470BG, kBt601},        {AVCOL_SPC_SMPTE170M, kBt601},
      {AVCOL_SPC_BT709, kBt709},          {AVCOL_SPC_FCC, kFcc},
      {AVCOL_SPC_SMPTE240M, kSmpte240},   {AVCOL_SPC_BT2020_NCL, kBt2020},
      {AVCOL_SPC_RESERVED, kUnspecified}, {AVCOL_SPC_UNSPECIFIED, kUnspecified}};
  return meaning(matrix, kMatrices, kOther);
}

Primaries map_primaries(AVColorPrimaries primaries) {
  using enum Primaries;
  static constexpr std::pair<AVColorPrimaries, Primaries> kPrimaries[] = {
      {AVCOL_PRI_BT709, kBt709},
      {AVCOL_PRI_BT470BG, kBt601},
      {AVCOL_PRI_SMPTE170M, kBt601},
      {AVCOL_PRI_SMPTE240M, kBt601},
      {AVCOL_PRI_BT2020, kBt2020},
      {AVCOL_PRI_RESERVED0, kUnspecified},
      {AVCOL_PRI_UNSPECIFIED, kUnspecified},
      {AVCOL_PRI_RESERVED, kUnspecified}};
  return meaning(primaries, kPrimaries, kOther);
}

ChromaLocation map_location(AVChromaLocation location) {
  using enum ChromaLocation;
  static constexpr std::pair<AVChromaLocation, ChromaLocation> kLocations[] = {
      {AVCHROMA_LOC_LEFT, kLeft}, {AVCHROMA_LOC_CENTER, kCenter},         {AVCHROMA_LOC_TOPLEFT, kTopLeft},
      {AVCHROMA_LOC_TOP, kTop},   {AVCHROMA_LOC_BOTTOMLEFT, kBottomLeft}, {AVCHROMA_LOC_BOTTOM, kBottom}};
  return meaning(location, kLocations, kUnspecified);
}

std::string pixel_format_name(AVPixelFormat format) {
  const char* const name = av_get_pix_fmt_name(format);
  return name != nullptr ? name : "none";
}

}  // namespace vq::cli
