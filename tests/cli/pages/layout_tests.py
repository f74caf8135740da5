"""Light, dark, small screens: what is measured on every kind of page."""
import measure
from gallery import GalleryTest
from pages import PageTest


class EveryPage(GalleryTest):
    def test_nothing_is_cut_or_covered_at_any_width(self):
        self.check_all(self.looks_of_all(), measure.layout_faults, measure.plot_faults)

    def test_all_that_can_be_tapped_is_large_enough(self):
        self.check_all(self.looks_of_all(widths=(1440, 390)), measure.target_faults)

    def test_nothing_moves_while_reading_the_curve(self):
        self.check_all(self.looks_of_all(widths=(1440, 390)), self.moved_by_reading)

    def moved_by_reading(self, browser):
        over = self.run_script("""
            const {over} = cambi.curve.u;
            over.scrollIntoView({block: 'center'});
            const {left, top, width, height} = over.getBoundingClientRect();
            return {left, top, width, height};""")
        faults = []
        before = measure.places(browser)
        y = over["top"] + over["height"] / 2
        for share in (0.01, 0.4, 0.99):
            browser.point(over["left"] + share * over["width"], y)
            self.assertNotIn("to read", self.text(".curve .readout"))
            faults += measure.moved(before, measure.places(browser)) + measure.layout_faults(browser)
        browser.touch([(over["left"] + over["width"] / 3, y)])
        faults += measure.moved(before, measure.places(browser))
        browser.point(1, 1)
        return faults + measure.moved(before, measure.places(browser))

    def test_the_large_view_fits(self):
        self.open_whole("report")
        self.browser.click(".pictured .card")
        self.check_all(self.looks(), measure.layout_faults, measure.target_faults, measure.contrast_faults, self.view_faults)

    def view_faults(self, browser):
        return browser.run("""
            const view = document.querySelector('dialog.large');
            if (!view.open) return ['the view is not open'];
            const box = view.getBoundingClientRect();
            const fits = box.left >= 0 && box.top >= 0 && box.right <= innerWidth && box.bottom <= innerHeight;
            return fits ? [] : ['the view is larger than the window'];""")


class Layout(PageTest):
    def test_light_dark_and_the_toggle(self):
        page, _, _ = self.with_pictures()
        ground = "return getComputedStyle(document.body).backgroundColor"
        self.open(page)
        light = self.run_script(ground)
        self.browser.prefer("dark")
        self.browser.settle()
        dark = self.run_script(ground)
        self.assertNotEqual(light, dark)
        self.shoot("dark")
        self.browser.click("header button.quiet")
        self.assertEqual(self.run_script(ground), light)
        self.browser.click("header button.quiet")
        self.assertEqual(self.run_script(ground), dark)
