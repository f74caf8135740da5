#include "core/frame.h"

#include <cmath>
#include <cstdlib>

#include "core/error.h"
#include "core/text.h"

namespace vq {

std::string_view to_string(Chroma chroma) {
  constexpr std::string_view kWords[] = {"4:0:0", "4:1:0", "4:1:1", "4:2:0",
                                         "4:2:2", "4:4:0", "4:4:4", "other"};
  return kWords[static_cast<size_t>(chroma)];
}

int plane_count(Chroma chroma) { return chroma == Chroma::k400 || chroma == Chroma::kOther ? 1 : kMaxPlanes; }

ChromaShifts chroma_shifts(Chroma chroma) {
  constexpr ChromaShifts kNone, kShifts[] = {kNone, {2, 2}, {2, 0}, {1, 1}, {1, 0}, {0, 1}, kNone, kNone};
  return kShifts[static_cast<size_t>(chroma)];
}

std::pair<int, int> first_chroma(ChromaLocation location, ChromaShifts shifts) {
  const auto is_one_of = [&](auto... some) { return ((location == some) || ...); };
  using enum ChromaLocation;
  const int last_column = (1 << shifts.x) - 1, last_row = (1 << shifts.y) - 1;
  const int column = is_one_of(kCenter, kTop, kBottom) ? last_column : 0;
  if (is_one_of(kTopLeft, kTop)) return {column, 0};
  return {column, is_one_of(kBottomLeft, kBottom) ? 2 * last_row : last_row};
}

PlaneSize plane_size(PlaneSize luma, Chroma chroma, int plane) {
  if (plane == 0) return luma;
  const auto [x, y] = chroma_shifts(chroma);
  return {(luma.width + (1 << x) - 1) >> x, (luma.height + (1 << y) - 1) >> y};
}

PlaneSize plane_size(const VideoFormat& format, int plane) {
  const PlaneSize luma = {format.width, format.height};
  if (plane == 0 || !format.rounds_chroma_down) return plane_size(luma, format.chroma, plane);
  const auto [x, y] = chroma_shifts(format.chroma);
  return {luma.width >> x, luma.height >> y};
}

int64_t sample_count(PlaneSize luma, Chroma chroma, int planes) {
  int64_t count = 0;
  for (int plane = 0; plane < planes; ++plane) {
    const PlaneSize size = plane_size(luma, chroma, plane);
    count += int64_t{size.width} * size.height;
  }
  return count;
}

std::string_view to_string(Range range) {
  constexpr std::string_view kWords[] = {"unspecified", "limited", "full"};
  return kWords[static_cast<size_t>(range)];
}

std::string_view to_string(Transfer transfer) {
  constexpr std::string_view kWords[] = {"unspecified", "bt1886", "pq", "hlg", "other", "srgb", "linear"};
  return kWords[static_cast<size_t>(transfer)];
}

std::string_view to_string(Matrix matrix) {
  constexpr std::string_view kWords[] = {"unspecified", "bt601",  "bt709", "fcc",
                                         "smpte240",    "bt2020", "other", "rgb"};
  return kWords[static_cast<size_t>(matrix)];
}

// ITU-R BT.601, BT.709, BT.2020, 47 CFR 73.682 and SMPTE 240M.
std::optional<LumaShares> luma_shares(Matrix matrix) {
  using enum Matrix;
  if (matrix == kBt601) return LumaShares{0.299, 0.114};
  if (matrix == kBt709) return LumaShares{0.2126, 0.0722};
  if (matrix == kFcc) return LumaShares{0.30, 0.11};
  if (matrix == kSmpte240) return LumaShares{0.212, 0.087};
  if (matrix == kBt2020) return LumaShares{0.2627, 0.0593};
  return std::nullopt;
}

Matrix matrix_of(const VideoFormat& format) {
  constexpr int kColumnsOfHd = 1280, kMostRowsOfSd = 576;
  if (format.matrix != Matrix::kUnspecified) return format.matrix;
  return format.width >= kColumnsOfHd || format.height > kMostRowsOfSd ? Matrix::kBt709 : Matrix::kBt601;
}

std::string_view to_string(Primaries primaries) {
  constexpr std::string_view kWords[] = {"unspecified", "bt601", "bt709", "bt2020", "other"};
  return kWords[static_cast<size_t>(primaries)];
}

std::string_view to_string(ChromaLocation location) {
  constexpr std::string_view kWords[] = {"unspecified", "left",       "center", "topleft",
                                         "top",         "bottomleft", "bottom"};
  return kWords[static_cast<size_t>(location)];
}

std::string size_text(PlaneSize size) { return words("{}x{}", size.width, size.height); }

std::string crop_text(const Rectangle& rectangle) {
  return words("{}:{}:{}:{}", rectangle.width, rectangle.height, rectangle.x, rectangle.y);
}

template <typename T>
static void copy_rows(PlaneView<const T>& view, std::span<const int> rows, Frame& frame) {
  const auto made = std::make_shared<Plane<T>>(view.width, static_cast<int>(rows.size()));
  for (int y = 0; y < made->height(); ++y)
    std::copy_n(view.row(rows[static_cast<size_t>(y)]), view.width, made->row(y));
  view = made->view();
  frame.owner = made;
}

Frame copied_rows(const Frame& frame, std::span<const int> rows) {
  Frame copy = frame;
  SampleView& luma = copy.luma();
  luma.is_u8() ? copy_rows(luma.u8, rows, copy) : copy_rows(luma.u16, rows, copy);
  copy.planes[1] = copy.planes[2] = {};
  copy.place = nullptr;
  return copy;
}

bool is_on_host(const Frame& frame) { return !frame.luma().empty() || frame.place == nullptr; }

Frame on_host(const Frame& frame) {
  if (is_on_host(frame)) return frame;
  Frame result = frame;
  result.planes = frame.place->planes();
  result.owner = std::move(result.place);
  return result;
}

void bring_to_host(FramePair& pair) {
  pair.distorted = on_host(pair.distorted);
  if (pair.reference) pair.reference = on_host(*pair.reference);
  for (std::vector<Frame>* before : {&pair.distorted_before, &pair.references_before}) {
    for (Frame& frame : *before) frame = on_host(frame);
  }
}

[[noreturn]] static void throw_seen() {
  throw Error(ErrorKind::kInternal, "planes() called on host-visible memory");
}

const std::array<SampleView, kMaxPlanes>& HostVisibleMemory::planes() const { throw_seen(); }

PlaneSize HostVisibleMemory::luma_size() const { throw_seen(); }

Frame HostVisibleMemory::luma_part(const LumaLines&) const { throw_seen(); }

void DeferredFrameStore::set(std::shared_ptr<FrameStore> store) {
  const std::lock_guard lock(mutex_);
  store_.swap(store);
}

std::shared_ptr<const HostVisibleMemory> DeferredFrameStore::take(int64_t bytes) {
  std::shared_ptr<FrameStore> store;
  {
    const std::lock_guard lock(mutex_);
    store = store_;
  }
  return store != nullptr ? store->take(bytes) : nullptr;
}

static void keep(std::deque<Frame>& last, const Frame& frame, int count) {
  if (count == 0) return;
  last.push_front(frame);
  if (last.size() > static_cast<size_t>(count)) last.pop_back();
}

// A sum of 32 bits, so that compilers work on whole vectors of samples.
template <typename T>
static uint64_t row_difference(const T* a, const T* b, int width) {
  static_assert(int64_t{kMaxSide} * UINT16_MAX <= UINT32_MAX);
  uint32_t sum = 0;
  for (int x = 0; x < width; ++x) sum += static_cast<uint32_t>(std::abs(int32_t{a[x]} - int32_t{b[x]}));
  return sum;
}

// As FFmpeg's freezedetect has it, for which an odd last row of luma has no chroma.
static bool differ_by_more(const Frame& a, const Frame& b, double noise) {
  const auto rows_of = [&](const SampleView& plane) {
    const int height = plane.empty() ? 0 : plane.height(), of_luma = a.luma().height();
    return 2 * height == of_luma + 1 && of_luma > 1 ? height - 1 : height;
  };
  double samples = 0;
  for (const SampleView& plane : a.planes) samples += static_cast<double>(rows_of(plane)) * plane.width();
  uint64_t sum = 0;
  for (size_t i = 0; i < kMaxPlanes; ++i) {
    const SampleView &p = a.planes[i], &q = b.planes[i];
    for (int y = 0; y < rows_of(p); ++y) {
      sum += p.is_u8() ? row_difference(p.u8.row(y), q.u8.row(y), p.width())
                       : row_difference(p.u16.row(y), q.u16.row(y), p.width());
      if (std::ldexp(static_cast<double>(sum) / samples, -a.bit_depth) > noise) return true;
    }
  }
  return false;
}

void PreviousFrames::give(FramePair& pair) {
  pair.distorted_before.assign(distorted_.begin(), distorted_.end());
  pair.references_before.assign(references_.begin(), references_.end());
  keep(distorted_, pair.distorted, count_.distorted);
  if (pair.reference) keep(references_, *pair.reference, count_.references);
  if (!count_.noises.empty()) give_freezes(pair);
}

void PreviousFrames::give_freezes(FramePair& pair) {
  const Frame frame = on_host(pair.distorted);
  const bool is_first = frozen_.empty();
  frozen_.resize(count_.noises.size(), frame);
  pair.freezes.clear();
  for (size_t i = 0; i < frozen_.size(); ++i) {
    const double noise = count_.noises[i];
    if (!is_first && differ_by_more(frozen_[i], frame, noise)) frozen_[i] = frame;
    pair.freezes.push_back({noise, frozen_[i].index});
  }
}

static bool same_plane(const SampleView& a, const SampleView& b) {
  if (a.is_u8() != b.is_u8() || a.width() != b.width() || a.height() != b.height()) return false;
  return a.is_u8() ? same_samples(a.u8, b.u8) : same_samples(a.u16, b.u16);
}

// Fetching samples from where the host cannot see them takes longer than scoring them there.
static int repeated_planes(const Frame& frame, const Frame& last) {
  if (!is_on_host(frame) || !is_on_host(last)) return 0;
  int planes = 0;
  while (planes < kMaxPlanes &&
         same_plane(frame.planes[static_cast<size_t>(planes)], last.planes[static_cast<size_t>(planes)])) {
    ++planes;
  }
  return planes;
}

// The first of equal frames is kept, so that the buffers of the others go back to the decoder.
void RepeatFinder::mark(Frame& frame) {
  frame.repeated_planes = last_ ? repeated_planes(frame, *last_) : 0;
  if (frame.repeated_planes < kMaxPlanes) last_ = frame;
}

}  // namespace vq
