"""The page over many videos."""
import json
import pathlib
import re
import shutil
import subprocess
import urllib.parse

from pages import CLIPS, EVIL, PageTest

VIDEOS = {"s1/e2.mkv": "bright_480x270_8b.mkv", "s1/e10 #1?.mkv": "dusk_1280x720_8b.webm", "s2/e1.mp4": "small_256x144_8b.mp4",
          "s2/e2.mp4": "sky_640x360_8b.mp4"}
KEPT = re.compile(r'(<script type="application/json" id="about">)(.*?)(</script>)', re.S)


class Batch(PageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        videos = cls.folder / "videos"
        for name, clip in VIDEOS.items():
            (videos / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(CLIPS / clip, videos / name)
        (videos / "broken.mp4").write_text("no <b>video</b>")
        cls.reports = cls.folder / "reports"
        done = subprocess.run([cls.program, "batch", videos, "--reports", cls.reports, "--formats", "html", "--fail-above", "mean>5", "-q"],
                              stderr=subprocess.DEVNULL, check=False)
        assert done.returncode == 2, done.returncode

    def names(self):
        return self.texts("table.batch tbody a")

    def with_videos(self, name, change):
        """The page with other videos in it."""
        page = self.folder / f"{name}.html"
        text = (self.reports / "index.html").read_text()
        about = json.loads(KEPT.search(text)[2])
        change(about)
        data = json.dumps(about).replace("<", "\\u003c")
        page.write_text(KEPT.sub(lambda match: match[1] + data + match[3], text))
        return page

    def test_the_worst_are_first_and_failures_on_top(self):
        self.open(self.reports / "index.html")
        summary = json.loads((self.reports / "summary.json").read_text())
        scored = [video for video in summary["videos"] if video["scores"]]
        scored.sort(key=lambda video: -video["scores"]["metrics"]["cambi"]["mean"])
        self.assertEqual(self.names(), [video["name"] for video in scored])
        self.assertEqual(len(scored), len(VIDEOS))
        self.assertEqual(self.texts(".failures b"), ["broken.mp4"])
        self.assertIn("1 video could not be scored", self.text(".verdict .title"))
        means = self.texts("table.batch tbody td:nth-child(3)")
        self.assertEqual(means, [f"{video['scores']['metrics']['cambi']['mean']:.3f}" for video in scored])
        self.assertIn("mean>5", self.texts(".mark.bad"))
        top, place = self.run_script("return [...document.querySelectorAll('.failures, table.batch')].map((one) => one.getBoundingClientRect().top)")
        self.assertLess(top, place)
        self.shoot("batch")

    def test_hdr_has_a_note_first_and_no_verdict(self):
        def turn(about):
            for video in about["videos"]:
                if video["scores"]:
                    video["scores"]["transfer"] = "pq"

        self.open(self.with_videos("hdr", turn))
        first = self.run_script("return document.querySelector('#page section').textContent")
        self.assertIn("4 of 4 videos are HDR", first)
        self.assertIn("CAMBI was made for SDR", first)
        page = self.text("#page")
        for word in ("annoying", "barely", "imperceptible"):
            self.assertNotIn(word, page)
        self.assertEqual(self.run_script("return document.querySelectorAll('.verdict.good, rect.noteworthy, path.noteworthy:not([d=\"\"])').length"), 0)

    def test_links_lead_to_the_pages(self):
        self.open(self.reports / "index.html")
        links = self.run_script("return [...document.querySelectorAll('table.batch a')].map((one) => [one.textContent, one.href])")
        self.assertEqual(len(links), len(VIDEOS))
        for name, link in links:
            url = urllib.parse.urlsplit(link)
            self.assertEqual((url.query, url.fragment), ("", ""))
            self.open(pathlib.Path(urllib.parse.unquote(url.path)))
            self.assertEqual(self.text("h1"), name.rsplit("/", 1)[1])

    def test_columns_sort_by_click_and_key(self):
        self.open(self.reports / "index.html")
        sorted_by = "return [...document.querySelectorAll('table.batch th[aria-sort]')].map((one) => [one.textContent, one.ariaSort])"
        self.assertEqual(self.run_script(sorted_by), [["Mean", "descending"]])
        before = self.names()
        self.browser.click("table.batch thead th:nth-child(3) button")
        self.assertEqual(self.names(), before[::-1])
        self.assertEqual(self.run_script(sorted_by), [["Mean", "ascending"]])
        self.run_script("document.querySelector('table.batch thead th:first-child button').focus()")
        self.browser.press("Enter")
        self.assertEqual(self.names(), ["s1/e2.mkv", "s1/e10 #1?.mkv", "s2/e1.mp4", "s2/e2.mp4"])
        self.assertEqual(self.run_script(sorted_by), [["Video", "ascending"]])
        self.assertEqual(self.run_script("return document.activeElement.textContent"), "Video")

    def test_videos_are_found_by_name(self):
        self.open(self.reports / "index.html")
        self.run_script("const input = document.querySelector('input[type=search]'); input.value = 'S2/'; input.dispatchEvent(new Event('input'))")
        self.assertEqual(sorted(self.names()), ["s2/e1.mp4", "s2/e2.mp4"])
        self.assertEqual(self.text(".finds .note"), "2 videos of 4")

    def test_a_strip_is_the_scores_over_time(self):
        def change(about):
            about["videos"][1]["scores"]["strip"] = [1, 2, 6, None, 3]
        self.open(self.with_videos("strips", change))
        paths = self.run_script("""
            const name = arguments[0];
            const row = [...document.querySelectorAll('table.batch tbody tr')].find((one) => one.querySelector('a').textContent === name);
            return [...row.querySelectorAll('path')].map((one) => one.getAttribute('d'));""", "s1/e2.mkv")
        self.assertEqual([path.count("M") for path in paths], [3, 1])
        self.assertTrue(paths[1].startswith("M2 "))

    def test_small_screens_dark_and_paper(self):
        for width in (1440, 800, 390):
            for scheme in ("light", "dark"):
                self.browser.prefer(scheme)
                self.browser.resize(width, 900)
                self.open(self.reports / "index.html")
                self.shoot(f"batch-{width}-{scheme}")
        cut = self.run_script("""
            return [...document.querySelectorAll('table.batch td, table.batch th')].filter((one) => one.scrollWidth > one.clientWidth + 1
              && getComputedStyle(one).display !== 'inline').length""")
        self.assertEqual(cut, 0)
        self.run_script("const menu = document.querySelector('.finds select'); menu.value = 'max'; menu.dispatchEvent(new Event('change'))")
        self.assertEqual(self.run_script("return cambi.table.column.key"), "max")
        self.browser.pdf(self.folder / "batch.pdf")

    def test_a_thousand_videos(self):
        def change(about):
            scored = [video for video in about["videos"] if video["scores"]]
            for one in scored:
                one["scores"]["strip"] = [(k * 7919 % 20011) / 1000 for k in range(100)]
            about["videos"] = [{**scored[i % len(scored)], "name": f"season {i // 20 + 1}/episode {i % 20 + 1}.mkv"} for i in range(1000)]
        page = self.with_videos("thousand", change)
        self.assertLess(page.stat().st_size, 3_000_000)
        self.open(page)
        self.assertEqual(len(self.names()), 1000)
        self.browser.click("table.batch thead th:first-child button")
        self.assertEqual(self.names()[:3], ["season 1/episode 1.mkv", "season 1/episode 2.mkv", "season 1/episode 3.mkv"])

    def test_where_higher_is_better_the_lowest_are_first(self):
        def change(about):
            about["metrics"][about["metric"]] |= {"better": "higher", "noteworthy": None, "flawless": None, "title": "PSNR"}
            about["columns"] = [{"key": "mean", "title": "mean"}, {"key": "min", "title": "minimum"}]
        self.open(self.with_videos("higher", change))
        means = [float(text) for text in self.texts("table.batch tbody td:nth-child(3)")]
        self.assertEqual(means, sorted(means))
        self.assertEqual(self.run_script("return document.querySelectorAll('.trace .noteworthy:not([d=\"\"])').length"), 0)

    def test_where_neither_is_better_names_order(self):
        def change(about):
            about["metrics"][about["metric"]] |= {"better": "neither", "noteworthy": None, "flawless": None}
            about["columns"] = [{"key": "mean", "title": "mean"}]
        self.open(self.with_videos("neither", change))
        self.assertEqual(self.names(), ["s1/e2.mkv", "s1/e10 #1?.mkv", "s2/e1.mp4", "s2/e2.mp4"])

    def test_no_name_can_bring_markup(self):
        def change(about):
            for video in about["videos"]:
                video["name"] = EVIL
                video["error"] = EVIL
            about["remarks"] = [EVIL]
        self.open(self.with_videos("evil", change))

    def test_nothing_but_failures(self):
        def change(about):
            about["videos"] = [video for video in about["videos"] if not video["scores"]]
            about |= {"metric": "", "metrics": {}, "columns": [], "others": []}
        self.open(self.with_videos("failures", change))
        self.assertEqual(self.texts(".failures b"), ["broken.mp4"])
        self.assertEqual(self.run_script("return document.querySelectorAll('table').length"), 0)
