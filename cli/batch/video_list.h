// The videos of a batch: which they are, what their reports are called, and which reference each is compared
// with.
#pragma once

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <vector>

namespace vq::cli {

// The videos that the command line names.
struct VideoListRequest {
  std::vector<std::string> paths;  // videos, and folders of them
  std::vector<std::string> lists;  // files with a path a line, see read_video_list()
  std::string reference_folder;    // empty: none
  std::string root;                // below which reports have the paths of their videos; empty: see `name`
  std::vector<std::string> left_out =
      {};                   // folders below `paths` that are not looked into: those that are written to
  bool may_be_raw = false;  // raw video counts as video, too
};

struct ListedVideo {
  std::string path;                      // as it is opened and shown
  std::optional<std::string> reference;  // of its own
  // Its path below the root, or if that is not given below the deepest folder that all paths of the request
  // share. No two videos have the same. Bytes that are not UTF-8 are escaped, so that a report of that name
  // can be named in JSON.
  std::string name;
  int64_t bytes = 0;
};

// A path that could not be read.
struct ListFault {
  std::string path;
  std::exception_ptr error;  // Error{kInput}
};

struct VideoList {
  std::vector<ListedVideo> videos;   // in natural order of their names
  std::vector<ListFault> faults;     // of folders below those that were given
  int64_t other_files = 0;           // in the folders, by their names no videos
  std::vector<std::string> remarks;  // files that were named twice, references without a video
};

// Whether files of that name are taken for video in folders: by the extension, in any case. Raw video has
// none that says what it is, so it counts only if the command line describes it.
bool has_video_name(const std::string& path, bool may_be_raw);

// The lines of a list: a path each, or a video and its reference with a tab between them. Empty lines are
// passed over; a carriage return at the end of a line is none of it, nor is a byte order mark before the
// first. "-" is standard input. Throws Error{kInput}, also for a list with NUL bytes.
struct ListLine {
  std::string video;
  std::optional<std::string> reference;
};
std::vector<ListLine> read_video_list(const std::string& path);

// Looks into folders and those in them, also where links lead, but once into each; hidden files and folders
// are left out, and what is no regular file. A file that several names lead to counts once. Throws Error:
// kUsage for what is no file and no folder, for paths outside the root, and for references from two places;
// kInput if a path that was given cannot be read or there is no video; kMismatch if a video has no reference
// of its name, or several, and if only some videos have a reference.
VideoList list_videos(const VideoListRequest& request);

}  // namespace vq::cli
