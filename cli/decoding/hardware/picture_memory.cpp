#include "cli/decoding/hardware/picture_memory.h"

#include <algorithm>
#include <array>
#include <bit>
#include <climits>
#include <exception>
#include <map>
#include <new>
#include <optional>

extern "C" {
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
}

namespace vq::cli {
namespace {

constexpr size_t kPlanes = 4;  // that FFmpeg's planar formats have at most
// Decoders may read so far behind a plane.
constexpr int64_t kBehindPlane = 256;

constexpr int64_t round_up(int64_t value, int64_t grain) {
  return (value + grain - 1) / grain * grain;
}

struct PlaneLayout {
  std::array<int, kPlanes> strides{};  // 0: there is no such plane
  std::array<int64_t, kPlanes> offsets{};
  int64_t bytes = 0;
};

// The stride that devices want of rows of so many visible bytes, or the least multiple of `grain` that holds
// `needed`.
int64_t stride_for(int64_t visible, int64_t needed, int64_t grain) {
  const int64_t wanted = stored_stride(visible), least = round_up(needed, grain);
  return least <= wanted && wanted % grain == 0 ? wanted : least;
}

// Nothing for formats whose planes are not what they seem.
std::optional<PlaneLayout> layout_of(AVCodecContext& decoder, const AVFrame& picture) {
  const auto format = static_cast<AVPixelFormat>(picture.format);
  const AVPixFmtDescriptor* const info = av_pix_fmt_desc_get(format);
  if (info == nullptr || (info->flags & (AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_PAL)) != 0)
    return std::nullopt;
  int width = picture.width, height = picture.height;
  std::array<int, AV_NUM_DATA_POINTERS> grains{};
  avcodec_align_dimensions2(&decoder, &width, &height, grains.data());
  std::array<int, kPlanes> visible{}, needed{};
  if (av_image_fill_linesizes(needed.data(), format, width) < 0) return std::nullopt;
  // What is shown may be less and may change; where that saves no 64 bytes a row, strides are the same.
  if (av_image_fill_linesizes(visible.data(), format, picture.width) < 0) return std::nullopt;
  PlaneLayout layout;
  std::array<ptrdiff_t, kPlanes> strides{};
  for (size_t i = 0; i < kPlanes; ++i) {
    if (needed[i] == 0) continue;
    const auto grain = std::bit_ceil(static_cast<uint32_t>(std::max<int64_t>(grains[i], kStoreAlignment)));
    const int64_t stride = stride_for(visible[i], needed[i], grain);
    if (stride > INT_MAX) return std::nullopt;
    layout.strides[i] = static_cast<int>(stride);
    strides[i] = stride;
  }
  std::array<size_t, kPlanes> sizes{};
  if (av_image_fill_plane_sizes(sizes.data(), format, height, strides.data()) < 0) return std::nullopt;
  for (size_t i = 0; i < kPlanes && sizes[i] > 0; ++i) {
    layout.offsets[i] = layout.bytes;
    layout.bytes = round_up(layout.bytes + static_cast<int64_t>(sizes[i]) + kBehindPlane, kPlaneAlignment);
  }
  return layout;
}

}  // namespace

// Those that FFmpeg's buffers stand for, by their first byte. Shared with the buffers.
class PictureMemory::Pieces {
 public:
  void add(const std::shared_ptr<const HostVisibleMemory>& piece) {
    const std::lock_guard lock(mutex_);
    pieces_.emplace(piece->data(), piece);
  }
  void remove(const HostVisibleMemory& piece) {
    const std::lock_guard lock(mutex_);
    pieces_.erase(piece.data());
  }
  std::shared_ptr<const HostVisibleMemory> at(const uint8_t* first) const {
    const std::lock_guard lock(mutex_);
    const auto found = pieces_.find(reinterpret_cast<const std::byte*>(first));
    return found != pieces_.end() ? found->second.lock() : nullptr;
  }

  // What one of FFmpeg's buffers holds.
  struct Held {
    std::shared_ptr<Pieces> pieces;
    std::shared_ptr<const HostVisibleMemory> piece;
    ~Held() { pieces->remove(*piece); }
  };
  static void let_go(void* held, uint8_t*) { delete static_cast<Held*>(held); }

 private:
  mutable std::mutex mutex_;
  std::map<const std::byte*, std::weak_ptr<const HostVisibleMemory>> pieces_;
};

PictureMemory::PictureMemory(std::shared_ptr<FrameStore> store)
    : store_(std::move(store)), pieces_(std::make_shared<Pieces>()) {}

int PictureMemory::get_buffer(AVCodecContext& decoder, AVFrame& picture, int flags) {
  const bool is_ours = store_ != nullptr && decoder.codec_type == AVMEDIA_TYPE_VIDEO &&
                       (decoder.codec->capabilities & AV_CODEC_CAP_DR1) != 0;
  try {
    if (is_ours && fill(decoder, picture)) return 0;
  } catch (const std::exception&) {
    return AVERROR(ENOMEM);  // no exception passes through FFmpeg
  }
  return avcodec_default_get_buffer2(&decoder, &picture, flags);
}

// False for pictures that are FFmpeg's business. Throws std::bad_alloc.
bool PictureMemory::fill(AVCodecContext& decoder, AVFrame& picture) {
  const std::optional<PlaneLayout> layout = layout_of(decoder, picture);
  if (!layout) return false;
  AVBufferRef* buffer = placed_buffer(layout->bytes);
  if (buffer == nullptr) buffer = ordinary_buffer(layout->bytes);
  picture.buf[0] = buffer;
  for (size_t i = 0; i < kPlanes; ++i) {
    picture.data[i] = layout->strides[i] != 0 ? buffer->data + layout->offsets[i] : nullptr;
    picture.linesize[i] = layout->strides[i];
  }
  picture.extended_data = picture.data;
  return true;
}

// Null where the store has no piece.
AVBufferRef* PictureMemory::placed_buffer(int64_t bytes) const {
  std::shared_ptr<const HostVisibleMemory> piece = store_->take(bytes);
  if (piece == nullptr) return nullptr;
  auto* const first = reinterpret_cast<uint8_t*>(piece->data());
  const auto size = static_cast<size_t>(piece->bytes());
  pieces_->add(piece);
  std::unique_ptr<Pieces::Held> held(new Pieces::Held{pieces_, std::move(piece)});
  AVBufferRef* const buffer = av_buffer_create(first, size, Pieces::let_go, held.get(), 0);
  if (buffer == nullptr) throw std::bad_alloc();
  (void)held.release();
  return buffer;
}

AVBufferRef* PictureMemory::ordinary_buffer(int64_t bytes) {
  const std::lock_guard lock(mutex_);
  if (!ordinary_ || ordinary_bytes_ != bytes) {
    ordinary_.reset(
        av_buffer_pool_init(static_cast<size_t>(bytes), [](auto size) { return av_buffer_allocz(size); }));
    ordinary_bytes_ = bytes;
  }
  AVBufferRef* const buffer = ordinary_ ? av_buffer_pool_get(ordinary_.get()) : nullptr;
  if (buffer == nullptr) throw std::bad_alloc();
  return buffer;
}

std::shared_ptr<const HostVisibleMemory> PictureMemory::place_of(const AVFrame& picture) const {
  return picture.buf[0] != nullptr ? pieces_->at(picture.buf[0]->data) : nullptr;
}

}  // namespace vq::cli
