#!/usr/bin/env python3
"""Breaks the sources on purpose, one place at a time, and sees whether a test notices.

tests/mutate.py [--look] [--folder FOLDER] [WORD...]: all mutations of the list below, or those whose file or text has one of
the words. --look builds nothing and names those that no longer apply, as their text is not in the file once. Works on a copy
of the tree in FOLDER (build/mutation), which is built once and kept: from there on a mutation costs a compilation, a link and
the tests named beside it. Prints a line each; the exit code is the number of survivors. A mutation that no longer applies, or
does not compile, counts as one.
"""
import argparse
import os
import shutil
import signal
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# File, text that is in it once, what to put there instead, program, and those of its tests that must notice.
MUTATIONS = [
    ("core/moments.cpp", "second_.empty() || worse(frame.score, second_.front().score)",
     "second_.empty() || !worse(second_.front().score, frame.score)", "unit_tests", "Moment*"),
    ("cli/models/model.cpp", "if (raw(chroma) != 0.0) return;", "", "cli_tests", "Model.*"),
    ("cli/models/model.cpp", "x >= knots[line + 1].first", "x > knots[line + 2].first", "cli_tests", "Model.*"),
    ("cli/models/predictor.cpp", "std::sqrt(squares / count) * slope", "std::sqrt(squares / count) / slope", "cli_tests", "PredictorGolden*"),
    ("cli/models/svr.cpp", "k < inputs_ ? vector[k] : 0.0", "k < inputs_ ? vector[0] : 0.0", "cli_tests", "Svr*"),
    ("cli/models/catalogue.cpp", "bool is_fast = frame_rate && *frame_rate > kFastRate", "bool is_fast = frame_rate && *frame_rate > 2 * kFastRate", "cli_tests", "Catalogue*"),
    ("cli/run/settle_models.cpp", "if (known == keys_.end()) {", "{", "cli_tests", "ModelsProgram*"),
    ("cli/decoding/fitted_reader.cpp", "in[x] << shift", "in[x]", "cli_tests", "FittedReader*"),
    ("core/moments.cpp", "if (moments.size() > count_) moments.pop_back();", "", "unit_tests", "Moment*"),
    ("core/moments.cpp", "worse(score, worst_.back().score)", "!worse(worst_.back().score, score)", "unit_tests", "Moment*"),
    ("core/metric_info.cpp", "score > than : score < than", "score > than : score > than", "unit_tests", "Moment*"),
    ("core/metric_info.cpp", "std::max(metric.decimals, kOfWholeNumbers)", "std::min(metric.decimals, kOfWholeNumbers)", "unit_tests", "MetricInfo*"),
    ("feature/cambi/remedies.cpp", "of_source > 0 && ", "", "unit_tests", "Remedies*"),
    ("feature/cambi/remedies.cpp", "of_source >= kMuchOfSource", "of_source > kMuchOfSource", "unit_tests", "Remedies*"),
    ("feature/cambi/remedies.cpp", "video.bit_depth >= kFineDepth", "video.bit_depth > kFineDepth", "unit_tests", "Remedies*"),
    ("cli/run/origin.cpp", "file.path = escaped_text(file.path);", "", "cli_tests", "ListBytes*"),
    ("cli/run/video_list.cpp", "if (line.find('\\0') != std::string::npos) {", "if (false) {", "cli_tests", "ListBytes*"),
    ("cli/decoding/frame_queue.cpp", "return is_at_end_ ? measured_ : std::nullopt;", "return measured_;", "cli_tests", "ReadToEnd*"),
    ("cli/decoding/allocation_watch.h", "before_(failures())", "before_(0)", "cli_tests", "*AllocationWatchTest*"),
    ("feature/fallback_extractor.cpp", "counting.has_thrown() || ", "", "unit_tests", "ExtractorContract*"),
    ("feature/host_extractor.cpp", "const ExactFloats exact;  // what", "// what", "unit_tests", "ExtractorContract*"),
    ("core/worker_pool.cpp", "const ExactFloats exact;\n  for", "for", "unit_tests", "ExactFloats*"),
    ("cli/cluster/slurm_script.cpp", "text.append(c == '%' ? 2 : 1, c);", "text += c;", "cli_tests", "SlurmScript*"),
    ("cli/cluster/slurm_script.cpp", "70 | 13[4-9])", "70 | 13[0-9])", "cli_tests", "SlurmScript*"),
    ("cli/cluster/slurm_wait.cpp", "is_queued == false ? gone_seconds + pause : 0", "gone_seconds + pause", "cli_tests", "SlurmWait*"),
    ("cli/cluster/plan_work.cpp", "{.plan = work.id, ", "{.plan = \"another\", ", "cli_tests", "PlanWork*"),
    ("cli/cluster/plan_work.cpp", "if (shard.work <= 0) shard.work = mean;", "if (shard.work < 0) shard.work = mean;", "cli_tests", "PlanWork*"),
    ("cli/cluster/shard_progress.cpp", "state.share - share_at_start_", "state.share", "cli_tests", "ShardProgress*"),
    ("cli/cluster/cutting.cpp", "std::min(first - first_, lead_)", "lead_", "cli_tests", "Cutting*"),
    ("cli/cluster/cutting.cpp", "(limit < 0 || limit > pairs_)", "limit != 0", "cli_tests", "Cutting*"),
    ("cli/cluster/cutting.cpp", " + reference_lead(place(*from))", "", "cli_tests", "Cutting*"),
    ("cli/cluster/cutting.cpp", "std::max<int64_t>(0, -shift())", "std::max<int64_t>(0, shift())", "cli_tests", "Cutting*"),
    ("cli/cluster/plan.cpp", "if (first > shard) return false;", "if (first >= shard) return false;", "cli_tests", "PlanTest*"),
    ("cli/cluster/plan.cpp", "if (head_.id != hash_text(hash.value()))", "if (false)", "cli_tests", "PlanTest*"),
    ("cli/cluster/plan.cpp", "end - part.first + part.lead", "end - part.first", "cli_tests", "PlanTest*"),
    ("cli/cluster/shard_result.cpp", "flags >> 4 & 3", "flags >> 2 & 3", "cli_tests", "ShardResultTest*"),
    ("cli/cluster/shard_result.cpp", "kNone = std::numeric_limits<double>::quiet_NaN()", "kNone = 0", "cli_tests", "ShardResultTest*"),
    ("cli/cluster/shard_result.cpp", "if (get<uint64_t>(bytes, most) != content_hash", "if (false && get<uint64_t>(bytes, most) != content_hash", "cli_tests", "PlanFaults*"),
    ("cli/cluster/plan.cpp", "at += kPartNumbers;", "at = kOwnNumbers + kPartNumbers;", "cli_tests", "PlanFaults*"),
    ("cli/cluster/shard_run.cpp", "check_models_unchanged(head);", "", "cli_tests", "PlanFaults*"),
    ("cli/cluster/merged_title.cpp", "check_models_unchanged(head);", "", "cli_tests", "PlanFaults*"),
    ("cli/cluster/shard_run.cpp", "if (is_whole_result(path, id)) return ShardOutcome::kKept;", "", "cli_tests", "ClusterProgram.AShardThatIsDone*"),
    ("cli/cluster/merged_title.cpp", "if (told_.insert(lines[i]).second)", "", "cli_tests", "MergedTitle*"),
    ("cli/cluster/merged_title.cpp", "last_shorter_ = shard.findings().shorter;", "", "cli_tests", "Cases/Merge.*/uneven_pair"),
    ("cli/cluster/merged_title.cpp", "padding_.add(shard.findings().padding);", "", "cli_tests", "MergedTitle*"),
    ("cli/cluster/merged_title.cpp", "next_pair_ = 0;\n    for", "for", "cli_tests", "Cases/Merge.*/h264"),
    ("cli/cluster/merged_title.cpp", "enclosed(all).find(enclosed(one))", "enclosed(all).find(one)", "cli_tests", "MergedTitle*"),
    ("cli/cluster/merged_title.cpp", "look_up_to(shard, INT64_MAX);", "", "cli_tests", "MergedTitle*"),
    ("cli/cluster/merge_outputs.cpp", "is_whole ? request.path : partial_output(request)", "is_whole ? request.path : request.path", "cli_tests", "ClusterProgram.WhatIsMissing*"),
    ("cli/cluster/shard_index.cpp", "(request.shards + request.each - 1) / request.each", "request.shards / request.each", "cli_tests", "ShardIndexTest*"),
    ("cli/cluster/input_check.cpp", "std::max<int64_t>(0, bytes - kEndBytes)", "int64_t{0}", "cli_tests", "InputCheck*"),
    ("core/content_hash.cpp", "end.mix(length_);", "", "cli_tests", "ContentHash*"),
    ("cli/cluster/local_engine.cpp", "at_once = std::min(at_once, std::max<int64_t>(1, machine.memory_bytes / work.memory_bytes));", "", "cli_tests", "LocalShares*"),
    ("cli/cluster/replay_extractor.cpp", "++(frames.is_reported ? computed_ : unreported_);", "++computed_;", "cli_tests", "Cases/Merge.*/neighbours_of_some"),
    ("cli/cluster/catalogue.cpp", "metric.better == Better::kHigher ? -value : value", "metric.better == Better::kHigher ? value : value", "cli_tests", "CatalogueTest*"),
    ("cli/cluster/catalogue.cpp", "if (worst_.size() <= kMostTitles) return;\n  std::pop_heap(worst_.begin(), worst_.end(), is_worse);", "if (worst_.size() <= kMostTitles) return;", "cli_tests", "CatalogueTest*"),
    ("cli/cluster/catalogue.cpp", "[](const Moment& a, const Moment& b) { return a.value > b.value; }", "[](const Moment& a, const Moment& b) { return a.value < b.value; }", "cli_tests", "CatalogueTest*"),
    ("cli/cluster/shard_facts.cpp", "{padding.at(0), padding.at(1), padding.at(2)}", "{padding.at(0), padding.at(0), padding.at(2)}", "cli_tests", "ShardResultTest*"),
    ("cli/cluster/planner.cpp", "!reference_ || reference_path_ != *arguments.reference", "!reference_", "cli_tests", "PlannerTest*"),
    ("cli/reports/summary.cpp", "report.metrics.size() > kMostRows && ", "report.metrics.size() + kMostRows > 0 && ", "cli_tests", "Summary*"),
    ("cli/reports/statistic.cpp", "statistic.is_mean() ? mean_decimals(info_) : info_.decimals", "info_.decimals", "cli_tests", "Summary*"),
    ("cli/pages/page_facts.cpp", " || noteworthy_share(metric) == 0", "", "cli_tests", "Page*"),
    ("cli/pages/page_facts.cpp", "if (metric_info(metric).name == name) return metric.name;", "if (metric.name == name) return metric.name;", "cli_tests", "Page*"),
    ("cli/reports/threshold.cpp", "threshold.inclusive ? value > bound", "threshold.inclusive ? value >= bound", "cli_tests", "*Threshold*"),
    ("cli/decoding/damage/container_end.cpp", "last_packet_end_ < *at_;", "last_packet_end_ > *at_;", "cli_tests", "*roq*:ContainerEnd*"),
    ("core/ordered_frames.cpp", " && (!frames.is_reported || *last_was_reported_)", "", "unit_tests", "OrderedFrames*"),
    ("core/ordered_frames.cpp", "!last_was_reported_ || ", "", "unit_tests", "OrderedFrames*"),
    ("core/ordered_frames.cpp", "equal_before_ > neighbours", "equal_before_ > 0", "unit_tests", "OrderedFrames*"),
    ("core/repeats.cpp", "if (frame.repeated_planes < kMaxPlanes) last_ = frame;", "if (!last_) last_ = frame;", "unit_tests", "Repeats*"),
    ("core/frame.cpp", "(luma.width + (1 << x) - 1) >> x", "luma.width >> x", "cli_tests", "Y4m*:FfmpegFrame*"),
    ("feature/cambi/decimate.cpp", "in.row(2 * y)[2 * x]", "in.row(2 * y)[2 * x + 1]", "unit_tests", "*Decimate*"),
    ("feature/cambi/mask.cpp", "box > threshold", "box >= threshold", "unit_tests", "*Mask*"),
    ("feature/cambi/mask.cpp", "like_right && row[x] == below[x]", "like_right || row[x] == below[x]",
     "unit_tests", "*Derivative*"),
    ("feature/cambi/mode_filter.cpp", "return std::min({a, b, c});", "return b;", "unit_tests", "*ModeFilter*"),
    ("feature/cambi/visibility.cpp", "> threshold * base", ">= threshold * base * 1.01",
     "unit_tests", "*Visib*:*Tvi*:*Luminance*"),
    ("feature/cambi/visibility.cpp", "kPeak = 1000.0;", "kPeak = 1200.0;", "unit_tests", "*Hlg*:*Luminance*"),
    ("feature/cambi/visibility.cpp", "return level == foot ? 0 : level;", "return level;", "unit_tests", "*Visib*:*Luminance*"),
    ("feature/cambi/pooling.cpp", "std::clamp<int64_t>(missing - num_larger,", "std::clamp<int64_t>(missing,",
     "unit_tests", "*Pool*"),
    ("feature/cambi/pooling.cpp", "if (outside || num_kept_ == capacity_) return false;", "if (outside) return false;",
     "unit_tests", "*Pool*"),
    ("feature/cambi/pooling.cpp", "int64_t missing = count_ - tally_.above;", "int64_t missing = count_ - tally_.above + 1;",
     "unit_tests", "*Pool*"),
    ("feature/cambi/pool.cpp", "hn::Ne(v, hn::Set(f, pivot))", "hn::Ge(v, hn::Set(f, pivot))", "unit_tests", "*Pool*"),
    ("feature/word_filter.h", "index < 0 ? -index : index", "index < 0 ? -index - 1 : index", "unit_tests", "Vif*:Motion*"),
    ("feature/adm/plan.cpp", "(size - 5) / 10", "(size - 4) / 10", "unit_tests", "AdmPlan*"),
    ("feature/adm/csf.cpp", "return {36453, 36453, 49417};", "return {36451, 36451, 49414};", "unit_tests", "AdmSensitivity*"),
    ("feature/adm/cube_root.cpp", "if (!(x > 0)) return", "if (x < -1) return", "unit_tests", "AdmCubeRoot*"),
    ("feature/adm/decouple.cpp", "return static_cast<int32_t>(reference < 0 ? -limited : limited);", "return static_cast<int32_t>(limited);", "unit_tests", "AdmDecouple*"),
    ("feature/adm/decouple.cpp", "if (HWY_LIKELY(hn::AllFalse(F64(), unsure))) return aligned;", "return aligned;", "unit_tests", "AdmDecouple*"),
    ("feature/adm/decouple.cpp", "hn::Add(quotient, hn::BroadcastSignBit(hn::Sub(one, hn::Mul(quotient, size))))", "quotient", "unit_tests", "AdmDecouple*"),
    ("feature/adm/weigh.cpp", "int32_t{static_cast<int16_t>((weighted + rounding) >> shift)}", "(weighted + rounding) >> shift", "unit_tests", "AdmWeigh*"),
    ("feature/adm/weigh.cpp", "return hn::Add(cut, hn::And(hn::ShiftLeft<32 - kCoarseCut>(v), missing));", "return cut;", "unit_tests", "AdmWeigh*"),
    ("feature/adm/cubes.cpp", "sum - static_cast<uint32_t>(masker.here[x])", "sum", "unit_tests", "AdmMaskedCubes*"),
    ("feature/adm/wavelet.h", "{-1, width, width + 1}", "{-1, width}", "unit_tests", "AdmWavelet*"),
    ("feature/adm/driver.cpp", "if (row + 1 == plan.height && plan.rows.contains(row)) add_masked(scale, row);", "", "cli_tests", "AdmGolden.S*"),
    ("feature/adm/score.cpp", "plan.is_finest ? static_cast<double>(sums[i]) : double{static_cast<float>(sums[i])}", "static_cast<double>(sums[i])", "unit_tests", "AdmScore*"),
    ("feature/adm/score.cpp", "if (all.denominator < least) all.denominator = 0;", "", "unit_tests", "AdmScore*"),
    ("feature/adm/fine_wavelet.cpp", "run_at<kHigh>(width_ - step, out);", "", "unit_tests", "AdmWavelet*"),
    ("feature/adm/coarse_wavelet.cpp", "int64_t low = half_unit(shift), high = low;", "int64_t low = half_unit(shift), high = 0;", "unit_tests", "AdmWavelet*"),
    ("feature/vif/log_table.cpp", "static_cast<float>(std::log2(static_cast<double>(i)))", "static_cast<float>(std::log2(static_cast<double>(i) + 0.01))", "unit_tests", "VifLogTable*"),
    ("feature/vif/information-inl.h", "hn::Max(residual, hn::Zero(d))", "residual", "unit_tests", "VifStatistics*"),
    ("shaders/vif/gain.glsl", "rest > (quotient >> 16) + (a >> 18) + 2", "rest > 0", "gpu_tests", "VifGpuExplain*"),
    ("shaders/vif/gain.glsl", "half_gap < 0 ? level :", "true ? level :", "gpu_tests", "VifGpuExplain*"),
    ("shaders/vif/gain.glsl", "x > least.low + 2 ? kBeyond", "x > least.low ? kBeyond", "gpu_tests", "VifGpuExplain*"),
    ("shaders/vif/gain.glsl", "is_sure = fraction.low < kNearlyOne;", "is_sure = true;", "gpu_tests", "VifGpuExplain*"),
    ("shaders/vif/double.glsl", "has_bits_below(number, dropped - 1)", "false", "gpu_tests", "VifGpuExplain*"),
    ("shaders/vif/filters.glsl", "min(place, period - place)", "min(place, size - 1)", "gpu_tests", "VifGpu*"),
    ("shaders/vif/pair.comp", "if (x + k < p.width) beyond", "beyond", "gpu_tests", "VifGpuPair*"),
    ("feature/vif/information-inl.h", "hn::Gt(v, hn::Set(d, (1 << 24) - 1))", "hn::Gt(v, hn::Set(d, (1 << 30) - 1))", "unit_tests", "VifStatistics*"),
    ("feature/vif/filtered-inl.h", "const auto half = hn::Set(U64(), uint64_t{1} << 31);", "const auto half = hn::Zero(U64());", "unit_tests", "VifStatistics*"),
    ("feature/vif/gain.h", "const double credited = std::min(gain, gain_limit);", "const double credited = std::min(gain, gain + gain_limit);", "unit_tests", "VifStatistics*"),
    ("feature/vif/plan.cpp", "plan.distorted_shift != plan.reference_shift || ", "", "unit_tests", "VifDriver*"),
    ("feature/motion/blurred_difference.cpp", "(count + 1) / 2", "count / 2", "unit_tests", "MotionBlurredDifference*"),
    ("feature/motion/blurred_difference.cpp", "} else if (bit_depth < 16) {", "} else if (bit_depth <= 16) {", "unit_tests", "MotionBlurredDifference*"),
    ("shaders/motion/blurred_difference.comp", "kTap2 * outer + (1 << (shift - 1))", "kTap2 * outer", "gpu_tests", "MotionGpu*"),
    ("shaders/motion/blurred_difference.comp", "return min(index % period, period - index % period);", "return index % period;", "gpu_tests", "MotionGpu*"),
    ("shaders/motion/blurred_difference.comp", "k < count && y + i < int(p.height)", "k < count", "gpu_tests", "MotionGpu*"),
    ("shaders/motion/blurred_difference.comp", "column + k < width ? bits[k] : 0", "bits[k]", "gpu_tests", "MotionGpu*"),
    ("feature/frame_slot.cpp", "use.before.distorted + use.before.references);", "use.before.distorted);", "gpu_tests", "Gate.*"),
    ("feature/motion/device.cpp", "references_before[gap - 1]->plane(0)", "references_before[0]->plane(0)", "gpu_tests", "Gate.*"),
    ("feature/motion/device.cpp", "    if (frames.references_before.size() < static_cast<size_t>(options_.gap())) return {.values = {0}};\n", "", "gpu_tests", "Gate.*"),
    ("feature/motion/device.cpp", "    if (pass_.has_excess(readback_.mapped())) refuse_luma({{frames.reference.value(), video_}});\n", "", "gpu_tests", "Gate.*"),
    ("feature/motion/score.cpp", "back >= gap_ ?", "back > gap_ ?", "unit_tests", "MotionSequence*"),
    ("feature/motion/score.cpp", "if (taken_ <= gap_) return first_frames(0);", "if (taken_ < gap_) return first_frames(0);", "unit_tests", "MotionSequence*"),
    ("feature/motion/score.cpp", "    before_ = motion3;\n    return values_of(score", "    before_ = shown;\n    return values_of(score", "unit_tests", "MotionSequence*"),
    ("cli/reports/threshold.cpp", "threshold.inclusive ? value < bound", "threshold.inclusive ? value <= bound", "cli_tests", "*Threshold*"),
    ("cli/reports/bench_figures.cpp", "upload + device >= kLimits * frame", "upload >= kLimits * frame", "cli_tests", "Bench*"),
    ("cli/reports/run_pace.cpp", "run.pace->seconds / 2", "run.pace->seconds", "cli_tests", "RunPace*"),
    ("feature/cambi/stage_bytes.cpp", "halved ? int64_t{last_width} * scale.height : last", "last", "unit_tests", "*StageBytes*"),
    ("cli/reports/run_rates.cpp", "one.rate <= other.rate && one.value >= other.value", "one.rate < other.rate && one.value >= other.value", "cli_tests", "RunRates*"),
    ("cli/reports/run_rates.cpp", "(one.rate < other.rate || one.value > other.value)", "true", "cli_tests", "RunRates*"),
    ("cli/reports/run_rates.cpp", "ranks_highest_first(runs, {basis.metric, basis.statistic}) ? 1 : -1", "-1", "cli_tests", "RunRates*"),
    ("cli/reports/run_moments.cpp", ".better = Better::kLower, .flawless = 0", ".better = Better::kLower", "cli_tests", "RunMoments*"),
    ("cli/reports/run_moments.cpp", "low = std::min(low.value_or(*score), *score);", "low = *score;", "cli_tests", "RunMoments*"),
    ("cli/reports/run_moments.cpp", "extent.high = std::max(extent.high, values[i]);", "extent.high = values[i];", "cli_tests", "RunMoments*"),
    ("cli/reports/run_remarks.cpp", "scored < 0.9 * *video->duration", "scored < 0.001 * *video->duration", "cli_tests", "RunRemarks*"),
    ("cli/reports/run_remarks.cpp", "if (groups.size() < 2) return {};", "if (groups.empty()) return {};", "cli_tests", "RunRemarks*"),
    ("cli/reports/compare.cpp", ".is_unknown = true};", "};", "cli_tests", "Compare.*"),
    ("cli/decoding/frame_finder.cpp", "double least = reach_;", "double least = 3 * reach_;", "cli_tests", "FrameFinder*"),
    ("cli/decoding/frame_finder.cpp", "std::max(0.0, seconds - kLeadSeconds)", "seconds + kLeadSeconds", "cli_tests", "FrameFinder*"),
    ("cli/run/look_again.cpp", "*video.file_bytes == *info.file_bytes", "*video.file_bytes >= 0", "cli_tests", "LookAgain*"),
    ("cli/run/look_again.cpp", "return !request_ || scores_fit(shots);", "return true;", "cli_tests", "LookAgain*"),
    ("cli/run/run_facts.cpp", "if (!input.bit_rate && measured)", "if (measured)", "cli_tests", "StreamFacts*"),
    ("cli/decoding/ffmpeg_source.cpp", "missing.empty() && damage_.count() == 0", "damage_.count() == 0", "cli_tests", "StreamFacts*"),
    ("cli/reports/threshold.cpp", "if (percent) value /= 100;", "", "cli_tests", "*Threshold*"),
    ("cli/reports/threshold.cpp", "<= kBaselineError ? bound : value", "<= 0 ? bound : value", "cli_tests", "*Threshold*"),
    ("cli/reports/threshold.cpp", "threshold.is_percent ? std::abs(baseline) : 1", "threshold.is_percent ? baseline : 1", "cli_tests", "*Threshold*"),
    ("cli/reports/threshold.cpp", "threshold.is_percent = percent && !is_share;", "threshold.is_percent = percent;", "cli_tests", "*Threshold*"),
    ("cli/reports/threshold.cpp", "(threshold.is_signed && !std::signbit(threshold.value))", "threshold.is_signed", "cli_tests", "*Threshold*"),
    ("cli/reports/threshold.cpp", "if (!threshold.is_signed || find_metric(baseline.report, name) != nullptr) continue;", "continue;", "cli_tests", "*Threshold*"),
    ("cli/reports/baseline.cpp", "return spec.kind == OptionKind::kPath;", "return spec.kind != OptionKind::kPath;", "cli_tests", "Baseline*"),
    ("cli/reports/junit.cpp", "&one == &suite.cases.front() ? suite.seconds : 0", "suite.seconds", "cli_tests", "Junit*"),
    ("cli/reports/junit.cpp", "errors += count_of(suite, Outcome::kError);", "errors += count_of(suite, Outcome::kFailed);", "cli_tests", "Junit*"),
    ("cli/text/fit_text.cpp", "if (is_first) gap = gap.substr(0, most_indent(width_));", "", "cli_tests", "FitText*"),
    ("cli/text/fit_text.cpp", "gains && column_ + gap.size()", "column_ + gap.size()", "cli_tests", "FitText*"),
    ("cli/text/fit_text.cpp", "(text[at] & 0xC0) == 0x80", "false", "cli_tests", "ShortenMiddle*"),
    ("cli/text/fit_text.cpp", "Kept::kBoth, Kept::kTail, Kept::kHead", "Kept::kBoth, Kept::kHead", "cli_tests", "ShortenNames*"),
    ("cli/text/text_table.cpp", "std::min(widths_[last], kWellWrapped)", "widths_[last]", "cli_tests", "TextTable*"),
    ("cli/text/text_table.cpp", "columns_[c].least == 0 || ", "", "cli_tests", "TextTable*"),
    ("cli/system/github.cpp", 'line += "%0A";', "line += c;", "cli_tests", "Github*"),
    ("cli/run/pair_reader.cpp", "position % subsample_ == 0", "position % subsample_ == 1", "cli_tests", "*ReportProgram*"),
    ("cli/run/pair_reader.cpp", "if (queue.skipped() >= wanted) return;", "return;",
     "cli_tests", "*BadInput*Argument*:*BadInputFile*"),
    ("cli/run/pair_reader.cpp", "kClockSlack = 0.0005", "kClockSlack = 0", "cli_tests", "ReportProgram*"),
    ("cli/run/crop.cpp", "bottom_ = std::max(bottom_, lit.bottom)", "bottom_ = std::max(bottom_, lit.top)", "cli_tests", "*Crop*:*ActiveArea*"),
    ("cli/run/crop.cpp", "if (!lit.has_columns()) return true;", "", "cli_tests", "*ActiveArea*"),
    ("feature/lit_area.cpp", "hn::IfThenZeroElse(seen, ", "hn::IfThenElseZero(seen, ", "unit_tests", "CountLit*"),
    ("feature/lit_area.cpp", "std::min<int>(kMaxSide, hwy::LimitsMax<T>())", "kMaxSide", "unit_tests", "CountLit*"),
    ("feature/lit_area.cpp", "return count > limit;", "return count >= limit;", "unit_tests", "LitAreaStage*"),
    ("feature/lit_area.cpp", "format.range == Range::kFull ? 0 : kBlack8", "format.range != Range::kLimited ? 0 : kBlack8", "unit_tests", "LitRule*"),
    ("feature/bounds/plan.cpp", "area.has_rows() && area.has_columns()", "area.has_rows()", "unit_tests", "BoundsResult*"),
    ("shaders/adm/alignment.glsl", "is_exactly_aligned(reference, distorted);", "false;", "gpu_tests", "AdmGpu*"),
    ("shaders/adm/alignment.glsl", "is_up ? kept + 1 : kept", "kept", "gpu_tests", "AdmGpu*"),
    ("shaders/adm/cubes.glsl", "if (bits > 53)", "if (bits > 99)", "gpu_tests", "AdmGpu*"),
    ("shaders/adm/cubes.glsl", "max(ivec3(size - (uvec3(threshold) << kThresholdShifts)), ivec3(0))", "ivec3(size - (uvec3(threshold) << kThresholdShifts))", "gpu_tests", "AdmGpuCubes*"),
    ("shaders/adm/cubes.glsl", "kOne / 2 - negative", "uvec3(kOne / 2)", "gpu_tests", "AdmGpuCubes*"),
    ("shaders/adm/cubes.glsl", "2 * int(size) - 1 - i", "2 * int(size) - 2 - i", "gpu_tests", "AdmGpuCubes*"),
    ("shaders/adm/fine_wavelet.comp", "place(width - 2)", "place(width - 1)", "gpu_tests", "AdmGpu*"),
    ("shaders/adm/fine_wavelet.comp", "count == 3 ? beyond : beyond * 0x10001", "beyond * 0x10001", "gpu_tests", "AdmGpu*"),
    ("shaders/adm/coarse_cubes.comp", "product.high - 1 +", "product.high +", "gpu_tests", "AdmGpu*"),
    ("shaders/adm/coarse_cubes.comp", "min(distorted, 2 * one_or_more)", "distorted", "gpu_tests", "AdmGpuCubes*"),
    ("shaders/adm/coarse_wavelet.comp", "(sum_of(upper, taps) - bias)", "sum_of(upper, taps)", "gpu_tests", "AdmGpuWavelet*"),
    ("shaders/adm/fine_cubes.comp", "min(distorted, size + 1)", "distorted", "gpu_tests", "AdmGpuCubes*"),
    ("shaders/adm/add_rows.comp", "which < from.strips ?", "true ?", "gpu_tests", "AdmGpuCubes*"),
    ("shaders/adm/add_rows.comp", "from.reference_shift == 0 ? sum :", "true ? sum :", "gpu_tests", "AdmGpuCubes*"),
    ("shaders/bounds/count_lit.comp", "x + k < p.width && ", "", "gpu_tests", "BoundsGpu*"),
    ("shaders/bounds/lit_area.comp", "<= p.column_limit", "< p.column_limit", "gpu_tests", "BoundsGpu*"),
    ("shaders/ssim/shrink.comp", "below_half + (low >> dropped & 1)", "below_half + 1", "gpu_tests", "SsimGpu*"),
    ("shaders/ssim/shrink.comp", "const int x = mirrored(first.x + u, width);", "const int x = clamp(first.x + u, 0, width - 1);", "gpu_tests", "SsimGpu*"),
    ("shaders/ssim/shrink.comp", "sum_high + (sum_low >> kLowBits)", "sum_high", "gpu_tests", "SsimGpu*"),
    ("shaders/ssim/shrink.comp", "low = low >> dropped << dropped;", "", "gpu_tests", "SsimGpuShrink*"),
    ("shaders/ssim/shrink.comp", "first <= x + k && x + k < end", "x + k < end", "gpu_tests", "SsimGpuShrink*"),
    ("shaders/ssim/shrink.comp", "place * factor - factor / 2", "place * factor", "gpu_tests", "SsimGpuShrink*"),
    ("shaders/histogram/bins.glsl", "kPairs ? number << 16 * (bin & 1) : number", "number", "gpu_tests", "HistogramGpu*"),
    ("shaders/histogram/bins.glsl", "kTopWord - smallest[c]", "kTopWord - largest[c]", "gpu_tests", "HistogramGpu*"),
    ("shaders/histogram/rgb.glsl", "(y >> kShiftY)", "y", "gpu_tests", "HistogramGpuCountRgb*"),
    ("shaders/histogram/rgb.glsl", "kChromaBytes < 4 ? at % 4 : 0", "0", "gpu_tests", "HistogramGpuCountRgb*"),
    ("feature/histogram/device.cpp", "recorder.fill(counts_, 0);", "", "cli_tests", "*HistogramDeviceProgram*"),
    ("feature/bounds/device_passes.cpp", "recorder.fill(counts_, 0);", "", "gpu_tests", "BoundsGpu*"),
    ("cli/decoding/y4m.cpp", 'value == "t" || value == "b" || value == "m"', 'value == "t" || value == "b"',
     "cli_tests", "*Y4m*:*Planar*"),
    ("cli/reports/statistic.cpp", 'last == 3 ? "rd" : "th"', '"th"', "cli_tests", "*Statistic*:*Threshold*"),
    ("cli/reports/csv_field.cpp", "if (c == '\"') out += '\"';", "", "cli_tests", "*ReportWriter*"),
    ("cli/system/output_check.cpp", "if (!same_file(names[i].path, names[j].path)) continue;", "continue;",
     "cli_tests", "MessagesOf*"),
    ("cli/system/output_file.cpp", "if (placed_ == Placed::kNew) ops_->rename(target_.c_str(), temporary_.c_str());", "",
     "cli_tests", "*OutputFile*"),
    ("cli/system/signal_cleanup.cpp", "if (unlink(note.path) != 0) rmdir(note.path);", "", "cli_tests", "*Interrupt*"),
    ("cli/run/pair_reader.cpp", "pair->is_reported || every_frame_", "pair->is_reported", "cli_tests", "PsnrProgram*"),
    ("cli/run/scorer.cpp", "auto found = std::find_if(requests.begin(), requests.end(), has_folder);", "static_cast<void>(has_folder); auto found = requests.end();", "cli_tests", "PsnrProgram*"),
    ("cli/run/scorer.cpp", "return !is_neutral(", "return is_neutral(", "cli_tests", "BoundsProgram*"),
    ("feature/registry.cpp", "is_known(info) && info.better", "info.better", "cli_tests", "Statistics*:Compare*"),
    ("feature/compared_videos.cpp", ".distorted_shift = depth - distorted.bit_depth", ".distorted_shift = 0", "unit_tests", "ComparedVideos*"),
    ("feature/compared_videos.cpp", "std::min(video.width, video.height) >= shortest", "std::min(video.width, video.height) > shortest", "unit_tests", "ComparedVideos*"),
    ("feature/ssim/compare.cpp", "for (int x = 0; x < width; x += step) hn::StoreU(hn::Mul", "for (int x = 0; x + step <= width; x += step) hn::StoreU(hn::Mul", "unit_tests", "SsimCompare*"),
    ("feature/ssim/compare.cpp", "hn::Max(hn::Sub(mean_square, hn::Mul(mean, mean)), hn::Zero(F32()))", "hn::Sub(mean_square, hn::Mul(mean, mean))", "unit_tests", "SsimCompare*"),
    ("feature/ssim/compare.cpp", "hn::IfThenZeroElse(is_left_out, covariance)", "hn::IfThenElse(is_left_out, covariance, covariance)", "unit_tests", "SsimCompare*"),
    ("feature/ssim/compare.cpp", "covariance < 0 && deviations <= 0 ? 0 : covariance", "covariance", "unit_tests", "SsimCompare*"),
    ("feature/ssim/halve.cpp", "count = halved(width) + kMargin", "count = halved(width) + kMargin - 1", "unit_tests", "SsimHalve*"),
    ("feature/ssim/halve.cpp", "u / 2 - kMargin", "(u + 1) / 2 - kMargin", "unit_tests", "SsimHalve*"),
    ("feature/ssim/shrink.cpp", "if (x < width) at(width - step);", "", "unit_tests", "SsimShrink*"),
    ("feature/ssim/shrink.cpp", "sum += sums.data[mirrored(first + u, in.width)]", "sum += sums.data[first + u < 0 ? 0 : first + u < in.width ? first + u : in.width - 1]", "unit_tests", "SsimShrink*"),
    ("feature/ssim/stages.h", "w / factor + (w & 1)", "(w + factor - 1) / factor", "unit_tests", "Ssim*"),
    ("feature/ssim/plan.cpp", "decibels < limit ? decibels : limit", "std::min(decibels, limit)", "unit_tests", "SsimValues*"),
    ("feature/ssim/plan.cpp", "kLuminanceExponents = {0, 0, 0, 0, 0.1333F}", "kLuminanceExponents = {0.0448F, 0.2856F, 0.3001F, 0.2363F, 0.1333F}", "unit_tests", "MsSsimValues*"),
    ("feature/ssim/plan.cpp", "(side + kUsualSide / 2) / kUsualSide", "side / kUsualSide", "unit_tests", "SsimPlan*"),
    ("feature/ssim/plan.cpp", "limit = std::ceil(10 *", "limit = (10 *", "unit_tests", "SsimValues*"),
    ("feature/ssim/plan.cpp", "power(means.structure, kExponents[k])", "power(means.contrast, kExponents[k])", "unit_tests", "MsSsimValues*"),
    ("feature/ssim/host_feature.cpp", "stages_.halve(picture(*workspace, i, k - 1)", "stages_.halve(picture(*workspace, 0, k - 1)", "cli_tests", "SsimGolden.*"),
    ("feature/ssim/device.cpp", "formats.reference.value().bit_depth, plan.factor", "formats.distorted.bit_depth, plan.factor", "cli_tests", "SsimOnDevice.TheDeviceShrinks*"),
    ("feature/ssim/device_passes.cpp", "weight.mantissa == kLeastMantissa", "weight.mantissa >= kLeastMantissa", "gpu_tests", "SsimGpuShrink*"),
    ("feature/ciede/elementary.h", "if (x < 0) result = kPi - result;", "", "unit_tests", "CiedeElementary*"),
    ("feature/ciede/elementary-inl.h", "hn::Max(divisor, all(kLeastDivisor))", "divisor", "unit_tests", "CiedeDifferences*"),
    ("feature/ciede/elementary.h", " - half_turns * kPiLower", "", "unit_tests", "Ciede*"),
    ("feature/ciede/colours.cpp", "hn::Gt(t, all(kCubeLimit))", "hn::Ge(t, all(0))", "unit_tests", "CiedeColours*"),
    ("feature/ciede/differences.cpp", "rounded((sum + 2 * kPi) / 2)", "rounded((sum >= 2 * kPi ? sum - 2 * kPi : sum + 2 * kPi) / 2)", "unit_tests", "CiedeDifferences*"),
    ("feature/ciede/differences.cpp", "(kWeightH * weight_h)", "weight_h", "unit_tests", "CiedeDifferences*"),
    ("feature/ciede/differences.cpp", "-2 * std::sqrt(double{share})", "2 * std::sqrt(double{share})", "unit_tests", "CiedeDifferences*"),
    ("feature/ciede/spread_rows.cpp", "if (out.width % 2 != 0)", "if (false)", "unit_tests", "CiedeSpreadRows*"),
    ("feature/ciede/spread_rows.cpp", "plane.u16.row(y >> shifts.y)", "plane.u16.row(y >> shifts.x)", "unit_tests", "CiedeSpreadRows*"),
    ("feature/ciede/difference_constants.h", "kSin63 = 0.", "kSin63 = -0.", "unit_tests", "CiedeDifferences*"),
    ("feature/ciede/colour_constants.h", "kGammaLimit = 10.0 / 255.0", "kGammaLimit = 12.0 / 255.0", "unit_tests", "CiedeColours*"),
    ("feature/ciede/plan.cpp", "45 - 20 *", "45 - 10 *", "unit_tests", "CiedePlan*"),
    ("feature/ciede/host_feature.cpp", "colours(frames.distorted, plan_.distorted", "colours(frames.distorted, plan_.reference", "cli_tests", "CiedeGolden.*"),
    ("feature/psnr/squared_error.cpp", "x + step - width)", "x + step - width - 1)", "unit_tests", "PsnrSquaredError*"),
    ("feature/psnr/squared_error.cpp", "<< 9)", "<< 8)", "unit_tests", "PsnrSquaredError*"),
    ("feature/psnr_hvs/error_sum.cpp", "for (int i = 1; i < kBlockSamples; ++i) sum +=", "for (int i = 0; i < kBlockSamples; ++i) sum +=", "unit_tests", "PsnrHvs*"),
    ("feature/psnr_hvs/error_sum.cpp", "std::min(lanes(), across - x)", "lanes()", "unit_tests", "PsnrHvs*"),
    ("feature/psnr_hvs/error_sum.cpp", "(quarters[0] + quarters[1] +", "(quarters[0] + quarters[0] +", "unit_tests", "PsnrHvs*"),
    ("feature/psnr_hvs/error_sum.cpp", "kQuarterVariance = 1.0F / 15 * 16", "kQuarterVariance = 1.0F / 16 * 16", "unit_tests", "PsnrHvs*"),
    ("feature/psnr_hvs/error_sum.cpp", "const float mask = std::max(mask_a, mask_b);", "const float mask = std::min(mask_a, mask_b);", "unit_tests", "PsnrHvs*"),
    ("feature/psnr_hvs/plan.h", "(side - kBlockSide) / kBlockStep + 1", "side / kBlockStep", "unit_tests", "PsnrHvs*"),
    ("feature/psnr_hvs/plan.cpp", "errors[0] * 0.8 + 0.1", "errors[0] * 0.8 + 0.2", "unit_tests", "PsnrHvs*"),
    ("feature/psnr_hvs/plan.cpp", "/ (peak * peak)", "/ peak", "unit_tests", "PsnrHvs*"),
    ("feature/psnr_hvs/transform.cpp", "(a + (a < 0 ? 1 : 0)) >> 1", "a >> 1", "unit_tests", "PsnrHvs*"),
    ("feature/psnr_hvs/transform-inl.h", "lift<7489, 13>(t5)", "lift<7488, 13>(t5)", "unit_tests", "PsnrHvs*"),
    ("feature/psnr_hvs/weights.cpp", "kContrast[plane]", "kContrast[plane == 0 ? 0 : 1]", "unit_tests", "PsnrHvs*"),
    ("feature/psnr_hvs/weights.cpp", "scaled * scaled", "scaled", "unit_tests", "PsnrHvs*"),
    ("feature/psnr_hvs/ordered_sum-inl.h", "1 << lane % 8", "1 << lane % 4", "unit_tests", "PsnrHvs*"),
    ("feature/speed/covariance.cpp", "width - x);\n      centre", "width - x - 1);\n      centre", "unit_tests", "SpeedCovariance*"),
    ("feature/speed/covariance.cpp", "(positions + additions + 100.0)", "0.0", "unit_tests", "SpeedCovariance*"),
    ("feature/speed/covariance.cpp", "sums[k] += products[k][i]", "sums[k] += products[0][i]", "unit_tests", "SpeedCovariance*"),
    ("feature/speed/shifted_products-inl.h", "column <= kReach; ++column", "column < kReach; ++column", "unit_tests", "SpeedCovariance*"),
    ("feature/speed/shifted_products-inl.h", "i < size ? kReach", "i <= size ? kReach", "unit_tests", "SpeedCovariance*"),
    ("feature/speed/device_inputs.cpp", "reference_difference ? Picture::kReference", "reference_difference ? Picture::kDistorted", "cli_tests", "SpeedGoldenOnDevice.*"),
    ("feature/speed/device_inputs.cpp", ".plane = 1 + i / 2", ".plane = 1 + i % 2", "cli_tests", "SpeedOnDevice.*"),
    ("feature/speed/device_passes.cpp", "plane.plane.layout.stride_bytes()", "subtracted.plane.layout.stride_bytes()", "gpu_tests", "SpeedGpu*"),
    ("shaders/speed/reduce.comp", "2 * size - uint(i) - 2", "2 * size - uint(i) - 1", "gpu_tests", "SpeedGpu*"),
    ("shaders/speed/reduce.comp", "precise float sum = 0, total = 0;", "float sum = 0, total = 0;", "gpu_tests", "SpeedGpu*"),
    ("shaders/speed/reduce.comp", "kIsNormalised ? quotient(sum, total) : sum", "sum", "gpu_tests", "SpeedGpuReduce*"),
    ("shaders/speed/reduce.comp", "* p.subtracted_scale - kMiddle", "* p.scale - kMiddle", "gpu_tests", "SpeedGpuReduce*"),
    ("shaders/speed/quotient.glsl", "digits + 1 >> 1", "digits >> 1", "gpu_tests", "SpeedGpuQuotient*"),
    ("shaders/speed/quotient.glsl", " || exponent <= 0 ? 0", " ? 0", "gpu_tests", "SpeedGpuQuotient*"),
    ("feature/speed/host_feature.cpp", "reference_difference ? reference : distorted", "reference_difference ? distorted : reference", "unit_tests", "SpeedTemporal*"),
    ("feature/speed/logarithm.h", "s + s * (square * sum)", "s + s * square / 3", "unit_tests", "SpeedLogarithm*"),
    ("feature/speed/plan.cpp", "kBlockSide;\n  if (scaled.width", "kBlockSide - 1;\n  if (scaled.width", "unit_tests", "SpeedPlan*"),
    ("feature/speed/plan.cpp", "luma.width >> shifts.x", "(luma.width + shifts.x) >> shifts.x", "unit_tests", "SpeedPlan*"),
    ("feature/speed/score.cpp", "er < plan.base_entropy && ed", "ed", "unit_tests", "SpeedScore*"),
    ("feature/speed/score.cpp", "if (u.is_marked && !v.is_marked) both = v.value;", "", "unit_tests", "SpeedScore*"),
    ("feature/speed/score.cpp", "return {weight_of(r), mixed_weight(r, 0.75, d)};", "return {weight_of(r), mixed_weight(r, 0.25, d)};", "unit_tests", "SpeedScore*"),
    ("feature/speed/score.cpp", "static_cast<double>(score) < max_value ? static_cast<double>(score) : max_value", "static_cast<double>(score) > max_value ? max_value : static_cast<double>(score)", "unit_tests", "SpeedScore*"),
    ("feature/speed/scaling.cpp", "{{first, 1 - distance}, {second, distance}}", "{{first, distance}, {second, 1 - distance}}", "unit_tests", "SpeedScaling*"),
    ("feature/speed/solve.cpp", "if (has_small_pivot(r)) return false;\n  multiply(q, y, x);", "multiply(q, y, x);", "unit_tests", "SpeedSolve*"),
    ("feature/speed/gaussian.cpp", "count % 2 == 0 ? count + 1 : count", "count", "unit_tests", "SpeedFilter*"),
    ("feature/speed/gaussian.cpp", "2.0 * size / 5", "1.0 * size / 5", "unit_tests", "SpeedFilter*"),
    ("feature/speed/eigenvalues.cpp", "for (int r = m + 1; r < kVariables; ++r) squares", "for (int r = m; r < kVariables; ++r) squares", "unit_tests", "SpeedEigenvalues*"),
    ("feature/speed/eigenvalues.cpp", "start = m / step * step;", "start = m;", "unit_tests", "SpeedEigenvalues*"),
    ("feature/speed/qr_iteration.cpp", "bulge = -r.s * bq", "bulge = r.s * bq", "unit_tests", "SpeedEigenvalues*"),
    ("feature/speed/qr_iteration.cpp", "kNegligible = 1e-6", "kNegligible = 1e-3", "unit_tests", "SpeedEigenvalues*"),
    ("feature/speed/entropies.cpp", "hn::Set(d, eigenvalues[i] >= 0 ? eigenvalues[i] : 0.0F)", "hn::Set(d, eigenvalues[i])", "unit_tests", "SpeedEntropies*"),
    ("feature/speed/entropies.cpp", "= eigenvalues[i] >= 0 ? eigenvalues[i] : 0;", "= eigenvalues[i];", "unit_tests", "SpeedEntropies*"),
    ("feature/speed/rows.cpp", "rows.is_normalised ? sum / weights : sum", "sum", "unit_tests", "SpeedScaleRow*"),
    ("feature/speed/rows.cpp", "for (; x < width; ++x)", "for (; x + 1 < width; ++x)", "unit_tests", "SpeedFloatRow*"),
    ("feature/speed/planes.cpp", "static_cast<double>(value) < kLeastEigenvalue", "static_cast<double>(value) < -kLeastEigenvalue", "unit_tests", "SpeedChromaFrame*"),
    ("feature/speed/planes.cpp", "*to++ = row[kBlockSide * bx];", "*to++ = row[bx];", "cli_tests", "*SpeedGolden.*"),
    ("feature/psnr/score.cpp", "if (error.squared == 0) return top;", "", "unit_tests", "PsnrScore*"),
    ("feature/psnr/score.cpp", "6 * bit_depth_ + 12", "6 * bit_depth_ + 10", "unit_tests", "PsnrScore*"),
    ("feature/histogram/count_plane.cpp", "if (whole < plane.width) scalar::count_plane", "if (whole < 0) scalar::count_plane", "unit_tests", "HistogramCount*"),
    ("feature/histogram/count_rgb.cpp", "rest, divisor), one)", "rest, hn::Zero(d)), one)", "unit_tests", "HistogramCount*"),
    ("feature/histogram/count_rgb.cpp", "luma_row[x], cb_row[chroma_x]", "luma_row[x], cb_row[chroma_x / 2]", "unit_tests", "HistogramCount*"),
    ("feature/histogram/value_counts-inl.h", "counts_.bins[bin] += total;", "counts_.bins[bin] = total;", "unit_tests", "HistogramCount*"),
    ("core/segments.cpp", "score <= level : score >= level", "score < level : score > level", "unit_tests", "Segments*"),
    ("core/segments.cpp", "report.frames[end] - 1 : report.frames[end - 1]", "report.frames[end - 1] : report.frames[end - 1]", "unit_tests", "Segments*"),
    ("core/segments.cpp", "is_as_bad(metric, values[i], rule.until)", "is_as_bad(metric, values[i], rule.from)", "unit_tests", "Segments*"),
    ("core/segments.cpp", "is_worse(metric, values[i], values[worst])", "!is_worse(metric, values[worst], values[i])", "unit_tests", "Segments*"),
    ("core/segments.cpp", "if (!has_next && segment.end) *segment.end += frame_seconds(report);", "", "unit_tests", "Segments*"),
    ("core/segments.cpp", "seconds + kSlack >= rule.shortest_seconds", "seconds - kSlack >= rule.shortest_seconds", "unit_tests", "Segments*"),
    ("core/segments.cpp", "if (frames < rule.shortest_frames) return false;", "if (frames <= rule.shortest_frames) return false;", "unit_tests", "Segments*"),
    ("core/segments.cpp", "report.frames[position] + input->skipped", "report.frames[position]", "unit_tests", "Segments*"),
    ("feature/scene_cuts.cpp", "product, 0.0, 1.0)", "product, -1.0, 1.0)", "unit_tests", "SceneCuts*"),
    ("feature/scene_cuts.cpp", "change_here >= kPlainChange ? 1 : kReach", "1", "unit_tests", "SceneCuts*"),
    ("feature/scene_cuts.cpp", "change_here >= kPlainChange ? 1 : kReach", "kReach", "unit_tests", "SceneCuts*"),
    ("feature/scene_cuts.cpp", "change(i) * kProminence > change_here", "change(i) > 2 * change_here", "unit_tests", "SceneCuts*"),
    ("feature/scene_cuts.cpp", " && !comes_back(position)", "", "unit_tests", "SceneCuts*"),
    ("feature/scene_cuts.cpp", "position >= k + 1 && likeness", "false && likeness", "unit_tests", "SceneCuts*"),
    ("feature/scene_cuts.cpp", "position - std::min(position, kReach), end = std::min(position + kReach, kept_.size())", "position - 1, end = position + 1", "unit_tests", "SceneCuts*"),
    ("feature/scene_cuts.cpp", "(contrast + kLeastContrast)", "(contrast + 1e-9)", "unit_tests", "SceneCuts*"),
    ("feature/scene_cuts.cpp", "size_t i = judged_; i < kept_.size()", "size_t i = judged_; i + 1 < kept_.size()", "unit_tests", "SceneCuts*"),
    ("cli/reports/segment_zones.cpp", "*end - 1 - zone.last <= reach", "*end - zone.last <= reach", "cli_tests", "Zones*"),
    ("cli/reports/segment_zones.cpp", "zone.first - *std::prev(next) <= reach", "zone.first - *std::prev(next) < reach", "cli_tests", "Zones*"),
    ("cli/reports/segment_zones.cpp", "zone.first <= zones.back().last + 1", "zone.first <= zones.back().last", "cli_tests", "Zones*"),
    ("cli/reports/segment_zones.cpp", "{zone.first + skipped, zone.last + skipped}", "{zone.first, zone.last}", "cli_tests", "Zones*"),
    ("cli/reports/segment_zones.cpp", "std::to_string(zone.last + 1)", "std::to_string(zone.last)", "cli_tests", "Zones*"),
    ("cli/reports/segment_report.cpp", "is_worse(metric, facts.list[a].worst, facts.list[b].worst)", "is_worse(metric, facts.list[b].worst, facts.list[a].worst)", "cli_tests", "SegmentReports*"),
    ("cli/run/scoring_run_watch.cpp", "if (crop_) crop_frame(frame,", "if (false) crop_frame(frame,", "cli_tests", "SceneCutProgram*"),
    ("core/histogram.cpp", "percent * samples + 99", "percent * samples", "unit_tests", "HistogramFigures*"),
    ("feature/histogram/figures.cpp", "share > 0 && share >=", "share >=", "unit_tests", "HistogramFigures*"),
    ("feature/histogram/plan.cpp", "chroma * 2 * (1 - red)),", "chroma * 2 * (1 - blue)),", "unit_tests", "HistogramPlan*"),
    ("cli/pictures/overlay_video.cpp", "*expected_ < kLongVideo", "*expected_ < 1", "cli_tests", "FramePictures*"),
    ("cli/pictures/snapshot.cpp", "const size_t slot = static_cast<size_t>(y) % 2;", "const size_t slot = 0;", "cli_tests", "FramePictures*"),
    ("cli/pictures/image_codec.cpp", "if (png.bytes.size() <= most_bytes || webp_encoder() == nullptr) return png;", "return png;", "cli_tests", "PagePicture*"),
    ("cli/pictures/image_codec.cpp", "webp.exact = false;", "", "cli_tests", "PagePicture*"),
    ("cli/pictures/frame_pictures.cpp", "if (is_new && chosen.size() < count_)", "if (chosen.size() < count_)", "cli_tests", "FramePictures*"),
    ("cli/pictures/frame_pictures.cpp", "sided.flawless.reset();", "sided.flawless = 1e9;", "cli_tests", "FramePictures*"),
    ("cli/pictures/snapshot.cpp", "luma_of(*frame.reference, reference_->range,", "luma_of(*frame.reference, format_.range,", "cli_tests", "FramePictures*"),
    ("cli/pictures/picture_names.cpp", "text.remove_suffix(kind.size());\n    }", "text.remove_suffix(0);\n    }", "cli_tests", "PictureNames*"),
    ("cli/pictures/lettering.cpp", "if ((static_cast<unsigned char>(text[i]) & 0xC0) != 0x80)", "", "cli_tests", "Lettering*"),
    ("cli/decoding/film_grain.cpp", "if (!wanted || !can_be_made(decoder.codec_id, decoder.pix_fmt))", "if (!wanted)", "cli_tests", "FilmGrain*"),
    ("cli/decoding/film_grain.cpp", "return wanted && can_be_made", "return can_be_made", "cli_tests", "FilmGrain*"),
    ("cli/decoding/damage/picture_clerk.cpp", "is_comparable ? (*newest)->frame.get() : nullptr", "is_comparable || has_grain ? (*newest)->frame.get() : nullptr", "cli_tests", "FilmGrain*"),
    ("cli/decoding/ffmpeg_frame.cpp", "component.shift += unused_bits", "component.shift += 0", "cli_tests", "Hardware*"),
    ("cli/decoding/ffmpeg_frame.cpp", "if (unused_bits != 0 && !fills_words) return std::nullopt;", "", "cli_tests", "Hardware*"),
    ("cli/decoding/hardware/hardware_pictures.cpp", "host->crop_left = picture.crop_left;", "", "cli_tests", "Hardware*"),
    ("cli/decoding/hardware/hardware_pictures.cpp", "if (format_ != AV_PIX_FMT_NONE && software != format_) {", "if (false) {", "cli_tests", "Hardware*"),
    ("cli/decoding/ffmpeg_pictures.cpp", "has_other_grain() ||", "", "cli_tests", "Hardware*"),
    ("cli/decoding/ffmpeg_pictures.cpp", "return (threads_ > 1 || is_hardware())", "return (threads_ > 1)", "cli_tests", "Hardware*"),
    ("cli/decoding/decoded_stream.cpp", "options_.hardware.decoder = DecoderWish::kSoftware;\n  const std::string reason", "const std::string reason", "cli_tests", "Hardware*"),
    ("cli/run/score_several.cpp", "i % 2 == 0 ? FilmGrainWish::kOn : FilmGrainWish::kOff", "FilmGrainWish::kOn", "cli_tests", "FilmGrain*"),
    ("cli/pictures/histogram_file.cpp", "    file_.seek(0);\n    write_header();", "", "cli_tests", "HistogramProgram*"),
    ("feature/signature.cpp", "(2 * k + 1) * cell.count", "(2 * k) * cell.count", "unit_tests", "Signature*"),
    ("feature/signature.cpp", "hn::IfThenElseZero(wanted, hn::LoadU(d, run + x))", "hn::LoadU(d, run + x)", "unit_tests", "Signature*"),
    ("feature/signature.cpp", "sum + scale / 2) / scale", "sum) / scale", "unit_tests", "Signature*"),
    ("feature/signature.cpp", "kUnit * kBlack : 0", "kUnit * kBlack / 2 : 0", "unit_tests", "Signature*"),
    ("cli/run/shift_search.cpp", "kCodingNoise = 16", "kCodingNoise = 0.1", "cli_tests", "Alignment*"),
    ("cli/run/alignment.cpp", "block.is_decided && !has_decided_", "false", "cli_tests", "Alignment*"),
    ("cli/run/shift_search.cpp", "kChangePenalty = 8", "kChangePenalty = 0.1", "cli_tests", "Alignment*"),
    ("cli/run/shift_search.cpp", "kPlainRatio = 2", "kPlainRatio = 0", "cli_tests", "Alignment*"),
    ("cli/run/shift_search.cpp", "deviation >= kLeastDeviation", "true", "cli_tests", "Alignment*"),
    ("cli/run/shift_search.cpp", "2 * of_both[s].frames >= path_.size()", "false", "cli_tests", "Alignment*"),
    ("cli/run/shift_search.cpp", "cost(t, s) = count > 0 ? least : 0;", "cost(t, s) = typical_[t];", "cli_tests", "Alignment*"),
    ("cli/run/shift_search.cpp", "if (is_plain) constant_", "if (!is_plain) constant_", "cli_tests", "Alignment*"),
    ("cli/run/alignment.cpp", "kLeastConfidence = 0.5", "kLeastConfidence = 0", "cli_tests", "Alignment*"),
    ("cli/run/alignment.cpp", "frames >= kLeastAlignedFrames && confidence", "confidence", "cli_tests", "Alignment*"),
    ("cli/run/alignment.cpp", "lost.is_present = false;", "", "cli_tests", "Alignment*"),
    ("cli/run/alignment.cpp", "if (was_at_edge && end > done_)", "if (was_at_edge && end < done_)", "cli_tests", "Alignment*"),
    ("cli/run/bars.cpp", "kPlainSlack = 32", "kPlainSlack = 8", "cli_tests", "Bars*"),
    ("cli/run/bars.cpp", "kLeastBar = 0.02", "kLeastBar = 0", "cli_tests", "Bars*"),
    ("cli/run/pair_reader.cpp", "for (const auto& look : looks_) look(*pair);", "", "cli_tests", "AlignProgram*"),
    ("cli/run/scoring_run.cpp", "if (crop_ && pair_watch_) pair_watch_->ignore_bars();", "", "cli_tests", "AlignProgram*"),
    ("cli/run/scoring_run.cpp", "if (crop_ && pair_watch_)", "if (arguments_.crop && pair_watch_)", "cli_tests", "AlignProgram*"),
    ("cli/run/pair_remarks.cpp", "if (!frames || !others) return true;", "if (!frames || !others) return false;", "cli_tests", "PairRemarks*"),
    ("cli/run/pair_remarks.cpp", "std::abs(*frames - expected) <=", "0 <=", "cli_tests", "PairRemarks*"),
    ("cli/run/pair_remarks.cpp", "turn == 180 || ", "", "cli_tests", "PairRemarks*"),
    ("cli/run/pair_remarks.cpp", "reference.width >= video.width ||", "", "cli_tests", "PairRemarks*"),
    ("cli/run/align_report.cpp", "|| have_other_moments(findings)) return", ") return", "cli_tests", "AlignProgram*"),
    ("cli/run/gate_run.cpp", "if (first && !own.align)", "if (false)", "cli_tests", "AlignProgram*"),
    ("cli/system/messages.cpp", "count_ <= kMaxShown", "count_ < kMaxShown", "cli_tests", "Messages*"),
    ("cli/commands/flag_parser.cpp", "if (!flag->may_repeat)", "if (flag->may_repeat)", "cli_tests", "Arguments*"),
    ("cli/commands/flag_parser.cpp", "word.insert(0, 1, kGuard);", "word.insert(0, 0, kGuard);", "cli_tests", "Arguments*"),
    ("cli/commands/arguments.cpp", "return group.scores && ", "return ", "cli_tests", "Arguments*"),
    ("docs/cambi.bash.in", "typed[-1]+=$word", 'typed+=("$word")', "cli_tests", "Completion*"),
    ("docs/cambi.bash.in", '#"$kept"}', "}", "cli_tests", "Completion*"),
    ("docs/make_docs.py", 'if flag["name"] not in known', 'if flag["name"] in known', "cli_tests", "Manual*:Completion*"),
    ("feature/fingerprint/plane_sums.cpp", "place * kFactors[i] + kOffsets[i]", "place + kOffsets[i]", "unit_tests", "*Fingerprint*"),
    ("feature/fingerprint/plane_sums.cpp", "hwy::DivCeil(bytes - at, sizeof(uint32_t))", "(bytes - at) / sizeof(uint32_t)", "unit_tests", "*Fingerprint*"),
    ("feature/fingerprint/plan.cpp", "word(size.width, 0, i + 1) + ", "", "unit_tests", "*Fingerprint*"),
    ("feature/fingerprint/plan.cpp", "hash == last_ ? run_ + 1 : 0", "hash == last_ ? 1 : 0", "unit_tests", "*Fingerprint*"),
    ("cli/reports/frame_match.cpp", "return times[landmark.first] > 1;", "return times[landmark.first] > 1000000;", "cli_tests", "FrameMatch*"),
    ("cli/reports/frame_match.cpp", "shift.equal > match.equal && ", "", "cli_tests", "FrameMatch*"),
    ("cli/reports/diff.cpp", "if (texts.a == texts.b) return;", "if (texts.a == texts.b || texts.b.empty()) return;", "cli_tests", "Diff*"),
    ("shaders/fingerprint/plane_sums.comp", "words[k] & p.last_mask", "words[k]", "gpu_tests", "Fingerprint*"),
    ("shaders/common/wide.glsl", "return Wide(low, a.high + b.high + carry);", "return Wide(low, a.high + b.high);", "gpu_tests", "AdmGpuCubes*"),
    ("cli/text/natural_order.cpp", "return a.size() != b.size() ? a.size() <=> b.size() : a <=> b;", "return a <=> b;", "cli_tests", "NaturalOrder*"),
    ("cli/text/natural_order.cpp", "c == '/' ? 0 : 1 + ", "1 + ", "cli_tests", "NaturalOrder*"),
    ("cli/run/video_list.cpp", "!left_out_.contains(folder) && folders_.insert(folder).second", "!left_out_.contains(folder)", "cli_tests", "VideoListTest.LinksLead*"),
    ("cli/run/video_list.cpp", "if (match->second.size() > 1) throw several_references(video, match->second);", "", "cli_tests", "VideoListTest*"),
    ("cli/run/video_list.cpp", "if (!name.starts_with('.')) look_at", "look_at", "cli_tests", "VideoListTest*"),
    ("cli/run/batch_task.cpp", "table.version != CAMBI_VERSION || ", "", "cli_tests", "BatchTest*NotWhole*"),
    ("cli/run/batch_task.cpp", "!table.run->complete || ", "", "cli_tests", "BatchTest*NotWhole*"),
    ("cli/run/batch_task.cpp", "was.files != origin.files || ", "", "cli_tests", "BatchTest.*"),
    ("cli/run/batch_task.cpp", " || was.scores != origin.scores", "", "cli_tests", "BatchTest.WhatChanges*"),
    ("cli/run/batch_task.cpp", "if (needs_frames(own)) return", "if (needs_frames(own) && false) return", "cli_tests", "BatchTest.Pages*"),
    ("cli/run/batch.cpp", "place == Place::kBesideOthers && failure.may_pass_alone()", "false", "cli_tests", "BatchTest.WhatNeeds*"),
    ("cli/run/origin.cpp", 'words.add("subsample", arguments.subsample);', "", "cli_tests", "BatchTest.WhatChanges*"),
    ("cli/run/thread_shares.cpp", "ticket == served_ && free_ >= wanted", "ticket == served_", "cli_tests", "ThreadShares*"),
    ("cli/run/batch_progress.cpp", "bytes_ -= state.bytes;", "bytes_done_ += state.bytes;", "cli_tests", "BatchProgress*"),
    ("cli/run/run_memory.cpp", "if (video.fitted != nullptr)", "if (false)", "cli_tests", "RunMemory*"),
    ("cli/run/run_memory.cpp", " + kReadAndCompared + before", " + kReadAndCompared + 0 * before", "cli_tests", "RunMemory*"),
    ("cli/reports/plain_models.cpp", "if (std::none_of(metrics.begin(), last, compares)) return {};", "", "cli_tests", "PlainModels*"),
    ("cli/reports/report_reader.cpp", "find_model_score(column.name, models)", "nullptr", "cli_tests", "PlainModels*"),
    ("core/report.cpp", "if (share == 0 || sorted[below] == sorted[above]) return sorted[below];", "", "cli_tests", "InfiniteScores*"),
    ("core/moments.cpp", " || is_endless(metric_, score)) return false;", ") return false;", "cli_tests", "InfiniteScores*"),
    ("cli/reports/threshold.cpp", "if (std::isnan(value)) made.crossed = lacks_scores(metric);", "", "cli_tests", "InfiniteScores*"),
    ("cli/reports/metric_choice.cpp", "return metrics[position].is_inner || !info.noteworthy", "return !info.noteworthy", "cli_tests", "MetricChoice*"),
    ("cli/reports/threshold.cpp", "if (positions.size() > 1) throw several_metrics", "if (false) throw several_metrics", "cli_tests", "MetricChoice*"),
    ("cli/reports/compare.cpp", "if (run.report.run.pair_faults.empty()) return true;", "return true;", "cli_tests", "PairFault*"),
    ("cli/run/scoring_run_watch.cpp", "warning.is_fault && any_compares(features_)", "false", "cli_tests", "PairFault*"),
    ("cli/run/ci_outputs.cpp", "if (!work.junit || !is_free(*work.junit, work)) return;", "if (!work.junit) return;", "cli_tests", "KeptVerdict*"),
    ("cli/system/github.cpp", "if (at_start && rest.starts_with(\"::\")) out += \"./\";", "", "cli_tests", "KeptVerdict*"),
    ("cli/run/settle_models.cpp", "if (!request.is_inner) arguments_.features[place].is_inner = false;", "", "cli_tests", "GateBesideAModel*"),
    ("cli/reports/compare.cpp", "metric.info == nullptr && found", "false && found", "cli_tests", "Compare*"),
    ("cli/reports/metric_labels.cpp", "sharing[plain] > 1", "false", "cli_tests", "Summary*"),
    ("cli/reports/name_order.cpp", "order_.options.emplace_back();", "{}", "cli_tests", "ReportReader*:Page*"),
    ("cli/reports/batch_summary.cpp", "is_worse(metric, score, worst)", "is_worse(metric, worst, score)", "cli_tests", "BatchSummary*"),
    ("cli/commands/batch_command.cpp", "if (video.error) return static_cast<int>(*video.error);", "if (video.error) continue;", "cli_tests", "BatchTest.TheFirst*"),
]


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)


def copy_tree(tree):
    """Copies what git knows or could be told of; what is the same keeps its time, so that little is built again."""
    command = ["git", "-C", TOP, "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.check_output(command, text=True).splitlines()
    for name in names:
        source, target = os.path.join(TOP, name), os.path.join(tree, name)
        if not os.path.isfile(source):
            continue
        os.makedirs(os.path.dirname(target), exist_ok=True)
        if not os.path.exists(target) or open(source, "rb").read() != open(target, "rb").read():
            shutil.copyfile(source, target)
            shutil.copymode(source, target)


def link_packages(tree):
    """The pages' parts, without which tests of them fail before anything is broken."""
    packages, link = os.path.join(TOP, "build", "npm"), os.path.join(tree, "build", "npm")
    os.makedirs(os.path.dirname(link), exist_ok=True)
    if os.path.isdir(packages) and not os.path.lexists(link):
        os.symlink(packages, link)


def out_folder(tree):
    """As deep below the tree as build/release, so that ccache knows what was compiled there."""
    return os.path.join(tree, "build", "out")


def build(tree, targets):
    return run(["ninja", "-C", out_folder(tree)] + targets)


def fails(tree, program, tests):
    """Whether one of these tests of the program does."""
    command = [os.path.join(out_folder(tree), program), "--gtest_brief=1", "--gtest_fail_fast", "--gtest_filter=" + tests]
    result = run(command)
    return result.returncode != 0


def applies(tree, mutation):
    path = os.path.join(tree, mutation[0])
    return os.path.isfile(path) and open(path, encoding="utf-8").read().count(mutation[1]) == 1


def verdict(tree, mutation):
    name, before, after, program, tests = mutation
    if not applies(tree, mutation):
        return "does not apply"
    path = os.path.join(tree, name)
    text = open(path, encoding="utf-8").read()
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace(before, after))
        if build(tree, [program] + (["cambi"] if program == "cli_tests" else [])).returncode != 0:
            return "does not compile"
        return "noticed" if fails(tree, program, tests) else "SURVIVED"
    finally:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def shown(mutation):
    name, before, after = mutation[:3]
    return f"{name}: {before}  ->  {after or 'nothing'}".replace("\n", " ")


def look(chosen):
    stale = [m for m in chosen if not applies(TOP, m)]
    for mutation in stale:
        print(f"{'does not apply':16} {shown(mutation)}")
    print(f"{len(chosen)} mutations, {len(stale)} do not apply")
    return len(stale)


def main():
    # A shell starts what runs in the background with these ignored, and tests of interrupts need them.
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--look", action="store_true")
    parser.add_argument("--folder", default=os.path.join(TOP, "build/mutation"))
    parser.add_argument("words", nargs="*")
    arguments = parser.parse_args()
    chosen = [m for m in MUTATIONS if not arguments.words or any(w in m[0] + m[1] for w in arguments.words)]
    if not chosen:
        sys.exit("no mutation has any of these words")
    if arguments.look:
        sys.exit(look(chosen))
    tree = os.path.abspath(arguments.folder)
    copy_tree(tree)
    link_packages(tree)
    targets = sorted({m[3] for m in chosen})
    run(["cmake", "-G", "Ninja", "-S", tree, "-B", out_folder(tree), "-DCAMBI_TESTS=ON", "-DCAMBI_WERROR=ON"], check=True)
    built = build(tree, targets)
    if built.returncode != 0:
        sys.exit(built.stdout[-4000:])
    for program in targets:
        for tests in {m[4] for m in chosen if m[3] == program}:
            if fails(tree, program, tests):
                sys.exit(program + ": " + tests + " fails before anything is broken")
    survivors = 0
    for mutation in chosen:
        found = verdict(tree, mutation)
        survivors += found != "noticed"
        print(f"{found:16} {shown(mutation)}", flush=True)
    print(f"{len(chosen)} mutations, {survivors} not noticed")
    sys.exit(survivors)


if __name__ == "__main__":
    main()
