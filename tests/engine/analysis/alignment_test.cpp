// The search for a shift, on sequences of made-up signatures.
#include "engine/analysis/alignment.h"

#include "cli/inputs/remarks.h"
#include "tests/support/test.h"

namespace vq::cli {
namespace {

using Sequence = std::vector<Signature>;

uint16_t level_of(double level) { return static_cast<uint16_t>(std::lround(std::clamp(level, 0.0, 4080.0))); }

// Scenes of 40 frames in which everything moves; `speed` 0: nothing does.
Sequence film(int frames, double speed = 1, int seed = 0) {
  Sequence sequence;
  for (int t = 0; t < frames; ++t) {
    const int scene = t / 40 + seed * 100;
    Signature& signature = sequence.emplace_back();
    for (int k = 0; k < kSignatureCells; ++k) {
      const double wave =
          std::sin(k * (0.37 + 0.05 * (scene % 7)) + 3.1 * scene + speed * 0.05 * t * (1 + k % 5));
      signature.levels[static_cast<size_t>(k)] = level_of(1800 + 900 * wave);
    }
  }
  return sequence;
}

// What `change` makes of each level of each frame.
template <typename Change>
Sequence changed(Sequence sequence, const Change& change) {
  for (size_t t = 0; t < sequence.size(); ++t) {
    for (size_t k = 0; k < kSignatureCells; ++k) {
      sequence[t].levels[k] = level_of(
          change(static_cast<double>(sequence[t].levels[k]), static_cast<int>(t), static_cast<int>(k)));
    }
  }
  return sequence;
}

Sequence noisy(const Sequence& sequence, double deviation) {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, deviation);
  return changed(sequence, [&](double level, int, int) { return level + noise(random); });
}

Sequence without_first(Sequence sequence, int frames) {
  sequence.erase(sequence.begin(), sequence.begin() + frames);
  return sequence;
}

Alignment align(const Sequence& reference, const Sequence& distorted, int window = kDefaultShiftWindow) {
  AlignmentFinder finder(window);
  for (size_t t = 0; t < std::max(reference.size(), distorted.size()); ++t) {
    if (t < reference.size()) finder.add_reference(static_cast<int64_t>(t), reference[t]);
    if (t < distorted.size()) finder.add_distorted(static_cast<int64_t>(t), distorted[t]);
  }
  return finder.finish();
}

TEST(Alignment, OfAVideoWithItselfIsCertain) {
  for (const int frames : {12, 50, 300, 1000}) {
    const Alignment found = align(film(frames), film(frames));
    EXPECT_TRUE(found.is_certain()) << frames;
    EXPECT_FALSE(found.is_shifted() || found.is_uneven() || found.is_foreign());
    EXPECT_THAT(found.parts, ElementsAre(ShiftPart{0, frames, 0}));
    EXPECT_EQ(found.frames, frames);
    EXPECT_NEAR(found.likeness, 1, 1e-3);
  }
}

// A picture that drifts by a hundredth of a level a frame, then film. `held`: for so many frames at a time it
// stands still, as encoders let it.
Sequence sky_and_film(int held) {
  Sequence sequence;
  for (int t = 0; t < 600; ++t) {
    Signature& signature = sequence.emplace_back();
    for (int k = 0; k < kSignatureCells; ++k) {
      const double drift = 0.16 * (t / held * held) * (k % 3 - 1);
      signature.levels[static_cast<size_t>(k)] = level_of(1800 + 600 * std::sin(0.6 * k) + drift);
    }
  }
  for (const Signature& signature : film(200)) sequence.push_back(signature);
  return sequence;
}

TEST(Alignment, APictureThatCodingHoldsIsNotLate) {
  EXPECT_THAT(align(sky_and_film(1), sky_and_film(48)).parts, ElementsAre(ShiftPart{0, 800, 0}));
}

// A film whose second scene fades to black. The last dark frames show the picture of `held` frames before, in
// their own brightness: so do encodes of low quality.
Sequence fading_film(int held) {
  constexpr int kBlack = 80, kFade = 24, kDark = 10;
  const Sequence bright = film(160);
  return changed(bright, [&](double level, int t, int k) {
    const double light = std::min(1.0, static_cast<double>(kBlack - t) / kFade);
    if (t >= kBlack) return level;
    const int shown = kBlack - t <= kDark ? t - held : t;
    return light * bright[static_cast<size_t>(shown)].levels[static_cast<size_t>(k)];
  });
}

TEST(Alignment, APictureThatCodingHoldsInAFadeIsNotLate) {
  for (const int held : {2, 3, 5})
    EXPECT_THAT(align(fading_film(0), fading_film(held)).parts, ElementsAre(ShiftPart{0, 160, 0})) << held;
}

TEST(Alignment, WhatHardlyMovesHasTheShiftOfWhatDoes) {
  EXPECT_THAT(align(sky_and_film(1), without_first(sky_and_film(48), 3)).parts,
              ElementsAre(ShiftPart{0, 797, -3}));
  EXPECT_THAT(align(without_first(sky_and_film(1), 5), sky_and_film(1)).parts,
              ElementsAre(ShiftPart{0, 800, 5}));
}

TEST(Alignment, FindsHowLateAVideoIs) {
  for (const int shift : {1, 2, 3, 17, 59}) {
    const Alignment early = align(film(400), without_first(film(400), shift));
    EXPECT_TRUE(early.is_shifted());
    EXPECT_EQ(early.shift, -shift);
    const Alignment late = align(without_first(film(400), shift), film(400));
    EXPECT_TRUE(late.is_shifted());
    EXPECT_EQ(late.shift, shift);
    EXPECT_FALSE(early.is_uneven() || late.is_uneven()) << shift;
  }
}

TEST(Alignment, BeyondTheWindowCannotBeTold) {
  EXPECT_FALSE(align(film(180), without_first(film(180), 30), 20).is_certain());
  EXPECT_FALSE(align(film(180), without_first(film(180), 21), 20).is_certain());
  EXPECT_FALSE(align(film(180), without_first(film(180), 20), 20).is_certain());  // it may as well lie beyond
  EXPECT_EQ(align(film(180), without_first(film(180), 19), 20).shift, -19);
  // Of a longer video the next frames are looked for around the end of the first window.
  const Alignment found = align(film(500), without_first(film(500), 21), 20);
  EXPECT_TRUE(found.is_shifted());
  EXPECT_EQ(found.shift, -21);
  EXPECT_FALSE(found.is_uneven());
}

TEST(Alignment, OutlivesCompressionBrightnessContrastAndLogos) {
  const auto expect_shift = [](const Sequence& distorted) {
    const Alignment found = align(film(300), distorted);
    EXPECT_TRUE(found.is_shifted());
    EXPECT_EQ(found.shift, -3);
    EXPECT_FALSE(found.is_uneven());
  };
  const Sequence plain = without_first(film(300), 3);
  expect_shift(noisy(plain, 30));
  expect_shift(changed(plain, [](double level, int, int) { return level + 200; }));
  expect_shift(changed(plain, [](double level, int, int) { return 0.7 * level + 300; }));
  expect_shift(changed(plain, [](double level, int, int) { return 3760 * std::pow(level / 3760, 1.3); }));
  expect_shift(changed(
      plain, [](double level, int t, int) { return level * (1 + 0.2 * std::sin(t)); }));  // it flickers
  expect_shift(changed(plain, [](double level, int, int k) { return k == 7 ? 3000 : level; }));
}

TEST(Alignment, DoesNotSuspectAGoodPair) {
  for (const double deviation : {10, 60, 200}) {
    for (const double speed : {0.02, 0.2, 1.0}) {
      const Alignment found = align(film(600, speed), noisy(film(600, speed), deviation));
      EXPECT_FALSE(found.is_shifted() || found.is_uneven() || found.is_foreign())
          << deviation << ", " << speed;
    }
  }
}

TEST(Alignment, OfLittleThatChangesCannotBeTold) {
  const Sequence still(200, film(1)[0]), black(200, Signature());
  const auto fade = [](double level, int t, int) { return 256 + (level - 256) * t / 200; };
  const Sequence faded = changed(still, fade);
  Sequence loop;  // everything repeats after 20 frames
  for (int t = 0; t < 300; ++t) loop.push_back(film(20)[static_cast<size_t>(t % 20)]);
  const struct {
    const char* name;
    Sequence reference, distorted;
  } cases[] = {{"a still", still, still},
               {"a still with noise", still, noisy(still, 20)},
               {"a fade", faded, noisy(without_first(faded, 5), 2)},
               {"black", black, black},
               {"a loop", loop, without_first(loop, 3)},
               {"too few frames", film(11), film(11)},
               {"no reference", {}, film(11)},
               {"no video", film(50), {}}};
  for (const auto& [name, reference, distorted] : cases)
    EXPECT_FALSE(align(reference, distorted).is_certain()) << name;
  EXPECT_FALSE(align(black, black).is_foreign());
}

TEST(Alignment, KnowsOtherPictures) {
  const Alignment found = align(film(300, 1, 1), film(300, 1, 5));
  EXPECT_FALSE(found.is_certain());
  EXPECT_TRUE(found.is_foreign());
}

TEST(Alignment, LeavesOutWhatShowsNothing) {
  Sequence sequence = film(100);
  sequence.insert(sequence.end(), 100, Signature());
  const Sequence dark = noisy(changed(sequence, [](double level, int, int) { return level + 256; }), 8);
  const Alignment found = align(noisy(sequence, 8), dark);
  EXPECT_TRUE(found.is_certain());
  EXPECT_EQ(found.frames, 100);
}

// Each frame between two others is a mixture of them, a little more of the one before.
TEST(Alignment, DoesNotTakeMixedFramesForLateOnes) {
  const Sequence reference = film(300);
  const Sequence mixed = changed(film(300), [&](double level, int t, int k) {
    if (t < 100 || t >= 160) return level;
    return 0.42 * level + 0.58 * reference[static_cast<size_t>(t - 1)].levels[static_cast<size_t>(k)];
  });
  const Alignment found = align(reference, noisy(mixed, 30));
  EXPECT_TRUE(found.is_certain());
  EXPECT_FALSE(found.is_uneven());
}

TEST(Alignment, FindsWhereFramesWereDropped) {
  Sequence distorted = film(700);
  distorted.erase(distorted.begin() + 400, distorted.begin() + 402);
  distorted.erase(distorted.begin() + 100);
  const Alignment found = align(film(700), noisy(distorted, 10));
  EXPECT_TRUE(found.is_uneven());
  EXPECT_THAT(found.parts,
              ElementsAre(ShiftPart{0, 100, 0}, ShiftPart{100, 299, -1}, ShiftPart{399, 298, -3}));
  EXPECT_EQ(changes_text(found), "3 frames dropped (before frame 100, 399)");
}

TEST(Alignment, FindsADropUnderALogo) {
  Sequence distorted = film(300);
  distorted.erase(distorted.begin() + 250);
  const Alignment found = align(
      film(300), changed(distorted, [](double level, int, int k) { return level + (k < 6 ? 150 : 0); }));
  EXPECT_TRUE(found.is_uneven());
  EXPECT_THAT(found.parts, ElementsAre(ShiftPart{0, 250, 0}, ShiftPart{250, 49, -1}));
}

// The last frames show what the reference shows only after its last frame.
TEST(Alignment, FramesWithoutACounterpartAreNoChange) {
  Sequence reference = film(160);
  reference.insert(reference.end(), 80, reference.back());
  Sequence distorted = reference;
  distorted.erase(distorted.begin() + 50, distorted.begin() + 80);
  reference.resize(distorted.size());
  const Alignment found = align(noisy(reference, 5), distorted);
  EXPECT_THAT(found.parts, ElementsAre(ShiftPart{0, 50, 0}, ShiftPart{50, 160, -30}));
  EXPECT_TRUE(found.is_uneven());
}

// A first frame that is shown again makes all others late.
TEST(Alignment, ARepeatedStartIsAShift) {
  Sequence distorted = film(200);
  distorted.insert(distorted.begin(), 5, distorted.front());
  const Alignment found = align(film(200), distorted);
  EXPECT_TRUE(found.is_shifted());
  EXPECT_FALSE(found.is_uneven());
  EXPECT_EQ(found.shift, 5);
}

TEST(Alignment, BeginsWithTheShiftOfItsTwelfthFrame) {
  Sequence distorted = film(200);
  distorted.insert(distorted.begin() + 100, distorted[99]);
  distorted.erase(distorted.begin() + 5);
  const Alignment found = align(film(200), distorted);
  EXPECT_TRUE(found.is_uneven());
  EXPECT_EQ(found.parts.front(), (ShiftPart{0, 5, 0}));
  EXPECT_EQ(found.first_shift(), -1);
}

TEST(Alignment, FindsWhereFramesAreRepeated) {
  Sequence distorted = film(300);
  distorted.insert(distorted.begin() + 150, 3, distorted[149]);
  const Alignment found = align(film(300), distorted);
  EXPECT_TRUE(found.is_uneven());
  EXPECT_EQ(found.parts.front(), (ShiftPart{0, 150, 0}));
  EXPECT_EQ(found.parts.back().shift, 3);
  EXPECT_EQ(changes_text(found), "3 frames repeated (before frame 150)");
}

TEST(Alignment, FollowsAFrameRateThatWasChanged) {
  const Sequence original = film(1000);
  Sequence slower, faster;
  for (int t = 0; t < 1000; ++t) {
    const Signature& frame = original[static_cast<size_t>(t)];
    if (t % 25 != 24) faster.push_back(frame);
    slower.push_back(frame);
    if (t % 5 == 4) slower.push_back(frame);
  }
  const Alignment dropped = align(original, faster), repeated = align(original, slower);
  EXPECT_TRUE(dropped.is_uneven());
  EXPECT_EQ(dropped.parts.back().shift, -39);
  EXPECT_EQ(dropped.first_shift(), 0);
  EXPECT_EQ(dropped.parts.size(), 40U);
  EXPECT_TRUE(repeated.is_uneven());
  EXPECT_EQ(repeated.parts.size(), 200U);
  EXPECT_EQ(repeated.first_shift(), 2);  // of stretches of six frames
  for (const ShiftPart& part : repeated.parts) EXPECT_EQ(part.shift, (part.first + 1) / 6);
}

TEST(Alignment, LostFramesAreNoDrops) {
  AlignmentFinder finder;
  const Sequence sequence = film(300);
  for (int64_t t = 0; t < 300; ++t) {
    if (t >= 100 && t < 110) continue;  // nobody could decode them
    finder.add_reference(t, sequence[static_cast<size_t>(t)]);
    finder.add_distorted(t, sequence[static_cast<size_t>(t)]);
  }
  const Alignment found = finder.finish();
  EXPECT_TRUE(found.is_certain());
  EXPECT_THAT(found.parts, ElementsAre(ShiftPart{0, 300, 0}));
  EXPECT_EQ(found.frames, 290);
}

TEST(Alignment, TellsEarlyWhatIsPlain) {
  AlignmentFinder finder;
  const Sequence sequence = film(1000);
  int64_t told = 0;
  for (size_t t = 0; t + 2 < 1000 && told == 0; ++t) {
    finder.add_reference(static_cast<int64_t>(t), sequence[t]);
    finder.add_distorted(static_cast<int64_t>(t), sequence[t + 2]);
    if (finder.so_far().is_shifted()) told = static_cast<int64_t>(t);
  }
  EXPECT_GT(told, 0);
  EXPECT_LT(told, 400);
}

TEST(AlignText, SkipsWhatTheShiftSays) {
  const auto flags = [](int64_t shift, const Skips& now) { return skip_flags(skips_for(shift, now)); };
  EXPECT_EQ(flags(3, {}), "--frame_skip_dist 3");
  EXPECT_EQ(flags(-3, {}), "--frame_skip_ref 3");
  EXPECT_EQ(flags(-3, {5, 7}), "--frame_skip_ref 6 --frame_skip_dist 5");
  EXPECT_EQ(flags(-2, {0, 2}), "");
  EXPECT_EQ(lateness(1), "1 frame late");
  EXPECT_EQ(lateness(-12), "12 frames early");
  EXPECT_EQ(shift_text(2), "+2");
}

}  // namespace
}  // namespace vq::cli
