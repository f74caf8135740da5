#include "feature/cambi/remedies.h"

namespace vq::cambi {
namespace {

constexpr int kFineDepth = 10;
// Of the source's frames: from here on it is the source that is to be mended first.
constexpr double kMuchOfSource = 0.25;

constexpr Remedy kScoreTheSource = {"Score the source as well",
                                    "With -r SOURCE --full-ref the scores tell what the encode added. "
                                    "Bands that the source has already stay, whatever the "
                                    "encoder does."};
constexpr Remedy kScoreTheReference = {"Look for banding in the reference as well",
                                       "With --full-ref the scores tell what the encode added. "
                                       "Bands that the reference has already stay, whatever the "
                                       "encoder does."};
constexpr Remedy kDebandTheSource = {"Deband the source",
                                     "Where the source bands as well, encoding cannot mend that. Get a "
                                     "better master, or filter the source before encoding: "
                                     "deband or gradfun in FFmpeg, neo_f3kdb in VapourSynth, with 10 bits or "
                                     "more behind the filter. They take fine texture "
                                     "for bands, too: look at faces and grain afterwards."};
constexpr Remedy kTenBits = {
    "Encode with 10 bits",
    "Finer steps, often at no higher bit rate, and worth it for 8-bit sources too: x265 and SVT-AV1 take "
    "yuv420p10le. Nearly "
    "all devices that play HEVC or AV1 play 10 bits; of H.264 with 10 bits most hardware plays nothing."};
constexpr Remedy kSpendBits = {"Spend more bits on dark, flat areas",
                               "aq-mode=3 of x264 and x265 favours dark scenes; SVT-AV1 has a variance "
                               "boost. At the same CRF the file grows, at the same "
                               "bit rate other areas pay. A lower CRF for the segments that band, as zones, "
                               "costs less than one for all."};
constexpr Remedy kDither = {
    "Dither where bit depth is reduced",
    "Rounding 10 bits to 8 makes bands by itself. Let the filter that reduces them dither: "
    "dither=error_diffusion of "
    "FFmpeg's zscale, sws_dither=ed of its scale. Low bit rates smooth the dither away again."};
constexpr Remedy kGrain = {"Keep grain, or add some",
                           "Noise hides bands. --tune grain of x264 and x265 keeps it, at a cost in bit "
                           "rate. Film grain synthesis of AV1 adds it "
                           "behind the decoder at almost none, where the player applies it; scores of frames "
                           "without that grain do not see it."};

}  // namespace

std::vector<Remedy> remedies(const ScoredVideo& video) {
  std::vector<Remedy> all;
  const double of_source = video.reference_noteworthy.value_or(0);
  if (!video.reference_noteworthy) all.push_back(video.has_reference ? kScoreTheReference : kScoreTheSource);
  if (of_source >= kMuchOfSource) all.push_back(kDebandTheSource);
  const bool is_fine = video.bit_depth >= kFineDepth;
  if (!is_fine) all.push_back(kTenBits);
  all.push_back(kSpendBits);
  if (!is_fine) all.push_back(kDither);
  all.push_back(kGrain);
  if (of_source > 0 && of_source < kMuchOfSource) all.push_back(kDebandTheSource);
  return all;
}

}  // namespace vq::cambi
