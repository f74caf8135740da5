// Names of a run's pictures and videos, which never collide with those of other videos in the same folder.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace vq::cli {

// The shown video and metric.
struct PictureOrigin {
  std::string stem;    // with its options
  std::string metric;  // in the metadata of every file: distinguishes this video from others of the same name
  std::string mark;    // in every file: distinguishes this video from others of the same name
};

// `video` is a path, or "-". The mark is derived from the path's target without revealing it.
PictureOrigin picture_origin(const std::string& video, const std::string& metric);

// Text about a run for its pictures.
struct PictureNames {
  std::string base;  // FOLDER/STEM.METRIC; may change when the files are renamed
  std::string mark;
};

struct ReadLocation {
  std::string folder;
  std::vector<std::string> reserved;  // names in it that the run's other outputs will have
};

// FOLDER/STEM.METRIC as the prefix of paths, or FOLDER/STEM-2.METRIC and so on if that is taken: by a
// reserved name, or by any file without the mark.
std::string picture_base(const ReadLocation& place, const PictureOrigin& origin);

// The first of these, whether it is taken or not.
std::string first_picture_base(const std::string& folder, const PictureOrigin& origin);

// Content of a picture: flaws in colour, the plain frame, or the reference's.
enum class PictureKind { kHeatMap, kDistorted, kReference };

// BASE.f000123.png, BASE.f000123.distorted.png or BASE.f000123.reference.png, which sort together; six digits
// or more.
std::string picture_path(const std::string& base, int64_t frame, PictureKind kind = PictureKind::kHeatMap);

}  // namespace vq::cli
