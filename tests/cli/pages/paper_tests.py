"""Pages on paper: light, whole, and with headings beside what they are about."""
import shutil

import measure
import paper
from gallery import GalleryTest, full_report
from pages import CLIPS

# Each heading that is printed, and how the first words below it begin that are: under a curve those below the plot.
HEADINGS = """
    const shown = (root, selector) => [...root.querySelectorAll(selector)].find((one) => one.checkVisibility() && one.textContent.trim());
    return [...document.querySelectorAll('section')].flatMap((section) => {
      const heading = section.querySelector('h2');
      if (!heading?.checkVisibility()) return [];
      const follower = shown(section, '.curve .range') ?? shown(section, 'tbody th, .card .where, dt, h3, li b, .note');
      return follower ? [[heading.textContent.slice(0, 10), follower.textContent.slice(0, 5)]] : [];
    });"""


class Paper(GalleryTest):
    def tearDown(self):
        self.browser.show_as("")

    def printed(self, name):
        folder = self.shots or self.folder
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.browser.name}-{name}.pdf"
        self.browser.pdf(path)
        self.browser.settle()
        return paper.sheets(path)

    def show_as_sheet(self):
        """In a window as wide as the sheet, which is not how browsers print, but can be measured."""
        self.browser.resize(paper.SHEET_WIDTH, 900)
        self.browser.show_as("print")
        self.run_script("dispatchEvent(new Event('beforeprint'))")
        self.browser.settle()

    def test_nothing_is_cut(self):
        for name in self.gallery:
            with self.subTest(page=name):
                self.open_whole(name)
                self.assertEqual(paper.margin_faults(self.printed(name)), [])
                self.show_as_sheet()
                self.assertEqual(measure.layout_faults(self.browser), [])
                self.assertEqual(measure.contrast_faults(self.browser), [])
                self.browser.show_as("")

    def test_headings_are_beside_what_they_are_about(self):
        for name in self.gallery:
            with self.subTest(page=name):
                self.open_whole(name)
                self.show_as_sheet()
                headings = self.run_script(HEADINGS)
                self.assertGreater(len(headings), 1)
                self.open_whole(name)
                self.browser.show_as("")
                self.assertEqual(paper.orphans(self.printed(name), headings), [])

    def test_the_words_are_explained_on_paper_alone(self):
        page = self.page("explained", full_report())
        self.open(page)
        is_open = "return document.getElementById('words').open"
        self.run_script("addEventListener('beforeprint', () => { window.explained = document.getElementById('words').open; });")
        sheets = self.printed("explained")
        self.assertTrue(self.run_script("return window.explained"))
        self.assertFalse(self.run_script(is_open))
        self.assertEqual(paper.missing_words(sheets, ["Halfoftheframes"]), [])

    def test_a_usual_run_takes_three_sheets(self):
        page = self.folder / "usual.html"
        reference, video = self.folder / "film.mp4", self.folder / "crf30.mp4"
        shutil.copy(CLIPS / "colour_640x360_8b_ref.mp4", reference)
        shutil.copy(CLIPS / "colour_640x360_8b_shift.mp4", video)
        self.cambi("-r", reference, "-d", video, "--model", "auto", "--feature", "cambi", "-q", "--html", page)
        self.open(page)
        # Firefox prints plots as high as they are on the screen.
        self.assertLessEqual(len(self.printed("usual")), 4 if self.browser.name == "firefox" else 3)

    def test_paper_is_light_and_the_screen_is_as_before(self):
        page = self.page("printed", full_report())
        self.browser.prefer("dark")
        self.open(page)
        state = "return [cambi.curve.u.width, document.documentElement.dataset.theme]"
        self.run_script("addEventListener('beforeprint', () => { window.printed = (() => { " + state + " })(); });")
        for width in (1280, 390):
            self.browser.resize(width, 900)
            self.browser.settle()
            before = self.run_script(state)
            self.assertEqual(before[1], "dark")
            self.printed("printed")
            width, theme = self.run_script("return window.printed")
            self.assertLessEqual(width, paper.SHEET_WIDTH)
            self.assertEqual(theme, "light")
            self.assertEqual(self.run_script(state), before)
