#include "cli/picture_files.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "cli/heatmap_outputs.h"
#include "cli/output_file.h"
#include "cli/output_path.h"
#include "cli/overlay.h"

namespace vq::cli {

std::string overlay_file_name(const std::string& feature, int64_t frame) {
  constexpr size_t kDigits = 6;
  std::string number = std::to_string(frame);
  if (number.size() < kDigits) number.insert(0, kDigits - number.size(), '0');
  return feature + "_overlay_" + number + ".png";
}

PictureFiles::PictureFiles(std::string folder, std::string feature, const ObservedVideo& video,
                           const FrameRange& frames)
    : folder_(std::move(folder)), feature_(std::move(feature)), frames_(frames), maker_(video) {
  std::string pattern = folder_ + "/.cambi-XXXXXX";
  if (mkdtemp(pattern.data()) == nullptr) throw output_error(folder_, "cannot write pictures", errno);
  hidden_ = pattern;
}

PictureFiles::~PictureFiles() {
  std::error_code ignored;
  std::filesystem::remove_all(hidden_, ignored);
}

void PictureFiles::frame(const ScoredFrame& frame) {
  add(frame.picture.index, encode_png(render_overlay(maker_.make(frame))));
}

void PictureFiles::add(int64_t frame, std::string_view png) {
  names_.push_back(overlay_file_name(feature_, frame));
  OutputFile file(hidden_ + "/" + names_.back());
  file.write(png);
  file.commit();
}

void PictureFiles::commit() {
  for (const std::string& name : names_) check_writable(folder_ + "/" + name);
  for (const std::string& name : names_) {
    const std::string target = folder_ + "/" + name;
    if (std::rename((hidden_ + "/" + name).c_str(), target.c_str()) != 0) {
      throw output_error(target, "cannot rename to it", errno);
    }
  }
}

}  // namespace vq::cli
