"""Contrast."""
from pages import PageTest, report, wave


class Accessibility(PageTest):
    def test_text_has_contrast(self):
        """WCAG 2.1: 4.5 to 1 for text, 3 to 1 for lines of the plot."""
        self.open(self.page("contrast", report(wave(60))))
        ratio = """
            const part = (value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
            const luminance = (hex) => [1, 3, 5].map((i) => part(parseInt(hex.slice(i, i + 2), 16) / 255))
              .reduce((sum, value, i) => sum + value * [0.2126, 0.7152, 0.0722][i], 0);
            const style = getComputedStyle(document.documentElement);
            const [a, b] = [...arguments].map((name) => luminance(style.getPropertyValue('--' + name).trim()));
            return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);"""
        for scheme in ("light", "dark"):
            self.browser.prefer(scheme)
            self.browser.settle()
            for text in ("ink", "muted", "warn", "good"):
                self.assertGreaterEqual(self.run_script(ratio, text, "ground"), 4.5, f"{text} in {scheme}")
            for line in range(7):
                self.assertGreaterEqual(self.run_script(ratio, f"c{line}", "ground"), 3, f"c{line} in {scheme}")
