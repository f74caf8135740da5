// Frames as PNG files with a coloured overlay of their flaws.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cli/pictures/frame_observer.h"
#include "cli/pictures/picture_names.h"
#include "cli/pictures/snapshot.h"
#include "cli/system/output_file.h"

namespace vq::cli {

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
