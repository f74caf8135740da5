#include "cli/pictures/heatmap_files.h"

#include <sys/statvfs.h>

#include <algorithm>

#include "cli/system/output_check.h"
#include "cli/system/output_path.h"
#include "core/platform.h"
#include "core/text/number_text.h"
#include "engine/heatmap_name.h"

namespace vq::cli {
namespace {

constexpr int kPieceBytes = 1 << 20;  // written at once

}  // namespace

int64_t raw_frame_bytes(std::span<const HeatmapInfo> infos) {
  int64_t bytes = 0;
  for (const HeatmapInfo& info : infos) bytes += int64_t{2} * info.width * info.height;
  return bytes;
}

void check_free_space(const std::string& folder, int64_t bytes, const std::string& what) {
  struct statvfs system = {};
  if (statvfs(folder.c_str(), &system) != 0 && statvfs(folder_of(folder).c_str(), &system) != 0) return;
  const double free = static_cast<double>(system.f_bavail) * static_cast<double>(system.f_frsize);
  if (static_cast<double>(bytes) <= free) return;
  throw Error(ErrorKind::kOutput, what + ", and " + bytes_text(static_cast<int64_t>(free)) +
                                      " are free there. Try: --heatmap-format png, or fewer frames");
}

HeatmapFiles::HeatmapFiles(const std::string& folder, std::string_view feature,
                           std::span<const HeatmapInfo> infos)
    : folder_(folder) {
  files_.reserve(infos.size());
  for (const HeatmapInfo& info : infos) {
    const std::string path = folder + "/" + heatmap_file_name(feature, info);
    check_writable(path);
    files_.emplace_back(path);
    paths_.push_back(path);
  }
}

void HeatmapFiles::write(int scale, PlaneView<const uint16_t> map) {
  is_whole_ = false;  // until all scales of the frame are written
  const int rows_at_once = std::max(1, kPieceBytes / (2 * map.width));
  for (int top = 0; top < map.height; top += rows_at_once) {
    const int bottom = std::min(map.height, top + rows_at_once);
    buffer_.resize(static_cast<size_t>(bottom - top) * static_cast<size_t>(map.width) * 2);
    auto out = buffer_.begin();
    for (int y = top; y < bottom; ++y) {
      for (const uint16_t* value = map.row(y); value != map.row(y) + map.width; ++value) {
        *out++ = static_cast<char>(*value & 0xFF);
        *out++ = static_cast<char>(*value >> 8);
      }
    }
    files_[static_cast<size_t>(scale)].write({buffer_.data(), buffer_.size()});
  }
  is_whole_ = static_cast<size_t>(scale) + 1 == files_.size();
}

std::vector<OutputFile*> HeatmapFiles::outputs() {
  return pointers_to(files_);
}

std::vector<OutputFile*> HeatmapFiles::partial_outputs() {
  std::vector<OutputFile*> all;
  for (OutputFile& file : files_) {
    if (!is_whole_ || !file.is_pending()) continue;
    file.move_to(partial_path(file.path()));
    all.push_back(&file);
  }
  return all;
}

}  // namespace vq::cli
