#include "engine/analysis/pair_fault.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "core/number_text.h"
#include "core/text.h"

namespace vq {

// In the order of the enumeration.
constexpr std::array<std::string_view, 13> kWords = {"pictures", "mirrored", "negative", "range", "transfer",
                                                     "shape",    "rotation", "rate",     "shift", "uneven",
                                                     "bars",     "swapped",  "contrast"};

// 24 frames a second and 24000/1001 pair well for as long as anybody compares.
constexpr double kSameRate = 0.01;
// 16:11 and 118:81, the two readings of one tag, are one shape.
constexpr double kSameAspect = 0.03;
// Sides that are rounded to even numbers, of a picture of 180 rows or more.
constexpr double kSameShape = 0.015;
// An encode for viewers is this many times smaller than what it was made from, at least.
constexpr double kPlainlyFewerBytes = 4;

static std::string name_of(const VideoHeader& video) { return shown_path(video.format.name); }

static std::string size_text(const VideoHeader& video) { return size_text(video.format.size()); }

static std::string rate_text(const VideoHeader& video) { return significant_text(*video.frame_rate(), 5); }

// As the container declares them, or by the duration.
static std::optional<double> frames_of(const VideoHeader& video) {
  if (video.frames) return static_cast<double>(*video.frames);
  return video.duration ? std::optional(*video.duration * *video.frame_rate()) : std::nullopt;
}

static double stored_shape(const VideoHeader& video) {
  return static_cast<double>(video.format.width) / video.format.height;
}

static double shown_shape(const VideoHeader& video) {
  return stored_shape(video) * (video.sample_aspect > 0 ? video.sample_aspect : 1);
}

static bool is_one_shape(double a, double b) { return std::abs(a - b) <= kSameShape * std::min(a, b); }

// "2.35:1"
static std::string ratio_text(double shape) {
  std::array<char, 32> text = {};
  std::snprintf(text.data(), text.size(), "%.2f:1", shape);
  return text.data();
}

static bool is_one_size(const PairHeaders& pair) {
  return pair.distorted.format.size() == pair.reference.format.size();
}

// In degrees, 0 to 359.
static int turn_between(const PairHeaders& pair) {
  return ((pair.distorted.rotation - pair.reference.rotation) % 360 + 360) % 360;
}

// "players turn a.mp4 by 90 degrees and b.mp4 by 180 degrees"
static std::string turned_text(const PairHeaders& pair) {
  std::string text;
  for (const VideoHeader* video : {&pair.distorted, &pair.reference}) {
    if (video->rotation % 360 == 0) continue;
    text += words("{}{} by {} degrees", text.empty() ? "players turn " : " and ", name_of(*video),
                  std::abs(video->rotation));
  }
  return text;
}

static std::string hdr_text(const VideoFormat& format) {
  return format.transfer == Transfer::kPq ? "PQ" : "HLG";
}

using MaybeFault = std::optional<PairFault>;

static MaybeFault range_fault(const PairHeaders& pair) {
  const bool is_full = pair.distorted.format.range == Range::kFull;
  if (!pair.is_as_stored || is_full == (pair.reference.format.range == Range::kFull)) return std::nullopt;
  const auto is = [](const VideoHeader& video) {
    const Range range = video.format.range;
    return words("{} is {} range{}", name_of(video), range == Range::kFull ? "full" : "limited",
                 range == Range::kUnspecified ? " (assumed)" : "");
  };
  return PairFault{PairFaultKind::kRange,
                   {is(pair.distorted) + " and " + is(pair.reference) +
                    ", and samples are compared as they are stored. The scores are wrong. Convert one "
                    "first, for example with ffmpeg -i IN -vf scale=out_range=limited -c:v ffv1 OUT.mkv"}};
}

// Video of 8 bits without a tag is SDR; deeper video may have lost its tag.
static MaybeFault transfer_fault(const PairHeaders& pair) {
  const VideoHeader* hdr = &pair.distorted;
  const VideoHeader* other = &pair.reference;
  if (!is_hdr(hdr->format)) std::swap(hdr, other);
  if (!is_hdr(hdr->format) || hdr->format.transfer == other->format.transfer) return std::nullopt;
  const std::string is = words("{} is HDR ({})", name_of(*hdr), hdr_text(hdr->format));
  if (is_hdr(other->format)) {
    return PairFault{
        PairFaultKind::kTransfer,
        {words("{} and {} is {}: equal samples are different light. The scores would mean nothing.", is,
               name_of(*other), hdr_text(other->format))}};
  }
  if (other->format.transfer != Transfer::kUnspecified) {
    return PairFault{PairFaultKind::kTransfer,
                     {words("{}, {} is not ({}). The scores would mean nothing.", is, name_of(*other),
                            to_string(other->format.transfer))}};
  }
  if (other->format.bit_depth == 8) {
    return PairFault{
        PairFaultKind::kTransfer,
        {words("{}, {} is not (8 bits and no tag). The scores would mean nothing.", is, name_of(*other))}};
  }
  return PairFault{PairFaultKind::kTransfer,
                   {words("{}, and no tag says whether {} is as well. If it is not, the scores mean nothing.",
                          is, name_of(*other))},
                   false};
}

static MaybeFault rate_fault(const PairHeaders& pair) {
  if (!has_other_moments(pair)) return std::nullopt;
  return PairFault{PairFaultKind::kRate,
                   {words("{} has {} frames a second and {} {}: frame 100 of one shows another moment than "
                          "frame 100 of the other.",
                          name_of(pair.distorted), rate_text(pair.distorted), name_of(pair.reference),
                          rate_text(pair.reference)),
                    Advice::kPairByTime,
                    {rate_remedy(pair.reference)}}};
}

static MaybeFault turn_fault(const PairHeaders& pair) {
  const int turn = turn_between(pair);
  const bool lies = lie_crosswise(pair);
  if (turn == 180 || (turn != 0 && lies)) {
    return PairFault{PairFaultKind::kRotation,
                     {turned_text(pair) +
                      ", but frames are compared as they are stored. Store them as they are shown first, for "
                      "example with ffmpeg -i IN -c:v ffv1 OUT.mkv"}};
  }
  if (!lies) return std::nullopt;
  return PairFault{
      PairFaultKind::kRotation,
      {words("{} is {} and {} is {}: one of them seems to lie on its side.", name_of(pair.distorted),
             size_text(pair.distorted), name_of(pair.reference), size_text(pair.reference))}};
}

// Samples are compared one by one if sizes agree, whatever shape they are shown in.
static MaybeFault shape_fault(const PairHeaders& pair) {
  if (!is_one_size(pair)) {
    if (has_one_shape(pair) || lie_crosswise(pair)) return std::nullopt;
    return PairFault{PairFaultKind::kShape, {shapes_text(pair) + "."}};
  }
  const double a = pair.distorted.sample_aspect, b = pair.reference.sample_aspect;
  if (a <= 0 || b <= 0 || std::abs(a - b) <= kSameAspect * std::min(a, b)) return std::nullopt;
  return PairFault{
      PairFaultKind::kShape,
      {words("{} is shown as {} and {} as {}, though both have {} samples, which are compared one by one. If "
             "the pictures are not alike, one has to be scaled first.",
             name_of(pair.distorted), ratio_text(shown_shape(pair.distorted)), name_of(pair.reference),
             ratio_text(shown_shape(pair.reference)), size_text(pair.distorted))},
      false};
}

// Without loss or nearly so, for editors.
static bool is_mezzanine(const VideoHeader& video) {
  constexpr std::array<std::string_view, 9> kCodecs = {"ffv1",   "huffyuv", "ffvhuff", "utvideo", "magicyuv",
                                                       "prores", "dnxhd",   "cfhd",    "v210"};
  return contains(kCodecs, video.codec);
}

// By an encoder that names its settings, for viewers.
static bool is_encode(const VideoHeader& video) {
  const bool is_lossless = video.encoder_settings.find("qp=0") != std::string::npos ||
                           video.encoder_settings.find("lossless=1") != std::string::npos;
  // No camera writes these.
  const bool is_for_viewers = video.codec == "av1" || video.codec == "vp9" || video.codec == "vp8";
  return !is_mezzanine(video) && !is_lossless && (is_for_viewers || !video.encoder_settings.empty());
}

// A camera's file against an encode of a higher rate is no reason to ask.
static MaybeFault swap_fault(const PairHeaders& pair) {
  const VideoHeader &video = pair.distorted, &reference = pair.reference;
  constexpr const char* kAsk = " Have reference and distorted video changed places?";
  if (reference.format.width < video.format.width && reference.format.height < video.format.height) {
    return PairFault{PairFaultKind::kSwapped,
                     {words("the reference, {}, is {}, smaller than {}, which is {}.{}", name_of(reference),
                            size_text(reference), name_of(video), size_text(video), kAsk)},
                     false};
  }
  const bool is_coded_so = is_encode(reference) && is_mezzanine(video) && is_one_size(pair);
  const bool is_smaller = reference.file_bytes && video.file_bytes &&
                          static_cast<double>(*video.file_bytes) >=
                              kPlainlyFewerBytes * static_cast<double>(*reference.file_bytes);
  if (!is_coded_so || !is_smaller) return std::nullopt;
  return PairFault{PairFaultKind::kSwapped,
                   {"the reference, " + name_of(reference) + ", is a lossy encode, and " + name_of(video) +
                    " is lossless or nearly so, and much larger." + kAsk},
                   false};
}

std::string_view to_string(PairFaultKind kind) { return kWords[static_cast<size_t>(kind)]; }

std::optional<PairFaultKind> find_pair_fault_kind(std::string_view word) {
  const auto found = std::ranges::find(kWords, word);
  if (found == kWords.end()) return std::nullopt;
  return static_cast<PairFaultKind>(found - kWords.begin());
}

bool is_not_comparable(const std::vector<PairFault>& faults) {
  return std::ranges::any_of(faults, &PairFault::is_certain);
}

bool is_hdr(const VideoFormat& format) {
  return format.transfer == Transfer::kPq || format.transfer == Transfer::kHlg;
}

std::vector<PairFault> header_faults(const PairHeaders& pair) {
  std::vector<PairFault> faults;
  for (const auto& find : {range_fault, transfer_fault, rate_fault, turn_fault, shape_fault, swap_fault}) {
    if (MaybeFault fault = find(pair)) faults.push_back(std::move(*fault));
  }
  return faults;
}

// Videos with about as many frames as each other pair by number all the same: one plays faster, or its rate
// is wrong.
bool has_other_moments(const PairHeaders& pair) {
  const std::optional<double> a = pair.distorted.frame_rate(), b = pair.reference.frame_rate();
  if (pair.is_paired_by_time || !a || !b || std::abs(*a - *b) <= kSameRate * *b) return false;
  const std::optional<double> frames = frames_of(pair.distorted), others = frames_of(pair.reference);
  if (frames == 1 || others == 1) return false;  // a still picture
  if (!frames || !others) return true;
  const double expected = *others * *a / *b;
  return std::abs(*frames - expected) <= std::abs(*frames - *others);
}

std::string rate_remedy(const VideoHeader& reference) {
  std::string rate = std::to_string(reference.rate.num);
  if (reference.rate.den != 1) rate += words("/{}", reference.rate.den);
  return words("ffmpeg -i IN -vf fps={} -c:v ffv1 OUT.mkv", rate);
}

bool has_one_shape(const PairHeaders& pair) {
  if (is_one_shape(shown_shape(pair.distorted), shown_shape(pair.reference))) return true;
  const bool both_tell = pair.distorted.sample_aspect > 0 && pair.reference.sample_aspect > 0;
  return !both_tell && is_one_shape(stored_shape(pair.distorted), stored_shape(pair.reference));
}

bool lie_crosswise(const PairHeaders& pair) {
  const double a = stored_shape(pair.distorted), b = stored_shape(pair.reference);
  return !is_one_shape(a, b) && is_one_shape(a, 1 / b);
}

std::string shapes_text(const PairHeaders& pair) {
  return words("{} has another shape than {} ({} against {})", name_of(pair.distorted),
               name_of(pair.reference), ratio_text(shown_shape(pair.distorted)),
               ratio_text(shown_shape(pair.reference)));
}

}  // namespace vq
