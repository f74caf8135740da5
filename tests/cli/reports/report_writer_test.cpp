#include "cli/reports/report_writer.h"

#include <gmock/gmock.h>
#include <clocale>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cli/reports/report_reader.h"
#include "cli/text/number_text.h"
#include "core/error.h"
#include "tests/support/comma_locale.h"
#include "tests/support/paths.h"
#include "tests/support/report_samples.h"
#include "tests/support/run_program.h"

namespace vq::cli {
namespace {

using ::testing::HasSubstr;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
const NumberStyle kCompatible;
const NumberStyle kMax{NumberStyle::Kind::kShortest, 17};

NumberStyle significant(int digits) {
  return {NumberStyle::Kind::kSignificant, digits};
}

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
  EXPECT_EQ(parse_precision("max").kind, NumberStyle::Kind::kShortest);
  EXPECT_EQ(parse_precision("17").digits, 17);
  EXPECT_EQ(parse_precision("1").kind, NumberStyle::Kind::kSignificant);
  for (const char* text : {"0", "18", "-1", "", "3.5", "6x", "MAX", "99999999999999999999"}) {
    try {
      parse_precision(text);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::kUsage);
      EXPECT_THAT(error.what(), HasSubstr("1..17 or max"));
    }
  }
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
  for (const ReportFormat format : {ReportFormat::kXml, ReportFormat::kCsv, ReportFormat::kSub}) {
    EXPECT_EQ(write_report(report, {format, {}, true}), write_report(report, {format, {}, false}));
  }
}

TEST(ReportWriter, ExtendedOnlyAdds) {
  const Report report = awkward_report();
  using nlohmann::ordered_json;
  const auto compatible = ordered_json::parse(write_report(report, {ReportFormat::kJson, {}, false}));
  auto extended = ordered_json::parse(write_report(report, {ReportFormat::kJson, {}, true}));
  ASSERT_EQ(extended.erase("run"), 1u);
  ASSERT_EQ(extended.erase("worst"), 1u);
  for (auto& frame : extended["frames"]) {
    ASSERT_EQ(frame.erase("timestamp"), 1u);
    frame.erase("infinite");
  }
  for (auto& pooled : extended["pooled_metrics"]) {
    for (const char* key : {"stdev", "p1", "p5", "p10", "p50", "p90", "p95", "p99"}) ASSERT_EQ(pooled.erase(key), 1u) << key;
  }
  EXPECT_EQ(extended, compatible);
}

TEST(ReportWriter, ExtendedTellsOfTheRun) {
  const Report report = awkward_report();
  const auto json = nlohmann::json::parse(write_report(report, {ReportFormat::kJson, {}, true}));
  const auto& run = json["run"];
  EXPECT_EQ(run["complete"], false);
  EXPECT_EQ(run["scored_frames"], 3);
  EXPECT_EQ(run["backend"], "cpu");
  EXPECT_EQ(run["simd"], "AVX2");
  EXPECT_EQ(run["threads"], 2);
  EXPECT_EQ(run["wall_seconds"], 34.95);
  EXPECT_EQ(run["device"], "GPU \"0\"");
  EXPECT_EQ(run["driver"], "1.2\\3");
  EXPECT_EQ(run["gpu_milliseconds"].dump(), "{\"mask\":0.25,\"upload\":1.5}");
  EXPECT_EQ(run["bytes_uploaded"], int64_t{1} << 40);
  EXPECT_EQ(run["bytes_read"], 164);
  EXPECT_EQ(run["warnings"], nlohmann::json({"it ended early\x01"}));
  EXPECT_EQ(run["features"][0]["name"], "cambi");
  EXPECT_EQ(run["features"][0]["options"]["window_size"], "65");
  EXPECT_EQ(run["models"][0]["source"], "a \"model\".json");
  EXPECT_EQ(run["models"][0]["metrics"][1], "psnr_y");
  EXPECT_EQ(run["models"][0]["unsuited"], "of_tests is for tests");
  EXPECT_EQ(run["inputs"][0]["path"], "caf\ufffd \"x\"\n.mkv");
  EXPECT_EQ(run["inputs"][0]["bit_depth"], 10);
  EXPECT_EQ(run["inputs"][1]["role"], "reference");
  EXPECT_TRUE(run["inputs"][1]["frame_rate"].is_null());
  EXPECT_EQ(json["frames"][0]["timestamp"], 0.0);
  EXPECT_TRUE(json["frames"][1]["timestamp"].is_null());
  EXPECT_TRUE(json["frames"][2]["timestamp"].is_null());
}

TEST(ReportWriter, ExtendedRanksTheWorstMoments) {
  Report report = sample_report();
  for (size_t i = 0; i < 12; ++i) report.metrics[0].values[i * 100] = 20 - static_cast<double>(i);
  const auto json = nlohmann::json::parse(write_report(report, {ReportFormat::kJson, kMax, true}));
  const auto& worst = json["worst"]["cambi_eotf_pq"];
  ASSERT_EQ(worst.size(), 10u);
  EXPECT_EQ(worst[0]["frameNum"], 0);
  EXPECT_EQ(worst[0]["score"], 20);
  EXPECT_EQ(worst[3]["frameNum"], 300);
  EXPECT_EQ(worst[3]["timestamp"], 12.5125);
  EXPECT_EQ(worst[9]["frameNum"], 900);
}

TEST(ReportWriter, ExtendedHasPercentiles) {
  const auto json = nlohmann::json::parse(write_report(sample_report(), {ReportFormat::kJson, kMax, true}));
  EXPECT_EQ(json["pooled_metrics"]["cambi_eotf_pq"]["p50"], 719.5 / 240);
}

TEST(ReportWriter, ExtendedHasTheThresholds) {
  Report report = sample_report();
  report.run.thresholds = {{"p95>5", "cambi_eotf_pq", "p95", 5.696, true}, {"mean>5", "cambi_eotf_pq", "mean", NAN, false}};
  const auto json = nlohmann::json::parse(write_report(report, {ReportFormat::kJson, {}, true}))["run"]["thresholds"];
  EXPECT_EQ(json[0].dump(),
            R"({"crossed":true,"expression":"p95>5","metric":"cambi_eotf_pq","statistic":"p95","value":5.696})");
  EXPECT_TRUE(json[1]["value"].is_null());
}

TEST(ReportWriter, ScoresThatAreNotFiniteAreNullInJsonAndWordsElsewhere) {
  const Report report = awkward_report();
  const auto json = nlohmann::json::parse(write_report(report, {ReportFormat::kJson, {}, false}));
  EXPECT_TRUE(json["frames"][1]["metrics"]["cambi"].is_null());
  EXPECT_TRUE(json["pooled_metrics"]["cambi"]["max"].is_null());
  EXPECT_EQ(json["pooled_metrics"]["cambi"]["min"], 1.5);
  const std::string csv = write_report(report, {ReportFormat::kCsv, {}, false});
  EXPECT_THAT(csv, HasSubstr("\n4,inf,nan,\n"));
  EXPECT_THAT(write_report(report, {ReportFormat::kXml, {}, false}), HasSubstr("cambi=\"inf\""));
  EXPECT_THAT(write_report(report, {ReportFormat::kSub, {}, false}), HasSubstr("{4}{5}frame: 4|cambi: inf|"));
}

TEST(ReportWriter, XmlEscapesNames) {
  const std::string xml = write_report(awkward_report(), {ReportFormat::kXml, {}, false});
  EXPECT_THAT(xml, HasSubstr("<metric name=\"a&lt;b&gt;&amp;&quot;c&apos;\\n\\x1b\\xff\" min="));
  EXPECT_THAT(xml, HasSubstr(" a_b___c__n_x1b_xff=\"0.000000\""));
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

TEST(ReportWriter, NoFramesStillMakeADocument) {
  Report report;
  report.version = "1";
  report.metrics = {{"cambi", {}}};
  EXPECT_EQ(
      write_report(report, {ReportFormat::kJson, {}, false}),
      "{\n  \"version\": \"1\",\n  \"fps\": 0.00,\n  \"frames\": [\n  ],\n  \"pooled_metrics\": {\n  },\n"
      "  \"aggregate_metrics\": {\n  }\n}\n");
  EXPECT_TRUE(nlohmann::json::accept(write_report(report, {ReportFormat::kJson, {}, true})));
  EXPECT_EQ(write_report(report, {ReportFormat::kCsv, {}, false}), "Frame,cambi,\n");
  EXPECT_EQ(write_report(report, {ReportFormat::kSub, {}, false}), "");
}

TEST(ReportWriter, AValueTooFewIsADefect) {
  Report report = sample_report();
  report.metrics[0].values.pop_back();
  EXPECT_THROW(write_report(report, {}), Error);
  report = sample_report();
  report.timestamps.pop_back();
  EXPECT_THROW(write_report(report, {}), Error);
}

TEST(ReportWriter, TheLocaleChangesNothing) {
  const std::string before = write_report(sample_report(), {ReportFormat::kJson, {}, true});
  const test::CommaLocale comma;
  setenv("LOCPATH", comma.folder().c_str(), 1);
  const bool is_set = std::setlocale(LC_ALL, comma.name().c_str()) != nullptr;
  const std::string point = std::localeconv()->decimal_point;
  const std::string after = write_report(sample_report(), {ReportFormat::kJson, {}, true});
  std::setlocale(LC_ALL, "C");
  unsetenv("LOCPATH");
  ASSERT_TRUE(is_set);
  ASSERT_EQ(point, ",");
  EXPECT_EQ(after, before);
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
  const ScoreTable table = parse_report(text, "text");
  ASSERT_EQ(table.frames.size(), 100000u);
  EXPECT_EQ(table.columns[1].values[99999], 99999 / 7.0);
}

// Writes reports for tests/cli/reports/validate_report.py, which names the folder; without one, to a folder of its own.
TEST(ReportSchema, WritesSamples) {
  const char* const wanted = std::getenv("CAMBI_REPORT_FOLDER");
  const test::TemporaryFolder own;
  const std::string folder = wanted ? wanted : own.path();
  Report empty;
  empty.version = "0.1.0";
  const std::pair<const char*, Report> samples[] = {
      {"sample", sample_report()}, {"awkward", awkward_report()}, {"empty", empty}};
  for (const auto& [name, report] : samples) {
    for (const bool extended : {false, true}) {
      const std::string path = folder + "/" + name + (extended ? ".extended" : ".compatible") + ".json";
      std::ofstream(path, std::ios::binary) << write_report(report, {ReportFormat::kJson, {}, extended});
      EXPECT_TRUE(nlohmann::json::accept(read_text(path))) << path;
    }
  }
}

}  // namespace
}  // namespace vq::cli
