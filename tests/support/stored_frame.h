// Frames in the memory of a store, as decoders leave them there.
#pragma once

#include <hwy/aligned_allocator.h>

#include <atomic>

#include "core/error.h"
#include "vulkan/shared_picture.h"

namespace vq::test {

template <typename T>
void move_plane(PlaneView<const T>& plane, std::byte* to) {
  const int64_t stride = stored_stride(plane.width * static_cast<int64_t>(sizeof(T)));
  const PlaneView<T> moved{reinterpret_cast<T*>(to), plane.width, plane.height,
                           static_cast<ptrdiff_t>(stride / static_cast<int64_t>(sizeof(T)))};
  for (int y = 0; y < plane.height; ++y) std::copy_n(plane.row(y), plane.width, moved.row(y));
  plane = moved;
}

// What a plane takes there.
inline int64_t stored_bytes(const SampleView& plane) {
  return stored_stride(plane.width() * int64_t{plane.is_u8() ? 1 : 2}) * plane.height();
}

// The same picture in a piece: luma `first` bytes behind its beginning, chroma behind that, with rows as
// devices want them and every bit set where there is no sample.
inline Frame stored_copy(const Frame& frame, FrameStore& store, int64_t first = 0) {
  Frame copy = frame;
  int64_t bytes = first;
  for (const SampleView& plane : frame.planes)
    bytes += plane.empty() ? 0 : round_up(stored_bytes(plane), kPlaneAlignment);
  const std::shared_ptr<const HostVisibleMemory> piece = store.take(bytes);
  if (piece == nullptr) throw Error(ErrorKind::kBackend, "the store has no memory");
  std::memset(piece->data(), 0xFF, static_cast<size_t>(piece->bytes()));
  int64_t at = first;
  for (SampleView& plane : copy.planes) {
    if (plane.empty()) continue;
    const int64_t taken = round_up(stored_bytes(plane), kPlaneAlignment);
    if (plane.is_u8()) {
      move_plane(plane.u8, piece->data() + at);
    } else {
      move_plane(plane.u16, piece->data() + at);
    }
    at += taken;
  }
  copy.place = piece;
  copy.owner = nullptr;
  return copy;
}

// A store of ordinary memory that counts its pieces, for tests of those who take from one.

class HostStore final : public FrameStore {
 public:
  // Refuses every `refuses`-th piece; 0: none.
  explicit HostStore(int refuses = 0) : refuses_(refuses) {}

  std::shared_ptr<const HostVisibleMemory> take(int64_t bytes) override {
    const int number = ++asked;
    if (refuses_ != 0 && number % refuses_ == 0) return nullptr;
    return std::make_shared<Piece>(bytes, counts_);
  }
  // Pieces that somebody has.
  int held() const { return *counts_; }

  std::atomic<int> asked = 0;

 private:
  class Piece final : public HostVisibleMemory {
   public:
    Piece(int64_t bytes, std::shared_ptr<std::atomic<int>> counts)
        : memory_(hwy::AllocateAligned<std::byte>(static_cast<size_t>(bytes))),
          bytes_(bytes),
          counts_(std::move(counts)) {
      // As it may be after another picture.
      std::memset(memory_.get(), 0xEE, static_cast<size_t>(bytes));
      ++*counts_;
    }
    ~Piece() override { --*counts_; }
    const void* device() const override { return counts_.get(); }
    std::byte* data() const override { return memory_.get(); }
    int64_t bytes() const override { return bytes_; }

   private:
    const hwy::AlignedFreeUniquePtr<std::byte[]> memory_;
    const int64_t bytes_;
    const std::shared_ptr<std::atomic<int>> counts_;
  };

  const int refuses_;
  const std::shared_ptr<std::atomic<int>> counts_ = std::make_shared<std::atomic<int>>(0);
};

// Whether all of a plane's samples are in the piece that is the frame's place.
inline bool lies_in_place(const Frame& frame, int plane) {
  const auto* const piece = dynamic_cast<const HostVisibleMemory*>(frame.place.get());
  const SampleView& view = frame.planes[static_cast<size_t>(plane)];
  if (piece == nullptr || view.empty()) return false;
  const auto inside = [&](const auto& samples) {
    const auto* const first = reinterpret_cast<const std::byte*>(samples.row(0));
    const auto* const end =
        reinterpret_cast<const std::byte*>(samples.row(samples.height - 1) + samples.width);
    return first >= piece->data() && end <= piece->data() + piece->bytes();
  };
  return view.is_u8() ? inside(view.u8) : inside(view.u16);
}

// Whether its rows are as far from each other as devices want them.
inline bool has_stored_stride(const Frame& frame, int plane) {
  const SampleView& view = frame.planes[static_cast<size_t>(plane)];
  if (view.is_u8()) return view.u8.stride == stored_stride(view.width());
  return view.u16.stride * 2 == stored_stride(view.width() * int64_t{2});
}

// Frames in a device's memory that the host does not see, as decoders on the device leave them there.

// Where planes go: chroma of two planes sample by sample, and deeper samples in the upper bits, or all as on
// the host.
inline std::vector<vulkan::SharedPlane> shared_layout(const Frame& frame, bool interleaved) {
  std::vector<vulkan::SharedPlane> planes;
  int64_t end = 0;
  for (const SampleView& plane : frame.planes) {
    if (plane.empty()) break;
    const bool is_pair = interleaved && !planes.empty(), is_second = is_pair && planes.size() == 2;
    vulkan::SharedPlane place = {.size = {plane.width(), plane.height()},
                                 .offset_bytes = is_second ? planes[1].offset_bytes : end,
                                 .sample_bytes = plane.is_u8() ? 1 : 2,
                                 .step = is_pair ? 2 : 1,
                                 .first = is_second ? 1 : 0,
                                 .shift = interleaved && !plane.is_u8() ? 16 - frame.bit_depth : 0};
    place.stride_bytes = stored_stride(int64_t{place.size.width} * place.sample_bytes * place.step);
    if (!is_second) end = round_up(end + place.stride_bytes * place.size.height, kPlaneAlignment);
    planes.push_back(place);
  }
  return planes;
}

inline void write_plane(const SampleView& plane, const vulkan::SharedPlane& place, std::byte* memory) {
  for (int y = 0; y < place.size.height; ++y) {
    for (int x = 0; x < place.size.width; ++x) {
      const int sample = (plane.is_u8() ? plane.u8.row(y)[x] : plane.u16.row(y)[x]) << place.shift;
      const int64_t column = int64_t{x * place.step + place.first} * place.sample_bytes;
      std::byte* const at = memory + place.offset_bytes + place.stride_bytes * y + column;
      std::memcpy(at, &sample, static_cast<size_t>(place.sample_bytes));
    }
  }
}

// The same picture there; every bit is set where there is no sample.
inline Frame shared_copy(const Frame& frame, vulkan::SharedPictures& pool,
                         const std::shared_ptr<vulkan::Device>& device, bool interleaved) {
  const std::vector<vulkan::SharedPlane> planes = shared_layout(frame, interleaved);
  int64_t bytes = 0;
  for (const vulkan::SharedPlane& plane : planes)
    bytes = std::max(bytes, plane.offset_bytes + plane.stride_bytes * plane.size.height + kPlaneAlignment);
  const vulkan::Buffer upload(device, vulkan::Memory::kUpload, bytes);
  std::memset(upload.mapped(), 0xFF, static_cast<size_t>(bytes));
  for (size_t i = 0; i < planes.size(); ++i) write_plane(frame.planes[i], planes[i], upload.mapped());
  const std::shared_ptr<vulkan::SharedPicture> picture = pool.take(bytes);
  if (picture == nullptr) throw Error(ErrorKind::kBackend, "the device has no memory to share");
  vulkan::Recorder recorder(device);
  const vulkan::Copy all = {.from = &upload, .to = &picture->buffer(), .bytes = bytes};
  recorder.copy(std::span(&all, 1));
  vulkan::CommandList list = recorder.finish();
  list.submit();
  list.wait(std::chrono::minutes(10));
  picture->describe(planes);
  Frame copy = frame;
  copy.planes = {};
  copy.owner = nullptr;
  copy.place = picture;
  return copy;
}

}  // namespace vq::test
