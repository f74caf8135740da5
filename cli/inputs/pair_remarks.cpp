#include "cli/inputs/pair_remarks.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include "cli/inputs/wording.h"
#include "core/text.h"

namespace vq::cli {
namespace {

using Coding = VideoHeader::Coding;

Coding coding_of(const VideoInfo& info) {
  constexpr std::array<std::string_view, 9> kMezzanines = {
      "ffv1", "huffyuv", "ffvhuff", "utvideo", "magicyuv", "prores", "dnxhd", "cfhd", "v210"};
  if (std::find(kMezzanines.begin(), kMezzanines.end(), info.codec) != kMezzanines.end())
    return Coding::kMezzanine;
  const bool is_lossless = info.encoder_settings.find("qp=0") != std::string::npos ||
                           info.encoder_settings.find("lossless=1") != std::string::npos;
  // No camera writes these.
  const bool is_for_viewers = info.codec == "av1" || info.codec == "vp9" || info.codec == "vp8";
  return !is_lossless && (is_for_viewers || !info.encoder_settings.empty()) ? Coding::kEncode
                                                                            : Coding::kUnknown;
}

VideoHeader header_of(const VideoInfo& info, const std::optional<Rectangle>& crop) {
  VideoHeader header{.format = info.named_format(),
                     .frame_rate_num = info.frame_rate_num,
                     .frame_rate_den = info.frame_rate_den,
                     .frames = info.frames,
                     .duration = info.duration,
                     .rotation = info.rotation,
                     .sample_aspect = info.sample_aspect,
                     .coding = coding_of(info),
                     .file_bytes = info.file_bytes};
  if (crop) {
    header.format.width = crop->width;
    header.format.height = crop->height;
  }
  return header;
}

// Not about how frames are shown, and when.
bool is_about_samples(PairFaultKind kind) {
  using enum PairFaultKind;
  return kind != kTransfer && kind != kShape && kind != kRotation && kind != kRate;
}

std::string without_stop(const std::string& text) {
  return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
}

// 0 where FFmpeg has no planar format of that kind.
int chroma_digits(Chroma chroma) {
  return chroma == Chroma::k420 ? 420 : chroma == Chroma::k422 ? 422 : chroma == Chroma::k444 ? 444 : 0;
}

}  // namespace

PairHeaders headers_of(const OpenedPair& pair) {
  return {.distorted = header_of(pair.distorted, pair.distorted_crop),
          .reference = header_of(pair.reference, pair.reference_crop),
          .is_paired_by_time = pair.is_paired_by_time};
}

RefusedPair::RefusedPair(PairFault fault, const std::string& why)
    : Error(ErrorKind::kMismatch, words("{} ({})", without_stop(fault.diagnostic.text), why)),
      fault_(std::move(fault)) {}

std::vector<PairFault> pair_faults(const std::vector<FeatureRequest>& features, const OpenedPair& pair,
                                   bool as_stored) {
  if (!any_compares(features)) return {};
  PairHeaders headers = headers_of(pair);
  headers.is_as_stored = as_stored;
  return header_faults(headers);
}

void refuse_pair_fault(const PairFault& fault, const PairRules& rules) {
  const auto refuse = [&](const std::string& why) {
    PairFault refused = fault;
    refused.diagnostic = {in_words(fault.diagnostic)};
    throw RefusedPair(std::move(refused), why);
  };
  const bool is_asked_for = rules.as_stored && is_about_samples(fault.kind);
  if (fault.is_certain && !rules.compare_anyway && !is_asked_for)
    refuse("--compare-anyway scores them all the same");
  // Lossless copies of a lossy master are usual.
  const bool is_question = fault.kind == PairFaultKind::kSwapped;
  if (rules.strict && !is_question) refuse("--strict is set");
}

std::string size_remedy(const OpenedPair& pair) {
  const PairHeaders headers = headers_of(pair);
  if (!lie_crosswise(headers)) return "--scale-to reference";
  if ((pair.distorted.rotation - pair.reference.rotation) % 180 == 0) {
    return "ffmpeg -i IN -vf transpose=1 -c:v ffv1 OUT.mkv, or transpose=2, because one video is rotated by "
           "90 degrees";
  }
  const VideoInfo& turned = pair.distorted.rotation % 180 != 0 ? pair.distorted : pair.reference;
  return words("ffmpeg -i {} -c:v ffv1 upright.mkv, since that video is stored lying and players turn it",
               shown_path(turned.path));
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

}  // namespace vq::cli
