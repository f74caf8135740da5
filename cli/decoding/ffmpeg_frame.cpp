#include "cli/decoding/ffmpeg_frame.h"

#include <cstdint>
#include <utility>

#include "core/error.h"
#include "core/platform.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

namespace vq::cli {
namespace {

[[noreturn]] void refuse(AVPixelFormat format, const std::string& why) {
  throw Error(ErrorKind::kMismatch, "pixel format " + pixel_format_name(format) + " " + why +
                                        ". Try: convert it first, for example with ffmpeg -i IN -pix_fmt "
                                        "yuv420p -c:v ffv1 OUT.mkv");
}

void check_has_luma(AVPixelFormat format, const AVPixFmtDescriptor& info) {
  if (info.flags & AV_PIX_FMT_FLAG_HWACCEL) refuse(format, "lives on a device and cannot be read");
  if (info.flags & AV_PIX_FMT_FLAG_PAL) refuse(format, "has no luma plane (palette)");
  if (info.flags & AV_PIX_FMT_FLAG_BAYER) refuse(format, "has no luma plane (Bayer)");
  if (info.flags & AV_PIX_FMT_FLAG_RGB) refuse(format, "has no luma plane (RGB)");
  if (format == AV_PIX_FMT_XYZ12LE || format == AV_PIX_FMT_XYZ12BE) refuse(format, "has no luma plane (XYZ)");
  if (info.flags & AV_PIX_FMT_FLAG_FLOAT) refuse(format, "has floating-point samples");
  const int depth = info.nb_components > 0 ? info.comp[0].depth : 0;
  if ((info.flags & AV_PIX_FMT_FLAG_BITSTREAM) || depth < 8 || depth > 16) {
    refuse(format, "has luma of " + std::to_string(depth) + " bits; 8 to 16 can be read");
  }
  // Its samples are not equally spaced, whatever its description says.
  if (format == AV_PIX_FMT_UYYVYY411) refuse(format, "is packed in a way that cannot be read");
}

Chroma chroma_of(const AVPixFmtDescriptor& info) {
  const int colours = info.nb_components - ((info.flags & AV_PIX_FMT_FLAG_ALPHA) ? 1 : 0);
  if (colours == 1) return Chroma::k400;
  if (info.log2_chroma_w == 1 && info.log2_chroma_h == 1) return Chroma::k420;
  if (info.log2_chroma_w == 1 && info.log2_chroma_h == 0) return Chroma::k422;
  if (info.log2_chroma_w == 0 && info.log2_chroma_h == 0) return Chroma::k444;
  return Chroma::kOther;
}

bool is_full_range_format(AVPixelFormat format) {
  return format == AV_PIX_FMT_YUVJ420P || format == AV_PIX_FMT_YUVJ422P || format == AV_PIX_FMT_YUVJ444P ||
         format == AV_PIX_FMT_YUVJ440P || format == AV_PIX_FMT_YUVJ411P;
}

uint32_t load_word(const uint8_t* bytes, const LumaLayout& layout) {
  uint32_t word = 0;
  for (int i = 0; i < layout.word_bytes; ++i) {
    const int place = layout.big_endian ? layout.word_bytes - 1 - i : i;
    word |= uint32_t{bytes[i]} << (8 * place);
  }
  return word;
}

template <typename T>
std::shared_ptr<Plane<T>> repack(const AVFrame& picture, const LumaLayout& layout) {
  const auto plane = std::make_shared<Plane<T>>(picture.width, picture.height);
  const uint32_t mask = (uint32_t{1} << layout.bit_depth) - 1;
  for (int y = 0; y < picture.height; ++y) {
    const uint8_t* from =
        picture.data[layout.plane] + ptrdiff_t{picture.linesize[layout.plane]} * y + layout.offset_bytes;
    T* const to = plane->row(y);
    for (int x = 0; x < picture.width; ++x, from += layout.step_bytes) {
      to[x] = static_cast<T>(load_word(from, layout) >> layout.shift & mask);
    }
  }
  return plane;
}

// Rows of packets that a container cut out of a larger buffer may start at odd addresses.
bool is_aligned(const AVFrame& picture, size_t sample_bytes) {
  return reinterpret_cast<uintptr_t>(picture.data[0]) % sample_bytes == 0 &&
         picture.linesize[0] % static_cast<int>(sample_bytes) == 0;
}

template <typename T>
PlaneView<const T> view_of(const AVFrame& picture) {
  return {reinterpret_cast<const T*>(picture.data[0]), picture.width, picture.height,
          picture.linesize[0] / static_cast<ptrdiff_t>(sizeof(T))};
}

}  // namespace

bool LumaLayout::direct() const {
  return plane == 0 && offset_bytes == 0 && shift == 0 && word_bytes <= 2 && step_bytes == word_bytes &&
         (word_bytes == 1 || !big_endian);
}

LumaLayout luma_layout(AVPixelFormat format) {
  const AVPixFmtDescriptor* const info = av_pix_fmt_desc_get(format);
  if (info == nullptr) {
    throw Error(ErrorKind::kInput, "the pixel format is not known");
  }
  check_has_luma(format, *info);
  const AVComponentDescriptor& luma = info->comp[0];
  LumaLayout layout;
  layout.plane = luma.plane;
  layout.step_bytes = luma.step;
  layout.offset_bytes = luma.offset;
  layout.shift = luma.shift;
  const int used_bits = luma.shift + luma.depth;
  layout.word_bytes = used_bits <= 8 ? 1 : used_bits <= 16 ? 2 : 4;
  layout.big_endian = (info->flags & AV_PIX_FMT_FLAG_BE) != 0;
  layout.bit_depth = luma.depth;
  layout.chroma = chroma_of(*info);
  layout.full_range = is_full_range_format(format);
  return layout;
}

Frame make_frame(AvPtr<AVFrame> picture, const LumaLayout& layout) {
  Frame frame;
  frame.bit_depth = layout.bit_depth;
  const bool deep = layout.bit_depth > 8;
  if (layout.direct() && is_aligned(*picture, deep ? 2 : 1)) {
    if (deep) {
      frame.luma.u16 = view_of<uint16_t>(*picture);
    } else {
      frame.luma.u8 = view_of<uint8_t>(*picture);
    }
    frame.owner = std::shared_ptr<const AVFrame>(std::move(picture));
  } else if (deep) {
    const auto plane = repack<uint16_t>(*picture, layout);
    frame.luma.u16 = plane->view();
    frame.owner = plane;
  } else {
    const auto plane = repack<uint8_t>(*picture, layout);
    frame.luma.u8 = plane->view();
    frame.owner = plane;
  }
  return frame;
}

Range map_range(AVColorRange range) {
  switch (range) {
    case AVCOL_RANGE_MPEG:
      return Range::kLimited;
    case AVCOL_RANGE_JPEG:
      return Range::kFull;
    default:
      return Range::kUnspecified;
  }
}

Transfer map_transfer(AVColorTransferCharacteristic transfer) {
  switch (transfer) {
    case AVCOL_TRC_SMPTE2084:
      return Transfer::kPq;
    case AVCOL_TRC_ARIB_STD_B67:
      return Transfer::kHlg;
    // Camera curves of standard-range television, shown with BT.1886 or its older equivalents.
    case AVCOL_TRC_BT709:
    case AVCOL_TRC_SMPTE170M:
    case AVCOL_TRC_SMPTE240M:
    case AVCOL_TRC_GAMMA22:
    case AVCOL_TRC_GAMMA28:
    case AVCOL_TRC_BT2020_10:
    case AVCOL_TRC_BT2020_12:
      return Transfer::kBt1886;
    case AVCOL_TRC_RESERVED0:
    case AVCOL_TRC_UNSPECIFIED:
      return Transfer::kUnspecified;
    default:
      return Transfer::kOther;
  }
}

std::string pixel_format_name(AVPixelFormat format) {
  const char* const name = av_get_pix_fmt_name(format);
  return name != nullptr ? name : "none";
}

}  // namespace vq::cli
