"""One page of every kind, with all that such a page can show: what layout and accessibility are measured on."""
from model_report import bootstrap, model_report
from pages import CLIPS, FRAME_RATE, PageTest, report, wave
from rates_tests import encodes

WIDTHS = (1440, 800, 390, 320)
SCHEMES = ("light", "dark")


def full_report(frames=600):
    """Two metrics, a reference, warnings, notes, thresholds of both outcomes, segments and scenes."""
    data = report(wave(frames), path="/films/season one/An episode with a long title, graded and mastered.mkv",
                  metrics=("cambi", "cambi_source"))
    run = data["run"]
    run["inputs"].append(run["inputs"][0] | {"role": "reference", "path": "/films/masters/reference.mov"})
    segments = [{"first": i, "last": i + 40, "start": i / FRAME_RATE, "end": (i + 41) / FRAME_RATE, "mean": 4.5, "worst": 6.25,
                 "worst_frame": i + 20} for i in range(100, frames - 50, 150)]
    return data | {"run": run | {
        "crop": {"width": 1920, "height": 800, "x": 0, "y": 140}, "notes": ["eotf=bt1886 (assumed)"],
        "device": "A graphics card of some name", "repeated_frames": 3,
        "warnings": ["The transfer function is not told by the file, so bt1886 is assumed; --feature cambi=eotf=pq says otherwise."],
        "thresholds": [{"expression": "p95>5", "metric": "cambi", "statistic": "p95", "value": 6.25, "crossed": True},
                       {"expression": "share>50%", "metric": "cambi", "statistic": "share", "value": 0.25, "crossed": False}],
        "scene_cuts": list(range(50, frames - 1, 40)),
        "segments": {"metric": "cambi", "from": 4, "until": 4, "shortest_frames": 1, "shortest_seconds": 0, "list": segments}}}


class GalleryTest(PageTest):
    """`gallery`: pages by name."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.gallery = {"run": cls.run_of_the_program(), "model": cls.page_of_a_model(), "report": cls.with_pictures(full_report())[0],
                       "many metrics": cls.page("metrics", report(wave(60), metrics=tuple(f"cambi_{i}" for i in range(9)))),
                       "comparison": cls.comparison_of_three(),
                       "encodes": cls.comparison("encodes", encodes(((1280, 720),)), "--target", "psnr_y:37")}

    @classmethod
    def page_of_a_model(cls):
        page, _, _ = cls.with_pictures(model_report(more=bootstrap), metric="vmaf", has_heat=False)
        return page.rename(cls.folder / "model.html")

    @classmethod
    def run_of_the_program(cls):
        """Scored here, so that pictures and histograms are real ones."""
        page = cls.folder / "run.html"
        cls.cambi(CLIPS / "colour_640x360_444_crushed.mp4", "--feature", "cambi", "--feature", "histogram=planes=rgb",
                  "--backend", "cpu", "-q", "--segments", "cambi:1", "--html", page)
        return page

    @classmethod
    def comparison_of_three(cls):
        runs = {"film_av1_crf28_preset6": report(wave(300, 2)), "film_x265_crf20_slow_no-sao": full_report(300),
                "film_with_a_name_that_goes_on_" + "and_on_" * 12: report(wave(280, 1))}
        return cls.comparison("three", runs)

    def open_whole(self, name):
        """With all its details open."""
        self.browser.resize(1440, 900)
        self.browser.prefer("light")
        self.open(self.gallery[name])
        self.run_script("for (const one of document.querySelectorAll('details')) one.open = true;")

    def looks(self, widths=WIDTHS):
        """The page that is open, in each scheme and width: yields what it is called."""
        for scheme in SCHEMES:
            self.browser.prefer(scheme)
            for width in widths:
                self.browser.resize(width, 900)
                self.browser.settle()
                yield f"{scheme}, {width} px"

    def looks_of_all(self, widths=WIDTHS):
        for name in self.gallery:
            self.open_whole(name)
            yield from (f"{name}, {look}" for look in self.looks(widths))

    def check_all(self, looks, *checks):
        """Each check returns faults of the page as it looks then. They are told together, with where each was seen."""
        seen = {}
        for look in looks:
            for check in checks:
                for fault in check(self.browser):
                    seen.setdefault(fault, []).append(look)
        if seen:
            self.fail("".join(f"\n{fault}\n  in {'; '.join(dict.fromkeys(looks))}" for fault, looks in seen.items()))
