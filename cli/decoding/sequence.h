// Sequences of pictures: numbered files, files that match a pattern of the shell, the pictures of a folder.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/decoding/video_source.h"

namespace vq::cli {

// The pictures that a path names, in order; nothing if it names a single file, or nothing that exists.
// "f%04d.png", "f%d.png": the numbered files of that name, from the smallest number on; none may be missing.
// "shots/*.png" (also ? and [a-z]): the files that match, by the order in which people count: f2 before f10.
// "shots": the pictures in that folder, if all have one extension, in the same order.
// A file of exactly that name comes first. Throws Error{kInput} for numbers that are missing, a pattern
// without files and a folder with pictures of several kinds.
std::optional<std::vector<std::string>> sequence_files(const std::string& path);

// Whether sequence_files() would look for files, which need not exist.
bool names_sequence(const std::string& path);

// Decodes the pictures on as many threads as the options say. The first decides the format; its rate is that
// of the options. Pictures are numbered from 0. Throws as open_video(), and Error{kBackend} if hardware is
// required. VideoSource::read() throws Error{kIncomplete} for a picture of another format or one that cannot
// be decoded.
std::unique_ptr<VideoSource> open_sequence(const SourceOptions& options, std::vector<std::string> files);

}  // namespace vq::cli
