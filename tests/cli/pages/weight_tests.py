"""What a long page weighs, and that it needs nothing but itself: counts and sizes, no times."""
import random

from gallery import full_report
from pages import PageTest, report

EPISODE = 34200  # frames of 22 minutes and 49 seconds
MOST_BYTES = 3_000_000
MOST_ELEMENTS = 1500


class Weight(PageTest):
    def long_report(self):
        """Scores without a pattern, which do not compress."""
        chance = random.Random(16)
        return report([chance.random() * 12 for _ in range(EPISODE)], metrics=("cambi", "cambi_source", "psnr_y"))

    def test_a_long_page_is_small_and_whole(self):
        data = self.long_report()
        page = self.page("episode", data)
        self.assertLess(page.stat().st_size, MOST_BYTES)
        self.open(page)
        self.assertEqual(self.run_script("return location.protocol"), "file:")
        self.assertEqual(self.run_script("return cambi.report.frames.length"), EPISODE)
        last = data["frames"][-1]["metrics"]
        self.assertEqual(self.run_script("return cambi.report.frames.at(-1).metrics"), last)
        self.assertLess(self.run_script("return document.querySelectorAll('*').length"), MOST_ELEMENTS)

    def test_nothing_is_asked_for_in_any_use(self):
        page, _, _ = self.with_pictures(full_report())
        self.open(page)
        self.browser.point(*self.place_of(100))
        self.browser.click(".pictured .card")
        self.browser.press("ArrowRight", "Escape")
        self.browser.click("header button.quiet")
        self.browser.pdf(self.folder / "page.pdf")
        self.check_clean()
        entries = self.run_script("return performance.getEntriesByType('resource').map((one) => one.name.slice(0, 40))")
        self.assertEqual([name for name in entries if not name.startswith(("data:", "blob:"))], [])
        self.assertEqual(self.run_script("return localStorage.length + document.cookie.length"), 0)
