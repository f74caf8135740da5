"""The worst moments and their pictures."""
from pages import PageTest, report, wave


class Pictures(PageTest):
    def test_the_large_view(self):
        page, worst, pictures = self.with_pictures()
        self.open(page)
        alts = self.run_script("return [...document.querySelectorAll('.card')].map((card) => card.getAttribute('aria-label'))")
        self.assertTrue(all(alts) and f"Frame {worst[0]['frameNum']}" in alts[0], alts)
        self.shoot("pictures")
        self.browser.click(".pictured li:first-child .card")
        state = """const view = document.querySelector('dialog.large'), image = view.querySelector('img');
            return {open: view.open, title: view.querySelector('h3').textContent, src: image.src, alt: image.alt,
              loaded: image.naturalWidth};"""
        shown = self.run_script(state)
        self.assertTrue(shown["open"])
        self.assertIn(f"{worst[0]['score']:.3f}", shown["title"])
        self.assertEqual(shown["src"], pictures[0]["overlay"])
        self.assertIn("heat map", shown["alt"])
        self.assertEqual(shown["loaded"], 320)
        self.shoot("large_view")
        self.browser.press("ArrowRight", "ArrowRight")
        self.assertEqual(self.run_script(state)["src"], pictures[2]["overlay"])
        self.browser.press("ArrowLeft")
        self.assertEqual(self.run_script(state)["src"], pictures[1]["overlay"])
        self.browser.click("dialog.large .chooser label:first-of-type")
        self.assertEqual(self.run_script(state)["src"], pictures[1]["plain"])
        self.assertNotIn("heat map", self.run_script(state)["alt"])
        self.browser.press("Escape")
        self.assertFalse(self.run_script(state)["open"])
        focused = self.run_script("return document.activeElement.getAttribute('aria-label')")
        self.assertEqual(focused, alts[0], "the focus is not back where it was")
        self.check_clean()

    def test_a_worst_frame_without_a_picture_shows_in_the_curve(self):
        self.open(self.page("nopictures", report(wave(600))))
        self.browser.click(".card")
        self.browser.settle()
        low, high = self.window()
        self.assertLess(high - low, 70)
        worst = max(range(600), key=lambda i: wave(600)[i])
        self.assertIn(f"Frame {worst} ", self.text(".curve .readout"))

    def test_worst_moments_are_numbered_as_the_report_lists_them(self):
        page, worst, _ = self.with_pictures()
        self.open(page)
        ranks = self.run_script("return [...document.querySelectorAll('.card .rank')].map((one) => one.textContent)")
        self.assertEqual(ranks, [str(i + 1) for i in range(len(ranks))])
        self.assertGreater(len(ranks), 4)
