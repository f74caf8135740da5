// Pictures in device memory that another interface on the same device wrote, such as a video decoder. They
// are copied to the host only on request.
#pragma once

#include <any>

#include "core/frame.h"
#include "vulkan/context.h"
#include "vulkan/recorder.h"

namespace vq::vulkan {

// Pictures that a device can read where they are.

// Location and layout of one plane in a buffer: rows of samples of 1 or 2 bytes, `step` bytes apart. The
// picture may be a part of what lies there, and turned: then `stride` and `step` may be negative, and `step`
// the longer one.
struct PlaneSource {
  const Buffer* buffer = nullptr;
  PlaneSize size = {};  // in samples
  int64_t offset = 0;   // of the first sample, in bytes
  int64_t stride = 0;   // bytes
  int step = 1;
  int shift = 0;         // unused bits below each sample
  bool is_near = false;  // in device memory: shaders lose nothing by reading it there
};

// Implemented by every FrameMemory of a vulkan::Device. FrameMemory::device() is the address of the Device.
class PictureSource {
 public:
  virtual ~PictureSource() = default;
  // A plane of a frame that has this location; nothing if the plane is elsewhere. Valid as long as the
  // location.
  virtual std::optional<PlaneSource> plane(const Frame& frame, int i) const = 0;
};

// Null if the device cannot read the frame in place.
const PictureSource* source_of(const Frame& frame, const Device& device);

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
  std::vector<int> rows = {};               // their numbers
  std::span<const std::byte> samples = {};  // one row after another, with the luma's stride
  std::shared_ptr<const void> owner = {};   // keeps the samples
};

// A piece of that memory, which is exported as a whole: drivers take as long for a small one as for a large
// one. Pictures are parts of it.
class SharedBlock {
 public:
  // Throws Error{kBackend}. Needs: Device::can_share_memory().
  SharedBlock(const std::shared_ptr<Device>& device, int64_t picture_bytes, int64_t pictures);

  const Buffer& buffer() const { return buffer_; }
  int64_t picture_bytes() const { return picture_bytes_; }
  int64_t pictures() const { return pictures_; }
  // The writer's own handle of the memory. `make` is called if there is none yet, or if that was made for
  // another `user`. From any thread.
  std::any import(const void* user, const std::function<std::any()>& make) const;

 private:
  const int64_t picture_bytes_, pictures_;
  const Buffer buffer_;
  mutable std::mutex mutex_;
  mutable const void* user_ = nullptr;
  mutable std::any import_;
};

// A part of a block, and the picture in it.
class SharedPicture final : public FrameMemory, public PictureSource {
 public:
  struct Way;  // for copies to the host
  // Several pictures may share one `way`. Needs: number < pictures of the block.
  SharedPicture(std::shared_ptr<Device> device, std::shared_ptr<const SharedBlock> block, int64_t number,
                std::shared_ptr<Way> way);
  ~SharedPicture() override;

  const Buffer& buffer() const { return buffer_; }
  const SharedBlock& block() const { return *block_; }
  int64_t number() const { return number_; }  // within the block

  // Sets the layout, called by the writer when the picture is complete. At most kMaxPlanes. `known`: rows
  // that the host has already.
  void describe(std::vector<SharedPlane> planes, KnownRows known = {});
  const std::vector<SharedPlane>& layout() const { return layout_; }

  const void* device() const override { return device_.get(); }
  const std::array<SampleView, kMaxPlanes>& planes() const override;
  // Does not use the frame's own planes: it has none.
  std::optional<PlaneSource> plane(const Frame& frame, int i) const override;
  PlaneSize luma_size() const override { return layout_.at(0).size; }
  // All columns. Known rows do not need the device.
  Frame luma_part(const LumaLines& lines) const override;

 private:
  struct HostCopy;
  // Copies these regions to the host, and calls `use` with their addresses.
  template <typename Use>
  void fetch(std::vector<Copy> regions, Use use) const;

  const std::shared_ptr<Device> device_;
  const std::shared_ptr<const SharedBlock> block_;
  const int64_t number_;
  const Buffer buffer_;
  std::vector<SharedPlane> layout_;
  KnownRows known_;
  const std::shared_ptr<Way> way_;
  mutable std::unique_ptr<HostCopy> host_;
};

// Allocator of such pictures for decoders, from any thread; pictures come back when their frames are
// released.
class SharedPictures {
 public:
  // `budget`: limit in bytes of all pictures together.
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

// For each device that can share memory a pool of a third of its memory, in which decoders may be ahead: the
// same for all who ask, as long as one of them has it.
std::vector<std::shared_ptr<SharedPictures>> shared_pictures_of(
    const std::vector<std::shared_ptr<Device>>& devices);

}  // namespace vq::vulkan
