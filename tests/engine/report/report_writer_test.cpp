#include <nlohmann/json.hpp>

#include "engine/report/json_values.h"
#include "engine/report/report_writer.h"
#include "tests/support/golden_text.h"

namespace vq {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
const NumberStyle kCompatible;
const NumberStyle kMax{NumberStyle::Kind::kShortest, 17};

NumberStyle significant(int digits) { return {NumberStyle::Kind::kSignificant, digits}; }

TEST(NumberText, SizesForPeople) {
  EXPECT_EQ(bytes_text(0), "0 bytes");
  EXPECT_EQ(bytes_text(1), "1 byte");
  EXPECT_EQ(bytes_text(999), "999 bytes");
  EXPECT_EQ(bytes_text(1000), "1.0 kB");
  EXPECT_EQ(bytes_text(9949), "9.9 kB");
  EXPECT_EQ(bytes_text(9950), "10 kB");
  EXPECT_EQ(bytes_text(999499), "999 kB");
  EXPECT_EQ(bytes_text(999500), "1.0 MB");
  EXPECT_EQ(bytes_text(84'000'000'000), "84 GB");
  EXPECT_EQ(bytes_text(INT64_MAX), "9.2 EB");
}

TEST(NumberText, CompatibleHasSixDecimalsUnlessTheFractionIsSmall) {
  EXPECT_EQ(number_text(0, kCompatible), "0.000000");
  EXPECT_EQ(number_text(-0.0, kCompatible), "-0.000000");
  EXPECT_EQ(number_text(0.1, kCompatible), "0.100000");
  EXPECT_EQ(number_text(1.0 / 3, kCompatible), "0.333333");
  EXPECT_EQ(number_text(-2.5, kCompatible), "-2.500000");
  EXPECT_EQ(number_text(1e15, kCompatible), "1000000000000000.000000");
  EXPECT_EQ(number_text(123456789.5, kCompatible), "123456789.500000");
  EXPECT_EQ(number_text(9.9999996, kCompatible), "10.000000");
}

TEST(NumberText, CompatibleCountsTheStepsInDouble) {
  // 1e-5 reaches one in five steps, 1e-6 in six; 2e-6 is 0.2 after five and 2 after six.
  EXPECT_EQ(number_text(1e-5, kCompatible), "0.000010");
  EXPECT_EQ(number_text(2e-6, kCompatible), "0.000002");
  EXPECT_EQ(number_text(1e-6, kCompatible), "0.000001");
  // The double below 1e-6 is still under one after six steps.
  EXPECT_EQ(number_text(std::nextafter(1e-6, 0), kCompatible), "0.0000010000000000");
  EXPECT_EQ(number_text(1e-7, kCompatible), "0.0000001000000000");
  EXPECT_EQ(number_text(-1e-7, kCompatible), "-0.0000001000000000");
  EXPECT_EQ(number_text(9e-7, kCompatible), "0.0000009000000000");
  // The fraction decides, not the whole: its bits are fewer beside 8.
  EXPECT_EQ(number_text(8.0000001, kCompatible), "8.0000000999999994");
  EXPECT_EQ(number_text(1.0 + 0x1p-52, kCompatible), "1.0000000000000002");
  EXPECT_EQ(number_text(std::numeric_limits<double>::denorm_min(), kCompatible), "0.0000000000000000");
  EXPECT_EQ(number_text(std::numeric_limits<double>::min(), kCompatible), "0.0000000000000000");
  EXPECT_EQ(number_text(std::numeric_limits<double>::max(), kCompatible).size(), 309u + 1 + 6);
}

TEST(NumberText, NotFiniteIsAWordInEveryStyle) {
  for (const NumberStyle& style : {kCompatible, kMax, significant(3)}) {
    EXPECT_EQ(number_text(kNotANumber, style), "nan");
    EXPECT_EQ(number_text(-kNotANumber, style), "nan");
    EXPECT_EQ(number_text(kInf, style), "inf");
    EXPECT_EQ(number_text(-kInf, style), "-inf");
  }
  EXPECT_EQ(fixed_text(kInf, 2), "inf");
}

TEST(NumberText, SignificantDigits) {
  EXPECT_EQ(number_text(1.0 / 3, significant(3)), "0.333");
  EXPECT_EQ(number_text(123456789.5, significant(4)), "1.235e+08");
  EXPECT_EQ(number_text(2, significant(17)), "2");
  EXPECT_EQ(number_text(0.1, significant(17)), "0.10000000000000001");
}

TEST(NumberText, MaxReadsBackToTheSameDouble) {
  EXPECT_EQ(number_text(0.1, kMax), "0.1");
  EXPECT_EQ(number_text(0, kMax), "0");
  for (const double value :
       {1.0 / 3, 1e-7, 9.241863021573, 1e15, 1.7976931348623157e308, 5e-324, -0.0, 2.0 / 7}) {
    const std::string text = number_text(value, kMax);
    EXPECT_EQ(std::strtod(text.c_str(), nullptr), value) << text;
    EXPECT_EQ(nlohmann::json::parse(text).get<double>(), value) << text;
  }
}

TEST(NumberText, PrecisionIsADigitCountOrMax) {
  EXPECT_EQ(parse_precision("--precision", "max").kind, NumberStyle::Kind::kShortest);
  EXPECT_EQ(parse_precision("--precision", "17").digits, 17);
  EXPECT_EQ(parse_precision("--precision", "1").kind, NumberStyle::Kind::kSignificant);
  for (const char* text : {"0", "18", "-1", "", "3.5", "6x", "MAX", "99999999999999999999"})
    vq::test::expect_error(ErrorKind::kUsage, {"--precision: ", "1..17 or max"},
                           [&] { parse_precision("--precision", text); });
}

TEST(ReportWriter, TheExtensionNamesTheFormat) {
  EXPECT_EQ(named_format("a.json"), ReportFormat::kJson);
  EXPECT_EQ(named_format("dir.csv/a.JSON"), ReportFormat::kJson);
  EXPECT_EQ(named_format("a.csv"), ReportFormat::kCsv);
  EXPECT_EQ(named_format("a.Sub"), ReportFormat::kSub);
  EXPECT_EQ(named_format("a.xml"), ReportFormat::kXml);
  EXPECT_EQ(named_format("a.html"), ReportFormat::kHtml);
  EXPECT_EQ(named_format("a.HTM"), ReportFormat::kHtml);
  EXPECT_EQ(named_format("a.txt"), std::nullopt);
  EXPECT_EQ(named_format("csv"), std::nullopt);
  EXPECT_EQ(named_format("-"), std::nullopt);
}

TEST(ReportWriter, OnlyJsonIsExtended) {
  const Report report = sample_report();
  for (const ReportFormat format : {ReportFormat::kXml, ReportFormat::kCsv, ReportFormat::kSub})
    EXPECT_EQ(write_report(report, {format, {}, true}), write_report(report, {format, {}, false}));
}

TEST(ReportWriter, ExtendedOnlyAdds) {
  const Report report = awkward_report();
  using nlohmann::ordered_json;
  auto compatible = ordered_json::parse(write_report(report, {ReportFormat::kJson, {}, false}));
  ASSERT_EQ(compatible.erase("models"), 1u);  // of which run has more
  auto extended = ordered_json::parse(write_report(report, {ReportFormat::kJson, {}, true}));
  ASSERT_EQ(extended.erase("run"), 1u);
  ASSERT_EQ(extended.erase("worst"), 1u);
  for (auto& frame : extended["frames"]) {
    ASSERT_EQ(frame.erase("timestamp"), 1u);
    frame.erase("infinite");
  }
  for (auto& pooled : extended["pooled_metrics"]) {
    for (const char* key : {"stdev", "p1", "p5", "p10", "p50", "p90", "p95", "p99"})
      ASSERT_EQ(pooled.erase(key), 1u) << key;
  }
  EXPECT_EQ(extended, compatible);
}

// The first three frames, for a file that can be read.
Report beginning_of(Report report) {
  report.frames.resize(3);
  report.timestamps.resize(3);
  for (Metric& metric : report.metrics) metric.values.resize(3);
  for (TextSeries& text : report.texts) text.values.resize(3);
  return report;
}

// Reports with all facts there are, with awkward names and scores, and without frames. schema_test.py
// compares the JSON files with their schema.
TEST(ReportWriter, FilesAreAsReviewed) {
  Report full = beginning_of(full_report()), awkward = awkward_report(), empty;
  full.run.inputs.back() = awkward.run.inputs.back();
  full.metrics.push_back(awkward.metrics[0]);
  awkward.run.thresholds = {{"mean>5", "cambi", "mean", NAN, false}};
  empty.version = "0.1.0";
  empty.metrics = {{"cambi", {}}};
  const std::pair<std::string, Report> samples[] = {{"full", full}, {"awkward", awkward}, {"empty", empty}};
  vq::test::GoldenTexts golden("reports/formats.txt");
  for (const auto& [name, report] : samples) {
    for (const bool extended : {false, true}) {
      if (extended ? name == "awkward" : name == "full") continue;  // as ExtendedOnlyAdds tells
      const std::string text = write_report(report, {ReportFormat::kJson, {}, extended});
      vq::test::expect_golden("reports/" + name + (extended ? ".extended" : ".compatible") + ".json",
                              name == "full" ? vq::test::in_few_lines(text) : text);
    }
    golden.add(name + ", XML", write_report(report, {ReportFormat::kXml, {}, false}));
    golden.add(name + ", CSV", write_report(report, {ReportFormat::kCsv, {}, false}));
    golden.add(name + ", SUB", write_report(report, {ReportFormat::kSub, {}, false}));
  }
}

TEST(ReportWriter, ExtendedRanksTheWorstMoments) {
  Report report = sample_report();
  for (size_t i = 0; i < 12; ++i) report.metrics[0].values[i * 100] = 20 - static_cast<double>(i);
  const auto written = nlohmann::json::parse(write_report(report, {ReportFormat::kJson, kMax, true}));
  const auto& worst = written["worst"]["cambi_eotf_pq"];
  ASSERT_EQ(worst.size(), 10u);
  EXPECT_EQ(worst[0]["frameNum"], 0);
  EXPECT_EQ(worst[0]["score"], 20);
  EXPECT_EQ(worst[3]["frameNum"], 300);
  EXPECT_EQ(worst[3]["timestamp"], 12.5125);
  EXPECT_EQ(worst[9]["frameNum"], 900);
}

TEST(ReportWriter, CsvAndSubKeepTheirColumns) {
  Report report = sample_report();
  report.frames = {7};
  report.timestamps.clear();
  report.metrics = {{"a,\"b\"", {1}}, {"{c|d}", {2}}};
  EXPECT_EQ(write_report(report, {ReportFormat::kCsv, {}, false}),
            "Frame,\"a,\"\"b\"\"\",{c|d},\n7,1.000000,2.000000,\n");
  EXPECT_EQ(write_report(report, {ReportFormat::kSub, {}, false}),
            "{7}{8}frame: 7|a,\"b\": 1.000000|_c_d_: 2.000000|\n");
}

TEST(ReportWriter, PlainCsvIsForDataFrames) {
  Report report = sample_report();
  report.frames = {7, 8};
  report.timestamps = {0.25, std::nullopt};
  report.metrics = {{"a,b", {1, 3}}, {"vmaf", {2, 4}}};
  report.run.models = {{"vmaf", "vmaf_v0.6.1"}};
  EXPECT_EQ(write_report(report, {ReportFormat::kPlainCsv, {}, false}),
            "frame,timestamp,\"a,b\",vmaf,vmaf_model\n7,0.250000,1.000000,2.000000,vmaf_v0.6.1\n"
            "8,,3.000000,4.000000,vmaf_v0.6.1\n");
}

TEST(ReportWriter, AValueTooFewIsADefect) {
  Report report = sample_report();
  report.metrics[0].values.pop_back();
  EXPECT_THROW(write_report(report, {}), Error);
  report = sample_report();
  report.timestamps.pop_back();
  EXPECT_THROW(write_report(report, {}), Error);
}

TEST(ReportWriter, AHundredThousandFrames) {
  Report report;
  report.metrics = {{"cambi", {}}, {"cambi_source", {}}};
  for (int i = 0; i < 100000; ++i) {
    report.frames.push_back(i);
    for (Metric& metric : report.metrics) metric.values.push_back(i / 7.0);
  }
  // A writer or reader that takes quadratic time does not come back before the test's time is up.
  const std::string text = write_report(report, {ReportFormat::kJson, kMax, true});
  const Report read = parse_report(text, "text").report;
  ASSERT_EQ(read.frames.size(), 100000u);
  EXPECT_EQ(read.metrics[1].values[99999], 99999 / 7.0);
}

// Where the time of a run went, and what held it up.

TEST(RunPace, WhatTakesLongestLimits) {
  for (size_t i = 0; i < pace::kParts.size(); ++i) {
    PaceFacts facts{.seconds = {0.5, 0.25, 0.125, 0, 1.0000004, 0.0625}};
    facts.seconds[i] = 1.5;
    EXPECT_EQ(limit_of(facts), pace::kParts[i]);
  }
  EXPECT_EQ(limit_of(PaceFacts()), std::nullopt);
}

TEST(TraceJson, HasAnEventForEachSpanAndTheNamesOfThreads) {
  const Timeline timeline;
  name_thread("the \"main\" one");
  { const TraceSpan span("read", 12); }
  { const TraceSpan span("close"); }
  const auto trace = nlohmann::json::parse(trace_json(timeline));
  EXPECT_EQ(trace.at("droppedSpans"), 0);
  const nlohmann::json& events = trace.at("traceEvents");
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(events[0].at("ph"), "M");
  EXPECT_EQ(events[0].at("name"), "thread_name");
  EXPECT_EQ(events[0].at("args").at("name"), "the \"main\" one");
  EXPECT_EQ(events[1].at("ph"), "X");
  EXPECT_EQ(events[1].at("name"), "read");
  EXPECT_EQ(events[1].at("tid"), events[0].at("tid"));
  EXPECT_EQ(events[1].at("args").at("frame"), 12);
  EXPECT_EQ(events[2].at("name"), "close");
  EXPECT_FALSE(events[2].contains("args"));
  EXPECT_GE(events[2].at("ts"), events[1].at("ts").get<double>() + events[1].at("dur").get<double>() - 0.001);
  EXPECT_EQ(events[3].at("name"), "process_name");
}

}  // namespace

}  // namespace vq
