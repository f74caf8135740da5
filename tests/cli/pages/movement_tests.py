"""Moving and reading curves: with the mouse, the wheel, fingers, the strip; several axes; what is drawn at every zoom."""
from pages import PageTest, report, wave

FULL = ("cambi", "cambi_source", "cambi_full_reference")
MIXED = (*FULL, "psnr_y", "bounds_x", "histogram_y_mean")


class Movement(PageTest):
    def send_wheel(self, **event):
        """Whether the page may scroll by it."""
        scrolls = self.run_script("""
            const over = cambi.curve.u.over, box = over.getBoundingClientRect();
            return over.dispatchEvent(new WheelEvent('wheel', {bubbles: true, cancelable: true, clientX: box.left + box.width / 2,
              clientY: box.top + 9, ...arguments[0]}));""", event)
        self.browser.settle()
        return scrolls

    def middle_of(self, selector):
        return self.run_script("""
            const node = document.querySelector(arguments[0]);
            node.scrollIntoView({block: 'center'});
            const box = node.getBoundingClientRect();
            return [box.left + box.width / 2, box.top + box.height / 2];""", selector)

    def show(self, low, high):
        self.run_script("cambi.curve.setWindow(arguments[0], arguments[1])", low, high)
        self.browser.settle()

    def test_the_wheel_zooms_with_control_and_moves_with_shift(self):
        self.open(self.page("wheel", report(wave(600))))
        self.assertTrue(self.send_wheel(deltaY=120))
        self.assertTrue(self.send_wheel(deltaY=120, shiftKey=True), "there is nothing to move to")
        self.assertEqual(self.window(), [0, 599])
        self.assertFalse(self.send_wheel(deltaY=-400, ctrlKey=True))
        low, high = self.window()
        self.assertAlmostEqual(high - low, 599 / 2.71828, delta=1)
        self.assertAlmostEqual((low + high) / 2, 299.5, delta=1)
        self.assertFalse(self.send_wheel(deltaX=50))
        self.assertGreater(self.window()[0], low + 5)
        self.assertFalse(self.send_wheel(deltaY=-50, shiftKey=True))
        self.assertAlmostEqual(self.window()[0], low, delta=0.5)
        self.assertTrue(self.send_wheel(deltaY=120))

    def test_shift_and_drag_moves_the_window(self):
        self.open(self.page("pan", report(wave(600))))
        self.show(200, 300)
        x, y = self.place_of(250)
        self.run_script("""cambi.curve.u.over.addEventListener('pointerdown', (event) => { window.held = event.shiftKey; });""")
        self.browser.act({"type": "key", "id": "keys", "actions": [{"type": "keyDown", "value": "\ue008"}]})
        self.browser.drag([(x, y), (x - 20, y), (self.place_of(210)[0], y)])
        self.browser.act({"type": "key", "id": "keys", "actions": [{"type": "keyUp", "value": "\ue008"}]})
        self.assertTrue(self.run_script("return window.held"))
        low, high = self.window()
        self.assertAlmostEqual(low, 240, delta=2)
        self.assertAlmostEqual(high, 340, delta=2)

    def test_a_double_click_shows_all(self):
        self.open(self.page("double", report(wave(600), metrics=MIXED)))
        self.show(200, 300)
        self.run_script("cambi.curve.panels[1].u.over.dispatchEvent(new MouseEvent('dblclick', {bubbles: true}))")
        self.browser.settle()
        self.assertEqual(self.window(), [0, 599])
        windows = self.run_script("return cambi.curve.panels.map(({u}) => [u.scales.x.min, u.scales.x.max].join())")
        self.assertEqual(set(windows), {"0,599"})

    def test_fingers_pinch_and_move(self):
        self.open(self.page("touch", report(wave(600))))
        over = self.run_script("const over = cambi.curve.u.over; return getComputedStyle(over).touchAction")
        self.assertEqual(over, "pan-y", "the page is to scroll under a finger")
        x, y = self.place_of(300)
        self.browser.touch([(x - 40, y), (x - 60, y), (x - 120, y)], [(x + 40, y), (x + 60, y), (x + 120, y)])
        low, high = self.window()
        self.assertLess(high - low, 300)
        self.assertAlmostEqual((low + high) / 2, 300, delta=40)
        x, y = self.place_of(300)
        self.browser.touch([(x, y), (x - 30, y), (x - 60, y)])
        self.assertGreater(self.window()[0], low + 5)
        self.assertAlmostEqual(self.window()[1] - self.window()[0], high - low, places=6)

    def test_the_strip_moves_and_resizes_the_window(self):
        self.open(self.page("strip", report(wave(600))))
        self.show(200, 300)
        x, y = self.middle_of(".strip .frame")
        wide = self.run_script("return document.querySelector('.strip').clientWidth") / 599
        self.browser.drag([(x, y), (x + 10, y), (x + 100 * wide, y)])
        self.assertAlmostEqual(self.window()[0], 300, delta=3)
        self.assertAlmostEqual(self.window()[1], 400, delta=3)
        x, y = self.middle_of(".strip .grip.end")
        self.browser.drag([(x, y), (x + 10, y), (x + 50 * wide, y)])
        self.assertAlmostEqual(self.window()[0], 300, delta=3)
        self.assertAlmostEqual(self.window()[1], 450, delta=5)
        x, y = self.middle_of(".strip .grip.start")
        self.browser.drag([(x, y), (x - 10, y), (x - 200 * wide, y)])
        self.assertAlmostEqual(self.window()[0], 100, delta=5)
        self.run_script("cambi.curve.reset()")
        self.browser.settle()
        x, y = self.middle_of(".strip .frame")
        self.browser.drag([(x, y), (x + 20, y), (x + 100 * wide, y)])
        self.assertAlmostEqual(self.window()[0], 300, delta=5)
        self.assertAlmostEqual(self.window()[1], 400, delta=5)

    def test_the_strip_has_the_keyboard(self):
        self.open(self.page("stripkeys", report(wave(600))))
        self.show(200, 300)
        self.run_script("document.querySelector('.strip .frame').focus()")
        self.browser.press("ArrowRight")
        self.assertAlmostEqual(self.window()[0], 210, delta=0.1)
        self.browser.press("PageUp")
        self.assertAlmostEqual(self.window()[0], 310, delta=0.1)
        self.browser.press("End")
        self.assertAlmostEqual(self.window()[1], 599, delta=0.1)
        told = self.run_script("""const frame = document.querySelector('.strip .frame');
            return ['aria-valuemin', 'aria-valuemax', 'aria-valuetext'].map((name) => frame.getAttribute(name));""")
        self.assertEqual(told, ["0", "599", "frame 499 to frame 599"])
        self.run_script("document.querySelector('.strip .grip.start').focus()")
        self.browser.press("Home")
        self.assertEqual(self.window(), [0, 599])
        self.browser.press("ArrowRight", shift=True)
        self.assertAlmostEqual(self.window()[0], 59.9, delta=0.1)
        self.browser.press("0")
        self.assertEqual(self.window(), [0, 599])

    def test_each_kind_of_score_has_its_axis(self):
        data = report(wave(600), metrics=MIXED)
        for i, frame in enumerate(data["frames"]):
            frame["metrics"] |= {"psnr_y": 40 + i % 7 / 10, "bounds_x": 140, "histogram_y_mean": 90.123}
        self.open(self.page("mixed", data))
        panels = self.run_script("return cambi.curve.panels.map(({series}) => series.map(({label}) => label))")
        self.assertEqual(panels, [list(FULL), ["psnr_y"], ["bounds_x"], ["histogram_y_mean"]])
        self.assertEqual(self.texts(".axis-name > span:first-child"),
                         ["Banding, lower is better", "PSNR in dB, higher is better", "Left edge of the picture in px", "Mean of Y"])
        left = self.run_script("return cambi.curve.panels.map(({u}) => [u.bbox.left, u.bbox.width])")
        self.assertEqual(len({tuple(one) for one in left}), 1, "the plots are not over each other")
        low, high = self.run_script("const {min, max} = cambi.curve.panels[1].u.scales.y; return [min, max]")
        self.assertGreater(low, 30, "the scores have a sliver of their axis")
        self.assertLess(high, 42)
        # One cursor, one window.
        self.browser.point(*self.place_of(300))
        at = self.run_script("return cambi.curve.panels.map(({u}) => Math.round(u.cursor.left))")
        self.assertEqual(len(set(at)), 1, at)
        values = self.texts(".legend .value")
        self.assertEqual(values[3:], [f"{40 + 300 % 7 / 10:.3f}", "140", "90.12"])
        x, y = self.place_of(100)
        self.browser.drag([(x, y), (x + 40, y), (self.place_of(200)[0], y)])
        windows = self.run_script("return cambi.curve.panels.map(({u}) => [u.scales.x.min, u.scales.x.max].map(Math.round).join())")
        self.assertEqual(set(windows), {"100,200"})
        self.shoot("mixed")

    def test_a_reference_is_drawn_with_what_it_is_the_reference_of(self):
        self.open(self.page("area", report([4] * 600, metrics=FULL)))
        self.assertIn("between cambi and cambi_source", self.text(".axis-name"))
        pressed = self.run_script("return [...document.querySelectorAll('.legend button')].map((one) => one.ariaPressed)")
        self.assertEqual(pressed, ["true", "true", "false"])
        filled = """
            const {u, xs} = cambi.curve, ratio = devicePixelRatio;
            const x = Math.round(u.valToPos(xs[333], 'x', true)), y = Math.round(u.valToPos(arguments[0], 'y', true));
            return [...u.ctx.getImageData(x, y, 1, 1).data];"""
        self.assertGreater(self.run_script(filled, 3.4)[3], 0, "nothing is filled")
        self.assertEqual(self.run_script(filled, 1.4)[3], 0, "filled below the reference")
        self.browser.click(".legend button:nth-child(2)")
        self.assertEqual(self.run_script(filled, 3.4)[3], 0, "filled down to a line that is not there")

    def test_equal_lines_are_both_seen(self):
        data = report([5 + i % 3 for i in range(600)], metrics=("cambi", "cambi_source"))
        for frame in data["frames"]:
            frame["metrics"]["cambi_source"] = frame["metrics"]["cambi"]
        self.open(self.page("equal", data))
        beneath, above = self.run_script("return cambi.curve.u.series.slice(1).map(({width, dash}) => [width, (dash ?? []).length])")
        self.assertGreater(beneath[0], above[0] + 1)
        self.assertGreater(above[1], 0)

    def test_the_strong_line_is_true_at_every_zoom(self):
        self.open(self.page("strong", report([10 * (i % 2) for i in range(20000)])))
        inked = """
            const {u} = cambi.curve, at = cambi.curve.window[0], xs = cambi.curve.xs, ratio = devicePixelRatio;
            const y = Math.round(u.valToPos(arguments[0], 'y', true)), wide = Math.round(u.bbox.width);
            const row = u.ctx.getImageData(Math.round(u.bbox.left), y - 1, wide, 3).data;
            let strong = 0;
            for (let i = 0; i < row.length; i += 4) if (row[i] < 30 && row[i + 2] > 140 && row[i + 3] > 240) ++strong;
            return strong / wide;"""
        self.assertIn("mean of", self.text(".curve .range"))
        self.assertGreater(self.run_script(inked, 5), 0.9, "no line at the mean")
        self.assertLess(self.run_script(inked, 9.9), 0.1)
        self.show(10000, 10040)
        self.assertNotIn("mean", self.text(".curve .range"))
        self.assertLess(self.run_script(inked, 5), 0.5, "a line at the mean of frames that are all seen")
        self.assertGreater(self.run_script(inked, 9.9), 0.02)

    def test_the_part_that_is_shown_is_told_in_the_unit_of_the_axis(self):
        self.open(self.page("units", report(wave(2400))))
        self.show(240, 480)
        self.assertIn("Frames 240 to 480 of 2,400", self.text(".curve .range"))
        self.browser.click(".curve .chooser label:last-of-type")
        self.assertIn("0:00:10.00 to 0:00:20.00 of 0:01:39.95", self.text(".curve .range"))
        self.assertNotIn("rames", self.text(".curve .range"))
        self.browser.click(".curve .buttons button:last-child")
        self.assertIn("0:00:00.00 to 0:01:39.95", self.text(".curve .range"))
