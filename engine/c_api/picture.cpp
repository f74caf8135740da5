#include "engine/c_api/picture.h"

#include <array>
#include <cstdlib>
#include <cstring>
#include <string>

#include "core/error.h"

namespace vq::c_api {
namespace {

template <typename T, size_t n>
T chosen(const std::array<T, n>& values, int index, const char* what) {
  if (index < 0 || static_cast<size_t>(index) >= n) {
    throw Error(ErrorKind::kUsage, "there is no " + std::string(what) + " " + std::to_string(index));
  }
  return values[static_cast<size_t>(index)];
}

constexpr std::array kChromas = {Chroma::k420, Chroma::k400, Chroma::k422, Chroma::k440,
                                 Chroma::k444, Chroma::k411, Chroma::k410};
constexpr std::array kRanges = {Range::kUnspecified, Range::kLimited, Range::kFull};
constexpr std::array kMatrices = {Matrix::kUnspecified, Matrix::kBt601,  Matrix::kBt709, Matrix::kFcc,
                                  Matrix::kSmpte240,    Matrix::kBt2020, Matrix::kOther, Matrix::kRgb};
constexpr std::array kTransfers = {Transfer::kUnspecified, Transfer::kBt1886, Transfer::kPq,
                                   Transfer::kHlg,         Transfer::kOther,  Transfer::kSrgb,
                                   Transfer::kLinear};
constexpr std::array kLocations = {ChromaLocation::kUnspecified, ChromaLocation::kLeft,
                                   ChromaLocation::kCenter,      ChromaLocation::kTopLeft,
                                   ChromaLocation::kTop,         ChromaLocation::kBottomLeft,
                                   ChromaLocation::kBottom};

// Copied planes, without guards, one behind the other.
struct Copy {
  std::unique_ptr<std::byte[]> samples;
};

template <typename T>
void set_view(SampleView& view, const void* data, PlaneSize size, ptrdiff_t stride_bytes) {
  const PlaneView<const T> plane = {static_cast<const T*>(data), size.width, size.height,
                                    stride_bytes / static_cast<ptrdiff_t>(sizeof(T))};
  if constexpr (sizeof(T) == 1) {
    view.u8 = plane;
  } else {
    view.u16 = plane;
  }
}

void set_plane(SampleView& view, const void* data, PlaneSize size, ptrdiff_t stride_bytes, bool is_deep) {
  if (is_deep) {
    set_view<uint16_t>(view, data, size, stride_bytes);
  } else {
    set_view<uint8_t>(view, data, size, stride_bytes);
  }
}

// Words are read as words.
bool is_aligned(const void* data, ptrdiff_t stride_bytes, bool is_deep) {
  return !is_deep || (reinterpret_cast<uintptr_t>(data) % 2 == 0 && stride_bytes % 2 == 0);
}

}  // namespace

VideoFormat format_of(const CambiPicture& picture, const char* name) {
  VideoFormat format{.name = name,
                     .width = picture.width,
                     .height = picture.height,
                     .bit_depth = picture.bit_depth,
                     .chroma = chosen(kChromas, picture.chroma, "chroma format"),
                     .range = chosen(kRanges, picture.range, "range"),
                     .transfer = chosen(kTransfers, picture.transfer, "transfer"),
                     .matrix = chosen(kMatrices, picture.matrix, "matrix"),
                     .chroma_location = chosen(kLocations, picture.chroma_location, "chroma location")};
  if (picture.width < 1 || picture.height < 1 || picture.width > kMaxSide || picture.height > kMaxSide) {
    throw Error(ErrorKind::kMismatch, std::string(name) + " has " + std::to_string(picture.width) + "x" +
                                          std::to_string(picture.height) + " samples; sides are 1 to " +
                                          std::to_string(kMaxSide));
  }
  if (format.matrix == Matrix::kRgb && format.chroma != Chroma::k444)
    throw Error(ErrorKind::kMismatch, std::string(name) + " is RGB, whose planes have one size: 4:4:4");
  if (picture.bit_depth < 8 || picture.bit_depth > 16) {
    throw Error(ErrorKind::kMismatch, std::string(name) + " has " + std::to_string(picture.bit_depth) +
                                          " bits a sample; 8 to 16 are taken");
  }
  return format;
}

Frame frame_of(const CambiPicture& picture, const VideoFormat& format, int planes,
               std::shared_ptr<const PictureOwner> owner) {
  const bool is_deep = format.bit_depth > 8;
  const int count = std::min(planes, plane_count(format.chroma));
  const PlaneSize luma = {format.width, format.height};
  const int64_t sample_bytes = is_deep ? 2 : 1;
  Frame frame;
  frame.bit_depth = format.bit_depth;
  if (picture.has_seconds != 0) frame.timestamp = picture.seconds;
  std::shared_ptr<Copy> copy;
  int64_t place = 0;
  if (picture.release == nullptr) {
    copy = std::make_shared<Copy>();
    copy->samples = std::make_unique_for_overwrite<std::byte[]>(
        static_cast<size_t>(sample_count(luma, format.chroma, count) * sample_bytes));
  }
  for (int i = 0; i < count; ++i) {
    const auto p = static_cast<size_t>(i);
    const PlaneSize size = plane_size(luma, format.chroma, i);
    const ptrdiff_t row_bytes = static_cast<ptrdiff_t>(size.width * sample_bytes),
                    stride = picture.strides[p];
    const auto* const data = static_cast<const std::byte*>(picture.planes[p]);
    if (data == nullptr)
      throw Error(ErrorKind::kUsage, format.name + ": plane " + std::to_string(i) + " is null");
    if (std::abs(stride) < row_bytes || !is_aligned(data, stride, is_deep)) {
      throw Error(ErrorKind::kUsage, format.name + ": plane " + std::to_string(i) + " has rows of " +
                                         std::to_string(row_bytes) + " bytes and a stride of " +
                                         std::to_string(stride));
    }
    if (!copy) {
      set_plane(frame.planes[p], data, size, stride, is_deep);
      continue;
    }
    std::byte* const to = copy->samples.get() + place;
    for (int y = 0; y < size.height; ++y)
      std::memcpy(to + y * row_bytes, data + y * stride, static_cast<size_t>(row_bytes));
    set_plane(frame.planes[p], to, size, row_bytes, is_deep);
    place += row_bytes * size.height;
  }
  frame.owner =
      copy ? std::shared_ptr<const void>(std::move(copy)) : std::shared_ptr<const void>(std::move(owner));
  return frame;
}

}  // namespace vq::c_api
