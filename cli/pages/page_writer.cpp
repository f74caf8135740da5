#include "cli/pages/page_writer.h"

#include "cli/pages/page_assets.h"
#include "cli/pages/page_facts.h"
#include "cli/reports/summary.h"
#include "core/error.h"
#include "core/text.h"
#include "core/version.h"
#include "engine/known_metrics.h"
#include "engine/report/json_values.h"
#include "engine/report/threshold.h"

namespace vq::cli {
namespace {

using nlohmann::ordered_json;
using Parts = std::map<std::string_view, std::string_view>;

constexpr size_t kLongestName = 400;
constexpr size_t kNamesInTitle = 3;

// Without the only character that could end the element it stands in: '<', which JSON has in strings only.
std::string script_json(const ordered_json& json) {
  const std::string text = json_text(json);
  return join(fields(text, '<'), "\\u003c");
}

// A member of a JSON object, unless there is no such picture.
std::string picture_member(const char* name, const PagePicture& picture) {
  if (picture.bytes.empty()) return "";
  return words(",\"{}\":\"data:{};base64,{}\"", name, picture.mime, base64(picture.bytes));
}

ordered_json histogram_json(const DrawnHistogram& histogram) {
  return {{"shares", histogram.shares}, {"clipped", {histogram.clipped_low, histogram.clipped_high}}};
}

// Written by hand: pictures are large, and a JSON document would hold each twice.
std::string pictures_json(const std::vector<FramePicture>& pictures) {
  std::string out = "[";
  for (const FramePicture& picture : pictures) {
    out += out.size() > 1 ? "," : "";
    out += "{\"frame\":" + std::to_string(picture.frame) + ",\"timestamp\":";
    const bool timed = picture.timestamp && std::isfinite(*picture.timestamp);
    out += timed ? fixed_text(*picture.timestamp, kTimestampDecimals) : "null";
    out += picture_member("picture", picture.picture) + picture_member("reference", picture.reference) +
           picture_member("difference", picture.difference) + picture_member("heat", picture.heat);
    if (!picture.picture.exact || !picture.reference.exact) out += ",\"exact\":false";
    if (!picture.tone_mapped.empty()) out += words(",\"tone_mapped\":\"{}\"", picture.tone_mapped);
    if (const std::optional<LightUse>& light = picture.light) {
      out += ",\"light\":" + ordered_json{{"peak", light->peak},
                                          {"outside_bt709", light->outside_bt709},
                                          {"outside_p3", light->outside_p3}}
                                 .dump();
    }
    if (picture.scaled_from.width > 0) {
      out += words(",\"scaled_from\":[{},{}]", picture.scaled_from.width, picture.scaled_from.height);
    }
    if (!picture.histograms.empty())
      out += ",\"histograms\":" + json_list(picture.histograms, histogram_json).dump();
    out += "}";
  }
  return out + "]";
}

// The meaning of pictures' colours: CSS colours in equal steps, from a score of 0 to the top of the usual
// scale.
ordered_json heat_json(const std::optional<MetricInfo>& metric) {
  if (!metric) return nullptr;
  constexpr int kSteps = 16;
  ordered_json colours = ordered_json::array();
  for (int i = 0; i <= kSteps; ++i) {
    const auto& [colour, opacity] = local_colours()[static_cast<size_t>(i * kLocalScoreSteps / kSteps)];
    colours.push_back(
        words("rgb({} {} {} / {})", colour.red, colour.green, colour.blue, fixed_text(opacity / 255.0, 3)));
  }
  return {{"subject", metric->subject},
          {"top", metric->usual_top},
          {"noteworthy", nullable(metric->noteworthy)},
          {"colours", std::move(colours)}};
}

// For each channel: where its clipped ends are, as shares of the range; the levels of every frame; and the
// histogram of all frames.
ordered_json levels_json(const std::vector<ChannelLevels>& levels) {
  return json_list(levels, [](const ChannelLevels& channel) {
    const double bins = channel.info.bins;
    return ordered_json{{"name", channel.info.name},
                        {"bins", channel.info.bins},
                        {"low", (channel.info.low + 1) / bins},
                        {"high", channel.info.high / bins},
                        {"p1", channel.p1},
                        {"p50", channel.p50},
                        {"p99", channel.p99},
                        {"histogram", histogram_json(drawn(channel.info, channel.counts))}};
  });
}

// Puts the parts into the template. What is put in is not looked at again.
std::string filled(std::string_view text, const Parts& parts) {
  std::string out;
  while (true) {
    const size_t start = text.find('@');
    const size_t end = start == text.npos ? text.npos : text.find('@', start + 1);
    if (end == text.npos) return out.append(text);
    const auto found = parts.find(text.substr(start + 1, end - start - 1));
    if (found == parts.end()) throw Error(ErrorKind::kInternal, "the page's template has an unknown part");
    out.append(text.substr(0, start)).append(found->second);
    text.remove_prefix(end + 1);
  }
}

std::string report_script(const Report& report, const ReportStyle& wanted) {
  const bool is_refused = is_not_comparable(report.run.pair_faults);
  if ((report.frames.empty() && !is_refused) || report.metrics.empty()) {
    throw Error(ErrorKind::kInternal, "a page of a report without scores");
  }
  const ReportStyle style{ReportFormat::kJson, wanted.numbers, true, wanted.worst};
  return words("<script type=\"text/plain\" class=\"report\">{}</script>\n",
               packed_text(write_report(report, style)));
}

struct PageContent {
  std::string title, summary, reports, pictures;
  ordered_json about;
};

std::string page_text(const PageContent& content) {
  const PageAssets assets = page_assets();
  const std::string title = markup_escaped(content.title), summary = markup_escaped(content.summary);
  const std::string about = script_json(content.about), licence = markup_escaped(assets.plot_licence);
  return filled(assets.template_html, {{"VERSION", version()},
                                       {"TITLE", title},
                                       {"SUMMARY", summary},
                                       {"PLOT_CSS", assets.plot_style},
                                       {"CSS", assets.style},
                                       {"PLOT_VERSION", assets.plot_version},
                                       {"PLOT_LICENCE", licence},
                                       {"ABOUT", about},
                                       {"REPORTS", content.reports},
                                       {"PICTURES", content.pictures},
                                       {"PLOT_JS", assets.plot_script},
                                       {"JS", assets.script}});
}

std::string name_of(const Report& report, const std::string& wanted) {
  if (!wanted.empty()) return printable(wanted, kLongestName);
  const InputFacts* const input = distorted_input(report);
  return input == nullptr ? "Video" : printable(input->path, kLongestName);
}

// Under which name the browser saves the report.
std::string download_name(std::string_view name) {
  std::string file(file_part(name));
  if (file.ends_with(".json")) return file;
  return (file.empty() ? "cambi" : file) + ".json";
}

}  // namespace

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    for (size_t k = 0; k < 3; ++k) {
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (size_t k = 0; k < 4; ++k) {
      out += i + k <= bytes.size() ? kDigits[group >> (18 - 6 * k) & 63] : '=';
    }
  }
  return out;
}

std::string subject_of(std::span<const Metric> metrics) {
  const Metric& lead = metrics[leading_metric(metrics)];
  const std::string_view subject = metric_info(lead).subject,
                         several = is_neutral(lead) ? "measurements" : "quality";
  for (const Metric& metric : metrics) {
    if (is_neutral(metric) == is_neutral(lead) && metric_info(metric).subject != subject)
      return std::string(several);
  }
  return std::string(subject.empty() ? several : subject);
}

std::string page_about(const std::string& title, const std::string& summary, const ordered_json& about) {
  return page_text({.title = title, .summary = summary, .reports = {}, .pictures = "[]", .about = about});
}

std::string write_page(const Report& report, const PagePictures& pictures, const std::string& name,
                       const ReportStyle& style) {
  const std::string shown = name_of(report, name);
  PageContent content;
  const bool is_apart = is_not_comparable(report.run.pair_faults);
  const std::string scores = is_apart            ? "not comparable"
                             : is_sample(report) ? ""
                                                 : leading_scores(report.metrics);
  ordered_json metrics = described_metrics(report.metrics);
  for (const Metric& metric : report.metrics) {
    metrics[metric.name]["comparable"] = is_comparable(report, metric);
    if (is_sample(report)) metrics[metric.name]["figures"] = interval_figures(report, metric.name);
  }
  content.title =
      words("{} \u00b7 {}", file_part(shown), scores.empty() ? subject_of(report.metrics) : scores);
  content.summary = summary_text(report, {}) + thresholds_text(report.run.thresholds);
  content.reports = report_script(report, style);
  content.pictures = pictures_json(pictures.frames);
  content.about = {{"kind", "report"},
                   {"name", shown},
                   {"subject", subject_of(report.metrics)},
                   {"metrics", std::move(metrics)},
                   {"verdicts", named_verdicts(report.metrics)},
                   {"statistics", described_statistics(report.metrics)},
                   {"features", described_features(report)},
                   {"advice", advice_for(report)},
                   {"runs", {{{"name", shown}, {"download", download_name(shown)}}}},
                   {"levels", levels_json(pictures.levels)},
                   {"heat", heat_json(pictures.coloured_by)}};
  if (is_sample(report)) {
    content.about["sample"] = sample_sentence(report);
    content.about["judged"] = judgements(report.run.thresholds);
  }
  return page_text(content);
}

PageKind page_kind(std::string_view page) {
  constexpr std::string_view kAbout = "<script type=\"application/json\" id=\"about\">{\"kind\":\"report\"";
  constexpr std::string_view kPictures = "<script type=\"application/json\" id=\"pictures\">[";
  PageKind kind;
  kind.of_one_run = page.find(kAbout) != page.npos;
  size_t at = page.find(kPictures);
  if (!kind.of_one_run || at == page.npos) return kind;
  page = page.substr(at, page.find("</script", at) - at);
  for (at = page.find("{\"frame\":"); at != page.npos; at = page.find("{\"frame\":", at + 1)) ++kind.pictures;
  return kind;
}

static bool have_heat(const ComparisonPictures& pictures) {
  const auto is_hot = [](const FramePicture& picture) { return !picture.heat.bytes.empty(); };
  return std::ranges::any_of(pictures.of_runs,
                             [&](const auto& of_run) { return std::ranges::any_of(of_run, is_hot); });
}

std::string write_comparison_page(const std::vector<NamedReport>& runs, const ComparisonBasis& basis,
                                  const ComparisonPictures& pictures) {
  PageContent content;
  std::vector<Metric> compared = {*find_metric(runs.front().report, basis.metric)};
  for (const auto* const list : {&basis.others, &basis.inner}) {
    for (const std::string& name : *list) compared.push_back(*find_metric(runs.front().report, name));
  }
  const std::string subject = subject_of(std::span(compared).first(1));
  ordered_json about_runs = ordered_json::array();
  std::string names;
  for (size_t i = 0; i < runs.size(); ++i) {
    const NamedReport& run = runs[i];
    const std::string shown = name_of(run.report, run.name);
    about_runs.push_back({{"name", shown},
                          {"path", printable(run.path, kLongestName)},
                          {"download", download_name(shown)},
                          {"thresholds", judgements(run.thresholds)}});
    if (i < kNamesInTitle) names += (i == 0 ? "" : ", ") + shown;
    content.summary +=
        words("{}\n{}{}\n", shown, summary_text(run.report, {}), thresholds_text(run.thresholds));
    content.reports += report_script(run.report, run.style);
    content.pictures +=
        (i == 0 ? "[" : ",") + (i < pictures.of_runs.size() ? pictures_json(pictures.of_runs[i]) : "[]");
  }
  content.pictures += words(",{}]", pictures_json(pictures.of_source));
  if (runs.size() > kNamesInTitle) names += words(" and {} more", runs.size() - kNamesInTitle);
  content.title = words("{} \u00b7 {}", names, subject);
  content.about = {
      {"kind", "comparison"},
      {"name", counted(static_cast<int64_t>(runs.size()), "run")},
      {"subject", subject},
      {"metrics", described_metrics(compared)},
      {"statistics", described_statistics(compared)},
      {"by", ranked_by_word(basis)},
      {"choices", comparison_choices(runs, basis, pictures.moments)},
      {"picture_remarks", pictures.remarks},
      {"source", printable(pictures.source, kLongestName)},
      {"heat", heat_json(have_heat(pictures) ? std::optional(metric_info(compared.front())) : std::nullopt)},
      {"runs", about_runs}};
  return page_text(content);
}

}  // namespace vq::cli
