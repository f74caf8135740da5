#include "cli/heatmap_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "cli/output_path.h"
#include "core/platform.h"

namespace vq::cli {

std::string heatmap_file_name(std::string_view feature, const HeatmapInfo& info) {
  return std::string(feature) + "_heatmap_scale_" + std::to_string(info.scale) + "_" +
         std::to_string(info.width) + "x" + std::to_string(info.height) + "_16b.gray";
}

bool make_heatmap_folder(const std::string& folder) {
  const bool made = mkdir(folder.c_str(), 0777) == 0;
  if (!made && errno != EEXIST) {
    throw output_error(folder, "cannot make the folder", errno);
  }
  struct stat status = {};
  if (stat(folder.c_str(), &status) != 0) throw output_error(folder, "cannot use the folder", errno);
  if (!S_ISDIR(status.st_mode)) throw output_error(folder, "cannot write heatmaps", ENOTDIR);
  return made;
}

HeatmapFiles::HeatmapFiles(std::string folder, std::string_view feature, std::span<const HeatmapInfo> infos) {
  if (make_heatmap_folder(folder)) made_folder_ = folder;
  files_.reserve(infos.size());
  for (const HeatmapInfo& info : infos) {
    const std::string path = folder + "/" + heatmap_file_name(feature, info);
    check_writable(path);
    files_.emplace_back(path);
    paths_.push_back(path);
  }
}

HeatmapFiles::~HeatmapFiles() {
  files_.clear();
  if (!made_folder_.empty()) rmdir(made_folder_.c_str());
}

void HeatmapFiles::write(int scale, PlaneView<const uint16_t> map) {
  is_whole_ = false;  // until all scales of the frame are written
  buffer_.resize(static_cast<size_t>(map.width) * 2);
  for (int y = 0; y < map.height; ++y) {
    for (size_t x = 0; x < static_cast<size_t>(map.width); ++x) {
      buffer_[2 * x] = static_cast<char>(map.row(y)[x] & 0xFF);
      buffer_[2 * x + 1] = static_cast<char>(map.row(y)[x] >> 8);
    }
    files_[static_cast<size_t>(scale)].write({buffer_.data(), buffer_.size()});
  }
  is_whole_ = static_cast<size_t>(scale) + 1 == files_.size();
}

void HeatmapFiles::finish() {
  for (OutputFile& file : files_) file.finish();
}

void HeatmapFiles::commit() {
  finish();
  for (OutputFile& file : files_) file.commit();
}

void HeatmapFiles::commit_partial() {
  if (!is_whole_) return;
  finish();
  for (OutputFile& file : files_) file.commit_partial();
}

}  // namespace vq::cli
