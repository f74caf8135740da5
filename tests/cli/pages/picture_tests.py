"""The worst moments and their pictures."""
from pages import PageTest, report, wave


class Pictures(PageTest):
    def test_the_large_view(self):
        page, worst, pictures = self.with_pictures()
        self.open(page)
        names = self.texts(".card")
        self.assertIn(f"Frame {worst[0]['frameNum']}Open the large view", names[0])
        self.shoot("pictures")
        self.browser.click(".pictured li:first-child .card")
        state = """const view = document.querySelector('dialog.large'), images = [...view.querySelectorAll('img')];
            return {open: view.open, title: view.querySelector('h3').textContent, src: images.map((one) => one.src),
              alt: images[0].alt, loaded: images[0].naturalWidth};"""
        both = lambda i: [pictures[i]["picture"], pictures[i]["heat"]]
        shown = self.run_script(state)
        self.assertTrue(shown["open"])
        self.assertIn(f"{worst[0]['score']:.3f}", shown["title"])
        self.assertEqual(shown["src"], both(0))
        self.assertIn("heat map", shown["alt"])
        self.assertEqual(shown["loaded"], 320)
        self.shoot("large_view")
        self.browser.press("ArrowRight", "ArrowRight")
        self.assertEqual(self.run_script(state)["src"], both(2))
        self.browser.press("ArrowLeft")
        self.assertEqual(self.run_script(state)["src"], both(1))
        self.browser.click("dialog.large .chooser label:nth-of-type(2)")
        self.assertEqual(self.run_script(state)["src"], [pictures[1]["picture"]])
        self.assertNotIn("heat map", self.run_script(state)["alt"])
        self.browser.press("Escape")
        self.assertFalse(self.run_script(state)["open"])
        focused = self.run_script("return document.activeElement.textContent")
        self.assertEqual(focused, names[0], "the focus is not back where it was")
        self.check_clean()

    def test_the_reference_beside_the_frame(self):
        page, _, pictures = self.with_pictures()
        self.open(page)
        self.browser.click(".pictured li:first-child .card")
        sources = "return [...document.querySelectorAll('dialog.large img')].map((one) => one.src)"
        self.browser.click("dialog.large .chooser label:first-of-type")
        self.assertEqual(self.run_script(sources), [pictures[0]["reference"]])
        self.browser.click("dialog.large .chooser label:nth-of-type(4)")
        self.assertEqual(self.run_script(sources), [pictures[0]["reference"], pictures[0]["picture"]])
        self.shoot("side_by_side")
        lifted = "return [...document.querySelectorAll('dialog.large img')].map((one) => getComputedStyle(one).filter)"
        self.assertEqual(self.run_script(lifted), ["none", "none"])
        self.browser.press("b")
        self.assertEqual(self.run_script(lifted), ['url("#lift")', 'url("#lift")'])
        self.shoot("brightened")
        self.check_clean()

    def test_keys_choose_views_and_flicker(self):
        page, _, pictures = self.with_pictures(difference=True)
        self.open(page)
        self.browser.click(".pictured li:first-child .card")
        sources = "return [...document.querySelectorAll('dialog.large img')].map((one) => one.src)"
        names = self.texts("dialog.large .chooser label")
        self.assertEqual(names, ["Reference", "Picture", "Difference", "Heat map", "Side by side", "Wipe"])
        one = pictures[0]
        shown = {"1": [one["reference"]], "2": [one["picture"]], "3": [one["picture"], one["difference"]],
                 "4": [one["picture"], one["heat"]], "5": [one["reference"], one["picture"]], "6": [one["reference"], one["picture"]]}
        for key, wanted in shown.items():
            self.browser.press(key)
            self.assertEqual(self.run_script(sources), wanted, key)
            chosen = "return document.querySelector('dialog.large .chooser input:checked').parentNode.textContent"
            self.assertEqual(self.run_script(chosen), names[int(key) - 1])
        self.browser.press("7")
        self.assertEqual(self.run_script(sources), shown["6"], "there is no seventh view")
        # The picture and the reference in turn, at one place and of one size.
        place = "const {left, top, width} = document.querySelector('dialog.large img').getBoundingClientRect(); return [left, top, width]"
        self.browser.press("2")
        before = self.run_script(place)
        for wanted in (shown["1"], shown["2"], shown["1"]):
            self.browser.press("Space")
            self.assertEqual(self.run_script(sources), wanted)
            self.assertEqual(self.run_script(place), before)
        self.browser.press("3")
        self.assertEqual(self.run_script(place), before, "the difference lies elsewhere")
        self.assertIn("Difference from the reference", self.text("dialog.large > .note"))
        # Where a button has the focus, space presses it and nothing else.
        self.run_script("document.activeElement.blur(); document.querySelector('dialog.large .lever').focus()")
        self.browser.press("Space")
        self.assertEqual(self.run_script(sources), shown["3"])
        self.assertEqual(self.run_script("return document.querySelector('dialog.large .lever').ariaPressed"), "true")
        self.check_clean()

    def test_a_line_between_two_pictures(self):
        page, _, _ = self.with_pictures()
        self.open(page)
        self.browser.click(".pictured li:first-child .card")
        self.browser.press("5")
        self.assertEqual(self.texts("dialog.large figcaption span"), ["Reference", "Picture"])
        cut = """const frame = document.querySelector('dialog.large .pane > .frame'), box = frame.getBoundingClientRect();
            const line = frame.querySelector('.line').getBoundingClientRect();
            return [Math.round(100 * (line.left + line.width / 2 - box.left) / box.width), getComputedStyle(frame.querySelector('.over')).clipPath,
              box.left, box.top + box.height / 2, box.width]"""
        share, clip, left, middle, width = self.run_script(cut)
        self.assertEqual((share, clip), (50, "inset(0px 0px 0px 50%)"))
        self.browser.drag([(left + width * 0.5, middle), (left + width * 0.3, middle), (left + width * 0.2, middle)])
        self.assertAlmostEqual(self.run_script(cut)[0], 20, delta=1)
        self.run_script("document.querySelector('dialog.large input[type=range]').focus()")
        title = self.text("dialog.large h3")
        self.browser.press("End")
        self.assertEqual(self.run_script(cut)[0], 100)
        self.browser.press("Home")
        self.assertEqual(self.run_script(cut)[0], 0)
        self.assertEqual(self.text("dialog.large h3"), title, "keys move the line, not on to the next")
        self.shoot("wipe")
        self.browser.press("2")
        self.assertEqual(self.run_script("return document.querySelectorAll('dialog.large input[type=range]').length"), 0)
        self.check_clean()

    def test_what_was_done_to_a_picture_is_said(self):
        page, _, _ = self.with_pictures(facts={"exact": False, "tone_mapped": "PQ", "scaled_from": [160, 90],
                                              "light": {"peak": 812.4, "outside_bt709": 0.125, "outside_p3": 0}})
        self.open(page)
        self.browser.click(".pictured li:first-child .card")
        note = self.text("dialog.large > .note")
        for words in ("--page-pictures lossless", "PQ, tone-mapped", "reaches 812 cd/m\u00b2; outside BT.709 is 12.5\u202f% of it", "160\u00d790, scaled to the size of the reference"):
            self.assertIn(words, note)

    def test_full_size_pictures_move_together(self):
        page, _, _ = self.with_pictures(size=(2400, 1350))
        self.open(page)
        self.browser.click(".pictured li:first-child .card")
        self.browser.click("dialog.large .chooser label:nth-of-type(4)")
        self.browser.press("z")
        self.browser.settle()
        panes = """return [...document.querySelectorAll('dialog.large .pane')].map((one) => (
            [one.scrollLeft, Math.round(one.querySelector('img').getBoundingClientRect().width * devicePixelRatio)]))"""
        self.assertEqual(self.run_script(panes), [[0, 2400], [0, 2400]])
        self.run_script("document.querySelector('dialog.large .pane').focus()")
        title = "return document.querySelector('dialog.large h3').textContent"
        before = self.run_script(title)
        for _ in range(5):
            self.browser.press("ArrowRight")
        self.run_script("document.querySelector('dialog.large .pane').scrollBy(100, 50)")
        self.browser.settle()
        (left, _), (right, _) = self.run_script(panes)
        self.assertGreater(left, 0)
        self.assertEqual(left, right)
        self.assertEqual(self.run_script(title), before, "arrows move the picture, not on to the next")
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
        ranks = self.texts(".card .rank")
        self.assertEqual(ranks, [str(i + 1) for i in range(len(ranks))])
        self.assertGreater(len(ranks), 4)
