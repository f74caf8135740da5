// Coloured frames as PNG files in a folder, all of them or none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/frame_observer.h"
#include "cli/snapshot.h"

namespace vq::cli {

class PictureFiles final : public FrameObserver {
 public:
  // `folder` exists. Files are written to a hidden folder in it first. Throws Error{kOutput}.
  PictureFiles(std::string folder, std::string feature, const ObservedVideo& video, const FrameRange& frames);
  ~PictureFiles() override;

  bool wants(int64_t frame) const override { return frames_.contains(frame); }
  // Throws Error{kOutput}.
  void frame(const ScoredFrame& frame) override;
  void add(int64_t frame, std::string_view png);
  void commit();

 private:
  const std::string folder_, feature_;
  std::string hidden_;
  const FrameRange frames_;
  SnapshotMaker maker_;
  std::vector<std::string> names_;
};

}  // namespace vq::cli
