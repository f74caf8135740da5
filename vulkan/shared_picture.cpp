#include "vulkan/shared_picture.h"

#include <chrono>
#include <mutex>
#include <utility>

#include "core/error.h"
#include "vulkan/recorder.h"

namespace vq::vulkan {
namespace {

// Of one picture; a device that takes longer is at fault.
constexpr std::chrono::milliseconds kFetchTimeout{10'000};

template <typename Word, typename Sample>
void unpack(const std::byte* from, const SharedPlane& layout, Plane<Sample>& to) {
  for (int y = 0; y < layout.size.height; ++y) {
    const auto* const row = reinterpret_cast<const Word*>(from + layout.offset_bytes + layout.stride_bytes * y) + layout.first;
    Sample* const samples = to.row(y);
    for (int x = 0; x < layout.size.width; ++x) samples[x] = static_cast<Sample>(row[x * layout.step] >> layout.shift);
  }
}

}  // namespace

// Made when it is first asked for.
struct SharedPicture::HostCopy {
  std::once_flag made;
  std::array<Plane<uint8_t>, kMaxPlanes> u8;
  std::array<Plane<uint16_t>, kMaxPlanes> u16;
  std::array<SampleView, kMaxPlanes> views;
};

SharedPicture::SharedPicture(std::shared_ptr<Device> device, int64_t bytes)
    : device_(std::move(device)), buffer_(device_, Memory::kShared, bytes), host_(std::make_unique<HostCopy>()) {}

SharedPicture::~SharedPicture() = default;

void SharedPicture::describe(std::vector<SharedPlane> planes) {
  layout_ = std::move(planes);
  host_ = std::make_unique<HostCopy>();
}

const std::array<SampleView, kMaxPlanes>& SharedPicture::planes() const {
  std::call_once(host_->made, [this] {
    const Buffer readback(device_, Memory::kReadback, buffer_.bytes());
    Recorder recorder(device_);
    recorder.copy(buffer_, readback);
    CommandList list = recorder.finish();
    list.submit();
    list.wait(kFetchTimeout);
    for (size_t i = 0; i < layout_.size(); ++i) {
      const SharedPlane& plane = layout_[i];
      if (plane.sample_bytes == 1) {
        host_->u8[i] = Plane<uint8_t>(plane.size.width, plane.size.height);
        unpack<uint8_t>(readback.mapped(), plane, host_->u8[i]);
        host_->views[i].u8 = std::as_const(host_->u8[i]).view();
      } else {
        host_->u16[i] = Plane<uint16_t>(plane.size.width, plane.size.height);
        unpack<uint16_t>(readback.mapped(), plane, host_->u16[i]);
        host_->views[i].u16 = std::as_const(host_->u16[i]).view();
      }
    }
  });
  return host_->views;
}

std::optional<PlaneSource> SharedPicture::plane(const Frame&, int i) const {
  if (i >= static_cast<int>(layout_.size())) return std::nullopt;
  const SharedPlane& plane = layout_[static_cast<size_t>(i)];
  return PlaneSource{.buffer = &buffer_,
                     .offset = plane.offset_bytes + int64_t{plane.first} * plane.sample_bytes,
                     .stride = plane.stride_bytes,
                     .step = plane.step * plane.sample_bytes,
                     .shift = plane.shift};
}

struct SharedPictures::Pool {
  Pool(std::shared_ptr<Device> on, int64_t most) : device(std::move(on)), budget(most) {}

  const std::shared_ptr<Device> device;
  const int64_t budget;
  std::mutex mutex;
  std::vector<std::unique_ptr<SharedPicture>> free;  // all of one size
  int64_t bytes = 0;                                 // of those that are out and those that are free

  std::unique_ptr<SharedPicture> take_free(int64_t size) {
    const std::lock_guard lock(mutex);
    while (!free.empty()) {
      std::unique_ptr<SharedPicture> picture = std::move(free.back());
      free.pop_back();
      if (picture->buffer().bytes() == size) return picture;
      bytes -= picture->buffer().bytes();
    }
    return nullptr;
  }

  bool reserve(int64_t size) {
    const std::lock_guard lock(mutex);
    if (bytes + size > budget) return false;
    bytes += size;
    return true;
  }

  void give_back(std::unique_ptr<SharedPicture> picture) {
    picture->describe({});  // its host copy goes
    const std::lock_guard lock(mutex);
    free.push_back(std::move(picture));
  }
};

SharedPictures::SharedPictures(std::shared_ptr<Device> device, int64_t budget)
    : pool_(std::make_shared<Pool>(std::move(device), budget)) {}

SharedPictures::~SharedPictures() = default;

const Device& SharedPictures::device() const {
  return *pool_->device;
}

std::shared_ptr<SharedPicture> SharedPictures::take(int64_t bytes) {
  std::unique_ptr<SharedPicture> picture = pool_->take_free(bytes);
  if (!picture) {
    if (!pool_->reserve(bytes)) return nullptr;
    try {
      picture = std::make_unique<SharedPicture>(pool_->device, bytes);
    } catch (const Error&) {
      const std::lock_guard lock(pool_->mutex);
      pool_->bytes -= bytes;
      return nullptr;
    }
  }
  return {picture.release(), [pool = std::weak_ptr(pool_)](SharedPicture* back) {
            std::unique_ptr<SharedPicture> owned(back);
            if (const auto alive = pool.lock()) alive->give_back(std::move(owned));
          }};
}

}  // namespace vq::vulkan
