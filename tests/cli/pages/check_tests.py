"""The measurements themselves: each tells a page that is broken in one way from one that is sound."""
import measure
import paper
from axe import violations
from pages import PageTest

SOUND = """
    <h2>A heading</h2>
    <p>Text that has room, <span style="position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%)">
    what is only read out</span> and a <button style="min-height: 24px; outline-offset: 2px">Button</button></p>
    <div style="overflow-x: auto; width: 200px" tabindex="0" role="region" aria-label="Wide"><p style="width: 900px">
    Text in a box that is scrolled on purpose, which goes on and on, until its end</p></div>
    <details style="padding: 4px 0"><summary style="padding: 4px">More</summary><p style="color: #ccc">What is closed</p></details>
    <p hidden style="color: #ccc">What is hidden</p>
    <div style="background: #000; padding: 4px"><p style="color: #999">Grey on black</p></div>
    <img alt="nothing" src="data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==">
    <section class="plot" style="height: 40px">A plot</section>"""

# What is broken, the check that must see it, and what that says.
BROKEN = [
    ('<p style="width: 80px; overflow: hidden; white-space: nowrap">A text that is longer than its box</p>',
     measure.layout_faults, "is cut off"),
    ('<p style="height: 20px; overflow: hidden; width: 100px">Lines and lines and lines of which two are hidden</p>',
     measure.layout_faults, "is cut off"),
    ('<div style="position: relative"><p style="position: absolute; left: -60px">To the left</p></div>', measure.layout_faults,
     "is beyond the window"),
    ('<p style="width: 2000px">Wide</p>', measure.layout_faults, "the page is 20"),
    ('<p>One line</p><p style="margin-top: -36px">Another line</p>', measure.layout_faults, "lies over"),
    ('<input value="more than there is room for in the field" style="width: 60px">', measure.layout_faults, "wider than its field"),
    ('<p style="color: #888">Faint</p>', measure.contrast_faults, "has a contrast of 3.5"),
    ('<div style="opacity: 0.5"><p style="color: #333">Faint together</p></div>', measure.contrast_faults, "has a contrast of"),
    ('<div style="background: #000a"><p>Black on a dark veil</p></div>', measure.contrast_faults, "has a contrast of"),
    ('<p style="color: rgb(0 0 0 / 30%)">Thin</p>', measure.contrast_faults, "has a contrast of"),
    ("<button style='padding: 0; border: 0; font-size: 12px; line-height: 16px'>Tap</button>", measure.target_faults, "by 16.0"),
    ("<style>:root { --c0: #888; --c1: #666; --c2: #ddd; --c3: #000; --c4: #000; --c5: #000; --c6: #000 }</style>",
     measure.line_faults, "line 2 has a contrast of 1.3"),
    ('<img src="data:image/gif;base64,R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==">', violations, "image-alt"),
    ("<input style='height: 30px'>", violations, "label"),
    ('<p style="color: #888">Faint</p>', violations, "color-contrast"),
]

PLOT = """
    <canvas width="300" height="100"></canvas>
    <script>
      const ctx = document.querySelector('canvas').getContext('2d');
      const redraw = () => { ctx.font = '14px sans-serif'; %s };
      window.cambi = {curve: {u: {ctx, redraw, batch: (act) => act()}}};
    </script>"""
PLOTS = [
    ("ctx.fillText('within', 10, 20); ctx.fillText('below', 10, 60);", None),
    ("ctx.translate(150, 50); ctx.rotate(-Math.PI / 2); ctx.fillText('upright', -40, 0); ctx.resetTransform();", None),
    ("ctx.fillText('beyond the right edge', 250, 20);", "is drawn beyond the canvas"),
    ("ctx.fillText('one', 10, 20); ctx.fillText('another', 20, 24);", "lies over"),
    ("ctx.fillStyle = '#aaa'; ctx.fillText('faint', 10, 20); ctx.fillStyle = '#000';", "has a contrast of 2.3"),
    ("", "nothing is written"),
]


class Checks(PageTest):
    def show(self, body, head=""):
        page = self.folder / "fixture.html"
        page.write_text('<!doctype html><html lang="en"><meta charset="utf-8"><title>A fixture</title>'
                        f'<meta name="viewport" content="width=device-width, initial-scale=1">{head}'
                        f'<body style="font: 16px/1.5 sans-serif"><main><h1>Fixture</h1>{body}</main></body></html>')
        self.browser.open(page)

    def check_tells(self, faults, wanted):
        self.assertTrue(any(wanted in fault for fault in faults), f"no {wanted!r} in {faults}")

    def test_a_sound_page_has_no_fault(self):
        for width in (1280, 320):
            self.browser.resize(width, 900)
            self.show(SOUND)
            for check in (measure.layout_faults, measure.contrast_faults, measure.target_faults, violations):
                self.assertEqual(check(self.browser), [], check.__name__)

    def test_what_is_broken_is_seen(self):
        for body, check, wanted in BROKEN:
            with self.subTest(body=body):
                self.show(body)
                self.check_tells(check(self.browser), wanted)

    def test_the_words_of_plots_are_measured(self):
        for script, wanted in PLOTS:
            with self.subTest(script=script):
                self.show(PLOT % script)
                faults = measure.plot_faults(self.browser)
                if wanted:
                    self.check_tells(faults, wanted)
                else:
                    self.assertEqual(faults, [])

    def test_what_moves_under_the_pointer_is_seen(self):
        for grown, faulty in ((40, True), (0, False)):
            self.show(f"""
                <style>.readout {{ height: 20px; }} .readout.read {{ height: {20 + grown}px; }}</style>
                <p class="readout"></p><section class="plot" style="height: 90px">A plot</section><section>What follows</section>
                <script>document.querySelector('.plot').onpointermove = () =>
                  document.querySelector('.readout').classList.add('read');</script>""")
            before = measure.places(self.browser)
            self.browser.point(*self.run_script("""
                const {left, top} = document.querySelector('.plot').getBoundingClientRect(); return [left + 20, top + 60];"""))
            moved = measure.moved(before, measure.places(self.browser))
            self.assertEqual(bool(moved), faulty, moved)

    def test_a_lost_focus_is_seen(self):
        for style, wanted in (("outline: none", "has no outline"), ("outline: 2px solid #ddd", "has a faint outline"),
                              ("position: fixed; top: -80px; outline: 2px solid #000", "is outside the window"),
                              ("outline: 2px solid #06c", None)):
            with self.subTest(style=style):
                self.show(f'<button style="{style}">Here</button>')
                self.browser.press("Tab")
                name, faults = measure.focus(self.browser)
                self.assertIsNotNone(name)
                if wanted:
                    self.check_tells(faults, wanted)
                else:
                    self.assertEqual(faults, [])

    def test_the_console_is_heard(self):
        for script, wanted in (("console.log('a word')", "a word"), ("console.warn('beware')", "beware"),
                               ("throw new Error('broken')", "broken"), ("Promise.reject(new Error('refused'))", "refused")):
            with self.subTest(script=script):
                self.show(f"<script>{script}</script>")
                self.check_tells(self.browser.console(), wanted)
                self.assertEqual(self.browser.console(), [])

    def test_what_the_policy_forbids_is_heard(self):
        self.show('<img alt="" src="http://127.0.0.1:9999/picture.png">',
                  """<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">""")
        said = self.browser.console()
        self.assertEqual(len(said), 1, said)
        self.assertRegex(said[0], "Content.Security.Policy")
        self.assertIn("picture.png", said[0])

    def test_requests_are_seen(self):
        self.show('<img alt="" src="http://127.0.0.1:9999/picture.png">')
        self.check_tells(self.browser.requests(), "http://127.0.0.1:9999/picture.png")
        self.browser.console()
        with self.assertRaises(AssertionError):
            self.show('<img alt="" src="http://127.0.0.1:9999/picture.png">')
            self.check_clean()

    def printed(self, body, head="<style>@page { margin: 16mm 14mm }</style>"):
        self.show(body, head)
        self.browser.pdf(self.folder / "fixture.pdf")
        return paper.sheets(self.folder / "fixture.pdf")

    def test_what_paper_cuts_is_seen(self):
        self.assertEqual(paper.margin_faults(self.printed("<p>Short</p>")), [])
        # Browsers shrink what is too wide, but not by any factor.
        words = [f"word{i}" for i in range(200)]
        wide = self.printed(f'<p style="white-space: nowrap">{" ".join(words)}</p>')
        self.assertIn("word199", paper.missing_words(wide, words))
        self.assertEqual(paper.missing_words(self.printed(f'<p>{" ".join(words)}</p>'), words), [])
        left = '<p style="position: relative; left: -20px">To the left</p>'
        self.check_tells(paper.margin_faults(self.printed(left)), 'left" lies in the margin')
        empty = '<p>One</p><div style="break-before: page">&nbsp;</div><p style="break-before: page">Three</p>'
        self.check_tells(paper.margin_faults(self.printed(empty)), "sheet 2 is empty")

    def test_a_heading_without_its_text_is_seen(self):
        wanted = [["Head", "Text below"]]
        for gap, faulty in (("auto", False), ("page", True)):
            sheets = self.printed(f'<p>Before</p><h2>Head</h2><p style="break-before: {gap}">Text below</p>')
            self.assertEqual(bool(paper.orphans(sheets, wanted)), faulty, gap)
        self.check_tells(paper.orphans(self.printed("<p>Text below</p>"), wanted), "is not printed")
