// The functions of include/cambi/cambi.h.
#include "include/cambi/cambi.h"

#include "core/version.h"
#include "engine/c_api/context.h"
#include "engine/known_metrics.h"
#include "engine/report/report_writer.h"

using namespace vq;
using namespace vq::c_api;

struct CambiContext {
  std::shared_ptr<Context> context;  // runs hold it as well
};

struct CambiRun {
  Run run;
};

// Writing ends if the caller's function does not take a text.
static TextSink sink_of(CambiWrite write, void* user) {
  needed(write, "write");
  return [write, user](std::string_view text) {
    if (write(user, text.data(), text.size()) != 0) throw Error(ErrorKind::kOutput, "the text was not taken");
  };
}

static Run& run_of(CambiRun* run) { return needed(run, "run").run; }

static ReportStyle style_of(CambiFormat format, const Run& run) {
  constexpr std::pair<CambiFormat, ReportFormat> kFormats[] = {{CAMBI_XML, ReportFormat::kXml},
                                                               {CAMBI_JSON, ReportFormat::kJson},
                                                               {CAMBI_JSON_EXTENDED, ReportFormat::kJson},
                                                               {CAMBI_CSV, ReportFormat::kCsv},
                                                               {CAMBI_SUB, ReportFormat::kSub}};
  ReportStyle style = run.style();
  style.extended = style.extended && format == CAMBI_JSON_EXTENDED;
  for (const auto& [known, own] : kFormats) {
    if (known != format) continue;
    style.format = own;
    return style;
  }
  throw usage_error("there is no format {}", static_cast<int>(format));
}

const char* cambi_error(void) { return last_error(); }

const char* cambi_version(void) { return version(); }

CambiStatus cambi_open(const CambiOptions* options, CambiContext** context) {
  return guarded([&] {
    CambiContext*& place = needed(context, "context");
    place = new CambiContext{std::make_shared<Context>(sized(options))};
  });
}

void cambi_close(CambiContext* context) {
  const ExactFloats exact;
  delete context;
}

CambiStatus cambi_catalogue(CambiCatalogue which, CambiWrite write, void* user) {
  return guarded([&] {
    const TextSink sink = sink_of(write, user);
    if (which == CAMBI_FEATURES) return sink(features_json());
    if (which == CAMBI_MODELS) return sink(models_json());
    if (which == CAMBI_DEVICES) return sink(devices_json());
    throw usage_error("there is no catalogue {}", static_cast<int>(which));
  });
}

CambiStatus cambi_run_open(CambiContext* context, const CambiRunOptions* options, CambiRun** run) {
  return guarded([&] {
    CambiRun*& place = needed(run, "run");
    place = new CambiRun{{needed(context, "context").context, sized(options)}};
  });
}

CambiStatus cambi_run_read(const char* report, size_t bytes, CambiRun** run) {
  return guarded([&] {
    const std::string_view text(&needed(report, "report"), bytes);
    CambiRun*& place = needed(run, "run");
    place = new CambiRun{Run(parse_report(text, "the report"))};
  });
}

void cambi_run_close(CambiRun* run) {
  const ExactFloats exact;
  delete run;
}

CambiStatus cambi_run_add_feature(CambiRun* run, const char* feature) {
  return guarded([&] { run_of(run).add_feature(feature); });
}

CambiStatus cambi_run_add_model(CambiRun* run, const char* model) {
  return guarded([&] { run_of(run).add_model(model); });
}

CambiStatus cambi_run_push(CambiRun* run, const CambiPicture* distorted, const CambiPicture* reference) {
  return guarded([&] {
    // Both are released, whatever happens.
    const CambiPicture one = sized(distorted);
    PictureOwner first_owner(one);
    const CambiPicture other = sized(reference);
    PictureOwner second_owner(other);
    auto first = std::make_shared<const PictureOwner>(std::move(first_owner)),
         second = std::make_shared<const PictureOwner>(std::move(second_owner));
    needed(distorted, "distorted");
    run_of(run).push(one, reference != nullptr ? &other : nullptr, std::move(first), std::move(second));
  });
}

CambiStatus cambi_run_finish(CambiRun* run) {
  return guarded([&] { run_of(run).finish(); });
}

CambiStatus cambi_run_cancel(CambiRun* run) {
  return guarded([&] { run_of(run).cancel(); });
}

CambiStatus cambi_run_progress(CambiRun* run, int64_t* pushed, int64_t* rows) {
  return guarded([&] {
    const auto [frames, scored] = run_of(run).progress();
    if (pushed != nullptr) *pushed = frames;
    if (rows != nullptr) *rows = scored;
  });
}

CambiStatus cambi_run_frames(CambiRun* run, int64_t first, int64_t count, int64_t* frames) {
  return guarded([&] { run_of(run).frames(first, count, &needed(frames, "frames")); });
}

CambiStatus cambi_run_metric(CambiRun* run, size_t index, CambiMetric* metric) {
  return guarded([&] { fill_sized(needed(metric, "metric"), run_of(run).metric(index)); });
}

CambiStatus cambi_run_score(CambiRun* run, const char* metric, int64_t frame, double* score) {
  return guarded([&] {
    double& place = needed(score, "score");
    const std::optional<double> found = run_of(run).score(metric, frame);
    if (!found) return CAMBI_PENDING;
    place = *found;
    return CAMBI_OK;
  });
}

CambiStatus cambi_run_scores(CambiRun* run, const char* metric, int64_t first, int64_t count,
                             double* scores) {
  return guarded([&] { run_of(run).scores(metric, first, count, &needed(scores, "scores")); });
}

CambiStatus cambi_run_statistic(CambiRun* run, const char* metric, const char* statistic, int64_t first,
                                int64_t last, double* value) {
  return guarded([&] { needed(value, "value") = run_of(run).statistic(metric, statistic, first, last); });
}

CambiStatus cambi_run_text(CambiRun* run, const char* name, int64_t frame, const char** text) {
  return guarded([&] {
    const char*& place = needed(text, "text");
    const char* const found = run_of(run).text(name, frame);
    if (found == nullptr) return CAMBI_PENDING;
    place = found;
    return CAMBI_OK;
  });
}

CambiStatus cambi_run_histogram(CambiRun* run, const char* channel, int64_t frame, const uint32_t** bins,
                                size_t* count) {
  return guarded([&] {
    const uint32_t*& place = needed(bins, "bins");
    const std::vector<uint32_t>* const found = run_of(run).histogram(channel, frame);
    if (found == nullptr) return CAMBI_PENDING;
    needed(count, "count") = found->size();
    place = found->data();
    return CAMBI_OK;
  });
}

CambiStatus cambi_run_aggregate(CambiRun* run, const char* name, double* value) {
  return guarded([&] { needed(value, "value") = run_of(run).aggregate(name); });
}

CambiStatus cambi_run_threshold(CambiRun* run, const char* threshold, int* crossed, double* value) {
  return guarded([&] {
    const ThresholdFacts facts = run_of(run).threshold(threshold);
    needed(crossed, "crossed") = !facts.judged ? -1 : facts.crossed ? 1 : 0;
    if (value != nullptr) *value = facts.value;
  });
}

CambiStatus cambi_run_remark(CambiRun* run, size_t index, CambiLogLevel* level, const char** text) {
  return guarded([&] {
    const char*& place = needed(text, "text");
    const auto [found, words] = run_of(run).remark(index);
    needed(level, "level") = found;
    place = words;
  });
}

CambiStatus cambi_run_pair_fault(CambiRun* run, size_t index, CambiPairFault* fault) {
  return guarded([&] { fill_sized(needed(fault, "fault"), run_of(run).pair_fault(index)); });
}

CambiStatus cambi_run_backend(CambiRun* run, CambiBackend* backend) {
  return guarded([&] { fill_sized(needed(backend, "backend"), run_of(run).backend()); });
}

CambiStatus cambi_run_write(CambiRun* run, CambiFormat format, CambiWrite write, void* user) {
  return guarded([&] {
    const Run& known = run_of(run);
    write_report(known.report(), style_of(format, known), sink_of(write, user));
  });
}
