"""Runs side by side: moments, pictures, bits, facts."""

from pages import CLIPS, PageTest, report, wave


def with_video(data, **facts):
    data["run"]["inputs"][0].update(facts)
    return data


def ladder():
    """Four encodes of a film, of which one is beaten."""
    levels = {"crf18": (1, 4_000_000), "crf23": (2, 2_000_000), "slow": (4, 2_500_000), "crf28": (5, 1_000_000)}
    return {name: with_video(report(wave(120, level)), bit_rate=rate, bit_rate_of="stream", file_bytes=rate * 5 // 8,
                             duration=5, encoder="x264 - core 164", encoder_settings=f"ref=3 rc=crf crf={name[-2:]}")
            for name, (level, rate) in levels.items()}


class Moments(PageTest):
    def test_score_and_bit_rate(self):
        self.open(self.comparison("ladder", ladder()))
        self.assertEqual(self.texts(".rates .name"), ["crf28", "crf23", "crf18", "slow"])  # those on the front first
        beaten = self.texts(".rates .point.beaten title")
        self.assertEqual(len(beaten), 1)
        self.assertIn("slow: ", beaten[0])
        rows = self.rows(".ranked tbody tr")
        self.assertEqual([row[-2] for row in rows], ["none", "none", "#2", "none"])
        self.assertEqual([row[2] for row in rows], ["4,000", "2,000", "2,500", "1,000"])
        label = self.run_script("return document.querySelector('.rates svg').getAttribute('aria-label')")
        self.assertIn("slow 5.973 at 2.50 Mbit/s, ", label)
        self.assertIn("beaten by crf23", label)
        self.shoot("ladder")

    def test_columns_sort(self):
        self.open(self.comparison("sorted", ladder()))
        sorts = "return [...document.querySelectorAll('.ranked thead th')].map((cell) => cell.getAttribute('aria-sort')).filter(Boolean)"
        self.assertEqual(self.run_script(sorts), ["ascending"])
        place = "const cells = [...document.querySelectorAll('.ranked thead tr:last-child > *')]; return 1 + cells.findIndex((cell) => cell.textContent === arguments[0])"
        rate = self.run_script(place, "kbit/s")
        self.browser.click(f".ranked thead th:nth-child({rate}) button")
        self.assertEqual(self.texts(".ranked tbody th"), ["crf28", "crf23", "slow", "crf18"])
        self.browser.click(f".ranked thead th:nth-child({rate}) button")
        self.assertEqual(self.texts(".ranked tbody th"), ["crf18", "slow", "crf23", "crf28"])
        self.assertEqual(self.run_script(sorts), ["descending"])
        self.browser.press("Enter")
        self.assertEqual(self.texts(".ranked tbody th"), ["crf28", "crf23", "slow", "crf18"])

    def test_what_is_the_same_in_all_is_folded(self):
        self.open(self.comparison("folded", ladder()))
        properties = self.texts("table.facts tbody th")
        self.assertIn("crf", properties)
        self.assertNotIn("ref", properties)
        self.assertNotIn("Codec", properties)
        self.assertIn("codec hevc", self.text(".same"))

    def test_the_metric_can_be_chosen(self):
        metrics = ("cambi", "psnr_y")
        reports = {"a": report(wave(60, 1), metrics=metrics), "b": report(wave(60, 3), metrics=metrics)}
        self.open(self.comparison("metrics", reports))
        self.assertEqual(self.texts(".ranked tbody th"), ["a", "b"])
        self.assertEqual(self.texts(".ranked .groups th"), ["CAMBI", "psnr_y"])
        self.browser.click(".by-metric label:nth-of-type(2)")
        self.assertEqual(self.texts(".ranked tbody th"), ["b", "a"])
        self.assertIn("b has the highest", self.text(".verdict .title"))
        self.assertEqual(self.run_script("return document.querySelector('.verdict').className"), "verdict plain")
        self.check_clean()

    def test_moments_at_which_runs_differ(self):
        low, high = [1.0] * 96, [1.0] * 96
        high[40], low[70] = 9.0, 3.0
        self.open(self.comparison("moments", {"low": report(low), "high": report(high)}))
        titles = self.texts(".moments h3")
        self.assertIn("Frame 40 at 0:00:01.66", titles[0])
        self.assertIn("8.000 apart", titles[0])
        self.assertEqual(self.texts(".moments .rows > li:first-child .where")[:2], ["low", "high"])
        self.browser.click(".moments .card")
        self.browser.settle()
        first, last = self.window()
        self.assertTrue(first <= 40 <= last, "the curve does not show it")
        self.assertIn("There are no pictures of low", self.text("#page"))

    def test_runs_side_by_side(self):
        page = self.folder / "videos.html"
        clips = [CLIPS / f"sky_640x360_{name}" for name in ("8b.mp4", "10b.mkv")]
        self.cambi("compare", *clips, "--html", page)
        self.open(page)
        self.assertNotIn("There are no pictures", self.text("#page"))
        pictures = self.run_script("return [...document.querySelectorAll('.moments .rows > li:first-child img')].map((one) => one.src.slice(0, 11))")
        self.assertGreaterEqual(len(pictures), 2)
        self.browser.click(".moments .rows > li:first-child .card")
        state = """const view = document.querySelector('dialog.beside[open]');
            return {panes: view.querySelectorAll('.pane').length, captions: [...view.querySelectorAll('figcaption')].map((one) => one.textContent),
              title: view.querySelector('h3').textContent, lifted: view.querySelectorAll('.pane img.lifted').length,
              heat: view.querySelectorAll('.pane img.heat').length, full: view.querySelector('.panes').classList.contains('full')};"""
        shown = self.run_script(state)
        self.assertEqual(shown["panes"], 2)
        self.assertTrue(any("8b" in one for one in shown["captions"]), shown)
        self.assertEqual(shown["lifted"], 0)
        self.shoot("side_by_side")
        self.browser.press("b", "z")
        shown = self.run_script(state)
        self.assertEqual((shown["lifted"], shown["full"]), (2, True))
        self.browser.press("o")
        before = self.run_script(state)
        self.assertEqual(before["panes"], 1)
        self.browser.press("ArrowDown")
        self.assertNotEqual(self.run_script(state)["title"], before["title"])
        self.browser.press("Escape")
        self.assertFalse(self.run_script("return [...document.querySelectorAll('dialog')].some((one) => one.open)"))
        self.check_clean()

    def test_the_source_is_the_first_pane(self):
        page = self.folder / "source.html"
        clips = [CLIPS / f"sky_640x360_{name}" for name in ("8b.mp4", "10b.mkv")]
        self.cambi("compare", *clips, "-r", CLIPS / "sky_640x360_8b_ref.mp4", "--feature", "cambi", "--feature", "psnr", "--html", page)
        self.open(page)
        names = ["sky_640x360_10b.mkv", "sky_640x360_8b.mp4"]
        self.assertEqual(self.texts(".moments .rows > li:first-child .where")[:3], ["Source", *names])
        self.browser.click(".moments .rows > li:first-child li:nth-child(2) .card")
        captions = "return [...document.querySelectorAll('dialog[open] figcaption')].map((one) => one.textContent.split(' \u00b7 ')[0])"
        self.assertEqual(self.run_script(captions), ["Source", *names])
        title = "return document.querySelector('dialog[open] h3').textContent.split(' \u00b7 ')[1]"
        self.browser.press("3")
        self.assertEqual(self.run_script(title), names[1])
        self.browser.press("1", "Space")
        self.assertEqual(self.run_script(title), names[1])
        self.browser.press("Space")
        self.assertEqual(self.run_script(title), "Source")
        self.browser.press("Space", "w")
        self.assertEqual(self.texts("dialog[open] figcaption span")[0].split(" \u00b7 ")[0], "Source")
        self.assertTrue(self.texts("dialog[open] figcaption span")[1].startswith(names[1]))
        pressed = "return [...document.querySelectorAll('dialog[open] .lever')].map((one) => one.ariaPressed)"
        self.assertEqual(self.run_script(pressed), ["false", "false", "false", "true"])
        self.browser.click("dialog[open] .chooser label:nth-of-type(2)")
        self.assertEqual(self.run_script("return document.querySelectorAll('dialog[open] img.difference').length"), 1)
        self.shoot("source_wipe")
        self.check_clean()

    def test_thresholds_of_each_run(self):
        paths = [self.saved(name, data) for name, data in ladder().items()]
        page = self.folder / "judged.html"
        try:
            self.cambi("compare", *paths, "--html", page, "--fail-above", "mean>6.5")
        except Exception as error:
            self.assertEqual(error.returncode, 7)
        self.open(page)
        lines = self.texts(".thresholds li")
        self.assertTrue(lines[0].startswith("crf28: threshold crossed"), lines)
        self.assertIn("Thresholds kept by crf18, crf23, slow: mean>6.5", lines[-1])
