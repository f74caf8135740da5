#include "cli/pictures/picture_files.h"

#include <utility>

#include "cli/output/output_path.h"
#include "cli/pictures/overlay.h"

namespace vq::cli {

PictureFiles::PictureFiles(HiddenFolder& hidden, const PictureNames& names, const ObservedVideo& video,
                           const FrameRange& frames)
    : hidden_(hidden), names_(names), frames_(frames), maker_(video) {}

void PictureFiles::frame(const ScoredFrame& frame) {
  add(maker_.make(frame));
}

void PictureFiles::add(const Snapshot& shot) {
  OutputFile file(picture_path(names_.base, shot.frame), hidden_);
  file.write(encode_png(render_overlay(shot), names_.mark));
  file.close();
  files_.push_back(std::move(file));
  numbers_.push_back(shot.frame);
}

std::vector<OutputFile*> PictureFiles::outputs(const std::string& base, bool partial) {
  std::vector<OutputFile*> all;
  for (size_t i = 0; i < files_.size(); ++i) {
    const std::string path = picture_path(base, numbers_[i]);
    files_[i].move_to(partial ? openable_partial_path(path) : path);
    all.push_back(&files_[i]);
  }
  return all;
}

}  // namespace vq::cli
