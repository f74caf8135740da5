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
  std::string root;                // see ListedVideo::name; empty: none
  // Folders below `paths` that are not looked into, since the batch writes to them.
  std::vector<std::string> left_out = {};
  bool may_be_raw = false;  // raw video counts as video, too
};

struct ListedVideo {
  std::string path;                      // as it is opened and shown
  std::optional<std::string> reference;  // of its own
  // Its path below the request's root; without a root, below the deepest folder that all paths of the request
  // share. Reports are named by it. No two videos have the same name. Bytes that are not UTF-8 are escaped,
  // so that JSON can name the report.
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
  int64_t other_files = 0;           // files in the folders that, by their names, are no videos
  std::vector<std::string> remarks;  // files that were named twice, references without a video
};

// A line of a list: the path of a video, or of a video and its reference with a tab between them.
struct ListLine {
  std::string video;
  std::optional<std::string> reference;
};
// Reads a list; "-" is standard input. Empty lines, carriage returns at the ends of lines and a byte order
// mark at the start are ignored. Throws Error{kInput}, also for a list with NUL bytes.
std::vector<ListLine> read_video_list(const std::string& path);

// Finds the videos of the request. Folders are searched with all folders below them. Links are followed, but
// no folder is searched twice. Hidden files and folders are left out, and so is whatever is no regular file.
// A file that several names lead to counts once. Throws Error: kUsage if a path is neither a file nor a
// folder or is outside the root, and if references come from two places; kInput if a path that was given
// cannot be read, or there is no video; kMismatch if a video has no reference of its name or several, and if
// only some videos have a reference.
VideoList list_videos(const VideoListRequest& request);

}  // namespace vq::cli
