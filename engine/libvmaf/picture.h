// Pictures in the caller's hands, on the host and on CUDA's device, and the frames that features see of them.
#pragma once

#include "core/frame.h"
#include "engine/libvmaf/interface.h"
#include "vulkan/device.h"

namespace vq::libvmaf {

// Pictures that callers fill by CUDA and the Vulkan device on the same GPU reads.

// Which GPU a CUDA context is on.
struct CudaContext {
  void* context = nullptr;            // a CUcontext
  std::array<uint8_t, 16> uuid = {};  // of its device
};

// Finds this context, or the primary one of CUDA's first device if `context` is null. Throws Error{kBackend}
// if CUDA is missing, too old, or has no such context.
CudaContext find_cuda_context(void* context);

// A plane of a picture, in bytes.
struct DevicePlane {
  PlaneSize size;  // in samples
  int64_t row_bytes = 0;
};

struct CudaPicture {
  std::shared_ptr<const FrameMemory> memory;
  std::array<void*, kMaxPlanes> data = {};        // CUDA's addresses
  std::array<ptrdiff_t, kMaxPlanes> stride = {};  // bytes
};

// Makes such pictures. May be used from several threads.
class CudaPictureMaker {
 public:
  // Returns null if the device cannot share memory. Needs: `device` is the context's device, opened.
  static std::shared_ptr<CudaPictureMaker> open(const CudaContext& context,
                                                std::shared_ptr<vulkan::Device> device);
  virtual ~CudaPictureMaker() = default;

  // Makes a picture of zeros, after all that was begun in the context before has ended. Throws std::bad_alloc
  // if the device has no memory left, and Error{kBackend}.
  virtual CudaPicture make(const std::array<DevicePlane, kMaxPlanes>& planes, int sample_bytes) = 0;

  // Waits until all that was begun in the context has ended. Throws Error{kBackend}.
  virtual void synchronize() = 0;
};

// The format of a picture.
struct PictureShape {
  int format = VMAF_PIX_FMT_UNKNOWN;
  unsigned bits = 0, width = 0, height = 0;
  bool operator==(const PictureShape&) const = default;
};

PictureShape shape_of(const VmafPicture& picture);

// Whether the interface allows pictures of this shape.
bool is_valid(const PictureShape& shape);

// The format of a video with pictures of this shape. Throws Error{kMismatch} if no feature can look at such.
// Needs: is_valid().
VideoFormat format_of(const PictureShape& shape, const char* name);

// Makes a picture of zeros. Throws std::bad_alloc. Needs: is_valid().
VmafPicture make_picture(const PictureShape& shape);

// Makes a picture of zeros in the memory of a CUDA device. Throws as CudaPictureMaker::make().
VmafPicture make_picture(const PictureShape& shape, CudaPictureMaker& device);
// Whether the picture is in the memory of a CUDA device.
bool is_on_cuda(const VmafPicture& picture);

// Whether the struct holds a picture.
bool holds_picture(const VmafPicture& picture);

// A frame that refers to the picture's samples where they are, on the host or on CUDA's device. It keeps them
// alive even if the caller gives the picture up. Needs: holds_picture().
Frame frame_of(const VmafPicture& picture);

// Bytes of memory that the picture takes.
int64_t bytes_of(const PictureShape& shape);

// Takes the picture from its owner and clears the struct. Returns 0, or -EINVAL if it holds none.
int release(VmafPicture& picture);

// Memory of pictures. The same sizes are needed again and again, so blocks are kept for the next picture.

// Whole pages of memory, which its destructor gives back. Move-only.
class Block {
 public:
  Block() = default;
  ~Block();
  Block(Block&& other) noexcept;
  Block& operator=(Block&& other) noexcept;

  std::byte* data() const { return data_; }

 private:
  friend Block take_zeroed_block(size_t bytes);
  Block(std::byte* data, size_t bytes) : data_(data), bytes_(bytes) {}

  std::byte* data_ = nullptr;
  size_t bytes_ = 0;
};

// Returns a block of zeros. Throws std::bad_alloc. Blocks may be taken and given back from any thread.
Block take_zeroed_block(size_t bytes);

}  // namespace vq::libvmaf
