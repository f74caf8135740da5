#include "cli/reports/diff.h"
#include "cli/reports/compare_files.h"
#include "tests/support/golden_text.h"
#include "tests/support/report_test.h"

namespace vq::cli {
namespace {

using vq::test::GoldenTexts;

Report table(const std::string& frames) {
  return parse_report("{\"frames\": [" + frames + "]}", "a.json", MissingScores::kKept).report;
}

DiffResult diff(const Report& a, const Report& b, int places = kDefaultPlaces) {
  return diff_reports({"a.json", a}, {"b.json", b}, places);
}

std::string frame(int number, const std::string& metrics) {
  return "{\"frameNum\": " + std::to_string(number) + ", \"metrics\": {" + metrics + "}}";
}

std::string frame_with_texts(int number, const std::string& texts) {
  return "{\"frameNum\": " + std::to_string(number) + ", \"metrics\": {\"m\": 1}, \"texts\": {" + texts +
         "}}";
}

TEST(ReportReader, ReadsTheReferenceToolsReports) {
  const auto [read, style] = read_report(testdata("golden/reports/full_ref_enc_480x270.json"));
  EXPECT_EQ(read.version, "f85a8536");
  EXPECT_EQ(read.fps, 165.77);
  ASSERT_EQ(read.frames.size(), 12u);
  EXPECT_EQ(read.frames[11], 11);
  ASSERT_EQ(read.metrics.size(), 3u);
  EXPECT_EQ(read.metrics[0].name, "cambi_ench_270_encw_480");
  EXPECT_EQ(read.metrics[1].name, "cambi_source");
  EXPECT_EQ(read.metrics[2].name, "cambi_full_reference");
  EXPECT_EQ(read.metrics[2].values[10], 0.323381);
  EXPECT_EQ(read.timestamps[3], std::nullopt);
  EXPECT_FALSE(style.extended);
}

TEST(ReportReader, ReadsBackAllOfAnExtendedReport) {
  const ReportStyle style{ReportFormat::kJson, {NumberStyle::Kind::kShortest, 17}, true, 12};
  const std::string text = write_report(full_report(), style);
  const ParsedReport read = parse_report(text, "x");
  EXPECT_EQ(write_report(read.report, read.style), text);
  EXPECT_EQ(read.report.height, 1600);  // of the crop
}

TEST(Diff, AggregatesMayStandInAnyOrder) {
  const auto with = [](const std::string& aggregates) {
    return parse_report(R"({"frames": [{"frameNum": 0, "metrics": {"a": 1}}], "aggregate_metrics": {)" +
                            aggregates + "}}",
                        "x")
        .report;
  };
  EXPECT_TRUE(diff(with(R"("z": 2, "y": null)"), with(R"("y": null, "z": 2)")).same());
}

TEST(ReportReader, NullIsNotANumberAndAnAbsentMetricIsNothing) {
  const std::string text = frame(3, "\"a\": null") + "," + frame(5, "\"b\": 2");
  const Report read = table(text);
  EXPECT_THAT(names_of(read.metrics), ElementsAre("a", "b"));
  EXPECT_THAT(read.missing, ElementsAre(ElementsAre(false, true), ElementsAre(true, false)));
  EXPECT_TRUE(std::isnan(read.metrics[0].values[0]));
  EXPECT_EQ(read.metrics[1].values[1], 2.0);
  EXPECT_THROW(parse_report("{\"frames\": [" + text + "]}", "a.json"), Error);
}

TEST(ReportReader, TakesTheLastOfWhatStandsTwice) {
  const auto read = [](const std::string& first, const std::string& second) {
    return "{\"version\": \"a\", \"frames\": " + first + ", \"version\": \"b\", \"frames\": " + second + "}";
  };
  const std::string bad = "[1, 2]", good = "[" + frame(7, "\"m\": 1, \"m\": 2") + "]";
  const Report report = parse_report(read(bad, good), "x").report;
  EXPECT_EQ(report.version, "b");
  EXPECT_THAT(report.frames, ElementsAre(7));
  EXPECT_THAT(report.metrics[0].values, ElementsAre(2));
  EXPECT_THROW(parse_report(read(good, bad), "x"), Error);
  EXPECT_THROW(parse_report(read(good, "{}"), "x"), Error);
}

TEST(ReportReader, KeepsTheSignOfZero) {
  Report report = sample_report();
  report.metrics[0].values.assign(report.frames.size(), -0.0);
  for (const NumberStyle& numbers : {NumberStyle{}, NumberStyle{NumberStyle::Kind::kShortest, 17},
                                     NumberStyle{NumberStyle::Kind::kSignificant, 3}}) {
    const std::string text = write_report(report, {ReportFormat::kJson, numbers, false});
    const double read = parse_report(text, "a.json").report.metrics[0].values[0];
    EXPECT_EQ(read, 0.0);
    EXPECT_TRUE(std::signbit(read));
  }
  EXPECT_FALSE(std::signbit(table(frame(0, "\"cambi\": 0")).metrics[0].values[0]));
}

TEST(ReportReader, SaysWhatIsWrong) {
  GoldenTexts golden("reports/report_refusals.txt");
  const auto refuse = [&](const std::string& text) {
    golden.add_refusal(text, ErrorKind::kInput, [&] { parse_report(text, "x.json"); });
  };
  for (const char* text :
       {"", "<VMAF>", "{\"frames\": [}", "{\"a\": 1e999}", "[]", "{}", "{\"frames\": 1}", "{\"frames\": []}",
        "{\"frames\": [1]}", "{\"frames\": [{\"frameNum\": 1.5}]}", "{\"frames\": [{\"frameNum\": 1}]}",
        "{\"frames\": [{\"frameNum\": 18446744073709551615, \"metrics\": {}}]}",
        "{\"run\": [], \"frames\": [], \"version\": {}}"}) {
    refuse(text);
  }
  refuse("{\"frames\": [" + frame(0, "\"a\": \"1\"") + "]}");
  refuse("{\"frames\": [" + frame(2, "\"a\": 1") + "," + frame(2, "\"a\": 1") + "]}");
  refuse("{\"frames\": [" + frame(-1, "\"a\": 1") + "]}");
  refuse(std::string(1000000, '['));
  // A metric of its own in every frame would need memory for the square of their number.
  std::string frames = frame(0, "\"m0\": 1");
  for (int i = 1; i < 10000; ++i) frames += "," + frame(i, "\"m" + std::to_string(i) + "\": 1");
  refuse("{\"frames\": [" + frames + "]}");
}

TEST(ReportReader, FilesThatCannotBeReadAreInputErrors) {
  const std::string folder = ::testing::TempDir();
  for (const std::string& path : {folder + "no such file.json", folder})
    vq::test::expect_error(ErrorKind::kInput, {path}, [&] { read_report(path); });
}

TEST(Diff, EqualMeansLessThanHalfAUnitOfTheLastPlace) {
  const Report zero = table(frame(0, "\"m\": 0"));
  EXPECT_TRUE(diff(zero, table(frame(0, "\"m\": 0.00004999"))).same());
  EXPECT_FALSE(diff(zero, table(frame(0, "\"m\": 0.00005"))).same());
  EXPECT_TRUE(diff(zero, table(frame(0, "\"m\": 0.4999")), 0).same());
  EXPECT_FALSE(diff(zero, table(frame(0, "\"m\": -0.5")), 0).same());
  EXPECT_FALSE(diff(zero, table(frame(0, "\"m\": 1e-15")), 15).same());
  EXPECT_TRUE(diff(zero, table(frame(0, "\"m\": 1e-16")), 15).same());
}

TEST(Diff, ComparesTheLastFrameThatANumberCanName) {
  const auto last = [](const char* value) {
    return table(std::string("{\"frameNum\": 1099511627776, \"metrics\": {\"m\": ") + value + "}}");
  };
  const DiffResult result = diff(last("1"), last("2"));
  EXPECT_EQ(result.compared, 1);
  EXPECT_EQ(result.different, 1);
  EXPECT_EQ(result.missing, 0);
}

TEST(Diff, WhatIsNotFiniteEqualsOnlyItsLike) {
  const Report null_score = table(frame(0, "\"m\": null") + "," + frame(1, "\"m\": 9"));
  EXPECT_EQ(diff(null_score, null_score).different, 0);
  const Report far = table(frame(0, "\"m\": 1") + "," + frame(1, "\"m\": 900"));
  EXPECT_EQ(diff(null_score, far).worst->frame, 0);
  EXPECT_EQ(diff(far, null_score).worst->frame, 0);
}

TEST(Diff, AllPlacesAreEveryBit) {
  const Report a = table(frame(0, "\"m\": 0.01")), b = table(frame(0, "\"m\": 0.010000000000000002"));
  EXPECT_EQ(diff(a, b, kAllPlaces).different, 1);
  EXPECT_EQ(diff(a, b, kAllPlaces - 1).different, 0);
  EXPECT_EQ(diff(a, a, kAllPlaces).different, 0);
}

TEST(Diff, AMissingFrameLacksItsTexts) {
  const std::string first = frame_with_texts(0, R"("h": "x", "k": "p")");
  const Report a = table(first + "," + frame_with_texts(1, R"("h": "y")"));
  EXPECT_EQ(diff(a, table(first)).different_texts, 1);
}

TEST(Diff, TextsAreAsReviewed) {
  GoldenTexts golden("reports/diff.txt");
  const auto read = [](const std::string& text) {
    return parse_report(text, "x.json", MissingScores::kKept).report;
  };
  const auto add = [&](const std::string& title, const std::string& first, const std::string& second) {
    golden.add(title, diff_text(diff(read(first), read(second))));
  };
  const auto frames = [](const std::string& text, const std::string& aggregates = "") {
    return "{\"frames\": [" + text + "], \"aggregate_metrics\": {" + aggregates + "}}";
  };
  const std::string plain = frame(0, R"("m": 1, "n": 5)") + "," + frame(4, R"("m": 2, "n": 5.5)");
  add("equal scores", frames(plain), frames(plain));
  add("other scores", frames(plain),
      frames(frame(0, R"("n": 5.25, "m": 1)") + "," + frame(4, R"("m": 2.125, "n": 5)")));
  add("missing frames and metrics",
      frames(frame(0, R"("m": 1)") + "," + frame(1, R"("m": 1)") + "," + frame(3, R"("m": 1, "n": 1)")),
      frames(frame(1, R"("m": 1, "o": 1)") + "," + frame(2, R"("m": 1)")));
  add("other aggregates", frames(plain, R"("z": 2)"), frames(plain, R"("z": 3)"));
  add("missing aggregates", frames(plain, R"("z": 2)"), frames(plain));
  add("missing aggregates of the first", frames(plain), frames(plain, R"("z": 2)"));
  const std::string with_texts =
      frame_with_texts(0, R"("h": "x", "k": "p")") + "," + frame_with_texts(1, R"("h": "y")");
  add("equal texts", frames(with_texts), frames(with_texts));
  add("other texts", frames(with_texts),
      frames(frame_with_texts(0, R"("h": "X", "k": "p")") + "," + frame_with_texts(1, R"("h": "Y")")));
  add("missing texts", frames(with_texts), frames(frame(0, R"("m": 1)") + "," + frame(1, R"("m": 1)")));
  add("missing texts of the first", frames(frame(0, R"("m": 1)") + "," + frame(1, R"("m": 1)")),
      frames(with_texts));
}

// A frame for each letter, from frame `first` on, ten a second.
Report matched_video(const std::string& letters, int64_t first = 0) {
  Report made;
  made.texts = {{"hash", {}}};
  for (size_t i = 0; i < letters.size(); ++i) {
    made.frames.push_back(first + static_cast<int64_t>(i));
    made.timestamps.emplace_back(0.1 * static_cast<double>(i));
    made.texts[0].values.emplace_back(1, letters[i]);
  }
  return made;
}

FrameMatch match(const std::string& a, const std::string& b) {
  return match_frames({"a", matched_video(a)}, {"b", matched_video(b)});
}

TEST(FrameMatch, TextsAreAsReviewed) {
  vq::test::GoldenTexts golden("reports/frame_match.txt");
  for (const auto& [a, b] : {std::pair("abca", "abca"),
                             {"abcdef", "abXdeY"},
                             {"abcd", "abc"},
                             {"abc", "abcd"},
                             {"abcdef", "XYabcd"},
                             {"abcdef", "bcdXf"}}) {
    golden.add(std::string(a) + " and " + b, match_text(match(a, b)));
  }
  const Report first = matched_video("abc"), second = matched_video("Xab");
  const DiffSide videos[] = {{"a", first}, {"b", second}};
  using nlohmann::json;
  EXPECT_FALSE(json::parse(frame_words_json(videos, std::nullopt)).contains("comparison"));
  const json compared = json::parse(frame_words_json(videos, match_frames(videos[0], videos[1])));
  EXPECT_EQ(compared["videos"][1]["path"], "b");
  EXPECT_EQ(compared["videos"][1]["frames"][1], (json{{"frameNum", 1}, {"timestamp", 0.1}, {"hash", "a"}}));
  EXPECT_EQ(compared["comparison"], json::parse(R"({
    "same": false, "frames": 3, "equal": 0, "only_in_first": 0, "only_in_second": 0,
    "first_difference": {"frameNum": 0, "timestamp": 0.0},
    "shift": {"offset": 1, "common": 2, "equal": 2, "longest_run": {"frameNum": 0, "frames": 2}}})"));
}

// Film whose frames are repeated two and three times, cut in the middle of such a run.
TEST(FrameMatch, FindsAShiftOfRepeatedFrames) {
  const std::string film = "aabbbccdddeefffgghhh";
  const FrameMatch result = match(film, film.substr(3));
  ASSERT_TRUE(result.shift);
  EXPECT_EQ(result.shift->offset, -3);
  EXPECT_EQ(result.shift->equal, 17);
  EXPECT_EQ(result.shift->run, 17);
}

// A still says nothing about when it is, and a word that comes up again could be either.
TEST(FrameMatch, StillsAndWordsThatReturnTellNoShift) {
  EXPECT_FALSE(match("aaaa", "aaa").shift);
  EXPECT_FALSE(match("abab", "baba").shift);
  EXPECT_FALSE(match("abcd", "efgh").shift);
}

// One frame alike by chance or by design, such as a black one, is no shift where more are alike as they are.
TEST(FrameMatch, TellsAShiftOnlyWhereItExplainsMore) {
  EXPECT_FALSE(match("abcdZfgh", "abcXeZgh").shift);
  EXPECT_FALSE(match("abcdefgh", "ZZZbcdZZZ").shift);     // three of the seven in common
  EXPECT_FALSE(match("xxxxxxqxab", "xxxxxxqabx").shift);  // seven as they are, seven a frame earlier
  EXPECT_TRUE(match("abcdefgh", "ZZZbcdeZZ").shift);      // four of them
}

TEST(FrameMatch, FramesMeetByTheirNumbers) {
  Report a = matched_video("abcde"), b = a;
  b.frames.erase(b.frames.begin() + 1);
  b.timestamps.erase(b.timestamps.begin() + 1);
  b.texts[0].values.erase(b.texts[0].values.begin() + 1);
  const FrameMatch result = match_frames({"a", a}, {"b", b});
  EXPECT_EQ(result.frames, 5);
  EXPECT_EQ(result.equal, 4);
  EXPECT_EQ(result.only_in_a, 1);
  EXPECT_EQ(result.first->frame, 1);
  EXPECT_FALSE(result.shift);
}

TEST(FrameMatch, NoFramesAreEqual) {
  EXPECT_TRUE(match("", "").same());
  EXPECT_EQ(match("", "a").only_in_b, 1);
}

TEST(FrameLines, AreWordsNumbersTimesAndPaths) {
  Report one = matched_video("ab", 7);
  one.timestamps[1].reset();
  const Report c = matched_video("c"), d = matched_video("d");
  EXPECT_EQ(frame_lines(std::vector<DiffSide>{{"dir/with blanks\n.mkv", one}, {"b", c}}),
            "a  7  0.000000  dir/with blanks\\n.mkv\nb  8  -  dir/with blanks\\n.mkv\nc  0  0.000000  b\n");
  EXPECT_EQ(
      frame_words_csv(std::vector<DiffSide>{{"dir/with blanks\n.mkv", one}, {"b,c", d}}),
      "path,frame,timestamp,hash\n\"dir/with blanks\n.mkv\",7,0.000000,a\n\"dir/with blanks\n.mkv\",8,,b\n"
      "\"b,c\",0,0.000000,d\n");
}

}  // namespace

}  // namespace vq::cli
