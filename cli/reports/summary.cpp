#include "cli/reports/summary.h"

#include <cmath>
#include <map>

#include "cli/reports/rate_report.h"
#include "core/number_text.h"
#include "core/text.h"
#include "engine/known_metrics.h"
#include "engine/report/sampled.h"
#include "engine/report/scenes.h"
#include "engine/report/statistic.h"

namespace vq::cli {

constexpr int kAggregateDecimals = 3;
constexpr size_t kMostRows = 12;         // of the table, before what is detail is left out
constexpr size_t kLeastMetricName = 12;  // columns of a metric's name
constexpr size_t kShortList = 3;         // moments that share a line, and metrics that are listed of many
constexpr size_t kMostMetrics = 6;       // whose worst moments are all listed
constexpr std::string_view kBold = "\x1b[1m", kYellow = "\x1b[33m", kPlainColour = "\x1b[0m";

static std::string painted(const std::string& text, std::string_view colour, bool wanted) {
  if (!wanted) return text;
  return std::string(colour) + text + std::string(kPlainColour);
}

// At most three decimals, without trailing zeros.
static std::string frame_rate_text(double rate) {
  std::string text = fixed_text(rate, 3);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

static void add_word(std::string& line, const std::string& word, std::string_view gap = " ") {
  if (word.empty()) return;
  if (!line.empty()) line += gap;
  line += word;
}

// Facts after the name of an input.
static std::string facts_text(const InputFacts& input, const Report& report) {
  std::string facts;
  add_word(facts, printable(input.codec));
  add_word(facts, words("{}x{}", input.width, input.height));
  add_word(facts, words("{}-bit", input.bit_depth));
  if (input.range != "unspecified") add_word(facts, input.range);
  if (input.transfer != "unspecified") add_word(facts, input.transfer);
  if (input.frame_rate) add_word(facts, frame_rate_text(*input.frame_rate) + " fps");
  const int64_t scored = static_cast<int64_t>(report.frames.size());
  const bool is_part = report.run.complete && input.all_frames && *input.all_frames > input.frames;
  const bool is_sample = report.run.subsample > 1;
  // A run that ended early has the frames it came to.
  facts += words("  {} {} {}", scored, report.run.complete ? "of" : "of the first",
                 counted(is_part && !is_sample ? *input.all_frames : input.frames, "frame"));
  if (is_sample)
    facts += words(" ({}{})", sample_text(report.run.subsample, report.run.sample_is_spread),
                   is_part ? words(", the file has {}", *input.all_frames) : "");
  // A single video has no role to tell.
  if (report.run.inputs.size() > 1) facts += words("  ({})", input.role);
  return facts;
}

// A line for each input, or if one is too long two, with the name by itself.
static std::string inputs_text(const Report& report, size_t width) {
  size_t names = 0, facts = 0;
  for (const InputFacts& input : report.run.inputs) {
    names = std::max(names, columns_of(shown_path(input.path)));
    facts = std::max(facts, columns_of(facts_text(input, report)));
  }
  const bool fits = width == 0 || names + 2 + facts <= width;
  std::string text;
  for (const InputFacts& input : report.run.inputs) {
    const std::string name = shown_path(input.path);
    text += words("{}  {}\n", fits ? pad_right(name, names) : shorten_middle(name, width) + "\n",
                  facts_text(input, report));
  }
  return text;
}

static std::string member_text(const ScoredBy& member) {
  return words("{} {}{}", member.device.empty() ? "the CPU" : printable(member.device),
               counted(member.frames, "frame"),
               member.decoder.empty() ? "" : words(" ({})", printable(member.decoder)));
}

static std::string run_line(const Report& report, const SummaryStyle& style) {
  const RunFacts& run = report.run;
  std::string how;
  add_word(how, printable(run.device), ", ");
  add_word(how, printable(run.driver), ", ");
  add_word(how, run.simd, ", ");
  add_word(how, counted(run.threads, "thread"), ", ");
  std::string line =
      words("cambi {}  {} ({})  {} fps", report.version, run.backend, how, fixed_text(report.fps, 1));
  if (!run.scored_by.empty())
    add_word(line, words("scored by {}", join(run.scored_by, ", ", member_text)), "  ");
  for (const std::string& note : style.notes) add_word(line, note, "  ");
  return line + "\n";
}

// The metrics that people want to see, in reading order: those that were requested or that the run is judged
// by, and if none was requested all; of many without those that are details.
static std::vector<size_t> listed_metrics(const Report& report) {
  const std::vector<Metric>& metrics = report.metrics;
  const bool has_requested = !std::ranges::all_of(metrics, &Metric::is_inner);
  const std::vector<size_t> verdicts = verdict_metrics(metrics);
  std::vector<size_t> places = reading_order(metrics);
  std::erase_if(places, [&](size_t place) {
    return has_requested && metrics[place].is_inner && !contains(verdicts, place);
  });
  if (places.size() > kMostRows)
    std::erase_if(places, [&](size_t place) { return metric_info(metrics[place]).is_detail; });
  return places;
}

// The listed metrics, parted by their better sides in the order of the first of each.
static std::vector<std::vector<size_t>> listed_sides(const Report& report) {
  std::vector<std::vector<size_t>> sides;
  for (const size_t place : listed_metrics(report)) {
    const auto is_alike = [&](const std::vector<size_t>& side) {
      const Metric &first = report.metrics[side.front()], &metric = report.metrics[place];
      return metric_info(first).better == metric_info(metric).better &&
             is_neutral(first) == is_neutral(metric);
    };
    auto side = std::ranges::find_if(sides, is_alike);
    if (side == sides.end()) side = sides.insert(side, std::vector<size_t>());
    side->push_back(place);
  }
  return sides;
}

// Facts that all metrics with noteworthy scores share; none if they differ.
static const MetricInfo& common_info(std::span<const Metric> metrics) {
  static const MetricInfo kNone = {};
  const MetricInfo* common = nullptr;
  for (const Metric& metric : metrics) {
    const MetricInfo& info = metric_info(metric);
    if (!info.noteworthy) continue;
    if (common != nullptr && (info.noteworthy != common->noteworthy || info.better != common->better))
      return kNone;
    common = &info;
  }
  return common == nullptr ? kNone : *common;
}

// Without the harmonic mean.
static std::vector<ShownStatistic> in_order_of_files(std::vector<ShownStatistic> shown) {
  std::erase_if(shown, [](const ShownStatistic& one) { return one.statistic.name == "harmonic_mean"; });
  const auto place = [](const ShownStatistic& one) {
    return std::ranges::find(file_statistics(), one.statistic);
  };
  std::ranges::stable_sort(shown, [&](const auto& a, const auto& b) { return place(a) < place(b); });
  return shown;
}

static std::string table_text(const Report& report, const SummaryStyle& style) {
  const std::vector<TextTable> tables = statistics_tables(report, style.is_plain);
  if (tables.empty()) return {};
  std::string text;
  size_t left_out = report.metrics.size();
  for (const TextTable& table : tables) {
    bool is_head = true;
    for (const std::string& line : table.lines(style.width)) {
      text += painted(line, kBold, style.colour && std::exchange(is_head, false)) + "\n";
    }
    left_out -= table.rows().size();
    if (&table != &tables.front()) continue;  // the one with the scores of models, if there are some
    for (const std::string& line : purposes(report)) text += line + "\n";
  }
  if (left_out > 0)
    text += counted(static_cast<int64_t>(left_out), "more metric") + ": in a report or a page\n";
  return text;
}

static std::string aggregates_text(const Report& report) {
  std::string line;
  for (const auto& [name, value] : report.aggregates) {
    add_word(line, words("{} {}", printable(name), fixed_text(value, kAggregateDecimals)), ", ");
  }
  return line.empty() ? "" : words("whole run: {}\n", line);
}

// "0:00:14.21 (#341)", or the number alone if the time is unknown.
static std::string moment_text(const Report& report, size_t position) {
  const std::string number = words("#{}", report.frames[position]);
  const auto time = timestamp_at(report, position);
  return time ? words("{} ({})", timecode(*time), number) : number;
}

// A few moments share a line, if that fits; more of them have a line each, with their rank.
static std::string worst_text(const Report& report, const Metric& metric, const std::string& label,
                              const SummaryStyle& style) {
  const MetricInfo& info = metric_info(metric);
  if (!is_comparable(report, metric)) return {};
  const std::vector<size_t> moments = worst_moments(report, info, metric.values, style.worst);
  if (moments.empty()) return {};
  const std::string title = words("worst{}:", report.metrics.size() > 1 ? " " + label : "");
  std::string line = title, list = title + "\n";
  size_t width = 0;
  for (const size_t position : moments) width = std::max(width, moment_text(report, position).size());
  for (size_t i = 0; i < moments.size(); ++i) {
    const std::string moment = moment_text(report, moments[i]), rank = std::to_string(i + 1);
    const double value = metric.values[moments[i]];
    const std::string shown =
        painted(fixed_text(value, info.decimals), kYellow, style.colour && is_noteworthy(info, value));
    line += (i == 0 ? " " : ", ") + moment + " " + shown;
    const size_t rank_width = std::to_string(moments.size()).size() + 2;
    list += std::string(rank_width - rank.size(), ' ') + rank + "  " + pad_right(moment, width) + "  " +
            shown + "\n";
  }
  const bool fits = style.width == 0 || shown_columns(line) <= style.width;
  return moments.size() <= kShortList && fits ? line + "\n" : list;
}

// A report with many metrics shows only the first few, so that the summary stays one that is read. Where
// models score: of their scores, and of what was asked for, or where the report does not say so of what is
// noteworthy by itself.
static std::string all_worst_text(const Report& report, const SummaryStyle& style) {
  const std::vector<size_t> listed = listed_metrics(report);
  const bool is_crowded = listed.size() > kMostMetrics;
  const bool has_score = std::ranges::any_of(report.metrics, is_model_score);
  const bool says_so = std::ranges::any_of(report.metrics, &Metric::is_inner);
  std::string text;
  size_t shown = 0, left_out = 0;
  const std::vector<std::string> labels = metric_labels(report.metrics);
  for (const size_t place : listed) {
    const Metric& metric = report.metrics[place];
    const std::string worst = worst_text(report, metric, labels[place], style);
    if (worst.empty()) continue;
    const bool is_beside = says_so ? metric.is_inner : has_score && !metric_info(metric).noteworthy;
    if (is_crowded && (shown >= kShortList || is_beside)) {
      ++left_out;
    } else {
      text += worst;
      ++shown;
    }
  }
  if (left_out > 0)
    text += words("worst of {}: in a page or an extended report\n",
                  counted(static_cast<int64_t>(left_out), "more metric"));
  return text;
}

using RankedRuns = std::span<const NamedReport>;

constexpr size_t kMostNames = 4;

// "a, b, c and 5 more".
static std::string names_text(const std::vector<std::string>& names) {
  const size_t named = names.size() > kMostNames + 1 ? kMostNames : names.size();
  const std::string text = join(std::span(names).first(named), ", ", shown_path);
  return named < names.size() ? words("{} and {} more", text, names.size() - named) : text;
}

// "What differ: this (a, b), that (c)." with one value for each run; empty if all that are known are equal.
// An empty value is not known.
static std::string differing(RankedRuns runs, const std::string& what,
                             const std::function<std::string(const NamedReport&)>& value_of) {
  std::vector<std::pair<std::string, std::vector<std::string>>> groups;  // in order of appearance
  for (const NamedReport& run : runs) {
    const std::string value = value_of(run);
    if (value.empty()) continue;
    auto group = std::ranges::find_if(groups, [&](const auto& one) { return one.first == value; });
    if (group == groups.end()) group = groups.insert(group, {value, {}});
    group->second.push_back(run.name);
  }
  if (groups.size() < 2) return {};
  return words("{} differ: {}.", what, join(groups, "; ", [](const auto& group) {
                 return words("{} ({})", group.first, names_text(group.second));
               }));
}

static std::string length_text(const NamedReport& run) {
  return shown_path(run.name) + " has " + counted(static_cast<int64_t>(run.report.frames.size()), "frame");
}

static std::string lengths_remark(RankedRuns runs) {
  if (has_samples(runs)) return {};
  const auto [shortest_run, longest_run] = std::minmax_element(
      runs.begin(), runs.end(),
      [](const auto& a, const auto& b) { return a.report.frames.size() < b.report.frames.size(); });
  if (shortest_run->report.frames.size() == longest_run->report.frames.size()) return {};
  return words("Lengths differ: {}, {}. They are ranked all the same.", length_text(*shortest_run),
               length_text(*longest_run));
}

static std::string frames_text(const NamedReport& run) {
  const std::vector<int64_t>& frames = run.report.frames;
  return frames.empty() ? "" : words("{} to {}", frames.front(), frames.back());
}

// Frames of the same number and not the same ones; if lengths differ that was said.
static std::string frames_remark(RankedRuns runs) {
  for (const NamedReport& run : runs) {
    if (has_samples(runs) || run.report.frames.size() != runs.front().report.frames.size()) return {};
  }
  return differing(runs, "The numbers of the scored frames", frames_text);
}

static std::string size_text(const NamedReport& run) {
  const InputFacts& video = video_facts(run);
  return video.width <= 0 ? "" : words("{}x{}", video.width, video.height);
}

static std::string rate_text(const NamedReport& run) {
  const std::optional<double>& rate = video_facts(run).frame_rate;
  return rate ? significant_text(*rate, 5) + " fps" : "";
}

static std::string transfer_text(const NamedReport& run) {
  const std::string& transfer = video_facts(run).transfer;
  return transfer == "unspecified" ? "" : printable(transfer);
}

static std::string reference_text(const NamedReport& run) {
  const InputFacts* const input = reference_input(run.report);
  return input == nullptr ? "" : shown_path(std::string(file_part(input->path)));
}

// Empty if the report does not describe its run.
static std::string area_text(const NamedReport& run) {
  if (run.report.run.inputs.empty()) return {};
  const std::optional<Rectangle>& crop = run.report.run.crop;
  if (!crop) return "the whole picture";
  return words("{}x{} at {}, {}", crop->width, crop->height, crop->x, crop->y);
}

// Where the videos are not equally long although as many frames of each were scored.
static std::string durations_remark(RankedRuns runs) {
  std::optional<double> least, most;
  for (const NamedReport& run : runs) {
    const std::optional<double>& duration = video_facts(run).duration;
    if (run.report.frames.size() != runs.front().report.frames.size()) return {};
    if (!duration) continue;
    least = std::min(least.value_or(*duration), *duration);
    most = std::max(most.value_or(*duration), *duration);
  }
  // Containers round, and some count the delay of the first frame.
  if (!least || *most - *least <= 0.2 + 0.002 * *most) return {};
  return differing(runs, "Durations of the videos", [](const NamedReport& run) {
    const std::optional<double>& duration = video_facts(run).duration;
    return duration ? fixed_text(*duration, 1) + " s" : "";
  });
}

static void add_missing(RankedRuns runs, const ComparisonBasis& basis, std::vector<std::string>& remarks) {
  for (const NamedReport& run : runs) {
    const std::vector<double>& values = find_metric(run.report, basis.metric)->values;
    const auto missing = std::ranges::count_if(values, [](double value) { return std::isnan(value); });
    if (missing == 0) continue;
    remarks.push_back(words("{} lacks {} of {} scores, so it is ranked last.", shown_path(run.name), missing,
                            values.size()));
  }
  for (const NamedReport& run : runs) {
    if (!run.report.run.complete) remarks.push_back(shown_path(run.name) + " was not scored to its end.");
  }
}

// Where bits and scores are not of the same thing.
static void add_rates(RankedRuns runs, std::vector<std::string>& remarks) {
  std::vector<std::string> of_file, of_part, pictures;
  std::optional<int64_t> scored_frames;  // of all in of_part; 0 if they differ
  for (const NamedReport& run : runs) {
    const InputFacts& video = video_facts(run);
    if (video.bits_per_pixel && !are_pictures(runs)) pictures.push_back(run.name);
    if (!video.bit_rate) continue;
    if (video.bit_rate_of == "file") of_file.push_back(run.name);
    const std::vector<int64_t>& frames = run.report.frames;
    if (frames.empty() || !video.duration || !video.frame_rate) continue;
    const int64_t scored = frames.back() - frames.front() + 1;
    if (static_cast<double>(scored) / *video.frame_rate >= 0.9 * *video.duration) continue;
    scored_frames = scored_frames.value_or(scored) == scored ? scored : 0;
    of_part.push_back(run.name);
  }
  if (!pictures.empty()) {
    remarks.push_back(words(
        "A single picture has a size and no bit rate, so it is left out of what is said about bit rates: {}.",
        names_text(pictures)));
  }
  if (!of_file.empty()) {
    remarks.push_back(
        words("The bit rate of {} is that of the whole file, not of the video alone.", names_text(of_file)));
  }
  if (!of_part.empty()) {
    const std::string part = *scored_frames == 0   ? "a part was"
                             : *scored_frames == 1 ? "1 frame was"
                                                   : words("{} frames were", *scored_frames);
    remarks.push_back(words("kbit/s is of the whole video; only {} scored: {}.", part, names_text(of_part)));
  }
}

// Runs of which every frame has the same hash as that of another.
static std::string same_pictures(RankedRuns runs) {
  std::map<std::vector<std::string>, std::vector<std::string>> by_hashes;
  for (const NamedReport& run : runs) {
    for (const TextSeries& series : run.report.texts) {
      if (series.name.starts_with("fingerprint")) by_hashes[series.values].push_back(run.name);
    }
  }
  for (const auto& [hashes, names] : by_hashes) {
    if (names.size() > 1) return words("The pictures of {} are the same, frame by frame.", names_text(names));
  }
  return {};
}

static std::string certainty_remark(RankedRuns runs) {
  const auto sample =
      std::ranges::find_if(runs, [](const NamedReport& run) { return is_sample(run.report); });
  if (sample == runs.end()) return {};
  const auto leads = [](const NamedReport& run) { return run.standing && run.standing->rank; };
  return words(
      "Ranks and differences are {} % sure.{}", significant_text(sample->report.run.certainty->confidence, 6),
      std::ranges::count_if(runs, leads) < 2 ? ""
                                             : words(" Runs of rank 1 do not differ by more than {}.",
                                                     significant_text(sample->standing->tolerance, 6)));
}

static std::string side_remark(const Metric& metric) {
  if (is_of_one_video(metric) && !is_neutral(metric)) {
    return words("Ranked by {} alone, which says nothing of blur or blocks.", metric_info(metric).subject);
  }
  if (is_neutral(metric))
    return words("Neither a low nor a high {} is better. The lowest is first.", printable(metric.name));
  if (metric_info(metric).better != Better::kNeither) return {};
  return words("Whether a low or a high {} is better is not known here. The lowest is first.",
               printable(metric.name));
}

// Statistics of a sample say so; if the samples differ, of which runs.
static std::string sample_remark(RankedRuns runs) {
  const auto sample_of = [](const NamedReport& run) {
    const RunFacts& facts = run.report.run;
    return facts.subsample > 1 ? sample_text(facts.subsample, facts.sample_is_spread) : "every frame";
  };
  if (std::string text = differing(runs, "The scored samples", sample_of); !text.empty()) return text;
  return runs.front().report.run.subsample > 1
             ? words("Only {} was scored, so statistics are of these.", sample_of(runs.front()))
             : "";
}

// Why a run is left out, in a few words: the run or its report has said the rest.
static std::string_view reason_of(PairFaultKind kind) {
  constexpr std::pair<PairFaultKind, std::string_view> kReasons[] = {
      {PairFaultKind::kPictures, "it does not show the pictures of the reference"},
      {PairFaultKind::kMirrored, "it is mirrored"},
      {PairFaultKind::kNegative, "it is a negative"},
      {PairFaultKind::kRange, "the range differs"},
      {PairFaultKind::kTransfer, "the transfer function differs"},
      {PairFaultKind::kShape, "the shape of the pictures differs"},
      {PairFaultKind::kRotation, "it is turned"},
      {PairFaultKind::kRate, "the frame rate differs"},
      {PairFaultKind::kShift, "it is shifted in time"},
      {PairFaultKind::kUneven, "frames are dropped or repeated"},
      {PairFaultKind::kBars, "the black bars differ"}};
  for (const auto& [known, reason] : kReasons) {
    if (known == kind) return reason;
  }
  return "its scores are wrong";
}

// Runs whose scores are wrong, with the first reason.
static std::string apart_remark(RankedRuns runs, const ComparisonBasis& basis) {
  std::string text;
  for (const NamedReport& run : runs) {
    if (is_comparable(run, basis.metric)) continue;
    const std::vector<PairFault>& faults = run.report.run.pair_faults;
    const auto first = std::ranges::find_if(faults, &PairFault::is_certain);
    text += words("{}{} is left out of the ranking: {}.", text.empty() ? "" : " ", shown_path(run.name),
                  reason_of(first == faults.end() ? PairFaultKind::kSwapped : first->kind));
  }
  return text;
}

std::vector<TextTable> statistics_tables(const Report& report, bool is_plain) {
  const std::vector<std::string> labels = metric_labels(report.metrics);
  std::vector<TextTable> tables;
  const std::vector<std::vector<size_t>> sides =
      is_plain ? std::vector<std::vector<size_t>>{listed_metrics(report)} : listed_sides(report);
  for (const std::vector<size_t>& side : sides) {
    std::vector<Metric> heads;
    for (const size_t place : side) {
      const Metric& metric = report.metrics[place];
      if (metric.values.empty()) return {};
      heads.push_back({.name = metric.name, .values = {}, .info = metric.info});
    }
    std::vector<TextColumn> columns = {{"metric", kFlushLeft, 0, kLeastMetricName}};
    const std::vector<ShownStatistic> shown =
        is_plain ? in_order_of_files(table_statistics(heads)) : table_statistics(heads);
    for (const auto& [statistic, rank] : shown) {
      columns.push_back({heading_of(statistic, common_info(heads)), kFlushRight, rank});
    }
    TextTable& table = tables.emplace_back(std::move(columns));
    for (const size_t place : side) {
      const MetricStatistics statistics(report.metrics[place]);
      std::vector<std::string> row = {labels[place]};
      for (const ShownStatistic& column : shown) row.push_back(statistics.cell(column.statistic));
      table.add(std::move(row));
    }
  }
  return tables;
}

std::vector<std::string> purposes(const Report& report) {
  std::vector<std::string> lines;
  for (const size_t place : listed_metrics(report)) {
    const std::string line = purpose_of(report.metrics[place]);
    if (!line.empty() && !contains(lines, line)) lines.push_back(line);
  }
  return lines;
}

TextTable intervals_table(const Report& report) {
  TextTable table({{"metric", kFlushLeft},
                   {"statistic", kFlushLeft},
                   {"of all frames", kFlushLeft},
                   {"least scored"},
                   {"most scored"}});
  const std::vector<std::string> labels = metric_labels(report.metrics);
  for (const IntervalFacts& interval : report.run.certainty->intervals) {
    const Metric* const metric = find_metric(report, interval.metric);
    const MetricInfo& info = metric_info(*metric);
    const MetricStatistics scored(*metric);
    table.add({labels[static_cast<size_t>(metric - report.metrics.data())], interval.statistic,
               interval_words(interval, info), scored.cell(parse_statistic("min", "min")),
               scored.cell(parse_statistic("max", "max"))});
  }
  return table;
}

std::string sample_sentence(const Report& report) {
  const CertaintyFacts& sample = *report.run.certainty;
  return words("{}: {} of {} were scored, and {} decoded for them", sure_words(sample, sample.scored_frames),
               sample.scored_frames, counted(sample.frames, "frame"), sample.decoded_frames);
}

std::string summary_text(const Report& report, const SummaryStyle& style) {
  std::string text = inputs_text(report, style.width);
  text += run_line(report, style);
  for (const std::string& fault : certain_texts(report.run.pair_faults))
    text += words("{}: {}\n", painted("not comparable", kYellow, style.colour), fault);
  text += is_sample(report) ? intervals_table(report).text(style.width) + sample_sentence(report) + "\n"
                            : table_text(report, style);
  text += aggregates_text(report);
  return text + all_worst_text(report, style);
}

std::vector<std::string> remarks_on(const std::vector<NamedReport>& runs, const ComparisonBasis& basis) {
  const auto is_absent = [&](const NamedReport& run) {
    return find_metric(run.report, basis.metric)->values.empty();
  };
  const auto end = std::ranges::find_if(runs, is_absent);
  const RankedRuns scored(runs.begin(), end == runs.begin() ? runs.end() : end);
  std::vector<std::string> remarks = {apart_remark(runs, basis),
                                      lengths_remark(scored),
                                      sample_remark(scored),
                                      frames_remark(scored),
                                      durations_remark(scored),
                                      differing(scored, "Frame rates", rate_text),
                                      differing(scored, "References", reference_text),
                                      differing(scored, "Picture sizes", size_text),
                                      differing(scored, "Scored areas", area_text),
                                      differing(scored, "Transfer functions", transfer_text),
                                      same_pictures(scored),
                                      certainty_remark(scored)};
  add_missing(scored, basis, remarks);
  add_rates(scored, remarks);
  remarks.push_back(groups_remark(runs, basis));
  remarks.push_back(anchor_remark(runs, basis));
  remarks.push_back(side_remark(*find_metric(runs.front().report, basis.metric)));
  std::erase(remarks, "");
  return remarks;
}

}  // namespace vq::cli
