#include "cli/decoding/orientation.h"

#include <cstdlib>

#include "vulkan/shared_picture.h"

namespace vq::cli {
namespace {

// Rows and columns that are turned together, so that both lie in the cache.
constexpr int kTile = 32;
// The share of a matrix's larger part that rounding may leave in the other: one degree.
constexpr double kRightAngle = 0.018;

template <typename T>
void turn_into(const PlaneView<const T>& from, const Orientation& orientation, PlaneView<const T>& view,
               Plane<T>& plane) {
  plane = orientation.transposes ? Plane<T>(from.height, from.width) : Plane<T>(from.width, from.height);
  const PlaneView<T> to = plane.view();
  view = plane.view();
  const auto column = [&](int x) { return orientation.flips_x ? to.width - 1 - x : x; };
  for (int top = 0; top < to.height; top += kTile) {
    for (int left = 0; left < to.width; left += kTile) {
      const int right = std::min(left + kTile, to.width);
      for (int y = top; y < std::min(top + kTile, to.height); ++y) {
        const int row = orientation.flips_y ? to.height - 1 - y : y;
        T* const out = to.row(y);
        for (int x = left; x < right; ++x)
          out[x] = orientation.transposes ? from.row(column(x))[row] : from.row(row)[column(x)];
      }
    }
  }
}

struct TurnedSamples {
  std::array<Plane<uint8_t>, kMaxPlanes> u8;
  std::array<Plane<uint16_t>, kMaxPlanes> u16;
};

// What is seen of a picture that only a device has.
class SeenPicture : public FrameMemory, public vulkan::PictureSource {
 public:
  explicit SeenPicture(const Frame& stored) : stored_(stored) {}

  const void* device() const final { return stored_.place->device(); }
  const std::array<SampleView, kMaxPlanes>& planes() const final {
    std::call_once(once_, [this] { seen_ = see(on_host(stored_)); });
    return seen_.planes;
  }
  std::optional<vulkan::PlaneSource> plane(const Frame&, int i) const final {
    const auto* const source = dynamic_cast<const vulkan::PictureSource*>(stored_.place.get());
    std::optional<vulkan::PlaneSource> plane = source != nullptr ? source->plane(stored_, i) : std::nullopt;
    if (plane) see(*plane, i);
    return plane;
  }

 protected:
  const FrameMemory& stored() const { return *stored_.place; }

 private:
  virtual Frame see(const Frame& frame) const = 0;
  virtual void see(vulkan::PlaneSource& plane, int i) const = 0;

  const Frame stored_;
  mutable std::once_flag once_;
  mutable Frame seen_;
};

class TurnedPicture final : public SeenPicture {
 public:
  TurnedPicture(const Frame& stored, const Orientation& orientation)
      : SeenPicture(stored), orientation_(orientation) {}

  PlaneSize luma_size() const override {
    const PlaneSize size = stored().luma_size();
    return orientation_.transposes ? PlaneSize{size.height, size.width} : size;
  }
  Frame luma_part(const LumaLines& lines) const override {
    const LumaLines wanted = stored_lines(lines, luma_size(), orientation_);
    const Frame stored_part = stored().luma_part(wanted);
    if (!orientation_.transposes) return turned(stored_part, {.flips_x = orientation_.flips_x});
    return stored_part.luma().is_u8() ? by_columns(stored_part.luma().u8, lines, wanted)
                                      : by_columns(stored_part.luma().u16, lines, wanted);
  }

 private:
  Frame see(const Frame& frame) const override { return turned(frame, orientation_); }
  void see(vulkan::PlaneSource& plane, int) const override {
    if (orientation_.transposes) {
      std::swap(plane.size.width, plane.size.height);
      const int64_t stride = plane.step;
      plane.step = static_cast<int>(plane.stride);
      plane.stride = stride;
    }
    if (orientation_.flips_x) {
      plane.offset += int64_t{plane.size.width - 1} * plane.step;
      plane.step = -plane.step;
    }
    if (orientation_.flips_y) {
      plane.offset += int64_t{plane.size.height - 1} * plane.stride;
      plane.stride = -plane.stride;
    }
  }

  // `from` has a row for each column of `lines`, in which its rows are columns.
  template <typename T>
  Frame by_columns(PlaneView<const T> from, const LumaLines& lines, const LumaLines& wanted) const {
    const auto made = std::make_shared<Plane<T>>(luma_size().width, static_cast<int>(lines.rows.size()));
    for (int y = 0; y < made->height(); ++y) {
      std::fill_n(made->row(y), made->width(), T{0});
      for (size_t k = 0; k < lines.columns.size(); ++k)
        made->row(y)[lines.columns[k]] =
            from.row(static_cast<int>(k))[wanted.columns[static_cast<size_t>(y)]];
    }
    Frame frame;
    if constexpr (sizeof(T) == 1) {
      frame.luma().u8 = made->view();
    } else {
      frame.luma().u16 = made->view();
    }
    frame.owner = made;
    return frame;
  }

  const Orientation orientation_;
};

class PartOfPicture final : public SeenPicture {
 public:
  PartOfPicture(const Frame& stored, Chroma chroma, const Rectangle& part)
      : SeenPicture(stored), chroma_(chroma), part_(part) {}

  PlaneSize luma_size() const override { return {part_.width, part_.height}; }
  Frame luma_part(const LumaLines& lines) const override {
    Frame frame = stored().luma_part(lines_of_whole(lines, part_));
    crop_frame(frame, Chroma::k400, {part_.x, 0, part_.width, static_cast<int>(lines.rows.size())});
    return frame;
  }

 private:
  Frame see(const Frame& frame) const override {
    Frame part = frame;
    crop_frame(part, chroma_, part_);
    return part;
  }
  void see(vulkan::PlaneSource& plane, int i) const override {
    const ChromaShifts shifts = i == 0 ? ChromaShifts() : chroma_shifts(chroma_);
    plane.size = plane_size({part_.width, part_.height}, chroma_, i);
    plane.offset += plane.stride * (part_.y >> shifts.y) + int64_t{plane.step} * (part_.x >> shifts.x);
  }

  const Chroma chroma_;
  const Rectangle part_;
};

}  // namespace

std::optional<Orientation> orientation_of(const uint8_t* matrix, size_t size) {
  std::array<int32_t, 9> m = {};
  if (size < sizeof(m)) return std::nullopt;
  std::memcpy(m.data(), matrix, sizeof(m));
  // A stored point (x, y) is shown at (m0 x + m3 y, m1 x + m4 y).
  const auto part = [&](size_t a, size_t b) {
    return std::abs(double{1} * m[a]) + std::abs(double{1} * m[b]);
  };
  const double straight = part(0, 4), crossed = part(1, 3);
  if (straight == 0 && crossed == 0) return std::nullopt;
  if (std::min(straight, crossed) > kRightAngle * std::max(straight, crossed)) return std::nullopt;
  if (crossed > straight) return Orientation{.transposes = true, .flips_x = m[3] < 0, .flips_y = m[1] < 0};
  return Orientation{.transposes = false, .flips_x = m[0] < 0, .flips_y = m[4] < 0};
}

std::string describe(const Orientation& orientation) {
  const bool x = orientation.flips_x, y = orientation.flips_y;
  if (!orientation.transposes)
    return x && y ? "180 degrees" : x ? "mirrored" : y ? "upside down, mirrored" : "";
  if (x != y) return x ? "90 degrees clockwise" : "90 degrees counterclockwise";
  return x ? "90 degrees clockwise, upside down, mirrored" : "90 degrees clockwise, mirrored";
}

std::optional<Chroma> turned_chroma(Chroma chroma, const Orientation& orientation) {
  if (!orientation.transposes) return chroma;
  if (chroma == Chroma::k411) return std::nullopt;
  return chroma == Chroma::k422 ? Chroma::k440 : chroma == Chroma::k440 ? Chroma::k422 : chroma;
}

Frame turned(const Frame& frame, const Orientation& orientation) {
  if (orientation == Orientation()) return frame;
  Frame result = frame;
  if (!is_on_host(frame)) {
    result.place = std::make_shared<TurnedPicture>(frame, orientation);
    return result;
  }
  const auto samples = std::make_shared<TurnedSamples>();
  result.place.reset();
  for (size_t i = 0; i < kMaxPlanes; ++i) {
    const SampleView& from = frame.planes[i];
    if (from.empty()) continue;
    if (from.is_u8()) {
      turn_into(from.u8, orientation, result.planes[i].u8, samples->u8[i]);
    } else {
      turn_into(from.u16, orientation, result.planes[i].u16, samples->u16[i]);
    }
  }
  result.owner = samples;
  return result;
}

void crop_frame(Frame& frame, Chroma chroma, const Rectangle& r) {
  if (!is_on_host(frame)) {
    frame.place = std::make_shared<PartOfPicture>(frame, chroma, r);
    return;
  }
  for (int plane = 0; plane < kMaxPlanes; ++plane) {
    SampleView& samples = frame.planes[static_cast<size_t>(plane)];
    if (samples.empty()) continue;
    const ChromaShifts shifts = plane == 0 ? ChromaShifts() : chroma_shifts(chroma);
    const PlaneSize size = plane_size({r.width, r.height}, chroma, plane);
    const auto cut = [&](auto& view) {
      view = {view.row(r.y >> shifts.y) + (r.x >> shifts.x), size.width, size.height, view.stride};
    };
    if (samples.is_u8()) {
      cut(samples.u8);
    } else {
      cut(samples.u16);
    }
  }
}

LumaLines lines_of_whole(LumaLines lines, const Rectangle& part) {
  for (int& row : lines.rows) row += part.y;
  for (int& column : lines.columns) column += part.x;
  return lines;
}

LumaLines stored_lines(LumaLines lines, PlaneSize turned, const Orientation& orientation) {
  for (int& row : lines.rows) row = orientation.flips_y ? turned.height - 1 - row : row;
  for (int& column : lines.columns) column = orientation.flips_x ? turned.width - 1 - column : column;
  if (orientation.transposes) lines.rows.swap(lines.columns);
  return lines;
}

}  // namespace vq::cli
