// Scoring a part of the picture: a given rectangle, or what black bars leave.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/decoding/video_source.h"
#include "cli/pictures/picture.h"
#include "core/frame.h"
#include "feature/feature.h"
#include "feature/lit_area.h"

namespace vq::cli {

// What --crop says: a rectangle, or to find it.
struct CropWish {
  std::optional<Rectangle> rectangle;  // none: auto
};

// W:H:X:Y or auto. Throws Error{kUsage}.
CropWish parse_crop(const std::string& text);
std::string crop_text(const Rectangle& rectangle);  // W:H:X:Y

// Narrows all planes of a frame to a part of it, in samples of the luma. Needs: the rectangle lies in the picture, and
// chroma samples begin where it does.
void crop_frame(Frame& frame, Chroma chroma, const Rectangle& rectangle);

// Throws Error{kMismatch} unless chroma samples of the video begin where the rectangle does.
void check_crop_of_chroma(const Rectangle& rectangle, const VideoFormat& video);

// Finds what black bars leave of a video's pictures: all that is lit in any of them. Columns count in those pictures alone
// in which a row is lit.
class ActiveArea {
 public:
  // `execution` says how to count; the figures do not depend on it.
  explicit ActiveArea(const VideoFormat& format, const Execution& execution = {});

  // True where the picture shows anything.
  bool look(const Frame& frame);
  // No bars can be found any more.
  bool is_whole() const;
  // All that was lit in any picture so far, out to where samples of chroma begin, and to even edges at least. Nothing
  // where that is less than half the picture's width or height: then too little was lit to tell bars from a dark scene.
  std::optional<Rectangle> rectangle() const;

 private:
  const int width_, height_;
  const int step_x_, step_y_;  // between possible edges
  const LitRule rule_;
  const CountLit count_lit_;
  LitCounts counts_;  // of one picture
  int left_, top_, right_ = 0, bottom_ = 0;
};

// Where to look for bars.
struct ActiveAreaSearch {
  SourceOptions source;
  int64_t skip = 0;  // pictures that are not looked at
  Execution execution = {};
};

// Throws Error{kUsage} for what cannot be read twice.
void check_searchable(const std::string& path);

// Opens the video once more and looks at its first seconds. Throws as check_searchable(), what opening
// throws, and Error{kIncomplete} where `source.stopped` says so.
std::optional<Rectangle> find_active_area(const ActiveAreaSearch& search);

struct CropOutcome {
  std::optional<Rectangle> rectangle;  // none: the whole picture
  std::string note;                    // "crop=1920:800:0:140 (without black bars)"
};

// What a wish comes to for a video. Throws Error{kMismatch} where its rectangle does not lie in the picture,
// and as find_active_area().
CropOutcome resolve_crop(const CropWish& wish, const VideoFormat& video, const ActiveAreaSearch& search);

}  // namespace vq::cli
