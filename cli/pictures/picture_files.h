// Frames as PNG files with a coloured overlay of their flaws.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/pictures/picture_tap.h"
#include "cli/pictures/snapshot.h"
#include "cli/system/output_file.h"

namespace vq::cli {

// The video that they show, and by which metric.
struct PictureOrigin {
  std::string stem;    // of the video's name
  std::string metric;  // with its options
  std::string mark;    // stands in every file: tells this video from others of the same name
};

// `video` is a path, or "-". The mark is made of where the path leads, which it does not tell.
PictureOrigin picture_origin(const std::string& video, const std::string& metric);

// What is said in a run about its pictures.
struct PictureNames {
  std::string base;  // FOLDER/STEM.METRIC; another one may be chosen when the files take their places
  std::string mark;
};

struct ReadLocation {
  std::string folder;
  std::vector<std::string> reserved;  // names in it that other outputs of the run will have
};

// FOLDER/STEM.METRIC, with which the paths begin, or FOLDER/STEM-2.METRIC and so on where that is taken: by a
// reserved name, or by a file without the mark, whatever it is.
std::string picture_base(const ReadLocation& place, const PictureOrigin& origin);

// The first of these, whether it is taken or not.
std::string first_picture_base(const std::string& folder, const PictureOrigin& origin);

// What of a frame a picture shows: its flaws in colour, or the frame as it is, or that of the reference.
enum class PictureKind { kHeatMap, kDistorted, kReference };

// BASE.f000123.png, BASE.f000123.distorted.png or BASE.f000123.reference.png, which stand together where
// names are sorted; six digits or more.
std::string picture_path(const std::string& base, int64_t frame, PictureKind kind = PictureKind::kHeatMap);

class PictureFiles final : public FrameObserver {
 public:
  PictureFiles(const PictureNames& names, const ObservedVideo& video, const FrameRange& frames);

  bool wants(int64_t frame) const override { return frames_.contains(frame); }
  // Throws Error{kOutput}.
  void frame(const ScoredFrame& frame) override;
  // With a reference, also the plain pictures of both videos.
  void add(const Snapshot& shot);
  // All files, to be committed together as BASE.f000123.png, or for a run that ended early as
  // BASE.f000123.partial.png.
  std::vector<OutputFile*> outputs(const std::string& base, bool partial);

 private:
  const PictureNames names_;
  const FrameRange frames_;
  SnapshotMaker maker_;
  void add(int64_t frame, PictureKind kind, const std::string& png);

  struct Written {
    OutputFile file;
    int64_t frame;
    PictureKind kind;
  };
  std::vector<Written> files_;
};

}  // namespace vq::cli
