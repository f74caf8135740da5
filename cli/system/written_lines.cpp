#include "cli/system/written_lines.h"

#include <algorithm>

#include "cli/system/output_path.h"
#include "core/text/message_text.h"
#include "core/text/number_text.h"

namespace vq::cli {
namespace {

std::string file_line(const OutputFile& file) {
  return shown_path(file.path()) + " (" + bytes_text(file.bytes()) + ")";
}

// The pictures of a run differ in the number of the frame only.
std::string pictures_line(const std::vector<const OutputFile*>& pictures) {
  const auto by_path = [](const OutputFile* a, const OutputFile* b) { return a->path() < b->path(); };
  const auto [first, last] = std::minmax_element(pictures.begin(), pictures.end(), by_path);
  int64_t bytes = 0;
  for (const OutputFile* picture : pictures) bytes += picture->bytes();
  return std::to_string(pictures.size()) + " pictures, " + shown_path((*first)->path()) + " to " +
         shown_path((*last)->path()) + " (" + bytes_text(bytes) + ")";
}

}  // namespace

std::vector<std::string> written_lines(const std::string& verb, const std::vector<OutputFile*>& files) {
  std::vector<std::string> lines;
  std::vector<const OutputFile*> pictures;
  for (const OutputFile* file : files) {
    if (is_written_in_place(file->path())) continue;
    if (file->path().ends_with(".png")) {
      pictures.push_back(file);
    } else {
      lines.push_back(verb + " " + file_line(*file));
    }
  }
  if (pictures.size() == 1) lines.push_back(verb + " " + file_line(*pictures.front()));
  if (pictures.size() > 1) lines.push_back(verb + " " + pictures_line(pictures));
  return lines;
}

void tell_written(const std::string& verb, std::vector<OutputFile> files, Messages& messages) {
  for (const std::string& line : written_lines(verb, pointers_to(files))) messages.note(line);
}

}  // namespace vq::cli
