// Command lines that vmaf takes, as it takes them.

#include "cli/commands/arguments.h"
#include "tests/support/bad_input.h"

namespace vq::cli::test {
namespace {

RunOptions with(std::vector<std::string> words) {
  words.insert(words.end(), {"-r", "a.mp4", "-d", "b.mp4"});
  return run_options(parse_run_words(words));
}

TEST(VmafWords, NumbersOfItsFlagsAreAsInC) {
  const RunOptions options = with({"--frame_skip_ref", "010", "--frame_skip_dist", "0x10", "--subsample",
                                   "0X2", "--threads", "0x4", "--frame_cnt", "+12", "--cpumask", "0xff"});
  EXPECT_EQ(options.skip_reference, 8);
  EXPECT_EQ(options.skip_distorted, 16);
  EXPECT_EQ(options.sampling.every, 2);
  EXPECT_EQ(options.threads, 4);
  EXPECT_EQ(options.frame_count, 12);
  EXPECT_EQ(options.cpumask, 255U);
  EXPECT_EQ(with({"--threads", "0"}).threads, 0);
  for (const char* const bad :
       {"08", "0x", "0xg", "-1", "1 ", "", "99999999999999999999", "0x10000000000000000"}) {
    EXPECT_THROW(with({"--frame_cnt", bad}), Error) << bad;
  }
}

// What a comparison keeps if one of its files cannot be written.

TEST(KeptRanking, TheFilesThatCanBeWrittenAreKeptAsParts) {
  const TemporaryFolder folder;
  const std::string out = folder.path() + "/r.json", csv = folder.path() + "/r.csv";
  const ProgramResult run = run_program({"compare", clip("static_640x360_8b.mp4"), clip("sky_640x360_8b.mp4"),
                                         "-o", out, "-o", csv, "--html", "/dev/full", "--quiet"});
  EXPECT_EQ(run.code, 5) << run.err;
  for (const std::string& path : {out, csv}) {
    EXPECT_FALSE(std::filesystem::exists(path));
    EXPECT_TRUE(std::filesystem::exists(path + ".partial")) << path;
  }
  EXPECT_EQ(read_json(out + ".partial").at("runs").size(), 2U);
}

// cambi fingerprint.

class FingerprintCommand : public BadInputTest {
 protected:
  static ProgramResult fingerprint(Words words) {
    words.insert(words.begin(), "fingerprint");
    words.insert(words.end(), {"--backend", "cpu"});
    return run_program(words);
  }
};

TEST_F(FingerprintCommand, TakesWhatSaysWhatIsRead) {
  const std::string video = clip("sky_640x360_8b.mp4");
  const Words all = lines_of(fingerprint({video}).out);
  EXPECT_EQ(lines_of(fingerprint({video, "--start", "3", "--end", "5"}).out),
            Words(all.begin() + 3, all.begin() + 5));
  const Words some = lines_of(fingerprint({video, "--subsample", "4"}).out);
  EXPECT_EQ(some, (Words{all[0], all[4], all[8]}));
  EXPECT_NE(lines_of(fingerprint({video, "--planes", "all"}).out)[0], all[0]);
  run_ffmpeg("-i " + video + " -frames:v 2 -f rawvideo " + in_folder("raw.yuv"));
  const Words raw =
      lines_of(fingerprint({in_folder("raw.yuv"), "-w", "640", "-h", "360", "-p", "420", "-b", "8"}).out);
  ASSERT_EQ(raw.size(), 2U);
  EXPECT_EQ(raw[1].substr(0, 32), all[1].substr(0, 32));
}

TEST_F(FingerprintCommand, ListsMoreThanTwoVideosOneAfterTheOther) {
  const std::string a = clip("small_256x144_8b.mp4"), b = clip("tiny_128x96_8b.mp4");
  const ProgramResult result = fingerprint({a, b, a});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, fingerprint({a}).out + fingerprint({b}).out + fingerprint({a}).out);
}

TEST_F(FingerprintCommand, WritesJsonAndCsv) {
  const std::string a = clip("small_256x144_8b.mp4"), b = clip("tiny_128x96_8b.mp4");
  const ProgramResult result = fingerprint({a, b, "-o", in_folder("h.json"), "-o", in_folder("h.csv")});
  EXPECT_EQ(result.code, 7);
  const json document = read_json(in_folder("h.json"));
  EXPECT_EQ(document["videos"][0]["path"], a);
  EXPECT_EQ(document["videos"][0]["frames"][0]["fingerprint"], fingerprint({a}).out.substr(0, 32));
  EXPECT_EQ(document["comparison"]["same"], false);
  EXPECT_THAT(read_file(in_folder("h.csv")),
              StartsWith("path,frame,timestamp,fingerprint\n" + a + ",0,0.000000,"));
  // A list has one place, standard output where no other is named.
  const ProgramResult listed = fingerprint({a, "-o", in_folder("one.csv"), "-q"});
  EXPECT_EQ(listed.out + listed.err, "");
  EXPECT_EQ(json::parse(fingerprint({a, "--json", "-q"}).out)["videos"].size(), 1U);
}

// The benchmark on the processor alone, which needs no device. No time is looked at.

class BenchProgram : public FolderTest {
 protected:
  static ProgramResult bench(Words words) {
    words.insert(words.begin(), "bench");
    return run_program(words);
  }
  static Words names(const json& list) {
    Words names;
    for (const json& entry : list) names.push_back(entry.at("name"));
    return names;
  }

  static double seconds_of(const json& backend) {
    double sum = 0;
    for (const auto& [part, seconds] : backend.at("pace").items()) sum += seconds.get<double>();
    return sum;
  }

  const std::string clip_ = testdata("clips/small_256x144_8b.mp4");
};

TEST_F(BenchProgram, MeasuresAVideoOnTheCpu) {
  const std::string path = in_folder("bench.json");
  const ProgramResult result =
      bench({clip_, "--backend", "cpu", "--frames", "2", "--threads", "2", "-o", path});
  EXPECT_EQ(result.code, 0) << result.err;
  for (const char* text : {"small_256x144_8b.mp4  h264 256x144 8-bit", "c_values", "frames/s  "})
    EXPECT_THAT(result.out, HasSubstr(text));
  const json written = read_json(path);
  EXPECT_EQ(written.at("threads"), 2);
  EXPECT_GT(written.at("host_bytes_per_second"), 0);
  EXPECT_EQ(written.at("devices"), json::array());
  const json& video = written.at("videos").at(0);
  EXPECT_EQ(video.at("name"), clip_);
  EXPECT_NE(video.at("limit"), "");
  ASSERT_EQ(video.at("backends").size(), 1u);
  const json& cpu = video.at("backends").at(0);
  EXPECT_EQ(cpu.at("backend"), "cpu");
  EXPECT_TRUE(cpu.at("error").is_null());
  EXPECT_EQ(cpu.at("decoder"), "h264");
  EXPECT_EQ(cpu.at("decoded_frames"), 2);
  EXPECT_EQ(cpu.at("whole_frames"), 2);
  for (const char* figure : {"decode_fps", "score_fps", "whole_fps", "start_seconds"})
    EXPECT_GT(cpu.at(figure), 0) << figure;
  EXPECT_THAT(names(cpu.at("stages")),
              ElementsAre("prepare", "c_values", "pooling", "decimate", "mode_filter"));
  for (const json& stage : cpu.at("stages")) EXPECT_GT(stage.at("milliseconds"), 0);
  EXPECT_GT(seconds_of(cpu), cpu.at("start_seconds").get<double>());
}

TEST_F(BenchProgram, MakesPicturesUpWithoutAVideo) {
  const ProgramResult result = bench({"--backend", "cpu", "--frames", "1", "--json"});
  EXPECT_EQ(result.code, 0) << result.err;
  const json videos = json::parse(result.out).at("videos");
  Words sizes;
  for (const json& video : videos) {
    EXPECT_EQ(video.at("made_up"), true);
    EXPECT_TRUE(video.at("backends").at(0).at("decode_fps").is_null());
    EXPECT_TRUE(video.at("backends").at(0).at("whole_fps").is_null());
    EXPECT_GT(video.at("backends").at(0).at("score_fps"), 0);
    // Nothing but scoring.
    EXPECT_EQ(video.at("backends").at(0).at("pace").at("opening"), 0);
    EXPECT_GT(seconds_of(video.at("backends").at(0)), 0);
    sizes.push_back(std::to_string(video.at("height").get<int>()) + "@" +
                    std::to_string(video.at("bit_depth").get<int>()));
  }
  EXPECT_THAT(sizes, ElementsAre("1080@8", "1080@10", "2160@8", "2160@10"));
}

TEST_F(BenchProgram, MeasuresTheFeaturesThatItIsTold) {
  const std::string reference = testdata("clips/small_256x144_8b.mp4");
  const ProgramResult result = bench({"-r", reference, "-d", clip_, "--feature", "psnr", "--feature", "cambi",
                                      "--backend", "scalar", "--frames", "2", "-o", "-"});
  EXPECT_EQ(result.code, 0) << result.err;
  const json scalar = json::parse(result.out).at("videos").at(0).at("backends").at(0);
  EXPECT_EQ(scalar.at("backend"), "scalar");
  EXPECT_THAT(names(scalar.at("stages")),
              ElementsAre("psnr_y: score", "cambi: prepare", "cambi: c_values", "cambi: pooling",
                          "cambi: decimate", "cambi: mode_filter"));
  // Made-up pictures have a reference where one is needed.
  const ProgramResult synthetic = bench({"--feature", "psnr", "--backend", "cpu", "--frames", "1", "--json"});
  EXPECT_EQ(synthetic.code, 0) << synthetic.err;
  EXPECT_EQ(json::parse(synthetic.out).at("videos").at(0).at("name"), "made-up film");
}

TEST_F(BenchProgram, MeasuresWhatModelsAskFor) {
  const auto stages_with = [](const std::string& clip, const std::string& model) {
    const ProgramResult result =
        bench({"-r", clip, "-d", clip, "--model", model, "--backend", "cpu", "--frames", "1", "-o", "-"});
    EXPECT_EQ(result.code, 0) << result.err;
    const json cpu = json::parse(result.out).at("videos").at(0).at("backends").at(0);
    EXPECT_TRUE(cpu.at("error").is_null());
    EXPECT_GT(cpu.at("score_fps"), 0);
    return names(cpu.at("stages"));
  };
  EXPECT_THAT(stages_with(clip_, "version=vmaf_v0.6.1"),
              ElementsAre(HasSubstr("adm2"), HasSubstr("motion"), HasSubstr("vif_scale0")));
  // The model that suits the reference.
  EXPECT_THAT(stages_with(testdata("clips/sky_640x360_8b.mp4"), "auto"), Contains(HasSubstr("speed_chroma")));
}

TEST_F(BenchProgram, EndsOnAnInterrupt) {
  RunningProgram program(
      {"--backend=cpu", "--frames=1000000", "--output=" + in_folder("bench.json")},
      {.program = cambi_program() + "-bench", .environment = {{"CAMBI_PROGRAM", cambi_program()}}});
  program.wait_until_caught(SIGINT);
  program.send(SIGINT);
  const ProgramResult result = program.wait();
  EXPECT_FALSE(result.signalled);
  EXPECT_EQ(result.code, 130);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(read_file(in_folder("bench.json")), "");
}

}  // namespace
}  // namespace vq::cli::test
