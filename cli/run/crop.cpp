#include "cli/run/crop.h"

#include <algorithm>

#include "cli/decoding/open_video.h"
#include "cli/run/input_kind.h"
#include "cli/text/argument_values.h"
#include "cli/text/message_text.h"
#include "core/error.h"
#include "core/frame_place.h"
#include "core/text.h"

namespace vq::cli {
namespace {

constexpr int kLitPictures = 300;
constexpr int kMaxPictures = 1500;

}  // namespace

CropWish parse_crop(const std::string& text) {
  if (text == "auto") return {};
  std::vector<int> numbers;
  for (size_t start = 0; start <= text.size();) {
    const size_t colon = std::min(text.find(':', start), text.size());
    long long number = 0;
    if (!parse_int(text.substr(start, colon - start), number) || number < 0 || number > kMaxSide) {
      numbers.clear();
      break;
    }
    numbers.push_back(static_cast<int>(number));
    start = colon + 1;
  }
  if (numbers.size() != 4 || numbers[0] == 0 || numbers[1] == 0) {
    throw Error(ErrorKind::kUsage,
                "--crop: \"" + printable(text) +
                    "\" is not allowed; it takes auto, or WIDTH:HEIGHT:X:Y in samples such "
                    "as 1920:800:0:140.");
  }
  return {Rectangle{numbers[2], numbers[3], numbers[0], numbers[1]}};
}

std::string crop_text(const Rectangle& rectangle) {
  return std::to_string(rectangle.width) + ":" + std::to_string(rectangle.height) + ":" +
         std::to_string(rectangle.x) + ":" + std::to_string(rectangle.y);
}

void crop_frame(Frame& frame, Chroma chroma, const Rectangle& r) {
  frame = on_host(frame);
  for (int plane = 0; plane < kMaxPlanes; ++plane) {
    SampleView& samples = frame.planes[static_cast<size_t>(plane)];
    if (samples.empty()) continue;
    const ChromaShifts shifts = plane == 0 ? ChromaShifts() : chroma_shifts(chroma);
    const PlaneSize size = plane_size({r.width, r.height}, chroma, plane);
    const auto cut = [&](auto& view) { view = {view.row(r.y >> shifts.y) + (r.x >> shifts.x), size.width, size.height, view.stride}; };
    if (samples.is_u8()) {
      cut(samples.u8);
    } else {
      cut(samples.u16);
    }
  }
}

void check_crop_of_chroma(const Rectangle& r, const VideoFormat& video) {
  const auto check = [&](const char* side, int value, int shift) {
    if (value % (1 << shift) == 0) return;
    throw Error(ErrorKind::kMismatch, "--crop " + crop_text(r) + ": " + side + " must be a multiple of " +
                                          std::to_string(1 << shift) + ", since " + shown_path(video.name) + " has " +
                                          std::string(to_string(video.chroma)) + " chroma, which is scored as well.");
  };
  check("X", r.x, chroma_shifts(video.chroma).x);
  check("Y", r.y, chroma_shifts(video.chroma).y);
}

ActiveArea::ActiveArea(const VideoFormat& format, const Execution& execution)
    : width_(format.width),
      height_(format.height),
      step_x_(std::max(2, 1 << chroma_shifts(format.chroma).x)),
      step_y_(std::max(2, 1 << chroma_shifts(format.chroma).y)),
      rule_(lit_rule(format)),
      count_lit_(count_lit_for(execution)),
      counts_(format.width, format.height),
      left_(format.width),
      top_(format.height) {}

bool ActiveArea::look(const Frame& frame) {
  count_lit_(on_host(frame).luma(), rule_.black, counts_);
  const LitArea lit = lit_area(counts_, rule_);
  if (!lit.has_rows()) return false;
  top_ = std::min(top_, lit.top);
  bottom_ = std::max(bottom_, lit.bottom);
  if (!lit.has_columns()) return true;
  left_ = std::min(left_, lit.left);
  right_ = std::max(right_, lit.right);
  return true;
}

bool ActiveArea::is_whole() const {
  return left_ == 0 && top_ == 0 && right_ == width_ && bottom_ == height_;
}

std::optional<Rectangle> ActiveArea::rectangle() const {
  // Video is cut where samples of chroma begin: an edge between them is a dark row that belongs to the picture.
  const auto down = [](int edge, int step) { return edge / step * step; };
  const int left = down(left_, step_x_), top = down(top_, step_y_);
  const int right = std::min(down(right_ + step_x_ - 1, step_x_), width_);
  const int bottom = std::min(down(bottom_ + step_y_ - 1, step_y_), height_);
  const Rectangle found = {left, top, right - left, bottom - top};
  if (found.width * 2 < width_ || found.height * 2 < height_) return std::nullopt;
  return found;
}

void check_searchable(const std::string& path) {
  check_read_twice(path, "--crop auto reads the start of the video", " Give the rectangle: --crop WIDTH:HEIGHT:X:Y");
}

std::optional<Rectangle> find_active_area(const ActiveAreaSearch& search) {
  check_searchable(search.source.path);
  const std::unique_ptr<VideoSource> source = open_video(search.source);
  ActiveArea area(source->info().format, search.execution);
  try {
    source->skip(search.skip);
    for (int lit = 0, read = 0; lit < kLitPictures && read < kMaxPictures && !area.is_whole(); ++read) {
      const std::optional<Frame> frame = source->read();
      if (!frame) break;
      if (area.look(*frame)) ++lit;
    }
  } catch (const Error& error) {
    // Damage is told when the frames are read to be scored.
    const bool stopped = search.source.stopped && search.source.stopped();
    if (stopped || error.kind() != ErrorKind::kIncomplete) throw;
  }
  return area.rectangle();
}

CropOutcome resolve_crop(const CropWish& wish, const VideoFormat& video, const ActiveAreaSearch& search) {
  if (!wish.rectangle) {
    const std::optional<Rectangle> found = find_active_area(search);
    if (!found) return {std::nullopt, "crop=none (too little is lit to tell)"};
    if (found->width == video.width && found->height == video.height) {
      return {std::nullopt, "crop=none (no black bars)"};
    }
    return {found, "crop=" + crop_text(*found) + " (without black bars)"};
  }
  const Rectangle& r = *wish.rectangle;
  if (r.x + r.width > video.width || r.y + r.height > video.height) {
    throw Error(ErrorKind::kMismatch,
                "--crop " + crop_text(r) + " reaches beyond " + shown_path(video.name) + ", which is " +
                    std::to_string(video.width) + "x" + std::to_string(video.height) + ".");
  }
  return {r, "crop=" + crop_text(r) + " (as asked)"};
}

}  // namespace vq::cli
