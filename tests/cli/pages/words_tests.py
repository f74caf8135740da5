"""What the page explains: every figure, the options, what to do."""
from pages import PageTest, report, wave


class Words(PageTest):
    def test_every_word_that_is_a_link_is_explained(self):
        data = report(wave(600), metrics=("cambi", "psnr_y"))
        data["run"]["repeated_frames"] = 684
        self.open(self.page("terms", data))
        links = self.run_script("""return [...document.querySelectorAll('a.term')].map((one) => {
            const at = document.getElementById(one.hash.slice(1));
            return [one.textContent, at ? at.closest('.glossary > div').querySelector('dd').textContent : ''];});""")
        self.assertGreater(len(links), 8)
        for word, meaning in links:
            self.assertGreater(len(meaning), 15, word)
        self.assertIn("Repeated frames", [word for word, _ in links])
        self.assertFalse(self.run_script("return document.getElementById('words').open"))
        self.browser.click("table a.term")
        self.assertTrue(self.run_script("return document.getElementById('words').open"))
        seen = self.run_script("const box = document.getElementById('about-mean').getBoundingClientRect(); return box.top > -1 && box.bottom <= innerHeight")
        self.assertTrue(seen, "the explanation is out of sight")
        self.assertIn("doi:", self.text("#words"))

    def test_options_say_what_they_mean(self):
        self.open(self.page("options", report(wave(60))))
        row = self.run_script("return [...document.querySelector('table.options tr').cells].map((cell) => cell.textContent)")
        self.assertEqual(row, ["topk", "0.6", "share of the samples that is pooled"])

    def test_what_to_do_next(self):
        self.open(self.page("advice", report(wave(600))))
        self.assertIn("Score the source as well", self.texts(".advice b"))
        self.assertIn("Encode with 10 bits", self.texts(".advice b"))
        self.open(self.page("noadvice", report([1.5] * 60)))
        self.assertEqual(self.texts(".advice b"), [])

    def test_the_distribution_marks_percentiles_and_what_is_noteworthy(self):
        scores = wave(600)
        self.open(self.page("marks", report(scores)))
        marks = self.texts(".histogram .channels span")
        self.assertEqual([mark.rsplit(" ", 1)[0] for mark in marks], ["Median", "95th percentile", "Frames \u2265"])
        places = self.run_script("return cambi.histogram.marks.map(({at}) => at)")
        self.assertAlmostEqual(places[0], sorted(scores)[300], delta=0.05)
        self.assertEqual(places[2], 5)
