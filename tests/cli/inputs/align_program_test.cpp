// `cambi align`, --align, and what a run says of a pair that is not aligned.
#include "tests/support/bad_input.h"

namespace vq::cli::test {
namespace {

constexpr int kAlignWidth = 160, kAlignHeight = 96;

// Frame t of a film whose every part moves, with another scene each second.
std::string frame(int t) {
  std::string luma;
  const int scene = t / 25;
  for (int y = 0; y < kAlignHeight; ++y) {
    for (int x = 0; x < kAlignWidth; ++x) {
      const double wave = std::sin(0.09 * x + 0.3 * t + 2.7 * scene) * std::cos(0.07 * y - 0.21 * t + scene);
      luma += static_cast<char>(std::lround(120 + 80 * wave));
    }
  }
  return luma;
}

using Change = std::function<std::string(std::string)>;

std::string letterboxed(std::string luma) {
  for (const int y : {0, kAlignHeight - 12})
    luma.replace(static_cast<size_t>(y * kAlignWidth), size_t{12} * kAlignWidth, size_t{12} * kAlignWidth,
                 '\x10');
  return luma;
}

class AlignProgram : public FolderTest {
 protected:
  std::string video(const std::string& name, const std::vector<int>& frames, const Change& change = {},
                    const std::string& rate = "25:1") {
    std::string text = "YUV4MPEG2 W" + std::to_string(kAlignWidth) + " H" + std::to_string(kAlignHeight) +
                       " F" + rate + " Ip A1:1 Cmono\n";
    for (const int t : frames) text += "FRAME\n" + (change ? change(frame(t)) : frame(t));
    return made(name, text);
  }
  static std::vector<int> range(int first, int end) {
    std::vector<int> frames;
    for (int t = first; t < end; ++t) frames.push_back(t);
    return frames;
  }
  ProgramResult score(const std::string& reference, const std::string& distorted,
                      std::vector<std::string> flags = {}) {
    flags.insert(flags.begin(), {"-r", reference, "-d", distorted, "--feature", "psnr", "--backend", "cpu"});
    return run_program(flags);
  }
  std::string scores(const ProgramResult& result, const std::string& path) const {
    EXPECT_EQ(result.code, 0) << result.err;
    return read_json(path).at("frames").dump();
  }
  json align(const std::string& reference, const std::string& distorted, int code,
             std::vector<std::string> flags = {}) {
    flags.insert(flags.begin(), {"align", reference, distorted, "--json"});
    const ProgramResult result = run_program(flags);
    EXPECT_EQ(result.code, code) << result.err;
    return result.out.empty() ? json() : json::parse(result.out);
  }

  const std::string reference_ = video("ref.y4m", range(0, 90));
};

TEST_F(AlignProgram, TakesAStreamOfTheContainer) {
  const std::string late = video("late.y4m", range(0, 60)), master = video("master.y4m", range(3, 60));
  const std::string both = in_folder("both.mkv");
  run_ffmpeg("-i " + master + " -i " + late + " -map 0 -map 1 -c:v ffv1 " + both);
  EXPECT_EQ(align(both, both, 0, {"--stream", "1"})["shift"], 0);
  EXPECT_EQ(align(both, both, 7, {"--stream", "1", "--stream-ref", "0"})["shift"], 3);
  EXPECT_EQ(align(both, both, 7, {"--stream", "0", "--stream-ref", "1"})["shift"], -3);
  EXPECT_EQ(run_program({"align", both, both, "--stream", "2"}).code, 1);
}

TEST_F(AlignProgram, TellsWhatMendsAShiftedPair) {
  const std::string late = video("late.y4m", range(0, 80)), master = video("master.y4m", range(3, 80));
  const ProgramResult result = run_program({"align", master, late});
  EXPECT_EQ(result.code, 7);
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(result.out,
              AllOf(HasSubstr("verdict    shifted\n"),
                    HasSubstr("shift      +3 (0.12 s): the distorted video is 3 frames late; confidence "),
                    HasSubstr("lengths    the distorted video is 3 frames longer\n"),
                    HasSubstr("try        --align 3, or --frame_skip_dist 3\n")));
  const json found = align(late, master, 7);
  EXPECT_EQ(found.at("verdict"), "shifted");
  EXPECT_EQ(found.at("shift"), -3);
  EXPECT_EQ(found.at("flags"), "--frame_skip_ref 3");
  EXPECT_EQ(found.at("reference").at("frames_read"), 80);
  EXPECT_EQ(found.at("reference").at("whole"), true);
  EXPECT_EQ(align(late, master, 7, {"--frames", "40"}).at("reference").at("whole"), false);
  EXPECT_EQ(align(late, master, 0, {"--window", "2"}).at("shift"), nullptr);
}

TEST_F(AlignProgram, SaysThatItCannotTell) {
  const std::string still = video("still.y4m", std::vector<int>(60, 7));
  EXPECT_EQ(align(still, still, 0).at("verdict"), "cannot tell");
  const ProgramResult result = run_program({"align", still, still});
  EXPECT_THAT(result.out, HasSubstr("shift      undecidable; shifts from "));
  const ProgramResult scored = score(still, still, {"--align", "auto"});
  EXPECT_EQ(scored.code, 0);
  EXPECT_THAT(scored.err, HasSubstr("--align auto: the shift cannot be told"));
  EXPECT_THAT(scored.out, HasSubstr("align=none (cannot be told)"));
}

TEST_F(AlignProgram, FindsDroppedAndRepeatedFrames) {
  std::vector<int> frames = range(0, 90);
  frames.erase(frames.begin() + 60);
  frames.insert(frames.begin() + 30, 29);
  const json found = align(reference_, video("uneven.y4m", frames), 7);
  EXPECT_EQ(found.at("verdict"), "uneven");
  const json repeat = {{"frame", 30}, {"dropped", 0}, {"repeated", 1}},
             drop = {{"frame", 61}, {"dropped", 1}, {"repeated", 0}};
  EXPECT_EQ(found.at("changes"), (json{repeat, drop}));
}

TEST_F(AlignProgram, FindsOtherBarsAndTheShiftWithinThem) {
  const json found = align(reference_, video("boxed.y4m", range(0, 90), letterboxed), 7);
  EXPECT_EQ(found.at("verdict"), "bars differ");
  EXPECT_EQ(found.at("shift"), 0);
  EXPECT_EQ(align(reference_, video("late.y4m", range(2, 90), letterboxed), 7).at("shift"), -2);
  EXPECT_THAT(found.at("bars").get<std::string>(),
              HasSubstr("distorted picture is 160:72:0:12 and the reference's 160:96:0:0"));
}

TEST_F(AlignProgram, WritesAFileAndRefusesPipes) {
  const std::string path = in_folder("pair.json");
  EXPECT_THAT(run_well({"align", reference_, reference_, "-o", path}).out, HasSubstr("verdict    aligned"));
  const json found = read_json(path);
  EXPECT_EQ(found.at("verdict"), "aligned");
  EXPECT_EQ(found.at("flags"), "");
  EXPECT_EQ(run_program({"align", reference_, reference_, "-o", reference_}).code, 1);
  EXPECT_EQ(run_program({"align", reference_, "-"}).code, 1);
  EXPECT_EQ(run_program({"align", reference_, in_folder("none.mkv")}).code, 2);
}

TEST_F(AlignProgram, ARunRefusesAShiftedPair) {
  const std::string early = video("early.y4m", range(3, 90));
  const ProgramResult result = score(reference_, early);
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.err,
              AllOf(HasSubstr("error: "), HasSubstr("early.y4m starts 3 frames later in the film than "),
                    HasSubstr("Try: --align -3 (--compare-anyway")));
  EXPECT_THAT(score(reference_, early, {"--compare-anyway"}).err, HasSubstr("warning: "));
  EXPECT_THAT(score(reference_, early, {"--align", "off"}).err, Not(HasSubstr("in the film")));
  EXPECT_THAT(score(reference_, early, {"--subsample", "7"}).err, HasSubstr("Try: --align -3 ("));
  EXPECT_THAT(score(reference_, early, {"--frame_skip_ref", "1"}).err,
              HasSubstr("Try: --frame_skip_ref 3, instead of"));
  EXPECT_THAT(score(reference_, early, {"--frame_skip_ref", "3"}).err, Not(HasSubstr("in the film")));
  EXPECT_THAT(score(reference_, early, {"--frame_cnt", "10"}).err, Not(HasSubstr("in the film")));
  EXPECT_THAT(score(reference_, reference_).err, Not(HasSubstr("warning")));
}

TEST_F(AlignProgram, ARunTellsOfDropsAndOfBars) {
  std::vector<int> frames = range(0, 90);
  frames.erase(frames.begin() + 40, frames.begin() + 42);
  EXPECT_THAT(score(reference_, video("drop.y4m", frames)).err,
              HasSubstr("2 frames dropped (before frame 40). The scores of frames 40 to 87 are wrong."));
  const std::string boxed = video("boxed.y4m", range(0, 90), letterboxed);
  EXPECT_THAT(score(reference_, boxed).err, HasSubstr("black bars differ"));
  EXPECT_THAT(score(reference_, boxed, {"--crop", "160:72:0:12"}).err, Not(HasSubstr("black bars differ")));
  EXPECT_THAT(score(boxed, boxed).err, Not(HasSubstr("warning")));
  // Whichever of the two has them.
  const std::string note = "crop=160:72:0:12 (black bars left out)";
  for (const ProgramResult& result :
       {score(boxed, reference_, {"--crop", "auto"}), score(reference_, boxed, {"--crop", "auto"})}) {
    EXPECT_THAT(result.err, Not(HasSubstr("black bars differ")));
    EXPECT_THAT(result.out, HasSubstr(note));
  }
}

TEST_F(AlignProgram, TheAdviceOnBarsMendsThem) {
  const std::string boxed = video("boxed.y4m", range(0, 90), letterboxed), path = in_folder("r.json");
  const std::string advice = "try: --crop 160:72:0:12";
  EXPECT_THAT(score(reference_, boxed).err, HasSubstr(advice));
  EXPECT_THAT(score(boxed, reference_).err, HasSubstr(advice));
  scores(score(boxed, reference_, {"--crop", "160:72:0:12", "-o", path}), path);
  EXPECT_EQ(read_json(path).at("pooled_metrics").at("psnr_y").at("mean"), 60);
  EXPECT_EQ(align(reference_, boxed, 7).at("flags"), "--crop 160:72:0:12");
  EXPECT_EQ(align(reference_, video("late.y4m", range(2, 90), letterboxed), 7).at("flags"),
            "--frame_skip_ref 2 --crop 160:72:0:12");
}

// A shift would mend the beginning alone.
TEST_F(AlignProgram, VideosOfOtherFrameRatesAreToldToBeConverted) {
  std::vector<int> frames;
  for (int t = 0; t < 108; ++t) frames.push_back(t * 5 / 6);
  const std::string faster = video("faster.y4m", frames, {}, "30:1");
  const ProgramResult found = run_program({"align", reference_, faster});
  EXPECT_THAT(found.out,
              AllOf(HasSubstr("ffmpeg -i IN -vf fps=25 -c:v ffv1 OUT.mkv"), Not(HasSubstr("--align")),
                    HasSubstr("frames with the same number are not of the same time")));
  EXPECT_EQ(align(reference_, faster, found.code).at("flags"), "");
  EXPECT_THAT(score(reference_, faster).err, HasSubstr("faster.y4m has 30 frames a second and"));
  EXPECT_THAT(score(reference_, faster, {"--align", "auto"}),
              Ends(3, HasSubstr("so no shift fits. Try: --pair time, or convert one first, for example "
                                "with ffmpeg -i IN -vf fps=25")));
  const std::string same = video("same.y4m", range(0, 90), {}, "30:1");
  EXPECT_THAT(score(reference_, same).err, Not(HasSubstr("warning")));
  EXPECT_THAT(run_program({"align", reference_, same}).out,
              HasSubstr("frame rates differ; frames pair by number all the same"));
}

TEST_F(AlignProgram, AlignIsTheSameAsSkipping) {
  const std::string early = video("early.y4m", range(3, 90)), a = in_folder("a.json"),
                    b = in_folder("b.json");
  const std::string skipped = scores(score(reference_, early, {"--frame_skip_ref", "3", "-o", a}), a);
  const ProgramResult asked = score(reference_, early, {"--align", "-3", "-o", b, "--extended"});
  const json report = read_json(b);
  EXPECT_EQ(report.at("run").at("notes").at(0), "align=-3 (as asked)");
  EXPECT_EQ(report.at("frames").size(), 87U);
  EXPECT_EQ(scores(score(reference_, early, {"--align", "-3", "-o", b}), b), skipped);
  EXPECT_EQ(scores(score(reference_, early, {"--align", "auto", "-o", b}), b), skipped);
  EXPECT_THAT(score(reference_, early, {"--align", "auto", "-o", b, "--extended"}).err,
              Not(HasSubstr("warning")));
  EXPECT_THAT(read_json(b).at("run").at("notes").at(0).get<std::string>(),
              HasSubstr("align=-3 (found, confidence "));
  const std::string late = scores(score(early, reference_, {"--frame_skip_dist", "3", "-o", a}), a);
  EXPECT_EQ(scores(score(early, reference_, {"--align", "+3", "-o", b}), b), late);
  EXPECT_EQ(scores(score(early, reference_, {"--align", "auto", "-o", b}), b), late);
}

TEST_F(AlignProgram, RefusesWhatCannotBe) {
  for (const char* text : {"", "3.5", "maybe", "++3", "+-3", "9999999999999999"})
    EXPECT_EQ(score(reference_, reference_, {"--align", text}).code, 1) << text;
  EXPECT_EQ(score(reference_, "-", {"--align", "auto"}).code, 1);
  EXPECT_THAT(run_program({reference_, "--align", "3"}),
              Ends(1, HasSubstr("--align has no effect without a reference")));
}

TEST_F(AlignProgram, ComparisonsTellOfEachVideoAndAGateOnce) {
  const std::string early = video("early.y4m", range(3, 90)), late = video("late.y4m", [] {
                                                                std::vector<int> frames = range(0, 90);
                                                                frames.insert(frames.begin(), {85, 86});
                                                                return frames;
                                                              }());
  const auto compare = [&](const std::vector<std::string>& flags) {
    std::vector<std::string> words = {"compare",   "-r",   reference_,  early, late,
                                      "--feature", "psnr", "--backend", "cpu"};
    words.insert(words.end(), flags.begin(), flags.end());
    return run_program(words);
  };
  EXPECT_THAT(compare({}), Ends(3, AllOf(HasSubstr("early.y4m starts 3 frames later"),
                                         HasSubstr("late.y4m starts 2 frames earlier"))));
  EXPECT_THAT(compare({"--align", "auto"}).err, Not(HasSubstr("in the film")));
  const ProgramResult gate =
      run_program({"gate", "-r", reference_, "-d", early, "--feature", "psnr", "--backends", "cpu,scalar"});
  EXPECT_EQ(gate.code, 3) << gate.err;
  const size_t first = gate.err.find("in the film");
  EXPECT_NE(first, std::string::npos);
  EXPECT_EQ(gate.err.find("in the film", first + 1), std::string::npos);
}

}  // namespace
}  // namespace vq::cli::test
