#include "cli/commands/arguments.h"
#include "cli/commands/feature_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/decoding/hardware/hardware_decoder.h"
#include "cli/text/argument_values.h"
#include "core/error.h"

namespace vq::cli::test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

RunOptions parse(const std::vector<std::string>& words) {
  return run_options(parse_run_words(words));
}

std::string fault(const std::vector<std::string>& words, ErrorKind kind = ErrorKind::kUsage) {
  try {
    parse(words);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
  return "accepted";
}

std::string metric(const std::vector<std::string>& words) {
  const FeatureRequest request = parse(words).features.at(0);
  return request.info->metric_names(request.options).at(0);
}

TEST(Arguments, OneVideoOrAPair) {
  EXPECT_EQ(parse({"a.mp4"}).distorted, "a.mp4");
  EXPECT_FALSE(parse({"a.mp4"}).reference);
  const RunOptions pair = parse({"-r", "a.mp4", "-d", "b.mp4"});
  EXPECT_EQ(pair.distorted, "b.mp4");
  EXPECT_EQ(pair.reference, "a.mp4");
  EXPECT_THAT(fault({"a.mp4", "b.mp4"}), HasSubstr("-r REFERENCE -d DISTORTED, or rank them with: cambi compare"));
  EXPECT_THAT(fault({"a.mp4", "-d", "b.mp4"}), HasSubstr("both name"));
  EXPECT_THAT(fault({}), HasSubstr("no video"));
}

TEST(Arguments, AFeatureDoesNotSwallowTheVideo) {
  const RunOptions arguments = parse({"--feature", "cambi=topk=0.3", "a.mp4", "-o", "x.json", "-o", "-"});
  EXPECT_EQ(arguments.distorted, "a.mp4");
  ASSERT_EQ(arguments.outputs.size(), 2U);
  EXPECT_EQ(arguments.outputs[1].path, "-");
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
  EXPECT_EQ(fault({"--html=", "a.mp4"}), "--html: the path is empty.");
  EXPECT_EQ(several_options(parse_run_words({"[a]", "b", "c"})).paths, (std::vector<std::string>{"[a]", "b", "c"}));
}

TEST(Arguments, OfAFlagGivenTwiceTheLastCounts) {
  EXPECT_EQ(parse({"a.mp4", "--threads", "2", "--threads", "3"}).threads, 3);
  EXPECT_EQ(parse({"a.mp4", "--threads", "many", "--threads", "3"}).threads, 3);
  EXPECT_TRUE(parse({"a.mp4", "-q", "-q"}).quiet);
  EXPECT_EQ(parse({"a.mp4", "--fail-above", "mean>5", "--fail-above", "p95>8"}).thresholds.size(), 2U);
}

TEST(Arguments, OnlyFlagsWithAValueTakeOne) {
  EXPECT_EQ(fault({"a.mp4", "--quiet=false"}), "--quiet takes no value.");
  EXPECT_EQ(fault({"a.mp4", "--json="}), "--json takes no value.");
}

TEST(Arguments, FlagsThatSayWhatIsScoredAreKnown) {
  EXPECT_EQ(parse({"--enc", "960x540", "a.mp4", "-q", "--crop=auto", "--feature", "cambi", "--threads", "1"}).scoring_flags,
            (std::vector<std::string>{"--enc", "--crop", "--feature"}));
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
  EXPECT_EQ(parse({"a.mp4", "-o", "x.csv", "--json"}).outputs[0].format, ReportFormat::kJson);
  EXPECT_EQ(parse({"a.mp4", "--json", "-o", "x", "--sub"}).outputs[0].format, ReportFormat::kSub);
}

TEST(Arguments, AFormatWithoutAFileMeansStandardOutput) {
  const RunOptions arguments = parse({"a.mp4", "--csv", "--html", "p.html"});
  ASSERT_EQ(arguments.outputs.size(), 2U);
  EXPECT_EQ(arguments.outputs[0].path, "-");
  EXPECT_EQ(arguments.outputs[0].format, ReportFormat::kCsv);
  EXPECT_TRUE(parse({"a.mp4"}).outputs.empty());
  EXPECT_EQ(parse({"a.mp4", "--json", "-o", "x"}).outputs.size(), 1U);
  EXPECT_THAT(fault({"a.mp4", "--json", "--stream-scores"}), HasSubstr("so does a report without --output"));
}

TEST(Arguments, AnHtmlFileIsAPage) {
  for (const char* name : {"x.html", "x.HTM"}) {
    const RunOptions page = parse({"a.mp4", "-o", name});
    EXPECT_EQ(page.outputs[0].format, ReportFormat::kHtml);
    EXPECT_TRUE(page.heatmaps.page);
  }
  EXPECT_EQ(parse({"a.mp4", "-o", "x.html", "--xml"}).outputs[0].format, ReportFormat::kXml);
}

TEST(Arguments, ADeviceNeedsABackendThatUsesIt) {
  EXPECT_THAT(fault({"a.mp4", "--backend", "cpu", "--device", "0"}), HasSubstr("--backend cpu uses none"));
  EXPECT_THAT(fault({"a.mp4", "--backend", "scalar", "--device", "0"}), HasSubstr("--backend scalar"));
  EXPECT_EQ(parse({"a.mp4", "--backend", "vulkan", "--device", "0"}).device, "0");
  EXPECT_EQ(parse({"a.mp4", "--device", "0"}).device, "0");
}

TEST(Arguments, WhoDecodes) {
  EXPECT_EQ(parse({"a.mp4"}).hardware.decoder, DecoderWish::kAuto);
  EXPECT_EQ(parse({"a.mp4", "--decoder", "software"}).hardware.decoder, DecoderWish::kSoftware);
  EXPECT_EQ(parse({"a.mp4", "--decoder", "hardware"}).hardware.decoder, DecoderWish::kHardware);
  EXPECT_THAT(fault({"a.mp4", "--decoder", "gpu"}), HasSubstr("Expected auto|software|hardware"));
  ASSERT_FALSE(hwaccel_names().empty());
  const std::string name = hwaccel_names().front();
  const HardwareWish named = parse({"a.mp4", "--hwaccel", name}).hardware;
  EXPECT_EQ(named.decoder, DecoderWish::kHardware);
  EXPECT_EQ(named.hwaccel, name);
  EXPECT_EQ(parse({"a.mp4", "--hwaccel", name, "--decoder", "auto"}).hardware.decoder, DecoderWish::kAuto);
  EXPECT_THAT(fault({"a.mp4", "--hwaccel", "no_such"}), AllOf(HasSubstr("no \"no_such\"; it has "), HasSubstr(name)));
  EXPECT_THAT(fault({"a.mp4", "--decoder", "software", "--hwaccel", name}), HasSubstr("--decoder software uses none"));
}

TEST(Arguments, WordsOfOtherProgramsAreExplained) {
  EXPECT_THAT(fault({"a.mp4", "--backend", "gpu"}), HasSubstr("vulkan computes on a GPU"));
  EXPECT_THAT(fault({"a.mp4", "--backend", "cuda"}), HasSubstr("vulkan runs on the GPUs of NVIDIA"));
  EXPECT_THAT(fault({"a.mp4", "--feature", "float_vif"}), HasSubstr("float_vif is a feature of vmaf that this program does not"));
  EXPECT_THAT(fault({"a.mp4", "--feature", "vmaf"}), HasSubstr("--model version=NAME"));
  EXPECT_THAT(fault({"a.mp4", "--model", "vmaf_v0.6.1"}), HasSubstr("Write version=vmaf_v0.6.1"));
  EXPECT_THAT(fault({"a.mp4", "--feature", "name=cambi"}), HasSubstr("FFmpeg's filter"));
  EXPECT_THAT(fault({"a.mp4", "--feature", "cambi|psnr"}), HasSubstr("FFmpeg's filter"));
  EXPECT_THAT(fault({"a.mp4", "-h"}), HasSubstr("for help: cambi --help"));
  EXPECT_THAT(fault({"a.mp4", "--threads"}), HasSubstr("--threads needs a value"));
}

TEST(Arguments, RawVideoNeedsAllFour) {
  const RunOptions raw = parse({"-d", "x.yuv", "-w", "640", "-h", "360", "-p", "420", "-b", "10"});
  ASSERT_TRUE(raw.raw);
  EXPECT_EQ(raw.raw->height, 360);
  EXPECT_EQ(raw.raw->bit_depth, 10);
  EXPECT_THAT(fault({"-d", "x.yuv", "-w", "640", "-h", "360"}), HasSubstr("missing: -p, -b"));
  for (const char* side : {"0", "-320", "65536", "2147483647", "100000000000000000000"}) {
    EXPECT_THAT(fault({"-d", "x", "-w", side, "-h", "360", "-p", "420", "-b", "8"}, ErrorKind::kMismatch),
                HasSubstr("1..16384"));
  }
  EXPECT_THAT(fault({"-d", "x", "-w", "64O", "-h", "360", "-p", "420", "-b", "8"}), HasSubstr("64O"));
  EXPECT_THAT(fault({"-d", "x", "-w", "640", "-h", "360", "-p", "411", "-b", "8"}),
              HasSubstr("400|420|422|444"));
}

TEST(Arguments, OwnFlagsDescribeOneFeature) {
  EXPECT_EQ(metric({"a.mp4"}), "cambi");
  EXPECT_EQ(metric({"a.mp4", "--enc", "960x540@8", "--topk", "0.3"}),
            "cambi_encbd_8_ench_540_encw_960_topk_0.3");
  EXPECT_EQ(metric({"a.mp4", "--profile", "vmaf-v1"}), "cambi_hrs_1080_cmxv_17_vlt_0.06");
  EXPECT_EQ(metric({"a.mp4", "--profile", "vmaf-v1", "--max-val", "20"}), "cambi_hrs_1080_cmxv_20_vlt_0.06");
  EXPECT_THAT(fault({"a.mp4", "--topk", "2"}), HasSubstr("0.0001..1"));
  EXPECT_EQ(metric({"a.mp4", "--feature", "cambi=window_size=33", "--topk", "0.5"}), "cambi_topk_0.5_ws_33");
  EXPECT_THAT(fault({"a.mp4", "--enc", "960"}), HasSubstr("1920x1080"));
}

TEST(Arguments, FullReferenceNeedsAReference) {
  EXPECT_THAT(fault({"a.mp4", "--full-ref"}), HasSubstr("needs a reference"));
  EXPECT_THAT(fault({"a.mp4", "--feature", "cambi=full_ref=true"}), HasSubstr("needs a reference"));
}

TEST(Arguments, FlagsOfTheReferenceNeedOne) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"--frame_skip_ref", "5"}, {"--stream-ref", "0"}, {"--strict"}}) {
    std::vector<std::string> alone = {"a.mkv"}, pair = {"-r", "r.mkv", "-d", "a.mkv"};
    alone.insert(alone.end(), words.begin(), words.end());
    pair.insert(pair.end(), words.begin(), words.end());
    EXPECT_THAT(fault(alone), HasSubstr(words[0] + " has no effect without a reference"));
    parse(pair);
  }
  parse({"a.mkv", "--frame_skip_ref", "0"});
}

TEST(Arguments, UnknownFlagsGetTheNearestName) {
  EXPECT_THAT(fault({"a.mp4", "--fature", "cambi"}), HasSubstr("Did you mean \"--feature\"?"));
  EXPECT_THAT(fault({"a.mp4", "--thread", "2"}), HasSubstr("Did you mean \"--threads\"?"));
  EXPECT_THAT(fault({"a.mp4", "--model", "version=vmaf_v061"}), HasSubstr("Did you mean \"vmaf_v0.6.1\"?"));
  EXPECT_THAT(fault({"a.mp4", "--backend", "gpu9"}), HasSubstr("auto"));
}

TEST(Arguments, NumbersMustBeWholeAndInRange) {
  for (const char* text : {"-1", "abc", "4294967296", "", "2.5", " 2"}) {
    EXPECT_THAT(fault({"a.mp4", "--threads", text}), HasSubstr("0..1024")) << text;
  }
  EXPECT_EQ(parse({"a.mp4", "--cpumask", "0x18"}).cpumask, 24U);
  // As C's strtoul() reads them, since vmaf does so.
  EXPECT_EQ(parse({"a.mp4", "--cpumask", "-1"}).cpumask, 0xFFFFFFFFU);
  EXPECT_EQ(parse({"a.mp4", "--cpumask=-2"}).cpumask, 0xFFFFFFFEU);
  EXPECT_EQ(parse({"a.mp4", "--cpumask", "-0x1"}).cpumask, 0xFFFFFFFFU);
  EXPECT_EQ(parse({"a.mp4", "--cpumask", "4294967295"}).cpumask, 0xFFFFFFFFU);
  EXPECT_EQ(parse({"a.mp4", "--cpumask", "0xFFFFFFFFFFFFFFFF"}).cpumask, 0xFFFFFFFFU);
  EXPECT_EQ(parse({"a.mp4", "--cpumask", "010"}).cpumask, 8U);
  EXPECT_EQ(parse({"a.mp4", "--gpumask", "-1"}).gpumask, 0xFFFFFFFFU);
  for (const char* text : {"", "-", "0x-1", "1x", "18446744073709551616", "08"}) {
    EXPECT_THAT(fault({"a.mp4", "--cpumask", text}), HasSubstr("bit mask")) << text;
  }
  EXPECT_THAT(fault({"a.mp4", "--cpumask=--1"}), HasSubstr("bit mask"));
  EXPECT_THAT(fault({"a.mp4", "--cpumask", "0x"}), HasSubstr("bit mask"));
  EXPECT_EQ(parse({"a.mp4", "--subsample", "0"}).subsample, 1);
}

TEST(Arguments, ScalingIsSaidInOneWay) {
  EXPECT_EQ(parse({"-r", "a", "-d", "b", "--scale-to", "1920x1080"}).scale->size, (PlaneSize{1920, 1080}));
  EXPECT_FALSE(parse({"-r", "a", "-d", "b", "--scale-to", "reference"}).scale->size);
  EXPECT_EQ(parse({"b", "--scale-to", "64X48", "--scale-with", "lanczos"}).scale_kernel, ScaleKernel::kLanczos);
  EXPECT_EQ(parse({"b", "--score-bits", "10"}).score_bits, 10);
  EXPECT_THAT(fault({"b", "--scale-to", "reference"}), HasSubstr("without a reference"));
  EXPECT_THAT(fault({"b", "--scale-to", "1920"}), HasSubstr("1920x1080"));
  EXPECT_THAT(fault({"b", "--scale-to", "0x5"}, ErrorKind::kMismatch), HasSubstr("1..16384"));
  EXPECT_THAT(fault({"b", "--scale-with", "lanczos"}), HasSubstr("without --scale-to"));
  EXPECT_THAT(fault({"b", "--scale-to", "64x48", "--crop", "auto"}), HasSubstr("do not go together"));
  EXPECT_THAT(fault({"b", "--score-bits", "17"}), HasSubstr("8..16"));
}

TEST(Arguments, VmafCommandLinesAreTaken) {
  const RunOptions arguments =
      parse({"--reference", "r.y4m", "--distorted", "d.y4m", "--no_prediction", "--feature",
             "cambi=full_ref=true:enc_width=480:enc_height=270", "--xml", "--output", "o", "--threads", "4",
             "--subsample", "2", "--cpumask", "0", "--quiet"});
  EXPECT_EQ(arguments.threads, 4);
  EXPECT_EQ(arguments.subsample, 2);
  EXPECT_TRUE(arguments.quiet);
  EXPECT_EQ(arguments.features[0].options.get_int("enc_width"), 480);
}

TEST(ArgumentValues, PositionsAreFramesOrTimes) {
  EXPECT_EQ(std::get<int64_t>(position_value("--start", "120")), 120);
  EXPECT_EQ(std::get<double>(position_value("--start", "12.5s")), 12.5);
  EXPECT_EQ(std::get<double>(position_value("--start", "01:30")), 90.0);
  EXPECT_EQ(std::get<double>(position_value("--start", "01:00:00.25")), 3600.25);
  for (const char* text : {"", "-1", "1:", ":1", "1:60", "1:2:3:4", "1:-2", "abc", "1e3:2", "-3s", "nan:1"}) {
    EXPECT_THROW(position_value("--start", text), Error) << text;
  }
}

TEST(ArgumentValues, BytesTakeUnits) {
  EXPECT_EQ(bytes_value("--max-memory", "123"), 123);
  EXPECT_EQ(bytes_value("--max-memory", "4G"), int64_t{4} << 30);
  for (const char* text : {"", "G", "-1", "1.5G", "4g", "99999999999T"}) {
    EXPECT_THROW(bytes_value("--max-memory", text), Error) << text;
  }
}

TEST(FeatureSpec, EscapesStandForThemselves) {
  const FeatureRequest request = parse_feature("cambi=heatmaps_path=C\\:\\\\a\\=b");
  EXPECT_EQ(request.options.get_text("heatmaps_path"), "C:\\a=b");
}

TEST(FeatureSpec, FaultsOfFormNameThePosition) {
  const auto message = [](const std::string& text) -> std::string {
    try {
      parse_feature(text);
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(message("cambi=topk"), HasSubstr("lacks a \"=\" and a value at position 11"));
  EXPECT_THAT(message("cambi=topk=0.5:"), HasSubstr("an option name is missing at position 16"));
  EXPECT_THAT(message("cambi="), HasSubstr("position 7"));
  EXPECT_THAT(message("cambi:topk=1"), HasSubstr("position 6"));
  EXPECT_THAT(message(""), HasSubstr("position 1"));
  EXPECT_THAT(message("cambi=heatmaps_path=a\\b"), HasSubstr("position 22"));
  EXPECT_THAT(message("cambi=topk=\xFF"), HasSubstr("0xff is not text at position 12"));
  EXPECT_THAT(message("cambi=topk=" + std::string(5000, '1')), HasSubstr("position 4097"));
  EXPECT_THAT(message("cambi=topk=0.5:topk=0.5"), HasSubstr("given twice"));
  EXPECT_THAT(message("cambi=encw=3"), HasSubstr("Did you mean \"enc_width\"? (see: cambi features cambi)"));
}

TEST(FeatureSpec, FeaturesOfVmafThatAreNotHereNameTheirKin) {
  EXPECT_EQ(parse_feature("ssim").info, parse_feature("float_ssim").info);
  EXPECT_THAT(fault({"a.mp4", "--feature", "float_vif=debug=true"}), HasSubstr("Nearest to it is vif;"));
  EXPECT_THAT(fault({"a.mp4", "--feature", "float_moment"}), HasSubstr("). Run vmaf for it."));
}

TEST(FeatureSpec, TwoFeaturesOfOneNameAreTheFirst) {
  const auto second = [](const std::string& option) { return parse({"a.mp4", "--feature", "cambi", "--feature", "cambi=" + option}); };
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
  ASSERT_TRUE(all.segments);
  EXPECT_EQ(all.segments->metric, "psnr_y");
  EXPECT_EQ(all.segments->from, 30);
  EXPECT_EQ(all.segments->until, 31.5);
  EXPECT_EQ(all.segments->shortest, VideoPosition(0.5));
  EXPECT_EQ(parse({"a.mp4", "--segments", "5"}).segments->shortest, VideoPosition(int64_t{1}));
  EXPECT_FALSE(parse({"a.mp4"}).segments);
  for (const char* flag : {"--segments-until", "--segments-shortest"}) {
    EXPECT_THAT(fault({"a.mp4", flag, "4"}),
                HasSubstr(std::string(flag) + " needs a threshold. Add --segments"));
  }
  for (const char* wrong : {"x", "nan", "inf", ""}) {
    EXPECT_THAT(fault({"a.mp4", "--segments", wrong}), HasSubstr("is not a number")) << wrong;
    EXPECT_THAT(fault({"a.mp4", "--segments", "5", "--segments-until", wrong}), HasSubstr("is not a number"))
        << wrong;
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
  for (const char* wrong : {"csv", "csv:", "s.csv", "svt-av1:z", ":z", ""}) {
    EXPECT_THAT(fault({"a.mp4", "--segments-output", wrong}), HasSubstr("is not allowed; it takes csv"))
        << wrong;
  }
  EXPECT_THAT(
      fault({"a.mp4", "--segments-output", "av1an:z"}),
      HasSubstr(
          "zones need --zone-options: Av1an takes an encoder and its options, such as 'svt-av1 --crf 20'."));
  EXPECT_THAT(fault({"a.mp4", "--segments-output", "x264:z", "--zone-options=--crf 20"}),
              HasSubstr("--zone-options \"--crf 20\": x264 takes options"));
  EXPECT_THAT(fault({"a.mp4", "--segments-output", "csv:s", "--zone-snap", "3"}),
              HasSubstr("--zone-snap has no effect without zones"));
  EXPECT_THAT(fault({"a.mp4", "--zone-options", "q=3"}),
              HasSubstr("--zone-options has no effect without zones"));
  EXPECT_THAT(fault({"a.mp4", "--stream-scores", "--segments-output", "csv:-"}), HasSubstr("Give a file"));
}

}  // namespace
}  // namespace vq::cli::test
