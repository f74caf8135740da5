// The library has the program's figures, whatever thread, memory or moment they are asked from.
#include <sys/mman.h>

#include <cfenv>

#include "tests/c_api/run_under_test.h"
#include "tests/support/run_program.h"

namespace vq::test {
namespace {

std::string y4m_of(const PictureShape& shape, int frames, int noise, const std::string& tags = "") {
  const std::string chroma = shape.chroma == CAMBI_422 ? "422" : shape.chroma == CAMBI_444 ? "444" : "420";
  std::string text = "YUV4MPEG2 W" + std::to_string(shape.width) + " H" + std::to_string(shape.height) +
                     " F25:1 C" + chroma +
                     (shape.bit_depth > 8 ? "p" + std::to_string(shape.bit_depth) : "") + tags + "\n";
  for (int i = 0; i < frames; ++i) {
    const TestPicture picture(shape, i, noise);
    text += "FRAME\n";
    text.append(picture.samples().begin(), picture.samples().end());
  }
  return text;
}

// Frames a second are no score.
std::string without_fps(std::string text) {
  const size_t at = text.find("fps");
  const size_t end = text.find_first_of(",\n>", at);
  return at == std::string::npos ? text : text.erase(at, end - at);
}

TEST(CApiScores, AreThoseOfTheProgramToTheLastByteOfAReport) {
  const cli::test::TemporaryFolder folder;
  const std::string distorted = folder.path() + "/a.y4m", reference = folder.path() + "/b.y4m";
  cli::test::write_file(distorted, y4m_of(kShape, 5, 3));
  cli::test::write_file(reference, y4m_of(kShape, 5, 1));
  RunUnderTest run;
  run.model("version=vmaf_v0.6.1")
      .feature("cambi=topk=0.2")
      .feature("psnr=enable_apsnr=true")
      .feature("ciede");
  run.push(kShape, 0, 4);
  run.finish();
  constexpr std::pair<const char*, CambiFormat> kFormats[] = {
      {"--json", CAMBI_JSON}, {"--xml", CAMBI_XML}, {"--csv", CAMBI_CSV}, {"--sub", CAMBI_SUB}};
  for (const auto& [flag, format] : kFormats) {
    const cli::test::ProgramResult program = cli::test::run_well(
        {distorted, "--reference", reference, "--model", "version=vmaf_v0.6.1", "--feature", "cambi=topk=0.2",
         "--feature", "psnr=enable_apsnr=true", "--feature", "ciede", "--quiet", flag, "--output", "-"});
    EXPECT_EQ(without_fps(run.report(format)), without_fps(program.out)) << flag;
  }
}

std::vector<std::string> remarks_of(CambiRun* run) {
  std::vector<std::string> remarks;
  CambiLogLevel level;
  const char* text = nullptr;
  while (cambi_run_remark(run, remarks.size(), &level, &text) == CAMBI_OK) remarks.emplace_back(text);
  return remarks;
}

// An encode that is smaller, shallower or otherwise unlike its master is fitted as in the program.
TEST(CApiScores, OfFittedPicturesAreThoseOfTheProgram) {
  struct Case {
    PictureShape distorted, reference;
    CambiRange range;  // of the reference
    const char *model, *feature;
    std::vector<std::string> notes;
  };
  const PictureShape half{.width = 240, .height = 160}, whole{.width = 480, .height = 320};
  const PictureShape master{.width = 480, .height = 320, .bit_depth = 10, .chroma = CAMBI_422};
  const std::string at = " scored at 1620x1080, ";
  const std::string limited = " converted from full to limited range",
                    coarser = " converted from 4:2:2 to 4:2:0, as in ";
  const Case cases[] = {
      {half, whole, CAMBI_RANGE_LIMITED, "auto", "bounds", {"vmaf" + at + "10 bits (bicubic)"}},
      {half,
       master,
       CAMBI_RANGE_FULL,
       "auto",
       "bounds",
       {"vmaf" + at + "10 bits (bicubic)", limited, coarser}},
      {whole, master, CAMBI_RANGE_FULL, "vmaf_v0.6.1", "psnr", {limited, coarser}},
      {half, master, CAMBI_RANGE_FULL, "version=vmaf_v0.6.1:scaled", "bounds", {at + "8 bits", limited}}};
  const cli::test::TemporaryFolder folder;
  const std::string distorted = folder.path() + "/a.y4m", reference = folder.path() + "/b.y4m";
  for (const Case& c : cases) {
    cli::test::write_file(distorted, y4m_of(c.distorted, 2, 3, " XCOLORRANGE=LIMITED"));
    cli::test::write_file(reference,
                          y4m_of(c.reference, 2, 1, c.range == CAMBI_RANGE_FULL ? " XCOLORRANGE=FULL" : ""));
    const cli::test::ProgramResult program =
        cli::test::run_program({"-d", distorted, "-r", reference, "--model", c.model, "--feature", c.feature,
                                "--backend", "cpu", "--compare-anyway", "--csv", "--output", "-"});
    ASSERT_EQ(program.code, 0) << program.err;
    RunUnderTest run({.frame_rate = 25});
    run.model(c.model).feature(c.feature);
    for (int i = 0; i < 2; ++i) {
      const TestPicture encode(c.distorted, i, 3), original(c.reference, i, 1);
      CambiPicture one = encode.picture(), other = original.picture();
      one.range = CAMBI_RANGE_LIMITED;
      other.range = c.range;
      ASSERT_EQ(cambi_run_push(run, &one, &other), CAMBI_OK) << cambi_error();
    }
    run.finish();
    EXPECT_EQ(run.report(CAMBI_CSV), program.out) << c.model;
    const std::vector<std::string> remarks = remarks_of(run);
    for (const std::string& note : c.notes) {
      const auto has_it = [&](const std::string& text) { return text.find(note) != std::string::npos; };
      EXPECT_TRUE(std::ranges::any_of(remarks, has_it)) << note;
      EXPECT_TRUE(has_it(program.err)) << note << " in " << program.err;
    }
  }
}

TEST(CApiScores, OfVideosOfTwoSamplingsRangesAndMatricesAreConverted) {
  const PictureShape fine{.chroma = CAMBI_422};
  const TestPicture distorted(kShape, 0, 3), reference(fine, 0, 1);
  CambiPicture one = distorted.picture(), other = reference.picture();
  one.matrix = CAMBI_MATRIX_BT601;
  other.matrix = CAMBI_MATRIX_BT709;
  other.range = CAMBI_RANGE_FULL;
  const auto push = [&](RunUnderTest& run, const char* feature) {
    run.feature(feature);
    return cambi_run_push(run, &one, &other);
  };
  RunUnderTest run;
  ASSERT_EQ(push(run, "psnr"), CAMBI_OK) << cambi_error();
  run.finish();
  EXPECT_EQ(remarks_of(run),
            (std::vector<std::string>{
                "reference converted from full to limited range",
                "distorted converted from the matrix of bt601 to that of bt709, as in reference",
                "chroma of reference converted from 4:2:2 to 4:2:0, as in distorted"}));
  RunUnderTest as_stored({.as_stored = 1});
  EXPECT_EQ(push(as_stored, "psnr"), CAMBI_EFORMAT);
  EXPECT_STREQ(cambi_error(),
               "distorted is 4:2:0 and reference is 4:2:2; psnr needs the same chroma subsampling, or "
               "enable_chroma=false.");
  RunUnderTest luma, luma_as_stored({.as_stored = 1});
  other.range = CAMBI_RANGE_LIMITED;
  for (RunUnderTest* each : {&luma, &luma_as_stored}) {
    ASSERT_EQ(push(*each, "psnr=enable_chroma=false"), CAMBI_OK) << cambi_error();
    each->finish();
  }
  EXPECT_NE(luma.scores("psnr_y"), luma_as_stored.scores("psnr_y"));
}

std::vector<std::vector<double>> all_scores(RunUnderTest& run) {
  std::vector<std::vector<double>> scores;
  for (const std::string& name : run.metrics()) scores.push_back(run.scores(name.c_str()));
  return scores;
}

std::vector<std::vector<double>> scores_of_all_features(const CambiOptions& options) {
  RunUnderTest run(options);
  for (const char* feature : kAllFeatures) run.feature(feature);
  run.push(kShape, 0, 3);
  run.finish();
  return all_scores(run);
}

TEST(CApiScores, AreTheSameWithEveryBackendAndNumberOfThreads) {
  const auto expected = scores_of_all_features({.threads = 1, .backend = "scalar"});
  ASSERT_GT(expected.size(), 30U);
  for (const int threads : {1, 3})
    EXPECT_EQ(scores_of_all_features({.threads = threads, .backend = "cpu"}), expected) << threads;
}

// Planes that end where memory does that nobody may read.
class FencedPicture {
 public:
  FencedPicture(const TestPicture& from, bool upside_down) : picture_(from.picture()) {
    const size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
    for (int p = 0; p < from.planes(); ++p) {
      const size_t bytes = static_cast<size_t>(from.rows(p) * from.row_bytes(p));
      const size_t inner = (bytes + page - 1) / page * page;
      auto* const all = static_cast<uint8_t*>(
          mmap(nullptr, inner + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
      mprotect(all + page, inner, PROT_READ | PROT_WRITE);
      maps_.emplace_back(all, inner + 2 * page);
      // Upside down the last row lies at the beginning.
      uint8_t* const first = upside_down ? all + page : all + page + inner - bytes;
      const auto* const samples = static_cast<const uint8_t*>(picture_.planes[p]);
      const int rows = from.rows(p), row_bytes = from.row_bytes(p);
      for (int y = 0; y < rows; ++y)
        std::memcpy(first + (upside_down ? rows - 1 - y : y) * row_bytes, samples + y * row_bytes,
                    static_cast<size_t>(row_bytes));
      picture_.planes[p] = upside_down ? first + (rows - 1) * row_bytes : first;
      picture_.strides[p] = upside_down ? -row_bytes : row_bytes;
    }
    picture_.release = [](void* user) { delete static_cast<FencedPicture*>(user); };
    picture_.release_user = this;
  }
  ~FencedPicture() {
    for (const auto& [all, bytes] : maps_) munmap(all, bytes);
  }
  const CambiPicture& picture() const { return picture_; }

 private:
  CambiPicture picture_;
  std::vector<std::pair<void*, size_t>> maps_;
};

std::vector<std::vector<double>> scores_of_fenced(const PictureShape& shape, const char* feature,
                                                  bool upside_down) {
  RunUnderTest run;
  run.feature(feature);
  for (int i = 0; i < 3; ++i) {
    const auto* const one = new FencedPicture(TestPicture(shape, i, 3), upside_down);
    const auto* const other = new FencedPicture(TestPicture(shape, i, 1), upside_down);
    EXPECT_EQ(cambi_run_push(run, &one->picture(), &other->picture()), CAMBI_OK) << cambi_error();
  }
  run.finish();
  return all_scores(run);
}

TEST(CApiScores, NeedNothingBesideTheSamplesOfForeignPlanes) {
  for (const PictureShape& shape :
       {PictureShape{.width = 323, .height = 241, .bit_depth = 8},
        PictureShape{.width = 323, .height = 241, .bit_depth = 10, .chroma = CAMBI_444}}) {
    for (const char* feature : kAllFeatures) {
      RunUnderTest run;
      run.feature(feature);
      run.push(shape, 0, 2);
      run.finish();
      EXPECT_EQ(scores_of_fenced(shape, feature, false), all_scores(run)) << feature;
      EXPECT_EQ(scores_of_fenced(shape, feature, true), all_scores(run)) << feature << ", upside down";
    }
  }
}

TEST(CApiScores, DoNotDependOnTheFloatingPointEnvironmentAndLeaveItAlone) {
  const auto expected = scores_of_all_features(kOneThread);
  ASSERT_EQ(std::fesetround(FE_UPWARD), 0);
  std::feclearexcept(FE_ALL_EXCEPT);
  const auto found = scores_of_all_features(kOneThread);
  const int rounding = std::fegetround();
  std::fesetround(FE_TONEAREST);
  EXPECT_EQ(found, expected);
  EXPECT_EQ(rounding, FE_UPWARD);
}

TEST(CApiScores, CanBeReadFromAnotherThreadWhileFramesArePushed) {
  RunUnderTest run({.threads = 2, .backend = "cpu"});
  run.feature("motion").feature("psnr");
  run.push(kShape, 0, 0);
  std::vector<double> seen;
  std::thread reader([&] {
    for (int64_t frame = 0; frame < 20;) {
      double score = 0;
      const CambiStatus status = cambi_run_score(run, "psnr_y", frame, &score);
      if (status != CAMBI_OK && status != CAMBI_PENDING) break;
      if (status == CAMBI_PENDING) continue;
      seen.push_back(score);
      ++frame;
    }
  });
  run.push(kShape, 1, 19);
  run.finish();
  reader.join();
  EXPECT_EQ(seen, run.scores("psnr_y"));
  EXPECT_EQ(seen.size(), 20U);
}

TEST(CApiScores, OfASubsampledRunAreThoseOfItsFrames) {
  RunUnderTest all, some({.subsample = 3});
  for (RunUnderTest* run : {&all, &some}) {
    run->feature("motion").feature("psnr");
    run->push(kShape, 0, 7);
    run->finish();
  }
  for (const char* metric : {"psnr_y", "integer_motion2"}) {
    const std::vector<double> expected = all.scores(metric);
    EXPECT_EQ(some.scores(metric), (std::vector{expected[0], expected[3], expected[6]})) << metric;
  }
  int64_t frames[3] = {};
  ASSERT_EQ(cambi_run_frames(some, 0, 3, frames), CAMBI_OK);
  EXPECT_EQ(frames[2], 6);
  double score = -1;
  EXPECT_EQ(cambi_run_score(some, "psnr_y", 6, &score), CAMBI_OK);
  EXPECT_EQ(cambi_run_score(some, "psnr_y", 7, &score), CAMBI_ENOTFOUND);
  EXPECT_EQ(score, all.scores("psnr_y")[6]);
}

TEST(CApiScores, OfPairsThatRepeatAreNotComputedAgain) {
  RunUnderTest run({.skip_unchanged = 1});
  run.feature("psnr");
  for (int i = 0; i < 3; ++i) run.push(kShape, 0, 0);
  run.finish();
  CambiBackend backend = {.size = sizeof backend};
  ASSERT_EQ(cambi_run_backend(run, &backend), CAMBI_OK);
  EXPECT_EQ(backend.repeated_frames, 2);
  EXPECT_STREQ(backend.backend, "cpu");
  const std::vector<double> scores = run.scores("psnr_y");
  EXPECT_EQ(scores, std::vector<double>(3, scores[0]));
}

// Luma of a film whose every part moves, with another scene each second.
std::vector<uint8_t> film(int frame) {
  constexpr int kWidth = 160, kHeight = 96;
  std::vector<uint8_t> samples;
  const int scene = frame / 25;
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      const double wave =
          std::sin(0.09 * x + 0.3 * frame + 2.7 * scene) * std::cos(0.07 * y - 0.21 * frame + scene);
      samples.push_back(static_cast<uint8_t>(std::lround(120 + 80 * wave)));
    }
  }
  return samples;
}

CambiPicture picture_of(const std::vector<uint8_t>& samples, CambiRange range) {
  CambiPicture picture = {};
  picture.size = sizeof picture;
  picture.planes[0] = samples.data();
  picture.strides[0] = picture.width = 160;
  picture.height = 96;
  picture.bit_depth = 8;
  picture.chroma = CAMBI_400;
  picture.range = range;
  return picture;
}

void push_film(RunUnderTest& run, int shift, CambiRange range = CAMBI_RANGE_LIMITED) {
  for (int i = 0; i < 60; ++i) {
    const std::vector<uint8_t> reference = film(i), distorted = film(i + shift);
    const CambiPicture one = picture_of(distorted, range), other = picture_of(reference, CAMBI_RANGE_LIMITED);
    ASSERT_EQ(cambi_run_push(run, &one, &other), CAMBI_OK) << cambi_error();
  }
  run.finish();
}

std::vector<std::string> kinds_of(CambiRun* run) {
  std::vector<std::string> kinds;
  CambiPairFault fault = {.size = sizeof fault};
  while (cambi_run_pair_fault(run, kinds.size(), &fault) == CAMBI_OK) {
    kinds.emplace_back(fault.kind);
    EXPECT_TRUE(fault.is_certain);
    EXPECT_STRNE(fault.text, "");
  }
  return kinds;
}

TEST(CApiScores, HaveTheFaultsOfTheirPair) {
  RunUnderTest fits, late, ranges({.as_stored = 1});
  for (RunUnderTest* run : {&fits, &late, &ranges})
    run->feature("psnr=enable_chroma=false").feature("bounds");
  push_film(fits, 0);
  EXPECT_EQ(kinds_of(fits), std::vector<std::string>());
  push_film(late, 3);
  EXPECT_EQ(kinds_of(late), std::vector<std::string>{"shift"});
  push_film(ranges, 0, CAMBI_RANGE_FULL);
  EXPECT_EQ(kinds_of(ranges).at(0), "range");
  int crossed = 7;
  double value = 0;
  ASSERT_EQ(cambi_run_threshold(fits, "psnr_y<30", &crossed, &value), CAMBI_OK);
  EXPECT_EQ(crossed, 0);
  EXPECT_EQ(cambi_run_threshold(fits, "psnr_y:min", &crossed, &value), CAMBI_EUSAGE);
  ASSERT_EQ(cambi_run_threshold(late, "psnr_y<1", &crossed, &value), CAMBI_OK);
  EXPECT_EQ(crossed, -1);
  ASSERT_EQ(cambi_run_threshold(late, "bounds_width:max>9999", &crossed, &value), CAMBI_OK);
  EXPECT_EQ(crossed, 0);
  // A report says it again.
  const std::string report = late.report(CAMBI_JSON_EXTENDED);
  CambiRun* again = nullptr;
  ASSERT_EQ(cambi_run_read(report.data(), report.size(), &again), CAMBI_OK) << cambi_error();
  EXPECT_EQ(kinds_of(again), std::vector<std::string>{"shift"});
  ASSERT_EQ(cambi_run_threshold(again, "psnr_y<1", &crossed, &value), CAMBI_OK);
  EXPECT_EQ(crossed, -1);
  cambi_run_close(again);
}

TEST(CApiScores, SayWhichFramesAreComparedWrongly) {
  const std::string report =
      R"({"frames": [{"frameNum": 0, "metrics": {"psnr_y": 9}}],)"
      R"( "pair_faults": [{"kind": "uneven", "text": "dropped", "certain": true, "frames": [[3, 5], [8, 9]]}]})";
  CambiRun* run = nullptr;
  ASSERT_EQ(cambi_run_read(report.data(), report.size(), &run), CAMBI_OK) << cambi_error();
  CambiPairFault fault = {.size = sizeof fault};
  ASSERT_EQ(cambi_run_pair_fault(run, 0, &fault), CAMBI_OK);
  EXPECT_STREQ(fault.kind, "uneven");
  ASSERT_EQ(fault.stretches, 2U);
  EXPECT_EQ(std::vector<int64_t>(fault.frames, fault.frames + 4), (std::vector<int64_t>{3, 5, 8, 9}));
  EXPECT_EQ(cambi_run_pair_fault(run, 1, &fault), CAMBI_ENOTFOUND);
  cambi_run_close(run);
}

}  // namespace
}  // namespace vq::test
