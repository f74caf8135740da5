// Pictures in device memory that another interface on the same device wrote, such as a video decoder. They
// are copied to the host only on request.
#pragma once

#include <any>
#include <array>
#include <memory>
#include <vector>

#include "core/frame_memory.h"
#include "vulkan/picture_source.h"
#include "vulkan/recorder.h"

namespace vq::vulkan {

// Layout of one plane in such memory.
struct SharedPlane {
  PlaneSize size;            // in samples
  int64_t offset_bytes = 0;  // of the first row; a multiple of kStoreAlignment, as is the next
  int64_t stride_bytes = 0;  // between rows
  int sample_bytes = 1;      // 1 or 2
  int step = 1;              // in samples between two samples of this plane: 2 if two planes are interleaved
  int first = 0;             // index of this plane's sample within a step
  int shift = 0;             // unused bits below each sample
};

// Rows of the luma that the writer also copied to the host, so that reading them does not wait for the
// device.
struct KnownRows {
  std::vector<int> rows;           // their numbers
  std::vector<std::byte> samples;  // one row after another, with the luma's stride
};

// A block of that memory, and the picture in it.
class SharedPicture final : public FrameMemory, public PictureSource {
 public:
  struct Way;  // for copies to the host
  // Several pictures may share one `way`. Throws Error{kBackend}. Needs: Device::can_share_memory().
  SharedPicture(std::shared_ptr<Device> device, int64_t bytes, std::shared_ptr<Way> way = nullptr);
  ~SharedPicture() override;

  const Buffer& buffer() const { return buffer_; }
  // The writer's own handle of the memory. Empty at first.
  std::any& import() { return import_; }

  // Sets the layout, called by the writer when the picture is complete. At most kMaxPlanes. `known`: rows
  // that the host has already.
  void describe(std::vector<SharedPlane> planes, KnownRows known = {});
  const std::vector<SharedPlane>& layout() const { return layout_; }

  const void* device() const override { return device_.get(); }
  const std::array<SampleView, kMaxPlanes>& planes() const override;
  // Does not use the frame's own planes: it has none.
  std::optional<PlaneSource> plane(const Frame& frame, int i) const override;
  PlaneSize luma_size() const override { return layout_.at(0).size; }
  // Known rows do not need the device.
  Frame luma_rows(std::span<const int> rows) const override;

 private:
  struct HostCopy;
  // Copies these regions to the host, and calls `use` with their addresses.
  template <typename Use>
  void fetch(std::vector<Copy> regions, Use use) const;

  const std::shared_ptr<Device> device_;
  const Buffer buffer_;
  std::any import_;
  std::vector<SharedPlane> layout_;
  KnownRows known_;
  const std::shared_ptr<Way> way_;
  mutable std::unique_ptr<HostCopy> host_;
};

// Allocator of such blocks for decoders, from any thread; blocks come back when their frames are released.
class SharedPictures {
 public:
  // `budget`: limit in bytes of all blocks together.
  SharedPictures(std::shared_ptr<Device> device, int64_t budget);
  ~SharedPictures();

  // Null if the budget is spent or the device has no memory left: the picture is then copied through the
  // host.
  std::shared_ptr<SharedPicture> take(int64_t bytes);
  const Device& device() const;

 private:
  struct Pool;
  std::shared_ptr<Pool> pool_;
};

}  // namespace vq::vulkan
