#include "engine/libvmaf/picture.h"

#include <atomic>
#include <iterator>
#include <map>
#include <unordered_map>

#include "core/error.h"
#include "core/text.h"

// The count of those who hold a picture, and its memory.
struct VmafRef {
  std::atomic<unsigned> holders = 1;
  vq::libvmaf::Block block;                           // of the host,
  std::shared_ptr<const vq::FrameMemory> place = {};  // or of a device
  const void* data = nullptr;                         // where its samples begin
};

namespace vq::libvmaf {
namespace {

constexpr uint64_t kStrideSamples = 32;
constexpr unsigned kLeastBits = 8, kMostBits = 16;

Chroma chroma_of(int format) {
  if (format == VMAF_PIX_FMT_YUV420P) return Chroma::k420;
  if (format == VMAF_PIX_FMT_YUV422P) return Chroma::k422;
  return format == VMAF_PIX_FMT_YUV444P ? Chroma::k444 : Chroma::k400;
}

struct PlaneLayout {
  uint64_t width = 0, height = 0, stride = 0;
};

std::array<PlaneLayout, kMaxPlanes> planes_of(const PictureShape& shape) {
  std::array<PlaneLayout, kMaxPlanes> planes;
  const Chroma chroma = chroma_of(shape.format);
  const auto [x, y] = chroma_shifts(chroma);
  for (size_t i = 0; i < static_cast<size_t>(plane_count(chroma)); ++i) {
    PlaneLayout& plane = planes[i];
    plane.width = i == 0 ? shape.width : shape.width >> x;
    plane.height = i == 0 ? shape.height : shape.height >> y;
    plane.stride = round_up(plane.width, kStrideSamples);
    if (shape.bits > kLeastBits) plane.stride *= 2;
  }
  return planes;
}

// The pictures that callers hold, by where their samples begin and by where their owner is. A caller's struct
// may have other members behind `data` than ours (ADR 0041), so nothing there is ever followed as a pointer.
class HeldPictures {
 public:
  void add(const void* data, VmafRef* owner) {
    const std::lock_guard lock(mutex_);
    by_address_.emplace(owner, owner);
    try {
      by_address_.emplace(data, owner);
    } catch (...) {
      by_address_.erase(owner);
      throw;
    }
  }
  void remove(const void* data, VmafRef* owner) {
    const std::lock_guard lock(mutex_);
    const auto found = by_address_.find(data);
    if (found != by_address_.end() && found->second == owner) by_address_.erase(found);
    by_address_.erase(owner);
  }
  // Null if the struct holds none of them.
  VmafRef* owner_of(const VmafPicture& picture) {
    const std::lock_guard lock(mutex_);
    for (const void* const address :
         {static_cast<const void*>(picture.data[0]), static_cast<const void*>(picture.ref)}) {
      const auto found = by_address_.find(address);
      if (found != by_address_.end()) return found->second;
    }
    return nullptr;
  }

 private:
  std::mutex mutex_;
  std::unordered_map<const void*, VmafRef*> by_address_;
};

// Never destroyed: pictures may be given back while the process ends.
HeldPictures& held_pictures() {
  static HeldPictures* const pictures = new HeldPictures();
  return *pictures;
}

void let_go(VmafRef* picture) {
  if (picture->holders.fetch_sub(1) != 1) return;
  held_pictures().remove(picture->data, picture);
  delete picture;
}

SampleView view_of(const VmafPicture& picture, size_t plane) {
  SampleView view;
  const auto width = static_cast<int>(picture.w[plane]), height = static_cast<int>(picture.h[plane]);
  if (picture.bpc == kLeastBits) {
    view.u8 = {static_cast<const uint8_t*>(picture.data[plane]), width, height, picture.stride[plane]};
  } else {
    const ptrdiff_t stride = picture.stride[plane] / static_cast<ptrdiff_t>(sizeof(uint16_t));
    view.u16 = {static_cast<const uint16_t*>(picture.data[plane]), width, height, stride};
  }
  return view;
}

}  // namespace

PictureShape shape_of(const VmafPicture& picture) {
  return {.format = number_of(picture.pix_fmt),
          .bits = picture.bpc,
          .width = picture.w[0],
          .height = picture.h[0]};
}

bool is_valid(const PictureShape& shape) {
  return shape.format > VMAF_PIX_FMT_UNKNOWN && shape.format <= VMAF_PIX_FMT_YUV400P &&
         shape.bits >= kLeastBits && shape.bits <= kMostBits && shape.width > 0 && shape.height > 0;
}

VideoFormat format_of(const PictureShape& shape, const char* name) {
  if (shape.width > kMaxSide || shape.height > kMaxSide) {
    throw Error(ErrorKind::kMismatch, "pictures of {}x{} are too large; the most is {} samples a side",
                shape.width, shape.height, kMaxSide);
  }
  return {.name = name,
          .width = static_cast<int>(shape.width),
          .height = static_cast<int>(shape.height),
          .bit_depth = static_cast<int>(shape.bits),
          .chroma = chroma_of(shape.format),
          .rounds_chroma_down = true};
}

int64_t bytes_of(const PictureShape& shape) {
  uint64_t bytes = 0;
  for (const PlaneLayout& plane : planes_of(shape)) bytes += plane.stride * plane.height;
  return static_cast<int64_t>(bytes);
}

// But for its memory.
static VmafPicture described(const PictureShape& shape, const std::array<PlaneLayout, kMaxPlanes>& planes) {
  VmafPicture picture;
  std::memset(&picture, 0, sizeof picture);
  picture.pix_fmt = static_cast<VmafPixelFormat>(shape.format);
  picture.bpc = shape.bits;
  for (size_t i = 0; i < planes.size(); ++i) {
    picture.w[i] = static_cast<unsigned>(planes[i].width);
    picture.h[i] = static_cast<unsigned>(planes[i].height);
  }
  return picture;
}

static void give(VmafPicture& picture, std::unique_ptr<VmafRef> owner) {
  owner->data = picture.data[0];
  held_pictures().add(owner->data, owner.get());
  picture.ref = owner.release();
  picture.priv = picture.ref;
}

VmafPicture make_picture(const PictureShape& shape) {
  // No side has more than 2^32 samples, so nothing overflows but what no memory holds.
  constexpr unsigned kMostSamples = 1U << 30;
  if (shape.width > kMostSamples || shape.height > kMostSamples) throw std::bad_alloc();
  auto owner = std::make_unique<VmafRef>();
  // A reader that takes 4:2:2 for 4:4:0 reads on behind the last row: see feature/ciede.
  const std::array<PlaneLayout, kMaxPlanes> planes = planes_of(shape);
  owner->block = take_zeroed_block(static_cast<size_t>(bytes_of(shape)) + 2 * planes.back().stride);
  VmafPicture picture = described(shape, planes);
  std::byte* data = owner->block.data();
  for (size_t i = 0; i < planes.size(); ++i) {
    picture.stride[i] = static_cast<ptrdiff_t>(planes[i].stride);
    if (i < static_cast<size_t>(plane_count(chroma_of(shape.format)))) picture.data[i] = data;
    data += planes[i].stride * planes[i].height;
  }
  give(picture, std::move(owner));
  return picture;
}

VmafPicture make_picture(const PictureShape& shape, CudaPictureMaker& device) {
  const std::array<PlaneLayout, kMaxPlanes> planes = planes_of(shape);
  const int sample_bytes = shape.bits > kLeastBits ? 2 : 1;
  std::array<DevicePlane, kMaxPlanes> wanted;
  for (size_t i = 0; i < planes.size(); ++i) {
    wanted[i] = {.size = {static_cast<int>(planes[i].width), static_cast<int>(planes[i].height)},
                 .row_bytes = static_cast<int64_t>(planes[i].width) * sample_bytes};
  }
  auto owner = std::make_unique<VmafRef>();
  CudaPicture made = device.make(wanted, sample_bytes);
  VmafPicture picture = described(shape, planes);
  std::copy(made.data.begin(), made.data.end(), picture.data);
  std::copy(made.stride.begin(), made.stride.end(), picture.stride);
  owner->place = std::move(made.memory);
  give(picture, std::move(owner));
  return picture;
}

bool is_on_cuda(const VmafPicture& picture) { return held_pictures().owner_of(picture)->place != nullptr; }

bool holds_picture(const VmafPicture& picture) {
  return picture.data[0] != nullptr && is_valid(shape_of(picture)) &&
         held_pictures().owner_of(picture) != nullptr;
}

Frame frame_of(const VmafPicture& picture) {
  Frame frame;
  frame.bit_depth = static_cast<int>(picture.bpc);
  VmafRef* const owner = held_pictures().owner_of(picture);
  owner->holders.fetch_add(1);
  frame.owner = std::shared_ptr<VmafRef>(owner, let_go);
  frame.place = owner->place;
  if (frame.place != nullptr) return frame;
  const auto count = static_cast<size_t>(plane_count(chroma_of(picture.pix_fmt)));
  for (size_t i = 0; i < count; ++i) frame.planes[i] = view_of(picture, i);
  return frame;
}

int release(VmafPicture& picture) {
  VmafRef* const owner = held_pictures().owner_of(picture);
  if (owner == nullptr) return -EINVAL;
  let_go(owner);
  std::memset(&picture, 0, sizeof picture);
  return 0;
}

}  // namespace vq::libvmaf

int vmaf_picture_alloc(VmafPicture* pic, VmafPixelFormat pix_fmt, unsigned bpc, unsigned w, unsigned h) {
  if (pic == nullptr) return -EINVAL;
  const vq::libvmaf::PictureShape shape = {
      .format = vq::libvmaf::number_of(pix_fmt), .bits = bpc, .width = w, .height = h};
  if (!vq::libvmaf::is_valid(shape)) return -EINVAL;
  return vq::libvmaf::guarded([&] { *pic = vq::libvmaf::make_picture(shape); });
}

int vmaf_picture_unref(VmafPicture* pic) {
  if (pic == nullptr) return -EINVAL;
  return vq::libvmaf::guarded([&] { return vq::libvmaf::release(*pic); });
}

namespace vq::libvmaf {
namespace {

// A device that can read the host's memory wants whole pages.
constexpr size_t kPage = 4096;
constexpr size_t kMostKept = size_t{256} << 20;

void free_pages(std::byte* data) { ::operator delete (data, std::align_val_t{kPage}); }

class BlockCache {
 public:
  // All zero. Null if none of this size is there.
  std::byte* take(size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto found = free_.find(bytes);
    if (found == free_.end()) return nullptr;
    std::byte* const data = found->second;
    free_.erase(found);
    kept_ -= bytes;
    return data;
  }

  // Blocks of other sizes are freed first, as they are unlikely to be asked for again. A block is zeroed here
  // and not when it is taken: mostly a worker gives pictures back, while the client waits for one to fill.
  void give(std::byte* data, size_t bytes) noexcept {
    std::memset(data, 0, bytes);
    const std::lock_guard lock(mutex_);
    while (kept_ + bytes > kMostKept && !free_.empty()) {
      const auto first = free_.begin()->first != bytes ? free_.begin() : std::prev(free_.end());
      kept_ -= first->first;
      free_pages(first->second);
      free_.erase(first);
    }
    if (kept_ + bytes > kMostKept) return free_pages(data);
    try {
      free_.emplace(bytes, data);
      kept_ += bytes;
    } catch (const std::bad_alloc&) {
      free_pages(data);
    }
  }

 private:
  std::mutex mutex_;
  std::multimap<size_t, std::byte*> free_;  // by their bytes
  size_t kept_ = 0;
};

// Never destroyed: pictures may be given back while the process ends.
BlockCache& cache() {
  static BlockCache* const cache = new BlockCache();
  return *cache;
}

}  // namespace

Block::~Block() {
  if (data_ != nullptr) cache().give(data_, bytes_);
}

Block::Block(Block&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

Block& Block::operator=(Block&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Block take_zeroed_block(size_t bytes) {
  const size_t pages = round_up(bytes, kPage);
  std::byte* data = cache().take(pages);
  if (data != nullptr) return {data, pages};
  data = static_cast<std::byte*>(::operator new (pages, std::align_val_t{kPage}));
  std::memset(data, 0, pages);
  return {data, pages};
}

}  // namespace vq::libvmaf
