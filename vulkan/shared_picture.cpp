#include "vulkan/shared_picture.h"

#include "core/error.h"
#include "core/trace.h"
#include "vulkan/device_impl.h"

namespace vq::vulkan {

// Limit for one picture; a device that takes longer is at fault.
constexpr std::chrono::milliseconds kFetchTimeout{10'000};

// Distance between the pictures of a block. Shaders bind parts at such multiples.
static int64_t distance_of(int64_t picture_bytes) { return round_up(picture_bytes, kPlaneAlignment); }

// Few enough that a short video does not wait for memory that it does not need.
static int64_t pictures_of_block(const Device& device, int64_t picture_bytes, int64_t left) {
  constexpr int64_t kBlockBytes = int64_t{64} << 20;
  const int64_t most = std::min({kBlockBytes, device.info().max_buffer_bytes, left});
  return std::max<int64_t>(1, most / distance_of(picture_bytes));
}

template <typename Sample>
static Plane<Sample> unpack(const std::byte* rows, const SharedPlane& layout, int height) {
  Plane<Sample> result(layout.size.width, height);
  for (int y = 0; y < height; ++y) {
    const auto* const row = reinterpret_cast<const Sample*>(rows + layout.stride_bytes * y) + layout.first;
    Sample* const to = result.row(y);
    for (int x = 0; x < layout.size.width; ++x)
      to[x] = static_cast<Sample>(row[x * layout.step] >> layout.shift);
  }
  return result;
}

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
    // A plane of rows at `rows`, laid out as `layout` says.
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

SharedBlock::SharedBlock(const std::shared_ptr<Device>& device, int64_t picture_bytes, int64_t pictures)
    : picture_bytes_(picture_bytes),
      pictures_(pictures),
      buffer_(device, Memory::kShared, distance_of(picture_bytes) * pictures) {}

std::any SharedBlock::import(const void* user, const std::function<std::any()>& make) const {
  const std::lock_guard lock(mutex_);
  if (!import_.has_value() || user != user_) {
    import_ = make();
    user_ = user;
  }
  return import_;
}

SharedPicture::SharedPicture(std::shared_ptr<Device> device, std::shared_ptr<const SharedBlock> block,
                             int64_t number, std::shared_ptr<Way> way)
    : device_(std::move(device)),
      block_(std::move(block)),
      number_(number),
      buffer_(block_->buffer().part(distance_of(block_->picture_bytes()) * number, block_->picture_bytes())),
      way_(std::move(way)),
      host_(std::make_unique<HostCopy>()) {}

SharedPicture::~SharedPicture() = default;

void SharedPicture::describe(std::vector<SharedPlane> planes, KnownRows known) {
  layout_ = std::move(planes);
  known_ = std::move(known);
  host_ = std::make_unique<HostCopy>();
}

template <typename Use>
void SharedPicture::fetch(std::vector<Copy> regions, Use use) const {
  const TraceSpan span("fetch to the host");
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
  const Device::Impl::NeededDriverUse mapped(device_->impl(), "reading its memory");
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
                     .size = plane.size,
                     .offset = plane.offset_bytes + int64_t{plane.first} * plane.sample_bytes,
                     .stride = plane.stride_bytes,
                     .step = plane.step * plane.sample_bytes,
                     .shift = plane.shift};
}

Frame SharedPicture::luma_part(const LumaLines& lines) const {
  const SharedPlane& luma = layout_.at(0);
  const auto plane = std::make_shared<HostCopy::HostPlane>();
  const auto take = [&](const std::byte* rows) {
    *plane = HostCopy::HostPlane(rows, luma, static_cast<int>(lines.rows.size()));
  };
  std::vector<std::byte> known;
  std::vector<Copy> regions;
  for (const int row : lines.rows) {
    const auto found = std::ranges::find(known_.rows, row);
    if (found != known_.rows.end()) {
      const auto bytes = static_cast<size_t>(luma.stride_bytes);
      const auto its =
          known_.samples.subspan(static_cast<size_t>(found - known_.rows.begin()) * bytes, bytes);
      known.insert(known.end(), its.begin(), its.end());
    }
    regions.push_back({.from_offset = luma.offset_bytes + luma.stride_bytes * row,
                       .to_offset = luma.stride_bytes * static_cast<int64_t>(regions.size()),
                       .bytes = luma.stride_bytes});
  }
  if (known.size() == lines.rows.size() * static_cast<size_t>(luma.stride_bytes)) {
    take(known.data());
  } else {
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
  std::mutex growing;                                // held while a block is made

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

  // Adds a block of pictures. False if the budget is spent or the device has no memory left.
  bool grow(int64_t size) {
    const TraceSpan span("allocate shared memory");
    int64_t count = 0;
    {
      const std::lock_guard lock(mutex);
      if (bytes + size > budget) return false;
      count = pictures_of_block(*device, size, budget - bytes);
      bytes += size * count;
    }
    try {
      const auto block = std::make_shared<const SharedBlock>(device, size, count);
      const std::lock_guard lock(mutex);
      for (int64_t i = count - 1; i >= 0; --i)
        free.push_back(std::make_unique<SharedPicture>(device, block, i, way));
      return true;
    } catch (const Error&) {
      const std::lock_guard lock(mutex);
      bytes -= size * count;
      return false;
    }
  }

  // If several threads find none, one of them makes a block for all.
  std::unique_ptr<SharedPicture> take(int64_t size) {
    if (std::unique_ptr<SharedPicture> picture = take_free(size)) return picture;
    const std::lock_guard lock(growing);
    for (;;) {
      if (std::unique_ptr<SharedPicture> picture = take_free(size)) return picture;
      if (!grow(size)) return nullptr;
    }
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

const Device& SharedPictures::device() const { return *pool_->device; }

std::shared_ptr<SharedPicture> SharedPictures::take(int64_t bytes) {
  std::unique_ptr<SharedPicture> picture = pool_->take(bytes);
  if (!picture) return nullptr;
  return {picture.release(), [pool = std::weak_ptr(pool_)](SharedPicture* back) {
            std::unique_ptr<SharedPicture> owned(back);
            if (const auto alive = pool.lock()) alive->give_back(std::move(owned));
          }};
}

std::vector<std::shared_ptr<SharedPictures>> shared_pictures_of(
    const std::vector<std::shared_ptr<Device>>& devices) {
  constexpr int64_t kShare = 3;
  std::vector<std::shared_ptr<SharedPictures>> pictures;
  for (const std::shared_ptr<Device>& device : devices) {
    if (!device->can_share_memory()) continue;
    Device::Impl& on = device->impl();
    const std::lock_guard lock(on.allocation_mutex);
    std::shared_ptr<SharedPictures> its = on.pictures.lock();
    if (!its)
      on.pictures = its = std::make_shared<SharedPictures>(device, device->info().memory_bytes / kShare);
    pictures.push_back(std::move(its));
  }
  return pictures;
}

}  // namespace vq::vulkan
