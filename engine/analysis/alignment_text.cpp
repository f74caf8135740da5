#include "engine/analysis/alignment_text.h"

#include <algorithm>
#include <cstdlib>

#include "core/text/message_text.h"

namespace vq {
namespace {

constexpr size_t kPlaces = 4;  // that are named

// "2 frames dropped (before frame 9, 18)".
std::string list_of(const std::vector<ShiftChange>& changes, int64_t ShiftChange::*count, const char* what) {
  int64_t frames = 0;
  size_t places = 0;
  std::string named;
  for (const ShiftChange& change : changes) {
    if (change.*count == 0) continue;
    frames += change.*count;
    if (++places > kPlaces) continue;
    named += (places == 1 ? "" : ", ") + std::to_string(change.frame);
  }
  if (frames == 0) return "";
  if (places > kPlaces) named += ", ...; " + std::to_string(places) + " places";
  return counted(frames, "frame") + " " + what + " (before frame " + named + ")";
}

}  // namespace

std::string shift_text(int64_t shift) {
  return (shift > 0 ? "+" : "") + std::to_string(shift);
}

std::string lateness(int64_t shift) {
  return counted(std::abs(shift), "frame") + (shift > 0 ? " late" : " early");
}

std::string changes_text(const Alignment& alignment) {
  const std::vector<ShiftChange> changes = changes_of(alignment);
  const std::string dropped = list_of(changes, &ShiftChange::dropped, "dropped");
  const std::string repeated = list_of(changes, &ShiftChange::repeated, "repeated");
  return dropped + (dropped.empty() || repeated.empty() ? "" : " and ") + repeated;
}

Skips skips_for(int64_t shift, const Skips& now) {
  const int64_t common = std::min(now.reference, now.distorted);
  const int64_t lead = now.distorted - now.reference + shift;
  return {common + std::max<int64_t>(0, -lead), common + std::max<int64_t>(0, lead)};
}

}  // namespace vq
