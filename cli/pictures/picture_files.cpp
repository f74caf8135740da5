#include "cli/pictures/picture_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <utility>

#include "cli/pictures/image_codec.h"
#include "cli/pictures/overlay.h"
#include "cli/system/output_path.h"
#include "cli/system/standard_streams.h"
#include "core/content_hash.h"
#include "core/text.h"

namespace vq::cli {

namespace {

namespace fs = std::filesystem;

constexpr size_t kFrameDigits = 6;
constexpr size_t kLongestBase = 200;  // leaves room in a name of 255 bytes for all that follows
constexpr size_t kMarkedBytes =
    4096;  // number of bytes at either end of a file in which the mark is looked for

constexpr std::string_view kKindEndings[] = {"", ".distorted", ".reference"};  // by PictureKind

// The text cut to a number of bytes, without half a character at the end.
std::string shortened(std::string text, size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (text[bytes] & 0xC0) == 0x80) --bytes;
  text.resize(bytes);
  return text;
}

std::string base_of(const PictureOrigin& origin, int number) {
  const std::string suffix = (number > 1 ? "-" + std::to_string(number) : "") + "." + origin.metric;
  const size_t room = kLongestBase - std::min(kLongestBase / 2, suffix.size());
  return shortened(shortened(origin.stem, room) + suffix, kLongestBase);
}

// What follows the base, from its dot on.
bool is_ending(std::string_view text) {
  for (const std::string_view extension : {".mp4", ".mkv", ".png"}) {
    if (!text.ends_with(extension)) continue;
    text.remove_suffix(extension.size());
    if (text.ends_with(kPartialSuffix)) text.remove_suffix(kPartialSuffix.size());
    if (extension != ".png") return text.empty();
    for (const std::string_view kind : kKindEndings) {
      if (!kind.empty() && text.ends_with(kind)) text.remove_suffix(kind.size());
    }
    long long frame = 0;
    return text.starts_with(".f") && text.size() >= 2 + kFrameDigits && parse_int(text.substr(2), frame);
  }
  return false;
}

bool is_named(const std::string& name, const std::string& base) {
  return name.starts_with(base) && is_ending(std::string_view(name).substr(base.size()));
}

bool has_mark(const fs::path& path, const std::string& mark) {
  std::error_code error;
  if (!fs::is_regular_file(path, error) || error) return false;
  std::ifstream file(path, std::ios::binary);
  std::array<char, kMarkedBytes> bytes;
  const auto found = [&] {
    file.read(bytes.data(), bytes.size());
    const std::string_view text(bytes.data(), static_cast<size_t>(file.gcount()));
    return text.find(mark) != text.npos;
  };
  if (found()) return true;
  file.clear();
  file.seekg(-static_cast<std::streamoff>(kMarkedBytes), std::ios::end);
  return file && found();
}

bool is_taken(const ReadLocation& place, const std::string& base, const std::string& mark) {
  const auto& reserved = place.reserved;
  if (std::any_of(reserved.begin(), reserved.end(), [&](const auto& name) { return is_named(name, base); }))
    return true;
  std::error_code error;
  for (fs::directory_iterator entry(place.folder, error), end; !error && entry != end;
       entry.increment(error)) {
    if (is_named(entry->path().filename().string(), base) && !has_mark(entry->path(), mark)) return true;
  }
  return false;
}

}  // namespace

PictureFiles::PictureFiles(const PictureNames& names, const ObservedVideo& video, const FrameRange& frames)
    : names_(names), frames_(frames), maker_(video) {}

void PictureFiles::frame(const ScoredFrame& frame) {
  add(maker_.make(frame));
}

void PictureFiles::add(const Snapshot& shot) {
  add(shot.frame, PictureKind::kHeatMap, encode_png(render_overlay(shot), names_.mark));
  if (shot.reference.empty()) return;
  add(shot.frame, PictureKind::kDistorted, encode_png(colours_of(shot.picture), names_.mark));
  add(shot.frame, PictureKind::kReference, encode_png(colours_of(shot.reference), names_.mark));
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

PictureOrigin picture_origin(const std::string& video, const std::string& metric) {
  const bool is_file = !is_standard_input(video);
  std::error_code error;
  const fs::path place = is_file ? fs::canonical(video, error) : fs::path();
  PictureOrigin origin;
  origin.stem = is_file ? fs::path(video).stem().string() : "stdin";
  origin.metric = metric;
  origin.mark = "cambi-video-" + hash_text(content_hash(error ? video : place.string()));
  return origin;
}

std::string first_picture_base(const std::string& folder, const PictureOrigin& origin) {
  return folder + "/" + base_of(origin, 1);
}

std::string picture_base(const ReadLocation& place, const PictureOrigin& origin) {
  for (int number = 1;; ++number) {
    const std::string base = base_of(origin, number);
    if (!is_taken(place, base, origin.mark)) return place.folder + "/" + base;
  }
}

std::string picture_path(const std::string& base, int64_t frame, PictureKind kind) {
  std::string number = std::to_string(frame);
  if (number.size() < kFrameDigits) number.insert(0, kFrameDigits - number.size(), '0');
  return base + ".f" + number + std::string(kKindEndings[static_cast<size_t>(kind)]) + ".png";
}

}  // namespace vq::cli
