// What is found about a pair while its frames come, on made-up signatures.
#include "engine/analysis/pair_watch.h"
#include "tests/support/test.h"

namespace vq {
namespace {

using Sequence = std::vector<Signature>;
using Change = std::function<double(double level, int t, int cell)>;

uint16_t stored(double level) {
  return static_cast<uint16_t>(std::lround(16 * std::clamp(level, 0.0, 255.0)));
}

// Scenes of 40 frames, each of other cells that move, `contrast` levels around the middle.
Sequence film(int frames, int seed = 0, double contrast = 90) {
  Sequence sequence;
  for (int t = 0; t < frames; ++t) {
    std::mt19937 random(static_cast<unsigned>(t / 40 + seed * 1000));
    Signature& signature = sequence.emplace_back();
    for (int k = 0; k < kSignatureCells; ++k) {
      const double cell = static_cast<double>(random()) / std::mt19937::max() - 0.5;
      const double wave = 0.7 * cell + 0.3 * std::sin(20 * cell + 0.05 * t * (1 + k % 5));
      signature.levels[static_cast<size_t>(k)] = stored(125 + contrast * wave);
    }
  }
  return sequence;
}

Sequence changed(const Sequence& sequence, const Change& change) {
  Sequence copy = sequence;
  for (size_t t = 0; t < copy.size(); ++t) {
    for (int k = 0; k < kSignatureCells; ++k) {
      uint16_t& level = copy[t].levels[static_cast<size_t>(k)];
      level = stored(change(level / 16.0, static_cast<int>(t), k));
    }
  }
  return copy;
}

Sequence noisy(const Sequence& sequence, double deviation) {
  std::mt19937 random(7);
  std::normal_distribution<double> noise(0, deviation);
  return changed(sequence, [&](double level, int, int) { return level + noise(random); });
}

Sequence rearranged(const Sequence& sequence, const std::function<int(int x, int y)>& from) {
  Sequence copy = sequence;
  for (size_t t = 0; t < copy.size(); ++t) {
    for (int k = 0; k < kSignatureCells; ++k) {
      copy[t].levels[static_cast<size_t>(k)] =
          sequence[t].levels[static_cast<size_t>(from(k % kSignatureSide, k / kSignatureSide))];
    }
  }
  return copy;
}

Sequence without(Sequence sequence, int first, int frames) {
  sequence.erase(sequence.begin() + first, sequence.begin() + first + frames);
  return sequence;
}

VideoFormats formats(Range range = Range::kUnspecified) {
  return {.distorted = {.name = "d.mp4", .width = 320, .height = 180, .range = range},
          .reference = VideoFormat{.name = "m.mkv", .width = 320, .height = 180}};
}

struct Told {
  size_t pairs = 0;  // after which it was told
  PairFault fault;
};

std::vector<Told> told(PairWatch& watch, const Sequence& reference, const Sequence& distorted) {
  std::vector<Told> all;
  const auto take = [&](size_t pairs, bool ended) {
    for (PairFault& fault : watch.take_faults(ended)) all.push_back({pairs, std::move(fault)});
  };
  const size_t pairs = std::min(reference.size(), distorted.size());
  for (size_t t = 0; t < pairs; ++t) {
    watch.add(static_cast<int64_t>(t), reference[t], distorted[t]);
    take(t + 1, false);
  }
  take(pairs, true);
  return all;
}

std::vector<Told> told(const Sequence& reference, const Sequence& distorted) {
  PairWatch watch(formats(), {}, {});
  return told(watch, reference, distorted);
}

TEST(PairWatch, IsSilentAboutWhatEncodersAndFiltersDo) {
  const Sequence master = film(300);
  const Sequence blurred = changed(master, [](double level, int, int) { return 125 + (level - 125) * 0.9; });
  const auto logo = [](double level, int, int k) { return k % 8 == 7 && k < 16 ? 235 : level; };
  const auto fade = [](double level, int t, int) { return 16 + (level - 16) * std::min(1.0, t / 40.0); };
  const auto cut = [](double level, int t, int k) {
    return t > 80 && t < 110 ? film(1, 5)[0].levels[static_cast<size_t>(k)] / 16.0 : level;
  };
  for (const Sequence& distorted :
       {master, noisy(master, 6), blurred, changed(master, logo), changed(master, cut)})
    EXPECT_THAT(told(master, distorted), IsEmpty());
  for (const Told& told : told(master, changed(master, fade))) EXPECT_FALSE(told.fault.is_certain);
  for (const int frames : {1, 2, 11, 30})
    EXPECT_THAT(told(film(frames), noisy(film(frames), 6)), IsEmpty()) << frames;
  // Nothing can be seen in these.
  for (const Sequence& dark : {film(300, 0, 1.5), film(300, 3, 2)})
    EXPECT_THAT(told(dark, film(300, 9, 2)), IsEmpty());
}

TEST(PairWatch, TellsOtherPicturesAfterTheFirstStretchOrAtTheEnd) {
  for (const int frames : {1, 5, 30, 240, 700}) {
    const std::vector<Told> found = told(film(frames), film(frames, 3));
    ASSERT_EQ(found.size(), 1U) << frames;
    EXPECT_EQ(found[0].pairs, static_cast<size_t>(std::min(frames, 240)));
    EXPECT_EQ(found[0].fault.kind, PairFaultKind::kPictures);
    EXPECT_TRUE(found[0].fault.is_certain);
    EXPECT_EQ(found[0].fault.diagnostic.text,
              "d.mp4 and m.mkv do not show the same pictures. Is the reference right?");
  }
  // A later scene, and a picture against none.
  EXPECT_EQ(told(film(300), without(film(700), 0, 300))[0].fault.kind, PairFaultKind::kPictures);
  EXPECT_EQ(told(film(60), film(60, 0, 0))[0].fault.kind, PairFaultKind::kPictures);
}

// A place that stands still, and what moves in the rows of cells behind the first two.
Sequence place(int moment, int moving_rows = 3, double amplitude = 30) {
  Sequence sequence(300);
  std::mt19937 random(1);
  for (int k = 0; k < kSignatureCells; ++k) {
    const double still = 50 + 150.0 * static_cast<double>(random()) / std::mt19937::max();
    const bool moves = k / kSignatureSide >= 2 && k / kSignatureSide < 2 + moving_rows;
    for (int t = 0; t < 300; ++t) {
      const double motion = std::sin(0.03 * t * (1 + (k + 2 * moment) % 5) + k * (1 + moment));
      sequence[static_cast<size_t>(t)].levels[static_cast<size_t>(k)] =
          stored(still + (moves ? amplitude * motion : 0));
    }
  }
  return sequence;
}

TEST(PairWatch, TellsAnotherMomentOfOnePlace) {
  for (const int moment : {1, 2}) {
    const std::vector<Told> found = told(place(0), noisy(place(moment), 1.5));
    ASSERT_EQ(found.size(), 1U) << moment;
    EXPECT_EQ(found[0].pairs, 240U);
    EXPECT_EQ(found[0].fault.kind, PairFaultKind::kPictures);
    EXPECT_TRUE(found[0].fault.is_certain);
  }
  // An encode may lose what moves where it loses what stands still, or leave little of it; and two subtitles
  // are no two moments.
  for (const auto& [reference, distorted] :
       {std::pair(place(0), noisy(place(0), 6)), std::pair(place(0), noisy(place(0, 3, 3), 2)),
        std::pair(place(0, 1), place(1, 1))}) {
    for (const Told& told : told(reference, distorted)) EXPECT_FALSE(told.fault.is_certain);
  }
}

TEST(PairWatch, WaitsForPicturesBehindAnOpeningThatBothHave) {
  Sequence episode = film(2000), other = film(2000, 3);
  std::copy(episode.begin(), episode.begin() + 480, other.begin());
  const std::vector<Told> found = told(episode, other);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].pairs, 1200U);
  EXPECT_TRUE(found[0].fault.is_certain);
}

TEST(PairWatch, DoubtsAPartThatShowsSomethingElse) {
  Sequence edited = film(2400);
  const Sequence other = film(480, 3);
  std::copy(other.begin(), other.end(), edited.begin() + 960);
  const std::vector<Told> found = told(film(2400), edited);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].fault.kind, PairFaultKind::kPictures);
  EXPECT_FALSE(found[0].fault.is_certain);
  EXPECT_THAT(found[0].fault.frames, ElementsAre(FrameSpan{960, 1440}));
}

TEST(PairWatch, NamesCopiesThatAreMirroredTurnedOrNegative) {
  const Sequence master = film(300);
  const struct {
    Sequence distorted;
    PairFaultKind kind;
    const char* text;
  } cases[] = {
      {rearranged(master, [](int x, int y) { return y * 8 + 7 - x; }), PairFaultKind::kMirrored,
       "d.mp4 shows the pictures of m.mkv mirrored left to right."},
      {rearranged(master, [](int x, int y) { return (7 - y) * 8 + x; }), PairFaultKind::kMirrored,
       "d.mp4 shows the pictures of m.mkv mirrored top to bottom."},
      {rearranged(master, [](int x, int y) { return 63 - (y * 8 + x); }), PairFaultKind::kRotation,
       "d.mp4 shows the pictures of m.mkv turned by 180 degrees."},
      {changed(master, [](double level, int, int) { return 251 - level; }), PairFaultKind::kNegative,
       "d.mp4 shows the pictures of m.mkv as a negative: dark and light are exchanged."},
  };
  for (const auto& [distorted, kind, text] : cases) {
    const std::vector<Told> found = told(master, noisy(distorted, 4));
    ASSERT_EQ(found.size(), 1U) << text;
    EXPECT_EQ(found[0].pairs, 60U);
    EXPECT_EQ(found[0].fault.kind, kind);
    EXPECT_EQ(found[0].fault.diagnostic.text, text);
  }
}

TEST(PairWatch, TellsRangeEarlyAndWhatTagsSay) {
  const auto widened = [](double level, int, int) { return (level - 16) * 255 / 219; };
  for (const Range range : {Range::kUnspecified, Range::kLimited}) {
    PairWatch watch(formats(range), {}, {});
    const std::vector<Told> found = told(watch, film(300), changed(film(300), widened));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].pairs, 60U);
    EXPECT_EQ(found[0].fault.kind, PairFaultKind::kRange);
    EXPECT_THAT(found[0].fault.diagnostic.text,
                HasSubstr(range == Range::kLimited
                              ? "m.mkv like limited range, but d.mp4 is tagged limited. The scores are wrong."
                              : "d.mp4 looks like full range, m.mkv like limited range, and no tag says so. "
                                "The scores are wrong."));
  }
}

TEST(PairWatch, DoubtsChangedContrastAtTheEnd) {
  const auto graded = [](double level, int, int) { return 128 + (level - 128) * 1.1 + 15; };
  const std::vector<Told> found = told(film(300), changed(film(300), graded));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].pairs, 300U);
  EXPECT_EQ(found[0].fault.kind, PairFaultKind::kContrast);
  EXPECT_FALSE(found[0].fault.is_certain);
  EXPECT_EQ(found[0].fault.diagnostic.text, "d.mp4 has more contrast than m.mkv; VMAF v0.6.1 rewards that.");
  EXPECT_EQ(found[0].fault.diagnostic.advice, Advice::kUseNeg);
}

TEST(PairWatch, SaysWhichFramesAreMisplacedOnceTheyAreTooMany) {
  const Sequence master = film(1000), lacking = without(master, 100, 1);
  PairWatch patient(formats(), {}, {}), hasty(formats(), {}, {}), hopeful(formats(), {}, {});
  hasty.expect(1000);
  hopeful.expect(1'000'000);
  const std::vector<Told> late = told(patient, master, lacking), soon = told(hasty, master, lacking);
  ASSERT_EQ(late.size(), 1U);
  EXPECT_EQ(late[0].pairs, 999U);
  EXPECT_EQ(late[0].fault.kind, PairFaultKind::kUneven);
  EXPECT_TRUE(late[0].fault.is_certain);
  EXPECT_THAT(late[0].fault.frames, ElementsAre(FrameSpan{100, 999}));
  EXPECT_EQ(
      late[0].fault.diagnostic.text,
      "d.mp4 against m.mkv: 1 frame dropped (before frame 100). The scores of frames 100 to 998 are wrong.");
  ASSERT_EQ(soon.size(), 1U);
  EXPECT_LT(soon[0].pairs, 400U);
  EXPECT_FALSE(told(hopeful, master, lacking)[0].fault.is_certain);
  // A picture that stands still for a moment is the encoder's.
  Sequence stands_still = film(1000);
  for (size_t t = 101; t < 105; ++t) stands_still[t] = stands_still[100];
  const std::vector<Told> still = told(master, stands_still);
  ASSERT_EQ(still.size(), 1U);
  EXPECT_FALSE(still[0].fault.is_certain);
  EXPECT_THAT(still[0].fault.frames, ElementsAre(FrameSpan{101, 105}));
}

TEST(PairWatch, TellsAShiftInTheWordsOfTheFilm) {
  const std::vector<Told> found = told(film(400), without(film(400), 0, 3));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].fault.kind, PairFaultKind::kShift);
  EXPECT_EQ(found[0].fault.diagnostic.text,
            "d.mp4 starts 3 frames later in the film than m.mkv. The scores are wrong.");
}

// What is coded coarsely tells that there is a shift before it tells which.
TEST(PairWatch, IsCertainOfAShiftWhoseNeighboursFitAsWell) {
  for (const int shift : {1, 2, 3}) {
    const std::vector<Told> found = told(film(400), noisy(without(film(400), 0, shift), 4));
    ASSERT_EQ(found.size(), 1U) << shift;
    EXPECT_EQ(found[0].fault.kind, PairFaultKind::kShift);
    EXPECT_EQ(found[0].fault.is_certain, shift > 1) << shift;
  }
}

// Denoising over time shows what was there before.
TEST(PairWatch, DoubtsALagThatMayBeAFilters) {
  const Sequence master = noisy(film(400), 3);
  Sequence lagging = master;
  for (size_t t = 1; t < lagging.size(); ++t) {
    for (size_t k = 0; k < kSignatureCells; ++k) {
      lagging[t].levels[k] =
          static_cast<uint16_t>(0.35 * master[t].levels[k] + 0.65 * lagging[t - 1].levels[k]);
    }
  }
  for (const Told& told : told(master, lagging)) EXPECT_FALSE(told.fault.is_certain);
}

// Bars of 20 rows, seen in these frames; the other video is lit everywhere.
std::vector<LookedBars> bars_in(const std::vector<int64_t>& frames, int below = 20) {
  const ActiveArea whole = {0, 0, 320, 180}, within = {0, 20, 320, 180 - below};
  std::vector<LookedBars> looked;
  for (const int64_t frame : frames) looked.push_back({frame, {whole, whole}, {within, within}});
  return looked;
}

TEST(PairWatch, TellsBarsOnceBothSidesHaveThem) {
  PairWatch barred(formats(), {}, {}), titled(formats(), {}, {}), shown(formats(), {}, {});
  barred.add_bars(bars_in({0, 1, 2, 4}));
  std::vector<Told> found = told(barred, film(300), film(300));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].pairs, 60U);
  EXPECT_EQ(found[0].fault.kind, PairFaultKind::kBars);
  EXPECT_TRUE(found[0].fault.is_certain);
  EXPECT_EQ(found[0].fault.diagnostic.subjects.at(0), "320:140:0:20");
  // Of one side it may be a dark scene, or the other video has titles there.
  titled.add_bars(bars_in({0, 1, 2, 4}, 0));
  found = told(titled, film(300), film(300));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].pairs, 300U);
  EXPECT_FALSE(found[0].fault.is_certain);
  // What is seen in a later frame counts from there on, as in a run that is no merge of parts.
  shown.add_bars(bars_in({0}));
  shown.add_bars({{.frame = 128, .reference = {}, .distorted = {{0, 0, 320, 180}, {0, 0, 320, 180}}}});
  found = told(shown, film(300), film(300));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].pairs, 60U);
}

// Whether samples lie against others as full range against limited.

using Finding = RangeFinder::Finding;

// Frames of a picture that goes from `least` to `most` levels, and what a function makes of it.
Finding finding_of(double least, double most, const std::function<double(double)>& made) {
  RangeFinder finder;
  for (int frame = 0; frame < 4; ++frame) {
    Signature reference, distorted;
    for (int i = 0; i < kSignatureCells; ++i) {
      const double level =
          least + (most - least) * ((i * 29 + frame * 7) % kSignatureCells) / (kSignatureCells - 1);
      const auto cell = static_cast<size_t>(i);
      reference.levels[cell] = static_cast<uint16_t>(std::lround(16 * level));
      distorted.levels[cell] = static_cast<uint16_t>(std::lround(16 * std::max(0.0, made(level))));
    }
    finder.add(reference, distorted);
  }
  return finder.finding();
}

double widened(double level) { return (level - 16) * 255 / 219; }
double narrowed(double level) { return 16 + level * 219 / 255; }

TEST(RangeFinder, TellsFullFromLimited) {
  EXPECT_EQ(finding_of(16, 235, widened), Finding::kDistortedIsFuller);
  EXPECT_EQ(finding_of(40, 120, widened), Finding::kDistortedIsFuller);
  EXPECT_EQ(finding_of(0, 255, narrowed), Finding::kReferenceIsFuller);
  // A little noise, as coding makes it.
  EXPECT_EQ(finding_of(20, 200, [](double level) { return widened(level) + std::sin(level * 31); }),
            Finding::kDistortedIsFuller);
}

TEST(RangeFinder, LeavesOtherPicturesAlone) {
  EXPECT_EQ(finding_of(16, 235, [](double level) { return level; }), Finding::kAlike);
  EXPECT_EQ(finding_of(16, 235, [](double level) { return level + 4; }), Finding::kAlike);
  EXPECT_EQ(finding_of(16, 235, [](double level) { return 125 + (level - 125) * 1.05; }), Finding::kAlike);
  EXPECT_EQ(finding_of(16, 235, [](double level) { return 125 + (level - 125) * 0.9; }), Finding::kAlike);
  // Too little is seen of either.
  EXPECT_EQ(finding_of(100, 120, widened), Finding::kAlike);
  EXPECT_EQ(RangeFinder().finding(), Finding::kAlike);
}

// More contrast around the middle, as people grade it, and a gamma.
TEST(RangeFinder, TellsContrastAndBrightnessThatWereChanged) {
  const auto contrast = [](double factor) {
    return [factor](double level) { return 128 + (level - 128) * factor; };
  };
  EXPECT_EQ(finding_of(16, 235, contrast(1.08)), Finding::kMoreContrast);
  // Close to full range, but black and white are not where that puts them.
  EXPECT_EQ(finding_of(30, 220, contrast(1.164)), Finding::kMoreContrast);
  EXPECT_EQ(finding_of(16, 235, contrast(0.8)), Finding::kLessContrast);
  EXPECT_EQ(finding_of(16, 235, [](double level) { return level + 7; }), Finding::kBrighter);
  EXPECT_EQ(finding_of(16, 235, [](double level) { return 235 * std::pow(level / 235, 1.3); }),
            Finding::kDarker);
}

}  // namespace

}  // namespace vq
