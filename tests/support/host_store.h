// A store of ordinary memory that counts its pieces, for tests of those who take from one.
#pragma once

#include <hwy/aligned_allocator.h>

#include <atomic>
#include <cstring>
#include <memory>

#include "core/frame_memory.h"

namespace vq::test {

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

}  // namespace vq::test
