"""The curve: its values, hover, zoom, the keyboard."""
from pages import FRAME_RATE, PageTest, report, wave


class CurveOfAPage(PageTest):
    def test_the_curve_has_the_reports_values(self):
        scores = wave(600)
        self.open(self.page("values", report(scores, metrics=("cambi", "cambi_source"))))
        data = self.run_script("return cambi.curve.u.data.map((column) => [...column])")
        self.assertEqual(data[0], list(range(600)))
        for drawn, score in zip(data[1], scores):
            self.assertAlmostEqual(drawn, score, delta=1e-6)
        for drawn, score in zip(data[2], scores):
            self.assertAlmostEqual(drawn, score / 2, delta=1e-6)
        self.assertEqual(self.run_script("return cambi.histogram.counts.reduce((a, b) => a + b)"), 600)
        inked = self.run_script("""
            const {canvas} = cambi.curve.u.ctx, pixels = cambi.curve.u.ctx.getImageData(0, 0, canvas.width, canvas.height).data;
            let count = 0;
            for (let i = 0; i < pixels.length; i += 4) if (pixels[i] < 30 && pixels[i + 2] > 140 && pixels[i + 3]) ++count;
            return count;""")
        self.assertGreater(inked, 500, "no curve in its colour")
        self.shoot("full_reference")

    def test_hover_reads_the_frame_under_the_pointer(self):
        scores = wave(600)
        self.open(self.page("hover", report(scores)))
        self.browser.point(*self.place_of(417))
        self.assertIn("Frame 417", self.text(".curve .readout"))
        self.assertIn("0:00:17.37", self.text(".curve .readout"))
        self.assertIn(f"{scores[417]:.3f}", self.text(".curve .readout"))
        box = self.run_script("""const over = cambi.histogram.u.over; over.scrollIntoView({block: 'center'});
            const box = over.getBoundingClientRect(); return [box.left + 3, box.top + 20];""")
        self.browser.point(*box)
        low = sum(score < 0.25 for score in scores)
        self.assertIn(f"Score 0 to 0.25{low} frame", self.text(".histogram .readout"))
        self.check_clean()

    def test_drag_buttons_and_double_click_zoom(self):
        self.open(self.page("zoom", report(wave(600))))
        self.assertEqual(self.window(), [0, 599])
        x, y = self.place_of(100)
        self.browser.drag([(x, y), (x + 40, y), (self.place_of(200)[0], y)])
        low, high = self.window()
        self.assertAlmostEqual(low, 100, delta=2)
        self.assertAlmostEqual(high, 200, delta=2)
        self.assertIn("of 600", self.text(".curve .range"))
        self.shoot("zoomed")
        self.browser.click(".curve .buttons button[aria-label='Zoom in']")
        self.assertLess(self.window()[1] - self.window()[0], 60)
        self.browser.click(".curve .buttons button:last-child")
        self.assertEqual(self.window(), [0, 599])
        self.browser.click(".curve .chooser label:last-of-type")
        self.assertEqual(self.run_script("return cambi.curve.unit"), "time")
        self.assertAlmostEqual(self.window()[1], 599 / FRAME_RATE, places=5)
        self.check_clean()

    def test_the_keyboard_reaches_and_moves_everything(self):
        scores = wave(600)
        self.open(self.page("keys", report(scores)))
        reached = []
        for _ in range(60):
            self.browser.press("Tab")
            reached.append(self.run_script("""const at = document.activeElement;
                return at.getAttribute('aria-label') || at.textContent || at.value || at.tagName;"""))
        for wanted in ("Download JSON", "Dark", "Zoom in", "Show all", "Score of every frame", "Part of the run that is shown",
                       "Start of the part", "End of the part", "Options of cambi"):
            self.assertTrue(any(wanted in name for name in reached), f"{wanted} is not reached: {reached}")
        self.run_script("cambi.curve.host.focus()")
        self.browser.press("Home")
        self.browser.press("ArrowRight", "ArrowRight")
        self.browser.press("ArrowRight", shift=True)
        self.assertIn("Frame 12 ", self.text(".curve .readout"))
        slider = "return cambi.curve.host.getAttribute(arguments[0])"
        self.assertEqual(self.run_script(slider, "aria-valuenow"), "12")
        self.assertIn(f"{scores[12]:.3f}", self.run_script(slider, "aria-valuetext"))
        self.browser.press("+")
        self.assertLess(self.window()[1] - self.window()[0], 320)
        self.browser.press("End")
        self.assertIn("Frame 599", self.text(".curve .readout"))
        self.assertAlmostEqual(self.window()[1], 599, places=6)
        self.browser.press("0")
        self.assertEqual(self.window(), [0, 599])
        self.check_clean()

    def test_a_hundred_thousand_frames(self):
        page = self.page("long", report(wave(100000)))
        self.open(page)
        self.assertEqual(self.run_script("return cambi.curve.u.data[1].length"), 100000)
        self.assertIn("mean of", self.text(".curve .range"))
        # uPlot draws in a microtask.
        draws = self.browser.wait("""const done = arguments[0];
            (async () => {
              let draws = 0;
              cambi.curve.u.hooks.draw.push(() => { ++draws; });
              for (let i = 0; i < 5; ++i) { cambi.curve.zoom(0.5); await null; await null; }
              cambi.curve.reset(); await null; await null;
              done(draws);
            })();""")
        self.assertEqual(draws, 6)
        self.shoot("long")
        self.run_script("cambi.curve.host.focus()")
        self.browser.press("End")
        self.assertIn("Frame 99,999", self.text(".curve .readout"))
        self.check_clean()
