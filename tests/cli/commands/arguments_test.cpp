#include "cli/commands/arguments.h"
#include "cli/commands/flag_setters.h"

#include "cli/decoding/hardware/hardware_pictures.h"
#include "cli/inputs/feature_flags.h"
#include "tests/support/bad_input.h"
#include "tests/support/run_program.h"

namespace vq::cli::test {
namespace {

using ::vq::test::expect_error;

RunOptions parse(const Words& words) { return run_options(parse_run_words(words)); }

// The sentences are in tests/program/messages/arguments.txt.
void refused(const Words& words, std::initializer_list<std::string_view> parts,
             ErrorKind kind = ErrorKind::kUsage) {
  SCOPED_TRACE(::testing::PrintToString(words));
  expect_error(kind, parts, [&] { parse(words); });
}

TEST(Arguments, OneVideoOrAPair) {
  EXPECT_EQ(parse({"a.mp4"}).distorted, "a.mp4");
  EXPECT_FALSE(parse({"a.mp4"}).reference);
  const RunOptions pair = parse({"-r", "a.mp4", "-d", "b.mp4"});
  EXPECT_EQ(pair.distorted, "b.mp4");
  EXPECT_EQ(pair.reference, "a.mp4");
  EXPECT_EQ(names_of(report_metrics(pair.features, pair.models)).back(), "vmaf");
}

// Flags of CAMBI ask for that alone, and called as vmaf there is a default of its own.
TEST(Arguments, APairMeansVmafAndBandingUnlessSomethingIsAskedFor) {
  const auto asked = [](const Words& words, bool is_vmaf = false) {
    Words all = {"-r", "r.mkv", "-d", "d.mkv"};
    all.insert(all.end(), words.begin(), words.end());
    const RunOptions options = run_options(parse_run_words(all), is_vmaf);
    std::string text;
    for (const ModelOfRun& model : options.models)
      text += model.model.spec.is_automatic ? "auto " : model.model.spec.version + " ";
    for (const FeatureRequest& feature : options.features)
      if (!feature.is_inner) text += std::string(feature.info->name) + " ";
    return text;
  };
  EXPECT_EQ(asked({}), "auto cambi ");
  EXPECT_EQ(asked({"--html", "a.html", "--fail-below", "vmaf<90"}), "auto cambi ");
  EXPECT_EQ(asked({"--model", "vmaf_v0.6.1"}), "vmaf_v0.6.1 ");
  EXPECT_EQ(asked({"--feature", "psnr"}), "psnr ");
  EXPECT_EQ(asked({"--full-ref"}), "cambi ");
  EXPECT_EQ(asked({"--topk", "0.3"}), "cambi ");
  EXPECT_EQ(asked({"--no_prediction"}), "cambi ");
  EXPECT_EQ(asked({}, true), "vmaf_v0.6.1 ");
  EXPECT_EQ(asked({"--no_prediction"}, true), "cambi ");
  EXPECT_EQ(names_of(parse({"a.mp4"}).features), "cambi");
  EXPECT_TRUE(parse({"a.mp4"}).models.empty());
  const RunOptions several = several_options(parse_run_words({"a", "b", "-r", "r"}));
  EXPECT_TRUE(several.models.at(0).model.spec.is_automatic);
}

TEST(Arguments, HeatmapsAreOfWhatWasAskedFor) {
  const RunOptions pair = parse({"-r", "r.mkv", "-d", "d.mkv", "--heatmaps", "maps"});
  for (const FeatureRequest& feature : pair.features)
    EXPECT_EQ(heatmap_folder(feature), feature.is_inner || feature.info->name != "cambi" ? "" : "maps");
}

TEST(Arguments, ArgumentsAreTakenAsTheyAre) {
  for (const char* name : {"[a,b]", "[a].mkv", "\1[a]", "{}", "a,b", "a=b", "'a'", " a "}) {
    EXPECT_EQ(parse({name}).distorted, name);
    EXPECT_EQ(parse({"-d", name}).distorted, name);
    EXPECT_EQ(parse({std::string("--distorted=") + name}).distorted, name);
    EXPECT_EQ(parse({"a.mp4", "-o", name}).outputs.at(0).path, name);
  }
  EXPECT_EQ(parse({"--", "-d"}).distorted, "-d");
  EXPECT_EQ(parse({"--", "--distorted=x"}).distorted, "--distorted=x");
  EXPECT_EQ(parse_run_words({"[a]", "b", "c"}).arguments, (Words{"[a]", "b", "c"}));
}

TEST(Arguments, OfAFlagGivenTwiceTheLastCounts) {
  EXPECT_EQ(parse({"a.mp4", "--threads", "2", "--threads", "3"}).threads, 3);
  EXPECT_EQ(parse({"a.mp4", "--threads", "many", "--threads", "3"}).threads, 3);
  EXPECT_TRUE(parse({"a.mp4", "-q", "-q"}).quiet);
  EXPECT_EQ(parse({"a.mp4", "--fail-above", "mean>5", "--fail-above", "p95>8"}).thresholds.size(), 2U);
}

// In the order of the help, so that the same flags in another order are the same; "--frame_cnt 0" is none.
TEST(Arguments, WhatAFlagChangesIsKnown) {
  const RunOptions options =
      parse({"--enc", "960x540", "a.mp4", "-q", "--feature", "cambi", "--crop=auto", "--allow-damage",
             "--feature", "bounds", "--frame_cnt", "0", "--threads", "1", "--worst", "2"});
  std::map<FlagRole, std::string> text;
  for (const GivenOption& given : options.given) text[given.role] += words("{}={} ", given.name, given.text);
  EXPECT_EQ(text[FlagRole::kScoring], "--crop=auto --feature=cambi --feature=bounds --enc=960x540 ");
  EXPECT_EQ(text[FlagRole::kAccepting], "--allow-damage= ");
  EXPECT_EQ(text[FlagRole::kRunning], "--threads=1 ");
  EXPECT_EQ(text[FlagRole::kReporting], "--worst=2 ");
  EXPECT_EQ(text[FlagRole::kTelling], "--quiet= ");
}

TEST(Arguments, FlagsWithATypeNeedAValue) {
  for (const Topic& topic : topics()) {
    for (const Flag& flag : topic.flags) {
      if (!flag.type.empty()) refused({"a.mp4", std::string(flag.name)}, {flag.name, "needs a value"});
    }
  }
}

TEST(Arguments, DashesAndUnderscoresAreOne) {
  EXPECT_EQ(parse({"a.mp4", "--frame-cnt", "7"}).frame_count, 7);
  EXPECT_EQ(parse({"a.mp4", "--frame_cnt=7"}).frame_count, 7);
  EXPECT_TRUE(parse({"-r", "r.mp4", "-d", "d.mp4", "--full_ref"}).features[0].options.get_bool("full_ref"));
}

TEST(Arguments, FormatsFollowAFlagOrTheExtension) {
  EXPECT_EQ(parse({"a.mp4", "-o", "x.csv"}).outputs[0].format, ReportFormat::kCsv);
  EXPECT_EQ(parse({"a.mp4", "-o", "x"}).outputs[0].format, std::nullopt);
  EXPECT_EQ(parse({"a.mp4", "-o", "x", "--xml"}).outputs[0].format, ReportFormat::kXml);
  EXPECT_EQ(parse({"a.mp4", "-o", "x.csv", "--csv-plain"}).outputs[0].format, ReportFormat::kPlainCsv);
  EXPECT_EQ(parse({"a.mp4", "--json", "-o", "x", "--sub"}).outputs[0].format, ReportFormat::kSub);
  // A contradiction, in which vmaf heeds the flag.
  const Words contradiction = {"-r", "a.mp4", "-d", "b.mp4", "-o", "x.csv", "--json"};
  refused({"a.mp4", "-o", "x.html", "--xml"}, {"x.html", "--xml"});
  EXPECT_EQ(run_options(parse_run_words(contradiction), true).outputs[0].format, ReportFormat::kJson);
}

TEST(Arguments, AFormatWithoutAFileMeansStandardOutput) {
  const RunOptions arguments = parse({"a.mp4", "--csv", "--html", "p.html"});
  ASSERT_EQ(arguments.outputs.size(), 2U);
  EXPECT_EQ(arguments.outputs[0].path, "-");
  EXPECT_EQ(arguments.outputs[0].format, ReportFormat::kCsv);
  EXPECT_TRUE(parse({"a.mp4"}).outputs.empty());
  EXPECT_EQ(parse({"a.mp4", "--json", "-o", "x"}).outputs.size(), 1U);
}

TEST(Arguments, AnHtmlFileIsAPage) {
  for (const char* name : {"x.html", "x.HTM"}) {
    const RunOptions page = parse({"a.mp4", "-o", name});
    EXPECT_EQ(page.outputs[0].format, ReportFormat::kHtml);
    EXPECT_TRUE(page.heatmaps.page);
  }
}

TEST(Arguments, WhoDecodes) {
  EXPECT_EQ(parse({"a.mp4"}).hardware.decoder, DecoderRequest::kAuto);
  EXPECT_EQ(parse({"a.mp4", "--decoder", "software"}).hardware.decoder, DecoderRequest::kSoftware);
  EXPECT_EQ(parse({"a.mp4", "--decoder", "hardware"}).hardware.decoder, DecoderRequest::kHardware);
  ASSERT_FALSE(hwaccel_names().empty());
  const std::string name = hwaccel_names().front();
  const HardwareRequest named = parse({"a.mp4", "--hwaccel", name}).hardware;
  EXPECT_EQ(named.decoder, DecoderRequest::kHardware);
  EXPECT_EQ(named.hwaccel, name);
  EXPECT_EQ(parse({"a.mp4", "--hwaccel", name, "--decoder", "auto"}).hardware.decoder, DecoderRequest::kAuto);
  refused({"a.mp4", "--decoder", "software", "--hwaccel", name}, {"--hwaccel", "--decoder software"});
}

TEST(Arguments, RawVideoNeedsAllFour) {
  const RunOptions raw = parse({"-d", "x.yuv", "-w", "640", "-h", "360", "-p", "420", "-b", "10"});
  ASSERT_TRUE(raw.raw);
  EXPECT_EQ(raw.raw->height, 360);
  EXPECT_EQ(raw.raw->bit_depth, 10);
  const auto sized = [](const char* width, const char* height) {
    return Words{"-d", "x", "-w", width, "-h", height, "-p", "420", "-b", "8"};
  };
  for (const char* side : {"0", "-320", "16385", "65536", "2147483647", "100000000000000000000"}) {
    refused(sized(side, "360"), {"--width", side, "1..16384"}, ErrorKind::kMismatch);
    refused(sized("640", side), {"--height", side, "1..16384"}, ErrorKind::kMismatch);
  }
}

TEST(Arguments, FlagsOfTheReferenceGoWithOne) {
  for (const Words& words : {Words{"--frame_skip_ref", "5"},
                             {"--stream-ref", "0"},
                             {"--strict"},
                             {"--compare-anyway"},
                             {"--crop-ref", "auto"}}) {
    EXPECT_NO_THROW(parse(joined({"-r", "r.mkv", "-d", "a.mkv"}, words))) << words[0];
    refused(joined({"a.mkv"}, words), {words[0], "without a reference"});
  }
  EXPECT_NO_THROW(parse({"a.mkv", "--frame_skip_ref", "0"}));
}

TEST(Arguments, NumbersMustBeWholeAndInRange) {
  for (const char* text : {"-1", "abc", "4294967296", "", "2.5", " 2"})
    refused({"a.mp4", "--threads", text}, {"--threads", "0..1024"});
  for (const char* flag : {"--frame_cnt", "--frame_skip_dist", "--frame_skip_ref", "--subsample"})
    refused({"-r", "r.mp4", "-d", "a.mp4", flag, "-1"}, {flag, "\"-1\""});
  // As C's strtoul() reads them, since vmaf does so.
  const std::pair<const char*, unsigned> masks[] = {{"0x18", 24},
                                                    {"-1", 0xFFFFFFFF},
                                                    {"-2", 0xFFFFFFFE},
                                                    {"-0x1", 0xFFFFFFFF},
                                                    {"4294967295", 0xFFFFFFFF},
                                                    {"0xFFFFFFFFFFFFFFFF", 0xFFFFFFFF},
                                                    {"010", 8}};
  for (const auto& [text, mask] : masks) EXPECT_EQ(parse({"a.mp4", "--cpumask", text}).cpumask, mask) << text;
  EXPECT_EQ(parse({"a.mp4", "--gpumask", "-1"}).gpumask, 0xFFFFFFFFU);
  for (const char* text : {"", "-", "0x-1", "1x", "18446744073709551616", "08", "--1", "0x", "0xg"})
    refused({"a.mp4", std::string("--cpumask=") + text}, {"--cpumask", text});
  EXPECT_EQ(parse({"a.mp4", "--subsample", "0"}).sampling.every, 1);
  EXPECT_TRUE(parse({"a.mp4", "--subsample", "3:spread"}).sampling.is_spread);
  EXPECT_FALSE(parse({"a.mp4", "--subsample", "1:spread"}).sampling.is_spread);
  for (const char* text : {":spread", "3:", "3:spreads", "spread"})
    refused({"a.mp4", "--subsample", text}, {"--subsample"});
}

TEST(ArgumentValues, PositionsAreFramesOrTimes) {
  EXPECT_EQ(std::get<int64_t>(position_value("--start", "120")), 120);
  EXPECT_EQ(std::get<double>(position_value("--start", "12.5s")), 12.5);
  EXPECT_EQ(std::get<double>(position_value("--start", "01:30")), 90.0);
  EXPECT_EQ(std::get<double>(position_value("--start", "01:00:00.25")), 3600.25);
  for (const char* text : {"", "-1", "1:", ":1", "1:60", "1:2:3:4", "1:-2", "abc", "1e3:2", "-3s", "nan:1"})
    EXPECT_THROW(position_value("--start", text), Error) << text;
}

TEST(ArgumentValues, BytesTakeUnits) {
  EXPECT_EQ(bytes_value("--max-memory", "123"), 123);
  EXPECT_EQ(bytes_value("--max-memory", "4G"), int64_t{4} << 30);
  for (const char* text : {"", "G", "-1", "1.5G", "4g", "99999999999T"})
    EXPECT_THROW(bytes_value("--max-memory", text), Error) << text;
}

TEST(FeatureSpec, EscapesStandForThemselves) {
  const FeatureRequest request = parse_feature("cambi=heatmaps_path=C\\:\\\\a\\=b");
  EXPECT_EQ(request.options.get_text("heatmaps_path"), "C:\\a=b");
}

TEST(FeatureSpec, CommasSeparateFeatures) {
  const std::vector<FeatureRequest> requests = parse_features("psnr,ssim,cambi=topk=0.3");
  ASSERT_EQ(requests.size(), 3U);
  EXPECT_EQ(requests[0].info->name, "psnr");
  EXPECT_EQ(requests[1].info->name, "float_ssim");
  EXPECT_EQ(requests[2].options.text("topk"), "0.3");
  EXPECT_EQ(parse_features("cambi=heatmaps_path=a,b").front().options.get_text("heatmaps_path"), "a,b");
}

TEST(FeatureSpec, TwoFeaturesOfOneNameAreTheFirst) {
  const auto second = [](const std::string& option) {
    return parse({"a.mp4", "--feature", "cambi", "--feature", "cambi=" + option});
  };
  const RunOptions same = second("window_size=65"), other = second("full_ref=true");
  ASSERT_EQ(same.features.size(), 1U);
  EXPECT_EQ(same.remarks.size(), 0U) << "it is the default";
  ASSERT_EQ(other.features.size(), 1U);
  EXPECT_FALSE(other.features[0].options.get_bool("full_ref"));
  EXPECT_EQ(other.remarks.size(), 1U);
  EXPECT_EQ(second("window_size=33").features.size(), 2U) << "its name says so";
}

TEST(Arguments, SegmentsTakeARule) {
  const RunOptions all =
      parse({"a.mp4", "--segments", "psnr_y:30", "--segments-until", "31.5", "--segments-shortest", "0.5s"});
  ASSERT_EQ(all.segments.size(), 1U);
  EXPECT_EQ(all.segments[0].metric, "psnr_y");
  EXPECT_EQ(all.segments[0].from, 30);
  EXPECT_EQ(all.segments[0].until, 31.5);
  EXPECT_EQ(all.segments[0].shortest, VideoPosition(0.5));
  EXPECT_EQ(parse({"a.mp4", "--segments", "5"}).segments.at(0).shortest, VideoPosition(int64_t{1}));
  EXPECT_TRUE(parse({"a.mp4"}).segments.empty());
  const RunOptions two =
      parse({"a.mp4", "--segments", "cambi:5", "--segments", "vmaf:75", "--segments-shortest", "3"});
  ASSERT_EQ(two.segments.size(), 2U);
  EXPECT_EQ(two.segments[0].metric, "cambi");
  EXPECT_EQ(two.segments[1].from, 75);
  for (const SegmentRequest& request : two.segments) EXPECT_EQ(request.shortest, VideoPosition(int64_t{3}));
  refused({"a.mp4", "--segments", "cambi:5", "--segments", "vmaf:75", "--segments-until", "4"},
          {"--segments-until", "single --segments"});
  for (const char* wrong : {"x", "nan", "inf", ""}) {
    refused({"a.mp4", "--segments", wrong}, {"segments ", wrong});
    refused({"a.mp4", "--segments", "5", "--segments-until", wrong}, {"--segments-until", wrong});
  }
}

TEST(Arguments, SegmentsGoToFilesOfTheirOwn) {
  const RunOptions all = parse({"a.mp4", "-o", "r.json", "--segments-output", "csv:s", "--segments-output",
                                "x265:z:1", "--zone-options", "q=20", "--zone-snap", "0"});
  ASSERT_EQ(all.outputs.size(), 3U);
  EXPECT_EQ(all.outputs[1].format, ReportFormat::kSegmentTable);
  EXPECT_EQ(all.outputs[2].path, "z:1");
  EXPECT_EQ(all.outputs[2].format, ReportFormat::kX265Zones);
  EXPECT_EQ(all.outputs[2].zones.options, "q=20");
  EXPECT_EQ(all.outputs[2].zones.snap, VideoPosition(int64_t{0}));
  EXPECT_EQ(parse({"a.mp4", "--segments-output", "x264:z"}).outputs.at(0).zones.snap, VideoPosition(1.0));
  for (const char* wrong : {"csv", "csv:", "s.csv", "svt-av1:z", ":z", ""})
    refused({"a.mp4", "--segments-output", wrong}, {"--segments-output", wrong});
}

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
