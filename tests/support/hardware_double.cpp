#include "tests/support/hardware_double.h"

namespace vq::cli {
namespace {

// Hardware's pictures are whole macroblocks.
constexpr int kBlock = 16;

uint8_t* sample_at(const AVFrame& frame, const AVComponentDescriptor& component, int x, int y) {
  const int at = frame.linesize[component.plane] * y + component.step * x + component.offset;
  return frame.data[component.plane] + at;
}

// Has a decoded picture, and shows it to those who ask.
class KeptPicture final : public FrameMemory {
 public:
  KeptPicture(const AVFrame& picture, int planes) {
    const auto format = static_cast<AVPixelFormat>(picture.format);
    frame_ = make_frame(AvPtr<AVFrame>(av_frame_clone(&picture)), picture_layout(format), planes);
  }
  const void* device() const override { return this; }
  const std::array<SampleView, kMaxPlanes>& planes() const override { return frame_.planes; }
  PlaneSize luma_size() const override { return {frame_.luma().width(), frame_.luma().height()}; }
  Frame luma_part(const LumaLines&) const override { throw std::logic_error("nobody asks for rows here"); }

 private:
  Frame frame_;
};

class DoneCopy final : public PictureCopy {
 public:
  explicit DoneCopy(std::shared_ptr<const FrameMemory> copied) : copied_(std::move(copied)) {}
  std::shared_ptr<const FrameMemory> finish() override { return std::move(copied_); }

 private:
  std::shared_ptr<const FrameMemory> copied_;
};

class DoubledSession final : public HardwareSession {
 public:
  DoubledSession(const HardwarePlan& plan, const AVCodec& codec, std::atomic<int>& pictures)
      : plan_(plan), codec_(codec), pictures_(pictures) {}

  const std::string& hwaccel() const override { return hwaccel_; }
  const AVCodec& codec() const override { return codec_; }
  void attach(AVCodecContext& decoder) override { decoder_ = &decoder; }
  AVPixelFormat choose(const AVCodecContext&, const AVPixelFormat* offered) override {
    if (asked_++ == plan_.refuses_format_at) {
      if (!plan_.logs_before_refusal.empty())
        av_log(decoder_, AV_LOG_ERROR, "%s\n", plan_.logs_before_refusal.c_str());
      return AV_PIX_FMT_NONE;
    }
    while (offered[1] != AV_PIX_FMT_NONE) ++offered;
    return *offered;
  }
  HostFormat host_format(const AVFrame& picture) const override {
    return {hardware_layout(static_cast<AVPixelFormat>(picture.format)), FFALIGN(picture.width, kBlock),
            FFALIGN(picture.height, kBlock)};
  }
  Fetched fetch(const AVFrame& picture, AVFrame& host) override {
    if (pictures_++ == plan_.fails_at) {
      if (plan_.logs_at_failure.empty()) return {plan_.code, "the device is gone"};
      av_log(decoder_, AV_LOG_ERROR, "%s\n", plan_.logs_at_failure.c_str());
    }
    lay_out(picture, host);
    return {};
  }
  std::unique_ptr<PictureCopy> keep(const AVFrame& picture, const PictureLayout&, int planes) override {
    if (plan_.keeps_from < 0 || seen_++ < plan_.keeps_from || pictures_ == plan_.fails_at) return nullptr;
    ++pictures_;
    return std::make_unique<DoneCopy>(std::make_shared<KeptPicture>(picture, planes));
  }

 private:
  const std::string hwaccel_ = "double";
  const HardwarePlan& plan_;
  const AVCodec& codec_;
  AVCodecContext* decoder_ = nullptr;
  std::atomic<int>& pictures_;
  int asked_ = 0, seen_ = 0;
};

}  // namespace

std::unique_ptr<HardwareSession> HardwareDouble::open(const HardwareRequest& request, AVCodecID codec,
                                                      int nth) {
  ++sessions_;
  device_ =
      request.devices.empty() ? "" : request.devices[static_cast<size_t>(nth) % request.devices.size()].name;
  ++sessions_of_devices_[device_];
  if (!plan_.refuses_to_open.empty()) throw HardwareRefusal(plan_.refuses_to_open);
  return std::make_unique<DoubledSession>(plan_, *avcodec_find_decoder(codec), pictures_);
}

AVPixelFormat hardware_layout(AVPixelFormat software) {
  const PictureLayout layout = picture_layout(software);
  const bool is_deep = layout.bit_depth > 8, is_odd_depth = layout.bit_depth != 10;
  switch (layout.chroma) {
    case Chroma::k400:
    case Chroma::k420:
      return !is_deep ? AV_PIX_FMT_NV12 : is_odd_depth ? AV_PIX_FMT_P016 : AV_PIX_FMT_P010;
    case Chroma::k422:
      return !is_deep ? AV_PIX_FMT_NV16 : is_odd_depth ? AV_PIX_FMT_P216 : AV_PIX_FMT_P210;
    case Chroma::k444:
      return is_deep ? AV_PIX_FMT_YUV444P16 : AV_PIX_FMT_YUV444P;
    default:
      return AV_PIX_FMT_NONE;
  }
}

void lay_out(const AVFrame& software, AVFrame& host) {
  const auto format = static_cast<AVPixelFormat>(software.format);
  const AVPixFmtDescriptor& from = *av_pix_fmt_desc_get(format);
  const AVPixFmtDescriptor& to = *av_pix_fmt_desc_get(static_cast<AVPixelFormat>(host.format));
  const int unused_bits = (to.comp[0].depth > 8 ? 16 : 8) - from.comp[0].depth;
  const Chroma chroma = picture_layout(format).chroma;
  for (int plane = 0; plane < plane_count(chroma); ++plane) {
    const PlaneSize size = plane_size({software.width, software.height}, chroma, plane);
    for (int y = 0; y < size.height; ++y) {
      for (int x = 0; x < size.width; ++x) {
        const uint8_t* const sample = sample_at(software, from.comp[plane], x, y);
        uint8_t* const place = sample_at(host, to.comp[plane], x, y);
        if (from.comp[plane].depth > 8) {
          const int word = *reinterpret_cast<const uint16_t*>(sample);
          *reinterpret_cast<uint16_t*>(place) = static_cast<uint16_t>(word << unused_bits);
        } else {
          *place = *sample;
        }
      }
    }
  }
}

}  // namespace vq::cli
