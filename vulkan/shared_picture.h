// Pictures in a device's memory that something else on the same device wrote, such as a video decoder: no
// host ever sees them unless it asks.
#pragma once

#include <any>
#include <array>
#include <memory>
#include <vector>

#include "core/frame_memory.h"
#include "vulkan/picture_source.h"
#include "vulkan/recorder.h"

namespace vq::vulkan {

// How one plane lies in such memory.
struct SharedPlane {
  PlaneSize size;            // in samples
  int64_t offset_bytes = 0;  // of the first row; a multiple of kStoreAlignment, as is the next
  int64_t stride_bytes = 0;  // from one row to the next
  int sample_bytes = 1;      // 1 or 2
  int step = 1;              // samples from one to the next of this plane: 2 where two planes are interleaved
  int first = 0;             // of the samples of a step, the one that is this plane's
  int shift = 0;             // unused bits below each sample
};

// Rows of the luma that whoever wrote the picture copied to the host, so that nobody has to wait for the
// device to see them.
struct KnownRows {
  std::vector<int> rows;           // their numbers
  std::vector<std::byte> samples;  // one row after another, with the luma's stride
};

// One piece of that memory, and the picture in it.
class SharedPicture final : public FrameMemory, public PictureSource {
 public:
  struct Way;  // to the host
  // Several may share one way. Throws Error{kBackend}. Needs: Device::can_share_memory().
  SharedPicture(std::shared_ptr<Device> device, int64_t bytes, std::shared_ptr<Way> way = nullptr);
  ~SharedPicture() override;

  const Buffer& buffer() const { return buffer_; }
  // What whoever writes there keeps with the memory: what its interface calls it. Empty at first.
  std::any& import() { return import_; }

  // What was written, by when everything is in place. At most kMaxPlanes. `known`: what the host has of it
  // already.
  void describe(std::vector<SharedPlane> planes, KnownRows known = {});
  const std::vector<SharedPlane>& layout() const { return layout_; }

  const void* device() const override { return device_.get(); }
  const std::array<SampleView, kMaxPlanes>& planes() const override;
  // Whatever the frame's own planes: it has none.
  std::optional<PlaneSource> plane(const Frame& frame, int i) const override;
  PlaneSize luma_size() const override { return layout_.at(0).size; }
  // Without the device for the rows that are known.
  Frame luma_rows(std::span<const int> rows) const override;

 private:
  struct HostCopy;
  // Copies those regions to the host, and calls `use` with where they are.
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

// Where decoders get such pieces from, from any thread; the pieces come back when their frames are done with.
class SharedPictures {
 public:
  // Of `budget` bytes in all.
  SharedPictures(std::shared_ptr<Device> device, int64_t budget);
  ~SharedPictures();

  // Of so many bytes. Null where the budget is spent or the device has no more memory: then the picture goes
  // through the host.
  std::shared_ptr<SharedPicture> take(int64_t bytes);
  const Device& device() const;

 private:
  struct Pool;
  std::shared_ptr<Pool> pool_;
};

}  // namespace vq::vulkan
