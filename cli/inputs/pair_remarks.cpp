#include "cli/inputs/pair_remarks.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>

#include "core/text/message_text.h"
#include "core/text/number_text.h"

namespace vq::cli {
namespace {

// 24 frames a second and 24000/1001 pair well for as long as anybody compares.
constexpr double kSameRate = 0.01;
// 16:11 and 118:81, the two readings of one tag, are one shape.
constexpr double kSameAspect = 0.03;

std::string range_text(const VideoInfo& info) {
  const Range range = info.format.range;
  return shown_path(info.path) + " is " + (range == Range::kFull ? "full" : "limited") + " range" +
         (range == Range::kUnspecified ? " (assumed)" : "");
}

bool is_hdr(const VideoFormat& format) {
  return format.transfer == Transfer::kPq || format.transfer == Transfer::kHlg;
}

std::string size_text(const VideoInfo& info) {
  return std::to_string(info.format.width) + "x" + std::to_string(info.format.height);
}

std::string rate_text(const VideoInfo& info) {
  return number_text(*info.frame_rate(), {NumberStyle::Kind::kSignificant, 5});
}

// As the container declares them, or by the duration.
std::optional<double> frames_of(const VideoInfo& info) {
  if (info.frames) return static_cast<double>(*info.frames);
  return info.duration ? std::optional(*info.duration * *info.frame_rate()) : std::nullopt;
}

std::string rate_warning(const OpenedPair& pair) {
  return shown_path(pair.distorted.path) + " has " + rate_text(pair.distorted) + " frames a second and " +
         shown_path(pair.reference.path) + " " + rate_text(pair.reference) +
         ", and frames are paired by number, so most are compared with others than their own. Try: --pair "
         "time, "
         "or convert one first, for example with " +
         rate_remedy(pair);
}

bool is_upright(const VideoFormat& format) {
  return format.height > format.width;
}

bool is_lying(const VideoFormat& format) {
  return format.height < format.width;
}

// In degrees, 0 to 359.
int turn_between(const OpenedPair& pair) {
  return ((pair.distorted.rotation - pair.reference.rotation) % 360 + 360) % 360;
}

// "players turn a.mp4 by 90 degrees and b.mp4 by 180 degrees"
std::string turned_text(const OpenedPair& pair) {
  std::string text;
  for (const VideoInfo* info : {&pair.distorted, &pair.reference}) {
    if (info->rotation % 360 == 0) continue;
    text += (text.empty() ? "players turn " : " and ") + shown_path(info->path) + " by " +
            std::to_string(std::abs(info->rotation)) + " degrees";
  }
  return text;
}

std::string turn_warning(const OpenedPair& pair) {
  const int turn = turn_between(pair);
  if (turn == 180 || (turn != 0 && lie_crosswise(pair))) {
    return turned_text(pair) +
           ", but frames are compared as they are stored. "
           "Store them as they are shown first, for example with ffmpeg -i IN -c:v ffv1 OUT.mkv";
  }
  if (!lie_crosswise(pair)) return {};
  return shown_path(pair.distorted.path) + " is " + size_text(pair.distorted) + " and " +
         shown_path(pair.reference.path) + " is " + size_text(pair.reference) +
         ": one of them seems to lie on its side.";
}

std::string swap_text(const OpenedPair& pair) {
  const VideoFormat &video = pair.distorted.format, &reference = pair.reference.format;
  if (reference.width >= video.width || reference.height >= video.height) return {};
  return "the reference, " + shown_path(pair.reference.path) + ", is " + size_text(pair.reference) +
         ", smaller than " + shown_path(pair.distorted.path) + ", which is " + size_text(pair.distorted) +
         ". Have -r and -d changed places?";
}

std::string range_warning(const OpenedPair& pair) {
  const Range range = pair.distorted.format.range, other = pair.reference.format.range;
  if ((range == Range::kFull) == (other == Range::kFull)) return {};
  return range_text(pair.distorted) + " and " + range_text(pair.reference) +
         ": equal pictures have different samples there, so scores that compare them are wrong. "
         "Convert one first, for example with ffmpeg -i IN -vf scale=out_range=limited -c:v ffv1 OUT.mkv";
}

std::string transfer_warning(const OpenedPair& pair) {
  const VideoFormat &video = pair.distorted.format, &reference = pair.reference.format;
  const bool is_known =
      video.transfer != Transfer::kUnspecified && reference.transfer != Transfer::kUnspecified;
  if (!is_known || video.transfer == reference.transfer || !(is_hdr(video) || is_hdr(reference))) return {};
  return shown_path(pair.distorted.path) + " is tagged " + std::string(to_string(video.transfer)) + " and " +
         shown_path(pair.reference.path) + " " + std::string(to_string(reference.transfer)) +
         ": equal samples are different light there, so scores that compare them mean little.";
}

// 0 where FFmpeg has no planar format of that kind.
int chroma_digits(Chroma chroma) {
  return chroma == Chroma::k420 ? 420 : chroma == Chroma::k422 ? 422 : chroma == Chroma::k444 ? 444 : 0;
}

}  // namespace

bool lie_crosswise(const OpenedPair& pair) {
  const VideoFormat &a = pair.distorted.format, &b = pair.reference.format;
  return (is_upright(a) && is_lying(b)) || (is_lying(a) && is_upright(b));
}

bool any_compares(const std::vector<FeatureRequest>& features) {
  return std::any_of(features.begin(), features.end(), [](const FeatureRequest& request) {
    return compares_videos(*request.info, request.options);
  });
}

RefusedPair::RefusedPair(std::string text, const std::string& why)
    : Error(ErrorKind::kMismatch,
            (text.ends_with('.') ? text.substr(0, text.size() - 1) : std::move(text)) + " (" + why + ")") {}

std::vector<PairFault> pair_faults(const std::vector<FeatureRequest>& features, const OpenedPair& pair,
                                   bool as_stored) {
  if (!any_compares(features)) return {};
  std::vector<PairFault> faults;
  const auto add = [&](PairFaultKind kind, std::string text) {
    if (!text.empty()) faults.push_back({kind, {std::move(text)}});
  };
  if (as_stored) add(PairFaultKind::kRange, range_warning(pair));
  add(PairFaultKind::kTransfer, transfer_warning(pair));
  if (has_other_moments(pair)) add(PairFaultKind::kRate, rate_warning(pair));
  add(PairFaultKind::kRotation, turn_warning(pair));
  return faults;
}

void refuse_pair_faults(const std::vector<PairFault>& faults) {
  if (!faults.empty()) throw RefusedPair(faults.front().diagnostic.text, "--strict is set");
}

void refuse_pair(const std::vector<FeatureRequest>& features, const OpenedPair& pair) {
  const std::vector<PairFault> faults = pair_faults(features, pair, false);
  if (!faults.empty())
    throw RefusedPair(faults.front().diagnostic.text, "--compare-anyway scores them all the same");
}

std::string swap_warning(const std::vector<FeatureRequest>& features, const OpenedPair& pair) {
  return any_compares(features) ? swap_text(pair) : "";
}

std::string aspect_warning(const std::vector<FeatureRequest>& features, const OpenedPair& pair) {
  const VideoInfo &video = pair.distorted, &reference = pair.reference;
  const double a = video.sample_aspect, b = reference.sample_aspect;
  const bool is_one_size =
      video.format.width == reference.format.width && video.format.height == reference.format.height;
  if (!is_one_size || a <= 0 || b <= 0 || std::abs(a - b) <= kSameAspect * std::min(a, b)) return {};
  if (!any_compares(features)) return {};
  const auto shape = [](const VideoInfo& info) {
    return number_text(info.format.width * info.sample_aspect / info.format.height,
                       {NumberStyle::Kind::kSignificant, 3}) +
           ":1";
  };
  return shown_path(video.path) + " is shown as " + shape(video) + " and " + shown_path(reference.path) +
         " as " + shape(reference) + ", though both have " + size_text(video) +
         " samples, which are compared one by one. If the pictures are not alike, one has to be scaled first";
}

// Videos with about as many frames as each other pair by number all the same: one plays faster, or its rate
// is wrong.
bool has_other_moments(const OpenedPair& pair) {
  const std::optional<double> a = pair.distorted.frame_rate(), b = pair.reference.frame_rate();
  if (pair.is_paired_by_time || !a || !b || std::abs(*a - *b) <= kSameRate * *b) return false;
  const std::optional<double> frames = frames_of(pair.distorted), others = frames_of(pair.reference);
  if (frames == 1 || others == 1) return false;  // a still picture
  if (!frames || !others) return true;
  const double expected = *others * *a / *b;
  return std::abs(*frames - expected) <= std::abs(*frames - *others);
}

std::string rate_remedy(const OpenedPair& pair) {
  const VideoInfo& reference = pair.reference;
  std::string rate = std::to_string(reference.frame_rate_num);
  if (reference.frame_rate_den != 1) rate += "/" + std::to_string(reference.frame_rate_den);
  return "ffmpeg -i IN -vf fps=" + rate + " -c:v ffv1 OUT.mkv";
}

std::string size_remedy(const OpenedPair& pair) {
  if (!lie_crosswise(pair)) return "--scale-to reference";
  if (turn_between(pair) % 180 == 0) {
    return "ffmpeg -i IN -vf transpose=1 -c:v ffv1 OUT.mkv, or transpose=2, because one video is rotated by "
           "90 degrees";
  }
  const VideoInfo& turned = pair.distorted.rotation % 180 != 0 ? pair.distorted : pair.reference;
  return "ffmpeg -i " + shown_path(turned.path) +
         " -c:v ffv1 upright.mkv, since that video is stored lying and players turn it";
}

std::string chroma_remedy(const VideoFormat& distorted, const VideoFormat& reference) {
  const int a = chroma_digits(distorted.chroma), b = chroma_digits(reference.chroma);
  if (a == 0 || b == 0 || a == b) return {};
  const VideoFormat& finer = a > b ? distorted : reference;
  std::string format = "yuv" + std::to_string(std::min(a, b)) + "p";
  if (finer.bit_depth > 8) format += std::to_string(finer.bit_depth) + "le";
  return " Convert " + shown_path(finer.name) + " first, for example with ffmpeg -i IN -pix_fmt " + format +
         " -c:v ffv1 OUT.mkv";
}

}  // namespace vq::cli
