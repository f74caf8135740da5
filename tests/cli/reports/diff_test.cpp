#include "cli/reports/diff.h"

#include <gmock/gmock.h>
#include <cmath>
#include <filesystem>

#include "cli/reports/report_writer.h"
#include "core/error.h"
#include "tests/support/paths.h"
#include "tests/support/report_samples.h"

namespace vq::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ScoreTable table(const std::string& frames, const std::string& path = "a.json") {
  return parse_report("{\"frames\": [" + frames + "]}", path);
}

std::string frame(int number, const std::string& metrics) {
  return "{\"frameNum\": " + std::to_string(number) + ", \"metrics\": {" + metrics + "}}";
}

std::string message_of(const std::string& text) {
  try {
    parse_report(text, "x.json");
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInput) << text;
    return error.what();
  }
  ADD_FAILURE() << "accepted: " << text;
  return {};
}

TEST(ReportReader, ReadsTheReferenceToolsReports) {
  const ScoreTable read = read_report(testdata("golden/reports/full_ref_enc_480x270.json"));
  EXPECT_EQ(read.version, "f85a8536");
  EXPECT_EQ(read.fps, 165.77);
  ASSERT_EQ(read.frames.size(), 12u);
  EXPECT_EQ(read.frames[11], 11);
  ASSERT_EQ(read.columns.size(), 3u);
  EXPECT_EQ(read.columns[0].name, "cambi_ench_270_encw_480");
  EXPECT_EQ(read.columns[1].name, "cambi_source");
  EXPECT_EQ(read.columns[2].name, "cambi_full_reference");
  EXPECT_EQ(read.columns[2].values[10], 0.323381);
  EXPECT_EQ(read.timestamps[3], std::nullopt);
  EXPECT_FALSE(read.run);
}

TEST(ReportReader, ReadsBackAllOfAnExtendedReport) {
  const ReportStyle style{ReportFormat::kJson, {NumberStyle::Kind::kShortest, 17}, true, 12};
  const std::string text = write_report(full_report(), style);
  const ScoreTable read = parse_report(text, "x");
  EXPECT_EQ(write_report(to_report(read), style_of(read)), text);
}

TEST(ReportReader, ReadsEveryFactOfTheRun) {
  const Report report = full_report();
  const ReportStyle style{ReportFormat::kJson, {}, true};
  const Report read = to_report(parse_report(write_report(report, style), "x"));
  ASSERT_TRUE(read.run.crop);
  EXPECT_EQ(read.run.crop->height, 1600);
  EXPECT_EQ(read.run.crop->y, 280);
  EXPECT_EQ(read.height, 1600);
  EXPECT_EQ(read.run.notes, report.run.notes);
  EXPECT_EQ(read.run.gpu_milliseconds, report.run.gpu_milliseconds);
  EXPECT_EQ(read.run.bytes_uploaded, report.run.bytes_uploaded);
  EXPECT_EQ(read.run.bytes_read, report.run.bytes_read);
  EXPECT_EQ(read.run.thresholds, report.run.thresholds);
  EXPECT_EQ(read.run.origin, report.run.origin);
}

TEST(ReportReader, ReadsAggregatesInTheirOrder) {
  const ScoreTable read = parse_report(
      R"({"frames": [{"frameNum": 0, "metrics": {"a": 1}}], "aggregate_metrics": {"z": 2.5, "b": null}})", "x");
  ASSERT_EQ(read.aggregates.size(), 2U);
  EXPECT_EQ(read.aggregates[0], (std::pair<std::string, double>("z", 2.5)));
  EXPECT_EQ(read.aggregates[1].first, "b");
  EXPECT_TRUE(std::isnan(read.aggregates[1].second));
  EXPECT_EQ(to_report(read).aggregates.size(), 2U);
  EXPECT_THROW(parse_report(R"({"frames": [{"frameNum": 0, "metrics": {"a": 1}}], "aggregate_metrics": {"z": "2"}})", "x"), Error);
}

TEST(Diff, ComparesAggregates) {
  const auto with = [](const std::string& aggregates) {
    return parse_report(R"({"frames": [{"frameNum": 0, "metrics": {"a": 1}}], "aggregate_metrics": {)" + aggregates + "}}", "x");
  };
  EXPECT_TRUE(diff_reports(with(R"("z": 2, "y": null)"), with(R"("y": null, "z": 2)")).same());
  const DiffResult apart = diff_reports(with(R"("z": 2)"), with(R"("z": 3)"));
  EXPECT_EQ(apart.different, 1);
  EXPECT_THAT(diff_text(apart), HasSubstr("worst: the whole run, z: 2 and 3, 1 apart"));
  for (const bool swapped : {false, true}) {
    const ScoreTable one = with(R"("z": 2)"), none = with("");
    const DiffResult lacking = swapped ? diff_reports(none, one) : diff_reports(one, none);
    EXPECT_EQ(lacking.missing, 1);
    EXPECT_THAT(diff_text(lacking), HasSubstr("the first is the whole run, z"));
  }
}

TEST(ReportReader, NullIsNotANumberAndAnAbsentMetricIsNothing) {
  const ScoreTable read = table(frame(3, "\"a\": null") + "," + frame(5, "\"b\": 2"));
  ASSERT_EQ(read.columns.size(), 2u);
  EXPECT_TRUE(std::isnan(*read.columns[0].values[0]));
  EXPECT_EQ(read.columns[0].values[1], std::nullopt);
  EXPECT_EQ(read.columns[1].values[0], std::nullopt);
  EXPECT_EQ(read.columns[1].values[1], 2.0);
  EXPECT_THROW(to_report(read), Error);
}

TEST(ReportReader, KeepsTheSignOfZero) {
  Report report = sample_report();
  report.metrics[0].values.assign(report.frames.size(), -0.0);
  for (const NumberStyle& numbers :
       {NumberStyle{}, NumberStyle{NumberStyle::Kind::kShortest, 17}, NumberStyle{NumberStyle::Kind::kSignificant, 3}}) {
    const ScoreTable table = parse_report(write_report(report, {ReportFormat::kJson, numbers, false}), "a.json");
    ASSERT_TRUE(table.columns[0].values[0]);
    EXPECT_EQ(*table.columns[0].values[0], 0.0);
    EXPECT_TRUE(std::signbit(*table.columns[0].values[0]));
  }
  const ScoreTable positive = parse_report(R"({"frames": [{"frameNum": 0, "metrics": {"cambi": 0}}]})", "a.json");
  EXPECT_FALSE(std::signbit(*positive.columns[0].values[0]));
}

TEST(ReportReader, SaysWhatIsWrong) {
  EXPECT_THAT(message_of(""), HasSubstr("x.json: is not JSON (byte 1)"));
  EXPECT_THAT(message_of("<VMAF>"), HasSubstr("is not JSON (byte 1). Try: a report written with --json"));
  EXPECT_THAT(message_of("{\"frames\": [}"), HasSubstr("is not JSON (byte 13)"));
  EXPECT_THAT(message_of("{\"a\": 1e999}"), HasSubstr("a number out of range"));
  EXPECT_THAT(message_of("[]"), HasSubstr("the top is no object"));
  EXPECT_THAT(message_of("{}"), HasSubstr("no list \"frames\""));
  EXPECT_THAT(message_of("{\"frames\": 1}"), HasSubstr("no list \"frames\""));
  EXPECT_THAT(message_of("{\"frames\": []}"), HasSubstr("without scores"));
  EXPECT_THAT(message_of("{\"frames\": [1]}"), HasSubstr("frames[0] has no \"frameNum\""));
  EXPECT_THAT(message_of("{\"frames\": [{\"frameNum\": 1.5}]}"), HasSubstr("frames[0] has no \"frameNum\""));
  EXPECT_THAT(message_of("{\"frames\": [{\"frameNum\": 1}]}"), HasSubstr("frames[0] has no \"metrics\""));
  EXPECT_THAT(message_of("{\"frames\": [" + frame(0, "\"a\": \"1\"") + "]}"),
              HasSubstr("\"a\" is neither a number nor null"));
  EXPECT_THAT(message_of("{\"frames\": [" + frame(2, "\"a\": 1") + "," + frame(2, "\"a\": 1") + "]}"),
              HasSubstr("frames[1]: frame number 2 does not ascend"));
  EXPECT_THAT(message_of("{\"frames\": [" + frame(-1, "\"a\": 1") + "]}"), HasSubstr("does not ascend"));
}

TEST(ReportReader, HostileDocumentsEndInAnError) {
  EXPECT_THAT(message_of(std::string(1000000, '[')), HasSubstr("is not JSON"));
  EXPECT_THAT(
      message_of(std::string("{\"frames\": [{\"frameNum\": 18446744073709551615, \"metrics\": {}}]}")),
      HasSubstr("does not ascend"));
  // A metric of its own in every frame would need memory for the square of their number.
  std::string frames = frame(0, "\"m0\": 1");
  for (int i = 1; i < 10000; ++i)
    frames.append(",").append(frame(i, std::string("\"m").append(std::to_string(i)) + "\": 1"));
  EXPECT_THAT(message_of("{\"frames\": [" + frames + "]}"),
              HasSubstr("metrics or more for 10000 frames, too many"));
  EXPECT_THAT(message_of("{\"run\": [], \"frames\": [], \"version\": {}}"), HasSubstr("without scores"));
}

TEST(ReportReader, FilesThatCannotBeReadAreInputErrors) {
  const std::string folder = ::testing::TempDir();
  for (const std::string& path : {folder + "no such file.json", folder}) {
    try {
      read_report(path);
      ADD_FAILURE() << path;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kInput);
      EXPECT_THAT(error.what(), HasSubstr(path));
    }
  }
}

TEST(Diff, AMissingScoreAgreesWithAMissingScoreAlone) {
  const ScoreTable null_score = table(frame(0, "\"m\": null")), zero = table(frame(0, "\"m\": 0"));
  EXPECT_TRUE(diff_reports(null_score, null_score).same());
  EXPECT_FALSE(diff_reports(null_score, zero).same());
  EXPECT_FALSE(diff_reports(zero, null_score).same());
}

TEST(Diff, AReportAgreesWithItself) {
  const ScoreTable read = read_report(testdata("golden/reports/full_ref_enc_480x270.json"));
  const DiffResult result = diff_reports(read, read);
  EXPECT_TRUE(result.same());
  EXPECT_EQ(result.compared, 36);
  EXPECT_EQ(result.frames, 12);
  EXPECT_FALSE(result.worst);
  EXPECT_THAT(diff_text(result), HasSubstr(" agree in all 36 scores of 12 frames (4 decimals)\n"));
}

TEST(Diff, EqualMeansLessThanHalfAUnitOfTheLastPlace) {
  const ScoreTable zero = table(frame(0, "\"m\": 0"));
  EXPECT_TRUE(diff_reports(zero, table(frame(0, "\"m\": 0.00004999"))).same());
  EXPECT_FALSE(diff_reports(zero, table(frame(0, "\"m\": 0.00005"))).same());
  EXPECT_TRUE(diff_reports(zero, table(frame(0, "\"m\": 0.4999")), 0).same());
  EXPECT_FALSE(diff_reports(zero, table(frame(0, "\"m\": -0.5")), 0).same());
  EXPECT_FALSE(diff_reports(zero, table(frame(0, "\"m\": 1e-15")), 15).same());
  EXPECT_TRUE(diff_reports(zero, table(frame(0, "\"m\": 1e-16")), 15).same());
}

TEST(Diff, FindsTheWorstOfEveryMetricAndFrame) {
  const ScoreTable a = table(frame(0, "\"m\": 1, \"n\": 5") + "," + frame(4, "\"m\": 2, \"n\": 5.5"));
  const ScoreTable b =
      table(frame(0, "\"n\": 5.25, \"m\": 1") + "," + frame(4, "\"m\": 2.125, \"n\": 5"), "b.json");
  const DiffResult result = diff_reports(a, b);
  EXPECT_EQ(result.compared, 4);
  EXPECT_EQ(result.different, 3);
  EXPECT_EQ(result.missing, 0);
  ASSERT_TRUE(result.worst);
  EXPECT_EQ(result.worst->frame, 4);
  EXPECT_EQ(result.worst->metric, "n");
  EXPECT_EQ(result.worst->a, 5.5);
  EXPECT_EQ(result.worst->b, 5.0);
  EXPECT_EQ(diff_text(result),
            "a.json and b.json differ in 3 of 4 scores of 2 frames (4 decimals)\n"
            "worst: frame 4, n: 5.5 and 5, 0.5 apart\n");
}

TEST(Diff, MissingFramesAndMetricsAreDifferences) {
  const ScoreTable a =
      table(frame(0, "\"m\": 1") + "," + frame(1, "\"m\": 1") + "," + frame(3, "\"m\": 1, \"n\": 1"));
  const ScoreTable b = table(frame(1, "\"m\": 1, \"o\": 1") + "," + frame(2, "\"m\": 1"), "b.json");
  const DiffResult result = diff_reports(a, b);
  EXPECT_EQ(result.frames, 4);
  EXPECT_EQ(result.compared, 6);
  EXPECT_EQ(result.different, 5);
  EXPECT_EQ(result.missing, 5);
  EXPECT_EQ(result.frames_only_in_a, 2);
  EXPECT_EQ(result.frames_only_in_b, 1);
  EXPECT_THAT(result.metrics_only_in_a, ElementsAre("n"));
  EXPECT_THAT(result.metrics_only_in_b, ElementsAre("o"));
  EXPECT_FALSE(result.worst);
  EXPECT_EQ(diff_text(result),
            "a.json and b.json differ in 5 of 6 scores of 4 frames (4 decimals)\n"
            "missing: 5 scores, the first is frame 0, m, not in b.json\n"
            "only in a.json: n, 2 frames\n"
            "only in b.json: o, 1 frame\n");
}

TEST(Diff, ComparesTheLastFrameThatANumberCanName) {
  const auto last = [](const char* value) {
    return table(std::string("{\"frameNum\": 9223372036854775807, \"metrics\": {\"m\": ") + value + "}}");
  };
  const DiffResult result = diff_reports(last("1"), last("2"));
  EXPECT_EQ(result.compared, 1);
  EXPECT_EQ(result.different, 1);
  EXPECT_EQ(result.missing, 0);
}

TEST(Diff, WhatIsNotFiniteEqualsOnlyItsLike) {
  const ScoreTable null_score = table(frame(0, "\"m\": null") + "," + frame(1, "\"m\": 9"));
  EXPECT_EQ(diff_reports(null_score, null_score).different, 0);
  const ScoreTable far = table(frame(0, "\"m\": 1") + "," + frame(1, "\"m\": 900"));
  EXPECT_EQ(diff_reports(null_score, far).worst->frame, 0);
}

std::string frame_with_texts(int number, const std::string& texts) {
  return "{\"frameNum\": " + std::to_string(number) + ", \"metrics\": {\"m\": 1}, \"texts\": {" + texts +
         "}}";
}

TEST(Diff, ComparesTextsByFrame) {
  const ScoreTable a = table(frame_with_texts(0, R"("h": "x", "k": "p")") + "," +
                             frame_with_texts(1, R"("h": "y")") + "," + frame_with_texts(2, R"("h": "z")"));
  const ScoreTable b =
      table(frame_with_texts(0, R"("k": "p", "h": "x")") + "," + frame_with_texts(1, R"("h": "Y")") + "," +
                frame_with_texts(2, R"("h": "z2")"),
            "b.json");
  const DiffResult same = diff_reports(a, a);
  EXPECT_TRUE(same.same());
  EXPECT_EQ(same.texts, 4);
  EXPECT_EQ(diff_text(same),
            "a.json and a.json agree in all 3 scores and 4 texts of 3 frames (4 decimals)\n");
  const DiffResult apart = diff_reports(a, b);
  EXPECT_FALSE(apart.same());
  EXPECT_EQ(apart.different, 0);
  EXPECT_EQ(apart.different_texts, 2);
  EXPECT_EQ(diff_text(apart),
            "a.json and b.json differ in 0 of 3 scores and 2 of 4 texts of 3 frames (4 decimals)\n"
            "first text: frame 1, h: y and Y\n");
}

TEST(Diff, MissingTextsAreDifferences) {
  const ScoreTable with =
      table(frame_with_texts(0, R"("h": "x")") + "," + frame_with_texts(4, R"("h": "y")"));
  const ScoreTable without = table(frame(0, "\"m\": 1") + "," + frame(4, "\"m\": 1"), "b.json");
  for (const bool swapped : {false, true}) {
    const DiffResult result = swapped ? diff_reports(without, with) : diff_reports(with, without);
    EXPECT_FALSE(result.same());
    EXPECT_EQ(result.different_texts, 2);
    EXPECT_THAT(diff_text(result), HasSubstr("first text: frame 0, h, not in b.json\nonly in a.json: h\n"));
  }
  const ScoreTable shorter = table(frame_with_texts(0, R"("h": "x")"), "c.json");
  EXPECT_EQ(diff_reports(with, shorter).different_texts, 1);
}

}  // namespace
}  // namespace vq::cli
