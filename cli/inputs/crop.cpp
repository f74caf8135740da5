#include "cli/inputs/crop.h"

#include <algorithm>
#include <utility>

#include "cli/decoding/frame_fitter.h"
#include "cli/inputs/input_kind.h"
#include "core/error.h"
#include "core/frame.h"
#include "core/number_text.h"
#include "core/text.h"

namespace vq::cli {
namespace {

class CroppedReader final : public ReaderOver {
 public:
  CroppedReader(std::unique_ptr<FrameReader> reader, const Rectangle& rectangle)
      : ReaderOver(std::move(reader)), rectangle_(rectangle) {
    info_.format.width = rectangle.width;
    info_.format.height = rectangle.height;
  }

  std::optional<Frame> next(const StopToken& stop) override {
    std::optional<Frame> frame = reader_->next(stop);
    if (frame) crop_frame(*frame, info_.format.chroma, rectangle_);
    return frame;
  }

 private:
  const Rectangle rectangle_;
};

}  // namespace

CropRequest parse_crop(const std::string& flag, const std::string& text) {
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
    throw Error(ErrorKind::kUsage, words("{}: \"{}\" is not allowed; it takes auto, or WIDTH:HEIGHT:X:Y in "
                                         "samples such as 1920:800:0:140.",
                                         flag, printable(text)));
  }
  return {Rectangle{numbers[2], numbers[3], numbers[0], numbers[1]}};
}

void crop_frame(Frame& frame, Chroma chroma, const Rectangle& r) {
  frame = on_host(frame);
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

void check_crop_of_chroma(const std::string& flag, const Rectangle& r, const VideoFormat& video) {
  const auto check = [&](const char* side, int value, int shift) {
    if (value % (1 << shift) == 0) return;
    throw Error(ErrorKind::kMismatch,
                words("{} {}: {} must be a multiple of {}, since {} has {} chroma, which is scored as well.",
                      flag, crop_text(r), side, 1 << shift, shown_path(video.name), to_string(video.chroma)));
  };
  check("X", r.x, chroma_shifts(video.chroma).x);
  check("Y", r.y, chroma_shifts(video.chroma).y);
}

std::unique_ptr<FrameReader> cropped(std::unique_ptr<FrameReader> reader, const Rectangle& rectangle) {
  return std::make_unique<CroppedReader>(std::move(reader), rectangle);
}

void check_searchable(const std::string& flag, const std::string& path) {
  check_read_twice(path, flag + " auto reads the start of the video",
                   words(" Give the rectangle: {} WIDTH:HEIGHT:X:Y", flag));
}

void check_crop(const std::string& flag, const Rectangle& r, const VideoFormat& video) {
  if (r.x + r.width <= video.width && r.y + r.height <= video.height) return;
  throw Error(ErrorKind::kMismatch, words("{} {} reaches beyond {}, which is {}x{}.", flag, crop_text(r),
                                          shown_path(video.name), video.width, video.height));
}

}  // namespace vq::cli
