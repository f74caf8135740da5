#include "cli/inputs/remarks.h"

#include <fstream>

#include "cli/decoding/open_video.h"
#include "cli/inputs/feature_flags.h"
#include "cli/system/files.h"
#include "core/platform.h"
#include "core/text.h"
#include "engine/report/report_writer.h"

namespace vq::cli {

// Advice on an error that a feature throws without knowing the flags.
static std::string advice_on(const Error& error, const VideoFormats& formats,
                             const std::optional<PairHeaders>& pair) {
  if (error.kind() != ErrorKind::kMismatch || !formats.reference || !pair) return ".";
  const VideoFormat &video = formats.distorted, &reference = *formats.reference;
  const bool differ = video.width != reference.width || video.height != reference.height;
  if (differ) return words(". Try: {}.", size_remedy(*pair));
  return "." + chroma_remedy(video, reference);
}

static std::string without_stop(const std::string& text) {
  return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
}

void check_features(const std::vector<FeatureRequest>& features, const VideoFormats& formats,
                    const std::vector<ModelOfRun>& models, const std::optional<PairHeaders>& pair) {
  for (size_t i = 0; i < features.size(); ++i) {
    const FeatureInfo& info = *features[i].info;
    try {
      check_request(features[i], formats);
    } catch (const Error& error) {
      const std::string text = without_stop(refusal_text(models, i, info, error.what()));
      const bool lacks_chroma = plane_count(formats.distorted.chroma) == 1 ||
                                (formats.reference && plane_count(formats.reference->chroma) == 1);
      const bool may_be_other = lacks_chroma && !model_that_asks(models, i).empty();
      const std::string other = may_be_other ? model::model_of_others(formats) : "";
      if (!other.empty()) throw Error(error.kind(), words("{}. Try: --model {}", text, other));
      throw Error(error.kind(), text + advice_on(error, formats, pair));
    }
  }
}

void check_crop(const std::string& flag, const Rectangle& r, const VideoFormat& video) {
  if (r.x + r.width <= video.width && r.y + r.height <= video.height) return;
  throw Error(ErrorKind::kMismatch, "{} {} reaches beyond {}, which is {}.", flag, crop_text(r),
              shown_path(video.name), size_text(video.size()));
}

void check_crop_of_chroma(const std::string& flag, const Rectangle& r, const VideoFormat& video) {
  const auto check = [&](const char* side, int value, int shift) {
    if (value % (1 << shift) == 0) return;
    throw Error(ErrorKind::kMismatch,
                "{} {}: {} must be a multiple of {}, since {} has {} chroma, which is scored as well.", flag,
                crop_text(r), side, 1 << shift, shown_path(video.name), to_string(video.chroma));
  };
  check("X", r.x, chroma_shifts(video.chroma).x);
  check("Y", r.y, chroma_shifts(video.chroma).y);
}

void check_searchable(const std::string& flag, const std::string& path) {
  check_read_twice(path, words("{} auto reads the start of the video", flag),
                   words(" Give the rectangle: {} WIDTH:HEIGHT:X:Y", flag));
}

// 0 if FFmpeg has no planar format of that kind.
static int chroma_digits(Chroma chroma) {
  return chroma == Chroma::k420 ? 420 : chroma == Chroma::k422 ? 422 : chroma == Chroma::k444 ? 444 : 0;
}

PairHeaders headers_of(const VideoInfo& distorted, const VideoInfo& reference) {
  return {.distorted = distorted, .reference = reference};
}

RefusedPair::RefusedPair(PairFault fault, const std::string& why)
    : Error(ErrorKind::kMismatch, "{} ({})", without_stop(fault.diagnostic.text), why),
      fault_(std::move(fault)) {}

std::vector<PairFault> pair_faults(const std::vector<FeatureRequest>& features, const PairHeaders& pair) {
  return any_compares(features) ? header_faults(pair) : std::vector<PairFault>();
}

void refuse_pair_fault(const PairFault& fault, const RunOptions& options) {
  const auto refuse = [&](const std::string& why) {
    PairFault refused = fault;
    refused.diagnostic = {in_words(fault.diagnostic)};
    throw RefusedPair(std::move(refused), why);
  };
  // Not about how frames are shown, and when.
  using enum PairFaultKind;
  const bool is_about_samples =
      fault.kind != kTransfer && fault.kind != kShape && fault.kind != kRotation && fault.kind != kRate;
  const bool is_asked_for = options.as_stored && is_about_samples;
  if (fault.is_certain && !options.compare_anyway && !is_asked_for)
    refuse("--compare-anyway scores them all the same");
  // Lossless copies of a lossy master are usual.
  const bool is_question = fault.kind == kSwapped;
  if (options.strict && !is_question) refuse("--strict is set");
}

std::string size_remedy(const PairHeaders& pair) {
  if (!lie_crosswise(pair)) return "--scale-to reference";
  if ((pair.distorted.rotation - pair.reference.rotation) % 180 == 0) {
    return "ffmpeg -i IN -vf transpose=1 -c:v ffv1 OUT.mkv, or transpose=2, because one video is rotated by "
           "90 degrees";
  }
  const VideoHeader& turned = pair.distorted.rotation % 180 != 0 ? pair.distorted : pair.reference;
  return words("ffmpeg -i {} -c:v ffv1 upright.mkv, since that video is stored lying and players turn it",
               shown_path(turned.format.name));
}

std::string chroma_remedy(const VideoFormat& distorted, const VideoFormat& reference) {
  const int a = chroma_digits(distorted.chroma), b = chroma_digits(reference.chroma);
  const bool have_chroma = plane_count(distorted.chroma) > 1 && plane_count(reference.chroma) > 1;
  if (!have_chroma || a == b) return {};
  const bool is_distorted =
      b != 0 && (a == 0 || a > b);  // that is converted, to the coarser one or from an odd one
  const VideoFormat& converted = is_distorted ? distorted : reference;
  const std::string depth = converted.bit_depth > 8 ? words("{}le", converted.bit_depth) : "";
  return words(
      " Convert it on the way: ffmpeg -i {} -pix_fmt yuv{}p{} -f yuv4mpegpipe -strict -1 - | cambi {} - ...",
      shown_path(converted.name), is_distorted ? b : a, depth, is_distorted ? "-d" : "-r");
}

static bool is_a(FileKind kind, const std::string& path) {
  const auto status = file_status(path);
  return status && status->kind == kind;
}

// No container of video begins with a brace.
static bool begins_as_json(const std::string& path) {
  std::ifstream file(path_of(path), std::ios::binary);
  char first = 0;
  return file >> first && first == '{';  // past white space
}

bool is_json_report(const std::string& path, bool may_be_raw) {
  if (named_format(path) == ReportFormat::kJson) return true;
  return !may_be_raw && is_a(FileKind::kFile, path) && begins_as_json(path);
}

bool is_read_once(const std::string& path) {
  if (is_standard_input(path)) return true;
  const auto status = file_status(path);
  return status && status->kind != FileKind::kFile && status->kind != FileKind::kFolder;
}

void check_read_twice(const std::string& path, const std::string& what, const std::string& advice) {
  if (!is_read_once(path)) return;
  throw usage_error("{} twice, which {} does not allow.{}", what, shown_path(path), advice);
}

void check_is_video(const std::string& path) {
  if (is_a(FileKind::kFile, path)) {
    // No container of video has these extensions.
    const std::optional<ReportFormat> format = named_format(path);
    if (format == ReportFormat::kXml || format == ReportFormat::kCsv || format == ReportFormat::kSub) {
      throw Error(ErrorKind::kInput, shown_path(path) +
                                         " is a report, not a video, and not in JSON, the form that is read. "
                                         "Try: a report written with --json");
    }
    if (!begins_as_json(path)) return;
    throw Error(ErrorKind::kInput, shown_path(path) +
                                       " is a report, not a video. Try: cambi report, for a page of it, or "
                                       "cambi compare");
  }
  if (is_a(FileKind::kFolder, path) && !sequence_files(path)) {
    throw Error(ErrorKind::kInput,
                "{} cannot be opened: {}, and has no pictures. For all videos in it: cambi batch FOLDER "
                "--reports DIR",
                shown_path(path), errno_text(EISDIR));
  }
  const size_t scheme = path.find("://");
  if (scheme == std::string::npos || scheme == 0 || path.find('/') < scheme) return;
  throw Error(ErrorKind::kInput, "{}: videos are read from files and pipes, not from the network.",
              shown_path(path));
}

std::string skip_flags(const Skips& skips) {
  std::vector<std::string> flags;
  if (skips.reference > 0) flags.push_back(words("--frame_skip_ref {}", skips.reference));
  if (skips.distorted > 0) flags.push_back(words("--frame_skip_dist {}", skips.distorted));
  return join(flags, " ");
}

// The advice as a sentence; empty if there is none.
static std::string advice_of(const Diagnostic& diagnostic) {
  const auto& subjects = diagnostic.subjects;
  switch (diagnostic.advice) {
    case Advice::kNameModel:
      return "Give a model another name: --model ...:name=NAME";
    case Advice::kOtherModel:
      return words("Try: --model {}", subjects.at(0));
    case Advice::kFailAbove:
      return "To fail above a value, use --fail-above.";
    case Advice::kFailBelow:
      return "To fail below a value, use --fail-below.";
    case Advice::kAlign:
      return words("Try: --align {}", subjects.at(0));
    case Advice::kSkip: {
      const std::string flags = skip_flags(diagnostic.skips);
      return flags.empty() ? "Try: to skip nothing" : words("Try: {}, instead of the current values", flags);
    }
    case Advice::kPairByTime:
      return words("Try: --pair time, or convert one first, for example with {}", subjects.at(0));
    case Advice::kUseNeg:
      return "Try: --model neg";
    case Advice::kListChanges:
      return "See: cambi align";
    case Advice::kCrop:
      return words("If the videos were not scaled, try: --crop {}", subjects.at(0));
    case Advice::kSubsample:
      return words("Try: --subsample {}", subjects.empty() ? "with another number" : subjects.front());
    case Advice::kSeparateFeature:
      return words("--feature {}{} scores {} separately and does not change the model.", subjects.at(0),
                   subjects.at(1), subjects.at(0));
    case Advice::kNone:
    case Advice::kUseCpu:
      break;
  }
  return {};
}

std::string in_words(const Diagnostic& diagnostic) {
  if (diagnostic.advice == Advice::kUseCpu) return diagnostic.text + "; --backend cpu is faster.";
  const std::string advice = advice_of(diagnostic);
  return advice.empty() ? diagnostic.text : words("{} {}", diagnostic.text, advice);
}

std::string in_words(const Error& error) {
  const auto* const advised = dynamic_cast<const AdvisedError*>(&error);
  return advised != nullptr ? in_words(advised->diagnostic()) : error.what();
}

}  // namespace vq::cli
