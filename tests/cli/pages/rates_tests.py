"""Score and bit rate: the plot, its layers, the headline and the tables beside it."""

import math

from pages import PageTest, report


def encodes(sizes=((1280, 720), (640, 360))):
    """Four encodes of two encoders at each size. Small pictures are better at low rates, and x265 takes 70 % of the bits."""
    runs = {}
    for encoder, share in (("x264", 1), ("x265", 0.7)):
        for width, height in sizes:
            for crf, score in zip((37, 32, 27, 22), (26, 32, 37, 42) if width == 1280 else (29, 34, 36, 36.5)):
                data = report([score] * 24, metrics=("psnr_y", "psnr_cb"))
                rate = round(share * (400_000 if width == 1280 else 200_000) * 2 ** ((37 - crf) / 4))
                data["run"]["inputs"][0].update(width=width, height=height, bit_rate=rate, bit_rate_of="stream", duration=1,
                                                file_bytes=rate // 8, encoder=f"{encoder} - core 1", encoder_settings=f"rc=crf crf={crf}.0")
                runs[f"{encoder}_{height}_crf{crf}"] = data
    return runs


class Rates(PageTest):
    DIFFERENCES, LADDER = "figure + .rate-part tbody tr", ".rate-part + .rate-part tbody tr"

    def boxes(self, selector):
        return self.run_script("""
            return [...document.querySelectorAll(arguments[0])].map((one) => {
              const {left, right, top, bottom} = one.getBoundingClientRect();
              return [left, right, top, bottom];
            });""", selector)

    def name_boxes(self):
        """Where names stand in the plot, without the outline that keeps lines away from them."""
        return self.run_script("""
            return [...document.querySelectorAll('.rates .name')].map((one) => {
              const {x, y, width, height} = one.getBBox();
              return [x, x + width, y, y + height];
            });""")

    def pressed(self, name):
        place = self.texts(".rates-swatch + span").index(name) + 1
        self.browser.click(f"figure .legend button:nth-child({place})")

    def test_a_hue_is_an_encoder_on_the_whole_page(self):
        runs = encodes(((1280, 720),))
        self.open(self.comparison("hues", runs))
        names = list(runs)
        look = """
            const hex = (one) => getComputedStyle(document.documentElement).getPropertyValue(one.match(/var\\((--[\\w-]+)\\)/)[1]).trim();
            const swatches = (list) => [...document.querySelectorAll(list)].map((one) => [one.parentNode.textContent.trim(),
              hex(one.querySelector('line').getAttribute('style')), one.querySelector('line').getAttribute('stroke-dasharray')]);
            return [swatches('.ranked .swatch'), cambi.curve.series.map((one) => [one.label, one.colour()]),
              [...document.querySelectorAll('.rates .point')].map((one) => [one.textContent.split(':')[0], hex(one.getAttribute('style'))])];"""
        ranked, curve, points = self.run_script(look)
        def hue(text):
            red, green, blue = (int(text[i:i + 2], 16) for i in (1, 3, 5))
            return max(range(3), key=(red, green, blue).__getitem__)
        for found in (ranked, curve, points):
            by_name = {name: colour for name, colour, *_ in found if name in names}
            self.assertEqual(set(by_name), set(names))
            hues = {encoder: {hue(colour) for name, colour in by_name.items() if name.startswith(encoder)} for encoder in ("x264", "x265")}
            self.assertEqual([len(one) for one in hues.values()], [1, 1], by_name)
            self.assertNotEqual(*hues.values())
            self.assertEqual(len(set(by_name.values())), len(names), "two runs look the same")
        for encoder in ("x264", "x265"):
            self.assertEqual(len({dash for name, _, dash in ranked if name.startswith(encoder)}), 4)
        self.browser.prefer("dark")
        self.browser.settle()
        dark, *_ = self.run_script(look)
        self.assertNotEqual(dark, ranked)
        self.browser.prefer("light")

    def test_runs_of_one_encoder_have_a_hue_each(self):
        runs = {name: data for name, data in encodes(((1280, 720),)).items() if name.startswith("x264")}
        self.open(self.comparison("one_encoder", runs))
        colours = self.run_script("return cambi.curve.series.map(({colourName}) => colourName)")
        self.assertEqual(sorted(colours), ["c0", "c1", "c2", "c3"])
        points = self.run_script("return [...document.querySelectorAll('.rates .point')].map((one) => one.style.getPropertyValue('--line-colour'))")
        self.assertEqual(len(set(points)), 4)
        self.assertEqual(self.run_script("return document.querySelector('.rates .line').style.getPropertyValue('--line-colour')"), "var(--ink)")

    def test_a_line_for_each_encoder_and_size(self):
        self.open(self.comparison("lines", encodes()))
        self.assertEqual(self.texts(".rates-swatch + span"), ["x264 1280x720", "x264 640x360", "x265 1280x720", "x265 640x360", "Front", "Hulls"])
        self.assertEqual(len(self.boxes(".rates .line")), 4)
        self.assertEqual(len(self.boxes(".rates .hull")), 2)
        self.assertEqual(len(self.boxes(".rates .front")), 1)
        self.assertEqual(len(self.boxes(".rates polygon.point")), 8, "sizes look the same")
        self.pressed("x264 640x360")
        self.pressed("Hulls")
        self.pressed("Front")
        self.assertEqual(len(self.boxes(".rates .line")), 3)
        self.assertEqual(len(self.boxes(".rates .point")), 12)
        self.assertEqual(self.boxes(".rates :is(.hull, .front)"), [])
        self.pressed("Hulls")
        self.assertEqual(len(self.boxes(".rates .hull")), 2)
        self.shoot("rates")
        self.check_clean()

    def test_names_never_overlap(self):
        for width in (1440, 800, 390):
            with self.subTest(width=width):
                self.browser.resize(width, 900)
                self.open(self.comparison("names", encodes()))
                names = self.name_boxes()
                self.assertGreater(len(names), 8)
                for i, (left, right, top, bottom) in enumerate(names):
                    for other_left, other_right, other_top, other_bottom in names[:i]:
                        apart = right <= other_left or other_right <= left or bottom <= other_top + 3 or other_bottom <= top + 3
                        self.assertTrue(apart, (self.texts(".rates .name")[i], names))
                (svg,) = self.boxes(".rates svg")
                self.assertTrue(all(left >= 0 and right <= svg[1] - svg[0] + 1 for left, right, _, _ in names))
                self.shoot(f"rates-{width}")
        self.assertTrue(all(name.startswith("#") for name in self.texts(".rates .name")))

    def test_the_axes_are_those_of_the_data(self):
        self.open(self.comparison("axes", encodes()))
        ticks = self.run_script("""
            const ticks = [...document.querySelectorAll('.rates .tick')];
            return ticks.filter((one) => one.textContent !== 'kbit/s').map((one) => [one.getAttribute('text-anchor'), one.getAttribute('x'), one.textContent]);""")
        scores = [float(text) for anchor, _, text in ticks if anchor == "end"]
        rates = [(float(x), float(text.replace(",", ""))) for anchor, x, text in ticks if anchor == "middle"]
        self.assertGreater(min(scores), 20)
        self.assertLess(max(scores), 45)
        (first, low), (second, middle), (third, high) = rates[0], rates[1], rates[-1]
        self.assertGreater(low, 100)
        # Equal ratios are equally far apart.
        self.assertAlmostEqual((second - first) / math.log(middle / low), (third - first) / math.log(high / low), delta=0.5)

    def test_the_headline_is_the_choice_and_not_the_largest_file(self):
        self.open(self.comparison("choice", encodes(((1280, 720),))))
        self.assertRegex(self.text(".verdict .title"), r"^x265_720_crf\d\d is [\d.]+ dB below the best PSNR, for \d+\u202f% of its bits$")
        self.assertIn("the best, x265_720_crf22, 42.000 at ", self.text(".verdict .words"))
        self.assertNotIn("highest PSNR", self.text(".verdict"))

    def test_differences(self):
        self.open(self.comparison("differences", encodes()))
        self.assertEqual(self.texts(".rate-part h3"), ["Difference from x264", "Ladder"])
        rows = self.rows(self.DIFFERENCES)
        luma = [row for row in rows if row[2] == "psnr_y"]
        self.assertEqual([[*row[:2], row[3]] for row in luma], [["x265 1280x720", "x264 1280x720", "\u221230.00\u202f%"],
                                                                ["x265 640x360", "x264 640x360", "\u221230.00\u202f%"],
                                                                ["x265 hull", "x264 hull", "\u221230.00\u202f%"]])
        self.assertTrue(all(row[4].startswith("+") for row in luma))
        # Beside it each other metric of the reports, whichever is looked at.
        self.assertEqual([row[2] for row in rows], ["psnr_y", "psnr_cb"] * 3)
        self.browser.click(".by-metric label:nth-of-type(2)")
        self.assertEqual(self.rows(self.DIFFERENCES), rows)
        self.browser.click(".by-metric label:nth-of-type(1)")
        self.assertEqual([row[:2] for row in self.rows(self.LADDER)], [["x264", "640\u00d7360"], ["x264", "1280\u00d7720"],
                                                             ["x265", "640\u00d7360"], ["x265", "1280\u00d7720"]])

    def test_a_target(self):
        self.open(self.comparison("target", encodes(((1280, 720),)), "--target", "psnr_y:37"))
        self.assertRegex(self.text(".verdict .title"), "^x265_720_crf27 is the cheapest with PSNR of 37 or more: 37.000 at ")
        row = self.rows(self.LADDER)[0]
        self.assertEqual(row[0], "x264")
        self.assertEqual(row[4], "x264_720_crf32 (crf 32, 32.000) and x264_720_crf27 (crf 27, 37.000)")
        self.assertEqual(len(self.boxes(".rates .target")), 1)
        self.assertEqual(len(self.boxes(".rates .reached")), 2)
        # The target is of the metric that ranks, and of no other.
        self.browser.click(".by-metric label:nth-of-type(2)")
        self.assertEqual(self.boxes(".rates .target"), [])
        self.open(self.comparison("unreached", encodes(((1280, 720),)), "--target", "psnr_y:50"))
        self.assertIn("No run has PSNR of 50 or more", self.text(".verdict .title"))
        self.assertTrue(self.run_script("return document.querySelector('.verdict').classList.contains('bad')"))

    def test_names_are_without_what_a_curve_has_in_common(self):
        for names, short in ((("x264_720_crf22", "x264_720_crf27"), {"crf22", "crf27"}), (("film-1.5", "film-1.25"), {"1.5", "1.25"}),
                             (("abc", "abd"), {"abc", "abd"}), (("film", "film slow"), {"film", "film slow"}),
                             (("a_1.mkv", "a_2.mkv", "x265.mp4"), {"1", "2", "x265.mp4"})):
            with self.subTest(names=names):
                x264, x265 = [[data for name, data in encodes(((1280, 720),)).items() if name.startswith(encoder)] for encoder in ("x264", "x265")]
                self.open(self.comparison("short", {name: (x265 if name.startswith("x265") else x264).pop() for name in names}))
                self.assertEqual(set(self.texts(".rates .name")), short)
