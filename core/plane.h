// Two-dimensional arrays of samples: a view that is passed by value, and a plane that owns its memory; and
// what memory would be taken by what owns some.
#pragma once

#include <hwy/aligned_allocator.h>
#include <hwy/base.h>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace vq {

// The least multiple of `grain` that is not below `value`. Needs: value >= 0, grain > 0.
template <typename T>
constexpr T round_up(T value, std::type_identity_t<T> grain) {
  return (value + grain - 1) / grain * grain;
}

// A non-owning W x H view of samples. The stride is in ELEMENTS and may exceed the width. Preconditions, here
// and elsewhere, are HWY_DASSERTs: checked in sanitizer builds and in builds without optimisation.
template <typename T>
struct PlaneView {
  T* data = nullptr;
  int width = 0;
  int height = 0;
  ptrdiff_t stride = 0;

  // Needs: 0 <= y < height.
  T* row(int y) const {
    HWY_DASSERT(0 <= y && y < height);
    return data + stride * y;
  }
  bool empty() const { return width <= 0 || height <= 0; }

  operator PlaneView<const T>() const requires(!std::is_const_v<T>) { return {data, width, height, stride}; }
};

// Counts the memory that its thread would take, while it lives: what owns planes, vectors sized by
// counted_size(), or vulkan::Buffers has its sizes then, but no memory. So the estimate of a workspace is
// what its constructor allocates, which must not touch samples.
class MemoryCount {
 public:
  MemoryCount() : outer_(std::exchange(current(), this)) {}
  ~MemoryCount() { current() = outer_; }
  MemoryCount& operator=(MemoryCount&&) = delete;

  int64_t bytes() const { return bytes_; }
  int64_t largest_buffer() const { return largest_buffer_; }  // that shaders see

  // Whether memory is counted in this thread, now with these bytes, and therefore must not be allocated.
  static bool takes(size_t bytes, bool is_for_shaders = false) {
    MemoryCount* const count = current();
    if (count == nullptr) return false;
    count->bytes_ += static_cast<int64_t>(bytes);
    if (is_for_shaders)
      count->largest_buffer_ = std::max(count->largest_buffer_, static_cast<int64_t>(bytes));
    return true;
  }

 private:
  static MemoryCount*& current() {
    thread_local MemoryCount* count = nullptr;
    return count;
  }

  MemoryCount* const outer_;  // counts nothing meanwhile
  int64_t bytes_ = 0, largest_buffer_ = 0;
};

// The size with which a vector of work memory is made: 0 while memory is counted.
template <typename T>
size_t counted_size(size_t size) {
  return MemoryCount::takes(size * sizeof(T)) ? 0 : size;
}

inline constexpr size_t kLargePage = size_t{2} << 20;

// Asks the system for large pages for what of this memory may have them, which is not written yet.
void prefer_large_pages(void* memory, size_t bytes);
// Has the system provide its pages at once, if it can, which takes less than faults page by page, and large
// ones where whole ones fit: a copy into small pages takes half as long again.
void populate(void* memory, size_t bytes);
// Large ones pay for memory that is used again and again: the first use takes longer on some virtual
// machines.
enum class Pages { kUsual, kLarge };

// Memory for `size` values; null while memory is counted. Throws std::bad_alloc. Not inline, since compilers
// that see the null warn of each use.
template <typename T>
HWY_NOINLINE hwy::AlignedFreeUniquePtr<T[]> aligned_memory(size_t size, bool is_zeroed,
                                                           Pages pages = Pages::kUsual) {
  if (MemoryCount::takes(size * sizeof(T))) return nullptr;
  auto memory = hwy::AllocateAligned<T>(size);
  if (!memory) throw std::bad_alloc();
  if (pages == Pages::kLarge) prefer_large_pages(memory.get(), size * sizeof(T));
  for (size_t i = 0; is_zeroed && i < size; ++i) memory[i] = T{};
  return memory;
}

// The bytes of what make() returns, with all that it owns.
template <typename Make>
int64_t counted_bytes(const Make& make) {
  const MemoryCount count;
  const auto made = make();
  return count.bytes() + static_cast<int64_t>(sizeof(*made));
}

// Bytes that may be read and written before and after every row of a Plane: the largest vector of any
// supported instruction set, so loops process whole vectors and need no scalar tail.
inline constexpr size_t kRowGuardBytes = 64;

// An owning W x H plane. Rows are 64-byte aligned, with kRowGuardBytes of guard before and after each (the
// guard after a row is the guard before the next). Samples and guards are initialised to zero. Move-only.
// Throws std::bad_alloc.
template <typename T>
class Plane {
 public:
  Plane() = default;
  Plane(int width, int height, Pages pages = Pages::kUsual) : width_(width), height_(height) {
    if (width <= 0 || height <= 0) return;
    const size_t row_bytes = round_up(static_cast<size_t>(width) * sizeof(T), 64) + kRowGuardBytes;
    stride_ = static_cast<ptrdiff_t>(row_bytes / sizeof(T));
    const size_t count = (row_bytes * static_cast<size_t>(height) + 2 * kRowGuardBytes) / sizeof(T);
    memory_ = aligned_memory<T>(count, true, pages);
  }

  int width() const { return width_; }
  int height() const { return height_; }
  T* row(int y) { return view().row(y); }
  const T* row(int y) const { return view().row(y); }

  PlaneView<T> view() { return {first(), width_, height_, stride_}; }
  PlaneView<const T> view() const { return {first(), width_, height_, stride_}; }
  // The top-left part of the plane, for buffers used with several sizes. Needs: width, height at most the
  // plane's.
  PlaneView<T> view(int width, int height) {
    HWY_DASSERT(width <= width_ && height <= height_);
    return {first(), width, height, stride_};
  }

 private:
  T* first() const { return memory_ ? memory_.get() + kRowGuardBytes / sizeof(T) : nullptr; }

  hwy::AlignedFreeUniquePtr<T[]> memory_;
  int width_ = 0;
  int height_ = 0;
  ptrdiff_t stride_ = 0;
};

// Whether two planes of equal size hold the same samples.
template <typename T>
bool same_samples(PlaneView<const T> a, PlaneView<const T> b) {
  for (int y = 0; y < a.height; ++y) {
    if (std::memcmp(a.row(y), b.row(y), static_cast<size_t>(a.width) * sizeof(T)) != 0) return false;
  }
  return true;
}

template <typename A, typename B>
bool same_size(PlaneView<A> a, PlaneView<B> b) {
  return a.width == b.width && a.height == b.height;
}

}  // namespace vq
