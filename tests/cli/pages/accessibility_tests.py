"""Contrast, focus, and the rules of WCAG 2.1 AA as axe-core checks them."""
import measure
from axe import violations
from gallery import GalleryTest

class Accessibility(GalleryTest):
    def test_no_rule_is_violated(self):
        self.check_all(self.looks_of_all(widths=(1440, 390)), violations)

    def test_the_large_view_violates_no_rule(self):
        self.open_whole("report")
        self.browser.click(".pictured .card")
        self.check_all(self.looks(widths=(1440, 390)), violations)

    def test_text_and_lines_have_contrast(self):
        self.check_all(self.looks_of_all(widths=(1440,)), measure.contrast_faults, measure.line_faults)

    def test_the_keyboards_place_is_seen_everywhere(self):
        for scheme in ("light", "dark"):
            for name in self.gallery:
                with self.subTest(page=name, scheme=scheme):
                    self.open_whole(name)
                    self.browser.prefer(scheme)
                    self.assertEqual(self.faults_of_focus(), [])

    def faults_of_focus(self):
        reached, faults = set(), []
        for _ in range(200):
            self.browser.press("Tab")
            name, found = measure.focus(self.browser)
            if name is None or name in reached:
                break
            reached.add(name)
            faults += found
        self.assertGreater(len(reached), 5)
        return faults
