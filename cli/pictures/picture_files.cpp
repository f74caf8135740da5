#include "cli/pictures/picture_files.h"

#include <utility>

#include "cli/pictures/image_codec.h"
#include "cli/pictures/overlay.h"
#include "cli/system/output_path.h"

namespace vq::cli {

PictureFiles::PictureFiles(const PictureNames& names, const ObservedVideo& video, const FrameRange& frames)
    : names_(names), frames_(frames), maker_(video) {}

void PictureFiles::frame(const ScoredFrame& frame) {
  add(maker_.make(frame));
}

void PictureFiles::add(const Snapshot& shot) {
  add(shot.frame, PictureKind::kHeatMap, encode_png(render_overlay(shot), names_.mark));
  if (shot.reference.width() == 0) return;
  add(shot.frame, PictureKind::kDistorted, encode_png(shot.luma.view(), names_.mark));
  add(shot.frame, PictureKind::kReference, encode_png(shot.reference.view(), names_.mark));
}

void PictureFiles::add(int64_t frame, PictureKind kind, const std::string& png) {
  OutputFile file(picture_path(names_.base, frame, kind), OutputFile::Place::kLater);
  file.write(png);
  file.close();
  files_.push_back({std::move(file), frame, kind});
}

std::vector<OutputFile*> PictureFiles::outputs(const std::string& base, bool partial) {
  std::vector<OutputFile*> all;
  for (Written& written : files_) {
    const std::string path = picture_path(base, written.frame, written.kind);
    written.file.move_to(partial ? openable_partial_path(path) : path);
    all.push_back(&written.file);
  }
  return all;
}

}  // namespace vq::cli
