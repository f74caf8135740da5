#include "vulkan/shared_picture.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <utility>

#include "core/error.h"

namespace vq::vulkan {
namespace {

// Of one picture; a device that takes longer is at fault.
constexpr std::chrono::milliseconds kFetchTimeout{10'000};

template <typename Sample>
Plane<Sample> unpack(const std::byte* rows, const SharedPlane& layout, int height) {
  Plane<Sample> result(layout.size.width, height);
  for (int y = 0; y < height; ++y) {
    const auto* const row = reinterpret_cast<const Sample*>(rows + layout.stride_bytes * y) + layout.first;
    Sample* const to = result.row(y);
    for (int x = 0; x < layout.size.width; ++x)
      to[x] = static_cast<Sample>(row[x * layout.step] >> layout.shift);
  }
  return result;
}

}  // namespace

// Memory that pictures come to the host through, which is dear to make; one at a time.
struct SharedPicture::Way {
  std::mutex mutex;
  Buffer readback;
};

// Made when it is first asked for.
struct SharedPicture::HostCopy {
  // One plane of either kind.
  struct HostPlane {
    HostPlane() = default;
    // Of rows that lie at `rows` as the layout says.
    HostPlane(const std::byte* rows, const SharedPlane& layout, int height) {
      if (layout.sample_bytes == 1) {
        u8 = unpack<uint8_t>(rows, layout, height);
      } else {
        u16 = unpack<uint16_t>(rows, layout, height);
      }
    }
    SampleView view() const {
      SampleView view;
      if (u8.height() > 0) {
        view.u8 = u8.view();
      } else {
        view.u16 = u16.view();
      }
      return view;
    }

    Plane<uint8_t> u8;
    Plane<uint16_t> u16;
  };

  std::once_flag made;
  std::array<HostPlane, kMaxPlanes> planes;
  std::array<SampleView, kMaxPlanes> views;
};

SharedPicture::SharedPicture(std::shared_ptr<Device> device, int64_t bytes, std::shared_ptr<Way> way)
    : device_(std::move(device)),
      buffer_(device_, Memory::kShared, bytes),
      way_(way ? std::move(way) : std::make_shared<Way>()),
      host_(std::make_unique<HostCopy>()) {}

SharedPicture::~SharedPicture() = default;

void SharedPicture::describe(std::vector<SharedPlane> planes, KnownRows known) {
  layout_ = std::move(planes);
  known_ = std::move(known);
  host_ = std::make_unique<HostCopy>();
}

template <typename Use>
void SharedPicture::fetch(std::vector<Copy> regions, Use use) const {
  const std::lock_guard lock(way_->mutex);
  if (way_->readback.bytes() < buffer_.bytes())
    way_->readback = Buffer(device_, Memory::kReadback, buffer_.bytes());
  for (Copy& region : regions) {
    region.from = &buffer_;
    region.to = &way_->readback;
  }
  Recorder recorder(device_);
  recorder.copy(regions);
  CommandList list = recorder.finish();
  list.submit();
  list.wait(kFetchTimeout);
  use(way_->readback.mapped());
}

const std::array<SampleView, kMaxPlanes>& SharedPicture::planes() const {
  std::call_once(host_->made, [this] {
    fetch({{.bytes = buffer_.bytes()}}, [this](const std::byte* all) {
      for (size_t i = 0; i < layout_.size(); ++i) {
        host_->planes[i] =
            HostCopy::HostPlane(all + layout_[i].offset_bytes, layout_[i], layout_[i].size.height);
        host_->views[i] = host_->planes[i].view();
      }
    });
  });
  return host_->views;
}

// Copied within the device, which takes microseconds: hundreds of pictures wait while decoders are ahead, and
// a recording for each that a slot meets costs more than it saves.
std::optional<PlaneSource> SharedPicture::plane(const Frame&, int i) const {
  if (i >= static_cast<int>(layout_.size())) return std::nullopt;
  const SharedPlane& plane = layout_[static_cast<size_t>(i)];
  return PlaneSource{.buffer = &buffer_,
                     .offset = plane.offset_bytes + int64_t{plane.first} * plane.sample_bytes,
                     .stride = plane.stride_bytes,
                     .step = plane.step * plane.sample_bytes,
                     .shift = plane.shift};
}

Frame SharedPicture::luma_rows(std::span<const int> rows) const {
  const SharedPlane& luma = layout_.at(0);
  const auto plane = std::make_shared<HostCopy::HostPlane>();
  const auto take = [&](const std::byte* all) {
    *plane = HostCopy::HostPlane(all, luma, static_cast<int>(rows.size()));
  };
  if (std::equal(rows.begin(), rows.end(), known_.rows.begin(), known_.rows.end())) {
    take(known_.samples.data());
  } else {
    std::vector<Copy> regions;
    for (const int row : rows) {
      regions.push_back({.from_offset = luma.offset_bytes + luma.stride_bytes * row,
                         .to_offset = luma.stride_bytes * static_cast<int64_t>(regions.size()),
                         .bytes = luma.stride_bytes});
    }
    fetch(std::move(regions), take);
  }
  Frame frame;
  frame.luma() = plane->view();
  frame.owner = plane;
  return frame;
}

struct SharedPictures::Pool {
  Pool(std::shared_ptr<Device> on, int64_t most) : device(std::move(on)), budget(most) {}

  const std::shared_ptr<Device> device;
  const int64_t budget;
  const std::shared_ptr<SharedPicture::Way> way = std::make_shared<SharedPicture::Way>();
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
      picture = std::make_unique<SharedPicture>(pool_->device, bytes, pool_->way);
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
