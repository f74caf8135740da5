#include "core/platform.h"
#include "core/text.h"
#include "engine/known_metrics.h"
#include "engine/libvmaf/context.h"
#include "engine/report/report_writer.h"

namespace vq::libvmaf {

// The frames that count and have a score.
static std::vector<int64_t> frames_of(const Context& context, const StoredScores& stored) {
  std::vector<unsigned> indices;
  for (const StoredScores::Column& column : stored.columns) column.values->add_indices(indices);
  std::erase_if(indices, [&](unsigned index) { return !context.counts(index); });
  std::ranges::sort(indices);
  return {indices.begin(), std::unique(indices.begin(), indices.end())};
}

// Statistics of all frames that were read and count.
static std::optional<PooledScores> pool_of(const Context& context, const std::string& name,
                                           const SparseValues& values) {
  if (context.reads() == 0) return std::nullopt;
  const std::optional<Pool> pooled = pool(
      context, {0, context.reads() - 1}, [&](unsigned index) { return values.find(index); },
      known_metric(name).mean);
  return pooled ? std::optional(pooled->statistics()) : std::nullopt;
}

static std::optional<std::string> text_of(const ScoreView& scores, int format) {
  if (format == VMAF_OUTPUT_FORMAT_XML) return write_xml(scores, {});
  if (format == VMAF_OUTPUT_FORMAT_JSON) return write_json(scores, NumberStyle());
  if (format == VMAF_OUTPUT_FORMAT_CSV) return write_csv(scores, {});
  if (format == VMAF_OUTPUT_FORMAT_SUB) return write_sub(scores, {});
  return std::nullopt;
}

// The report in one of VmafOutputFormat; nothing for another number.
static std::optional<std::string> report_text(const Context& context, int format) {
  std::optional<std::string> text;
  context.scores().look_at([&](const StoredScores& stored) {
    const std::vector<int64_t> frames = frames_of(context, stored);
    ScoreView scores{.version = vmaf_version(),
                     .fps = stored.seconds > 0 ? static_cast<double>(context.reads()) / stored.seconds : 0,
                     .width = context.shape().width,
                     .height = context.shape().height,
                     .frames = frames,
                     .columns = {},
                     .aggregates = stored.aggregates,
                     .is_of_library = true};
    for (const StoredScores::Column& column : stored.columns) {
      const SparseValues& values = *column.values;
      scores.columns.push_back(
          {.name = column.name,
           .score = [&](size_t row) { return values.find(static_cast<unsigned>(frames[row])); },
           .pool = [&] { return pool_of(context, column.name, values); }});
    }
    text = text_of(scores, format);
  });
  return text;
}

// Throws away what cannot be written.
static int write(const std::string& path, const std::string& text) {
  std::ofstream file(path_of(path), std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (file) return 0;
  log(LogLevel::kError, words("{} cannot be written", path));
  return -EINVAL;
}

}  // namespace vq::libvmaf

int vmaf_write_output(VmafContext* vmaf, const char* output_path, VmafOutputFormat fmt) {
  if (vmaf == nullptr || output_path == nullptr) return -EINVAL;
  return vq::libvmaf::guarded([&] {
    vmaf->context.wait_for_all();
    const std::optional<std::string> text =
        vq::libvmaf::report_text(vmaf->context, vq::libvmaf::number_of(fmt));
    const int written = vq::libvmaf::write(output_path, text.value_or(""));
    return text ? written : -EINVAL;
  });
}
