#include "cli/decoding/hardware/hardware_pictures.h"

#include <bit>
#include <climits>
#include <exception>

#include "core/text.h"

namespace vq::cli {

constexpr int kAlignment = kStoreAlignment;
// Bytes past the end of a row that vector code may read and write.
constexpr size_t kGuardBytes = 64;

// Copies on their way while the decoder goes on, each of which holds a picture of the decoder's.
constexpr size_t kUnderWay = 3;

constexpr const char* kNoMemory = "there is no memory for its pictures";

static AVPixelFormat choose_format(AVCodecContext* decoder, const AVPixelFormat* offered) {
  return owner_of(*decoder).hardware->choose(*decoder, offered);
}

// Whether FFmpeg's error code is about the hardware, not the stream.
static bool is_of_hardware(int code) {
  constexpr int kCodes[] = {AVERROR(ENOMEM), AVERROR_EXTERNAL, AVERROR_UNKNOWN, AVERROR(EIO),
                            AVERROR(ENODEV)};
  return contains(kCodes, code);
}

// Formats whose samples lie as ours do, which those of decoders in software are.
static bool is_planar(AVPixelFormat format) {
  try {
    const PictureLayout layout = picture_layout(format);
    const auto end = layout.components.begin() + plane_count(layout.chroma);
    return layout.chroma != Chroma::kOther &&
           std::all_of(layout.components.begin(), end,
                       [](const ComponentLayout& plane) { return plane.direct(); });
  } catch (const Error&) {
    return false;  // whoever decodes it in software says why it cannot be scored
  }
}

// The next free place for a buffer that the picture is to keep.
static AVBufferRef*& free_place(AVFrame& picture) { return *std::ranges::find(picture.buf, nullptr); }

AvPtr<AVBufferRef> PictureBuffers::take(size_t bytes) {
  if (bytes != bytes_ || !pool_)
    pool_.reset(av_buffer_pool_init(bytes, [](auto size) { return av_buffer_allocz(size); }));
  bytes_ = bytes;
  return AvPtr<AVBufferRef>(pool_ ? av_buffer_pool_get(pool_.get()) : nullptr);
}

void HardwarePictures::attach(AVCodecContext& decoder) {
  decoder.get_format = choose_format;
  // One works for the hardware; more would only hold pictures of it.
  decoder.thread_count = 1;
  decoder.extra_hw_frames = static_cast<int>(kUnderWay) + 1;
  session_->attach(decoder);
}

AVPixelFormat HardwarePictures::choose(const AVCodecContext& decoder, const AVPixelFormat* offered) {
  const AVPixelFormat software = decoder.sw_pix_fmt;
  if (format_ != AV_PIX_FMT_NONE && software != format_) {
    doubt_ =
        words("its format changes from {} to {}", pixel_format_name(format_), pixel_format_name(software));
    return AV_PIX_FMT_NONE;
  }
  format_ = software;
  const bool can_be_taken = failure_.empty() && is_planar(software);
  const AVPixelFormat chosen = can_be_taken ? session_->choose(decoder, offered) : AV_PIX_FMT_NONE;
  if (chosen != AV_PIX_FMT_NONE) return chosen;
  // FFmpeg asks again, without the format that was chosen before, if that could not be set up; it logs why.
  const std::string line = owner_of(decoder).first();
  const std::string what =
      words("{} does not decode {} of {}, {}x{}", session_->hwaccel(), decoder.codec->name,
            pixel_format_name(software), decoder.coded_width, decoder.coded_height);
  fail(0, what + (line.empty() ? "" : words(" ({})", line)));
  return AV_PIX_FMT_NONE;
}

int HardwarePictures::fail(int code, const std::string& reason) {
  if (failure_.empty()) failure_ = reason;
  return code == AVERROR(ENOMEM) ? AVERROR_EXTERNAL : code;  // see FfmpegDecoder::receive()
}

void HardwarePictures::note_error(int code, const std::string& line) {
  if (!is_of_hardware(code) && !tells_of_hardware(line)) return;
  fail(code, words("{} failed: {}", session_->hwaccel(), line.empty() ? ffmpeg_reason(code) : line));
}

// Without memory if there is none.
AvPtr<AVFrame> HardwarePictures::host_frame(const HostFormat& format) {
  AvPtr<AVFrame> frame = new_frame();
  frame->format = format.format;
  frame->width = format.width;
  frame->height = format.height;
  const int bytes = av_image_get_buffer_size(format.format, format.width, format.height, kAlignment);
  AvPtr<AVBufferRef> buffer =
      bytes > 0 ? host_buffers_.take(static_cast<size_t>(bytes) + kGuardBytes) : nullptr;
  if (!buffer) return frame;
  av_image_fill_arrays(frame->data, frame->linesize, buffer->data, format.format, format.width, format.height,
                       kAlignment);
  frame->buf[0] = buffer.release();
  return frame;
}

// From where the picture is cropped on. The plane of the host's frame itself if it is as wanted, otherwise a
// copy. False if there is no memory for it.
bool HardwarePictures::add_plane(AVFrame& picture, const AVFrame& host, const ComponentLayout& from,
                                 int plane) {
  const PictureLayout software = picture_layout(format_);
  const ChromaShifts shifts = plane == 0 ? ChromaShifts{} : chroma_shifts(software.chroma);
  const ptrdiff_t x = host.crop_left >> shifts.x, y = host.crop_top >> shifts.y;
  uint8_t* const first = host.data[from.plane] + host.linesize[from.plane] * y + from.step_bytes * x;
  const auto i = static_cast<size_t>(plane);
  const int to = software.components[i].plane;
  if (from.direct()) {
    picture.data[to] = first;
    picture.linesize[to] = host.linesize[from.plane];
    return true;
  }
  const PlaneSize size = plane_size({picture.width, picture.height}, software.chroma, plane);
  const int sample_bytes = software.bit_depth > 8 ? 2 : 1;
  const int linesize = FFALIGN(size.width * sample_bytes, kAlignment);
  AvPtr<AVBufferRef> buffer =
      plane_buffers_[i].take(static_cast<size_t>(linesize) * static_cast<size_t>(size.height) + kGuardBytes);
  if (!buffer) return false;
  picture.data[to] = buffer->data;
  picture.linesize[to] = linesize;
  const ComponentBytes source = {first, host.linesize[from.plane], from, software.bit_depth};
  if (sample_bytes == 1) {
    copy_samples<uint8_t>(source, {buffer->data, size.width, size.height, linesize});
  } else {
    copy_samples<uint16_t>(
        source, {reinterpret_cast<uint16_t*>(buffer->data), size.width, size.height, linesize / 2});
  }
  free_place(picture) = buffer.release();
  return true;
}

bool HardwarePictures::has_enough() const {
  return !begun_.empty() && (begun_.front().copy == nullptr || begun_.size() > kUnderWay);
}

int HardwarePictures::begin(AvPtr<AVFrame> decoded) {
  const AVFrame& picture = *decoded;
  const AVPixelFormat memory = session_->host_format(picture).format;
  const std::optional<PictureLayout> layout = layout_within(memory, format_);
  if (!layout) {
    return fail(AVERROR(ENOSYS), words("{} hands out {} as {}", session_->hwaccel(),
                                       pixel_format_name(format_), pixel_format_name(memory)));
  }
  AvPtr<AVFrame> result = new_frame();
  if (av_frame_copy_props(result.get(), &picture) < 0) throw std::bad_alloc();
  result->format = format_;
  // FFmpeg has cut off what is on the right and below, but leaves the rest to others.
  result->width = picture.width - static_cast<int>(picture.crop_left);
  result->height = picture.height - static_cast<int>(picture.crop_top);
  result->crop_left = result->crop_top = 0;
  auto copy = session_->keep(picture, *layout, std::min(planes_, plane_count(layout->chroma)));
  begun_.push_back({std::move(decoded), std::move(result), *layout, std::move(copy)});
  return 0;
}

int HardwarePictures::finish(Picture& picture) {
  Begun first = *take_first(begun_);
  picture.place = first.copy ? first.copy->finish() : nullptr;
  const int code = picture.place ? 0 : fetch(*first.picture, first.layout, *first.result);
  if (code >= 0) picture.frame = std::move(first.result);
  return code;
}

// The samples of a picture at the device. 0 or FFmpeg's error code.
int HardwarePictures::fetch(const AVFrame& picture, const PictureLayout& layout, AVFrame& result) {
  AvPtr<AVFrame> host = host_frame(session_->host_format(picture));
  if (!host->buf[0]) return fail(AVERROR(ENOMEM), kNoMemory);
  if (const auto [code, reason] = session_->fetch(picture, *host); code < 0) {
    return fail(code, words("{} failed to hand out a picture: {}", session_->hwaccel(), reason));
  }
  host->crop_left = picture.crop_left;
  host->crop_top = picture.crop_top;
  bool uses_host_frame = false;
  for (int plane = 0; plane < std::min(planes_, plane_count(layout.chroma)); ++plane) {
    const ComponentLayout& from = layout.components[static_cast<size_t>(plane)];
    if (!add_plane(result, *host, from, plane)) return fail(AVERROR(ENOMEM), kNoMemory);
    uses_host_frame = uses_host_frame || from.direct();
  }
  if (uses_host_frame) free_place(result) = std::exchange(host->buf[0], nullptr);
  return 0;
}

namespace {

constexpr size_t kPlanes = 4;  // that FFmpeg's planar formats have at most
// Decoders may read so far behind a plane.
constexpr int64_t kBehindPlane = 256;

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
  // The shown size may be smaller and may change; if that saves less than 64 bytes a row, strides are the
  // same.
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

// The pieces that FFmpeg's buffers stand for, by their first byte. Shared with the buffers.
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

  // The contents of one of FFmpeg's buffers.
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

// Null if the store has no piece.
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
  AVBufferRef* const buffer = ordinary_.take(static_cast<size_t>(bytes)).release();
  if (buffer == nullptr) throw std::bad_alloc();
  return buffer;
}

std::shared_ptr<const HostVisibleMemory> PictureMemory::place_of(const AVFrame& picture) const {
  return picture.buf[0] != nullptr ? pieces_->at(picture.buf[0]->data) : nullptr;
}

}  // namespace vq::cli
