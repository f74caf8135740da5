#include "cli/batch/video_list.h"

#include <fstream>
#include <iostream>
#include <map>

#include "cli/system/files.h"
#include "cli/system/messages.h"
#include "core/error.h"
#include "core/platform.h"
#include "core/text.h"

namespace vq::cli {
namespace {

namespace fs = std::filesystem;

// Extensions of containers and streams of video. What FFmpeg opens besides, such as pictures, music and
// subtitles, lies in the same folders and is not meant.
constexpr std::array<std::string_view, 51> kVideoExtensions = {
    "264", "265",  "266", "3g2",  "3gp",  "asf",   "av1",  "avi",  "avs2", "avs3", "divx", "dv",  "evc",
    "f4v", "flv",  "gxf", "h261", "h263", "h264",  "h265", "h266", "hevc", "ismv", "ivf",  "m1v", "m2p",
    "m2t", "m2ts", "m2v", "m4v",  "mj2",  "mjpeg", "mkv",  "mov",  "mp4",  "mpeg", "mpg",  "mpv", "mts",
    "mxf", "nut",  "obu", "ogm",  "ogv",  "rm",    "rmvb", "ts",   "vob",  "webm", "wmv",  "y4m"};
constexpr std::array<std::string_view, 4> kRawExtensions = {"raw", "rgb", "yuv", "i420"};

// Whether a file of that name in a folder is taken for video, by its extension in any case. The extensions of
// raw video do not say what it is, so it counts only if the command line describes it.
bool has_video_name(const std::string& path, bool may_be_raw) {
  const std::string dotted = lower_case(text_of(path_of(path).extension()));
  const std::string extension = dotted.substr(std::min<size_t>(dotted.size(), 1));
  return contains(kVideoExtensions, extension) || (may_be_raw && contains(kRawExtensions, extension));
}

// Where the path is, with neither "." nor ".." nor a slash at its end; links stay.
fs::path place_of(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path_of(path), error);
  if (error) throw input_error(path, "cannot be found", error.value());
  const fs::path place = absolute.lexically_normal();
  return place.has_filename() ? place : place.parent_path();
}

bool is_below(const fs::path& place, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), place.begin(), place.end()).first == folder.end();
}

fs::path common_folder(const fs::path& a, const fs::path& b) {
  fs::path common;
  for (auto i = a.begin(), k = b.begin(); i != a.end() && k != b.end() && *i == *k; ++i, ++k) common /= *i;
  return common;
}

fs::path without_extension(const fs::path& name) { return name.parent_path() / name.stem(); }

class Lister {
 public:
  explicit Lister(const VideoListRequest& request) : request_(request) {
    for (const std::string& folder : request.left_out) leave_out(folder);
    if (!request.reference_folder.empty()) leave_out(request.reference_folder);
  }

  VideoList list() {
    for (const std::string& path : request_.paths) add_given(path, std::nullopt);
    for (const std::string& list : request_.lists) {
      for (const ListLine& line : read_video_list(list)) add_listed(line);
    }
    name_videos();
    if (!request_.reference_folder.empty()) find_references();
    check_all_have_references();
    if (list_.videos.empty() && list_.faults.empty()) throw nothing_found();
    return std::move(list_);
  }

 private:
  // A path of a list that is missing is a fault, and the rest of the list goes on.
  void add_listed(const ListLine& line) {
    try {
      add_given(line.video, line.reference);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::kInput) throw;
      list_.faults.push_back({line.video, std::current_exception()});
    }
  }

  // A path of the command line or of a list.
  void add_given(const std::string& path, const std::optional<std::string>& reference) {
    if (is_standard_input(path))
      throw usage_error("a batch reads files, and not standard input. Try: cambi -");
    const auto status = file_status(path);
    if (!status) throw input_error(path, "cannot be opened", errno);
    if (status->kind == FileKind::kFile) {
      cover(place_of(path).parent_path());
      return add_file(path, *status, reference);
    }
    if (status->kind != FileKind::kFolder)
      throw usage_error(shown_path(path) + " is neither a file nor a folder.");
    if (reference) {
      throw usage_error("{} is a folder and has one reference, {}. Use --reference-dir", shown_path(path),
                        shown_path(*reference));
    }
    cover(place_of(path));
    if (folders_.insert(status->identity).second) look_into(path, true);
  }

  // Extends the common folder, so that it has everything that is given.
  void cover(const fs::path& folder) { common_ = common_.empty() ? folder : common_folder(common_, folder); }

  // Below the folders that are given: one that is given itself is meant.
  void leave_out(const std::string& folder) {
    if (const auto status = file_status(folder)) left_out_.insert(status->identity);
  }

  void look_into(const std::string& folder, bool is_given) {
    std::error_code error;
    std::vector<std::string> names;
    for (fs::directory_iterator entry(path_of(folder), error), end; !error && entry != end;
         entry.increment(error)) {
      names.push_back(text_of(entry->path().filename()));
    }
    if (error) {
      const Error fault = input_error(folder, "cannot be read", error.value());
      if (is_given) throw fault;
      list_.faults.push_back({folder, std::make_exception_ptr(fault)});
    }
    std::ranges::sort(names, natural_less);
    for (const std::string& name : names) {
      if (!name.starts_with('.')) look_at(text_of(path_of(folder) / path_of(name)));
    }
  }

  void look_at(const std::string& path) {
    const auto status = file_status(path);
    if (!status) {
      // Such as a link that leads nowhere, or in a circle.
      const Error fault = input_error(path, "cannot be opened", errno);
      if (has_video_name(path, request_.may_be_raw))
        list_.faults.push_back({path, std::make_exception_ptr(fault)});
    } else if (status->kind == FileKind::kFolder) {
      const FileIdentity folder = status->identity;
      if (!left_out_.contains(folder) && folders_.insert(folder).second) look_into(path, false);
    } else if (status->kind == FileKind::kFile && has_video_name(path, request_.may_be_raw)) {
      add_file(path, *status, std::nullopt);
    } else {
      ++list_.other_files;
    }
  }

  void add_file(const std::string& path, const FileStatus& file,
                const std::optional<std::string>& reference) {
    const auto [known, is_new] = files_.emplace(file.identity, path);
    if (is_new)
      return list_.videos.push_back({.path = path, .reference = reference, .name = {}, .bytes = file.bytes});
    if (place_of(path) == place_of(known->second) && !reference) return;
    list_.remarks.push_back(
        words("{} is the same file as {}, and is scored once.", shown_path(path), shown_path(known->second)));
  }

  void name_videos() {
    const fs::path root = request_.root.empty() ? common_ : place_of(request_.root);
    for (ListedVideo& video : list_.videos) {
      const fs::path place = place_of(video.path);
      if (!is_below(place, root))
        throw usage_error("{} is not below the root {}.", shown_path(video.path), shown_path(request_.root));
      video.name = escaped_text(text_of(place.lexically_relative(root)));
    }
    std::ranges::sort(list_.videos, natural_less, &ListedVideo::name);
    const auto same = std::ranges::adjacent_find(
        list_.videos, [](const ListedVideo& a, const ListedVideo& b) { return a.name == b.name; });
    if (same == list_.videos.end()) return;
    throw usage_error("the reports of two videos would have the same name, " + shown_path(same->name) +
                      ", as one of them is not UTF-8. Rename it");
  }

  // By name, without the extension: masters are rarely in the container of their encodes.
  void find_references() {
    VideoListRequest wanted;
    wanted.paths = {request_.reference_folder};
    wanted.root = request_.reference_folder;
    wanted.may_be_raw = request_.may_be_raw;
    std::map<fs::path, std::vector<std::string>> found;
    for (const ListedVideo& reference : list_videos(wanted).videos) {
      found[without_extension(path_of(reference.name))].push_back(reference.path);
    }
    std::set<fs::path> used;
    for (ListedVideo& video : list_.videos) {
      if (video.reference)
        throw usage_error("{} has a reference in the list, and --reference-dir names another.",
                          shown_path(video.path));
      const fs::path name = without_extension(path_of(video.name));
      const auto match = found.find(name);
      if (match == found.end()) {
        throw Error(ErrorKind::kMismatch,
                    "{}: there is no reference {}.* in {}. Use --root DIR, the folder to which paths are "
                    "relative, or --list FILE with pairs",
                    shown_path(video.path), shown_path(text_of(name)), shown_path(request_.reference_folder));
      }
      if (match->second.size() > 1) {
        throw Error(ErrorKind::kMismatch,
                    "{} could be compared with {} and with {}. Use --list FILE with pairs",
                    shown_path(video.path), shown_path(match->second[0]), shown_path(match->second[1]));
      }
      if (!used.insert(name).second) {
        list_.remarks.push_back(shown_path(match->second.front()) +
                                " is the reference of several videos, by its name.");
      }
      video.reference = match->second.front();
    }
    const auto idle = static_cast<int64_t>(found.size() - used.size());
    if (idle > 0)
      list_.remarks.push_back(words("{} in {} without a video.", counted(idle, "reference"),
                                    shown_path(request_.reference_folder)));
  }

  // A feature that needs a reference would fail on half of them.
  void check_all_have_references() const {
    const auto has_one = [](const ListedVideo& video) { return video.reference.has_value(); };
    const auto with = std::ranges::find_if(list_.videos, has_one);
    const auto without = std::ranges::find_if_not(list_.videos, has_one);
    if (with == list_.videos.end() || without == list_.videos.end()) return;
    throw Error(ErrorKind::kMismatch,
                "{} has a reference in the list, and {} has none. Give all of them one, or none",
                shown_path(with->path), shown_path(without->path));
  }

  Error nothing_found() const {
    std::string where = request_.paths.empty() ? "the list" : shown_path(request_.paths.front());
    const size_t others = request_.paths.size() + request_.lists.size();
    if (others > 1) where = counted(static_cast<int64_t>(others), "place") + " given";
    return Error(ErrorKind::kInput,
                 "there is no video in {}{}. Files are recognised by their extensions; other files can be "
                 "named explicitly",
                 where,
                 list_.other_files > 0 ? words(" ({})", counted(list_.other_files, "other file")) : "");
  }

  const VideoListRequest& request_;
  VideoList list_;
  fs::path common_;
  std::set<FileIdentity> left_out_, folders_;  // those of `folders_` were looked into
  std::map<FileIdentity, std::string> files_;  // the name each was first met under
};

}  // namespace

std::vector<ListLine> read_video_list(const std::string& path) {
  std::ifstream file;
  const bool is_stream = is_standard_input(path);
  errno = 0;  // which C++ libraries need not set
  if (!is_stream) file.open(path_of(path), std::ios::binary);
  if (!is_stream && !file) throw input_error(path, "the list cannot be opened", errno);
  std::istream& in = is_stream ? std::cin : file;
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  std::vector<ListLine> lines;
  bool is_first = true;
  for (std::string line; std::getline(in, line);) {
    if (std::exchange(is_first, false) && line.starts_with(kByteOrderMark))
      line.erase(0, kByteOrderMark.size());
    // No path has one; what the system is given would end there.
    if (line.find('\0') != std::string::npos) {
      throw Error(
          ErrorKind::kInput,
          shown_path(path) +
              ": the list has NUL bytes; it is text with a path on each line, as find -print writes it");
    }
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty()) continue;
    const size_t tab = line.find('\t');
    if (tab == std::string::npos) {
      lines.push_back({text_of(path_of(line)), std::nullopt});
      continue;
    }
    const std::string reference = line.substr(tab + 1);
    if (tab == 0 || reference.empty() || reference.find('\t') != std::string::npos) {
      throw Error(ErrorKind::kInput,
                  "{}: a line of the list is a video, or a video, a tab and its reference; \"{}\" is neither",
                  shown_path(path), printable(line));
    }
    lines.push_back({text_of(path_of(line.substr(0, tab))), text_of(path_of(reference))});
  }
  if (in.bad()) throw input_error(path, "the list cannot be read", errno);
  return lines;
}

VideoList list_videos(const VideoListRequest& request) { return Lister(request).list(); }

}  // namespace vq::cli
