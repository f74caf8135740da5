// Faults of a pair of videos with which scores that compare them say nothing about quality. One list for
// every way in; ADR 0064 has the rule.
#pragma once

#include "core/frame.h"
#include "engine/request.h"

namespace vq {

enum class PairFaultKind {
  kPictures,  // other pictures: another film, or a part of the film too far away to be a shift
  kMirrored,  // the same pictures, left and right or top and bottom exchanged
  kNegative,  // the same pictures, dark and light exchanged
  kRange,     // full range read as limited, or the other way round
  kTransfer,  // PQ or HLG against another transfer
  kShape,     // pictures of two shapes
  kRotation,  // one picture is turned
  kRate,      // frames of one number are of other moments, as the frame rates differ
  kShift,     // one video begins earlier
  kUneven,    // dropped or repeated frames
  kBars,      // black bars on one side
  kSwapped,   // reference and distorted have changed places
  kContrast,  // more or less contrast or brightness than the reference
};

// "pictures", "mirrored", ...: the word in reports.
std::string_view to_string(PairFaultKind kind);
std::optional<PairFaultKind> find_pair_fault_kind(std::string_view word);

struct PairFault {
  PairFaultKind kind = PairFaultKind::kPictures;
  Diagnostic diagnostic;
  // The scores are wrong, so the pair is refused, or is not comparable if it is scored all the same. false:
  // there may be a good reason; a warning, and an error under strict rules.
  bool is_certain = true;
  std::vector<FrameSpan> frames = {};  // of the distorted video that are compared wrongly; empty: all
};

// Whether scores that compare the videos are wrong: any fault is certain.
bool is_not_comparable(const std::vector<PairFault>& faults);

struct PairHeaders {
  VideoHeader distorted, reference;  // formats have the size that is compared, after cropping
  bool is_paired_by_time = false;
  bool is_as_stored = false;  // other ranges are not evened out
};

// Faults of the pair as far as headers show them. Advice names files, and no flags.
std::vector<PairFault> header_faults(const PairHeaders& pair);

// Whether samples are light by PQ or HLG.
bool is_hdr(const VideoFormat& format);
// Whether frames of one number are of other moments, since the frame rates differ.
bool has_other_moments(const PairHeaders& pair);
// The command that gives a video the reference's frame rate. Needs: it is known.
std::string rate_remedy(const VideoHeader& reference);
// Whether the pictures, as displayed if both tell it, have one shape: their sides differ by no more than
// rounding.
bool has_one_shape(const PairHeaders& pair);
// Whether one picture has the shape of the other when it is turned by 90 degrees.
bool lie_crosswise(const PairHeaders& pair);
// "show.mp4 has another shape than master.mov (2.35:1 against 1.78:1)". Needs: they differ.
std::string shapes_text(const PairHeaders& pair);

}  // namespace vq
