"""Light, dark, paper and small screens."""
from pages import PageTest


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

    def test_paper_is_light_and_fits(self):
        page, _, _ = self.with_pictures()
        self.browser.prefer("dark")
        self.open(page)
        pdf = (self.shots or self.folder) / f"{self.browser.name}.pdf"
        pdf.parent.mkdir(parents=True, exist_ok=True)
        self.browser.pdf(pdf)
        self.assertGreater(pdf.stat().st_size, 20000)
        self.run_script("dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(self.run_script("return document.documentElement.dataset.theme"), "light")
        self.assertLessEqual(self.run_script("return cambi.curve.u.width"), 680)
        self.run_script("dispatchEvent(new Event('afterprint'))")
        self.browser.settle()
        self.assertEqual(self.run_script("return document.documentElement.dataset.theme"), "dark")
        self.assertGreater(self.run_script("return cambi.curve.u.width"), 900)

    def test_a_small_screen(self):
        page, _, _ = self.with_pictures()
        self.browser.resize(360, 740)
        self.open(page)
        self.assertLessEqual(self.run_script("return cambi.curve.u.width"), 360)
        self.shoot("small")

    def test_a_phone_cuts_no_figure(self):
        page, _, _ = self.with_pictures()
        for width in (390, 360, 320):
            self.browser.resize(width, 800)
            self.open(page)
            cut = self.run_script("""
                return [...document.querySelectorAll('.card')].flatMap((card) => {
                  const inner = card.getBoundingClientRect();
                  return [...card.querySelectorAll('.caption > *')].filter((one) => {
                    const box = one.getBoundingClientRect();
                    return box.right > inner.right || box.bottom > inner.bottom;
                  }).map((one) => one.textContent);});""")
            self.assertEqual(cut, [], f"at {width}")
