#include "cli/bench/frame_ring.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "feature/stage_clock.h"

namespace vq::cli {
namespace {

int64_t stride_of(const SampleView& plane) {
  return stored_stride(plane.width() * int64_t{plane.is_u8() ? 1 : 2});
}

int64_t bytes_of(const SampleView& plane) {
  const int64_t bytes = stride_of(plane) * plane.height();
  return (bytes + kPlaneAlignment - 1) / kPlaneAlignment * kPlaneAlignment;
}

template <typename T>
void move_plane(PlaneView<const T>& plane, int64_t stride, std::byte* to) {
  const PlaneView<T> moved{reinterpret_cast<T*>(to), plane.width, plane.height,
                           static_cast<ptrdiff_t>(stride / static_cast<int64_t>(sizeof(T)))};
  for (int y = 0; y < plane.height; ++y) std::copy_n(plane.row(y), plane.width, moved.row(y));
  plane = moved;
}

}  // namespace

Frame stored_frame(const Frame& frame, FrameStore& store) {
  if (frame.place) return frame;
  int64_t bytes = 0;
  for (const SampleView& plane : frame.planes) bytes += bytes_of(plane);
  const std::shared_ptr<const HostVisibleMemory> piece = store.take(bytes);
  if (!piece) return frame;
  Frame stored = frame;
  std::byte* to = piece->data();
  for (SampleView& plane : stored.planes) {
    if (plane.empty()) continue;
    const int64_t stride = stride_of(plane), size = bytes_of(plane);
    plane.is_u8() ? move_plane(plane.u8, stride, to) : move_plane(plane.u16, stride, to);
    to += size;
  }
  stored.place = piece;
  stored.owner = nullptr;
  return stored;
}

FrameRing::FrameRing(std::unique_ptr<FeatureExtractor> extractor, std::vector<FramePair> pairs,
                     const NeighbourCount& before)
    : extractor_(std::move(extractor)), pairs_(std::move(pairs)), before_(before) {
  const std::shared_ptr<FrameStore> store = extractor_->frame_store();
  if (store == nullptr) return;
  for (FramePair& pair : pairs_) {
    pair.distorted = stored_frame(pair.distorted, *store);
    if (pair.reference) pair.reference = stored_frame(*pair.reference, *store);
  }
}

double FrameRing::push(int64_t count, ScoreSink& sink, const StopToken& stop) {
  const auto start = std::chrono::steady_clock::now();
  for (int64_t i = 0; i < count && !stop.is_requested(); ++i) {
    FramePair pair = pairs_[static_cast<size_t>(next_) % pairs_.size()];
    pair.index = pair.distorted.index = next_;
    if (pair.reference) pair.reference->index = next_;
    ++next_;
    before_.give(pair);
    extractor_->push(pair, sink);
  }
  extractor_->finish(sink);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<StageTotal> added_times(const std::vector<StageTotal>& after,
                                    const std::vector<StageTotal>& before) {
  std::vector<StageTotal> added = after;
  for (const StageTotal& total : before) add_stage_time(added, total.stage, -total.ms);
  return added;
}

}  // namespace vq::cli
