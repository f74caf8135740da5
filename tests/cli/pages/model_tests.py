"""The page of a run with a model: its scores lead, and CAMBI lies over them."""
import json

from model_report import ADM, FRAMES, MODEL, bootstrap, model_report
from pages import PageTest


class ModelPage(PageTest):
    def series(self):
        return self.run_script("return cambi.curve.series.map(({label, scale}) => [label, scale])")

    def choose(self, metric):
        self.run_script("""const list = document.querySelector('select');
            list.value = arguments[0];
            list.dispatchEvent(new Event('change'))""", metric)

    def test_the_score_leads_and_says_what_is_low(self):
        self.open(self.page("leads", model_report()))
        low = sum(frame["metrics"]["vmaf"] <= 70 for frame in model_report()["frames"])
        verdicts = self.texts(".verdict .title")
        self.assertEqual(verdicts, ["Good quality on average, below good in places", "Banding in places, slightly annoying at its worst"])
        self.assertIn(f"{low} of {FRAMES} frames", self.text(".verdict"))
        self.assertIn("VMAF v0.6.1: for HD seen from 3 heights; not comparable with v1.", self.text(".verdict"))
        titles = self.texts(".figures dt")[:6]
        self.assertEqual(titles, ["Mean", "Harmonic mean", "Minimum", "1st percentile", "5th percentile", "Frames \u2264 70"])
        # The score leads with its name, in the title as well.
        mean = sum(frame["metrics"]["vmaf"] for frame in model_report()["frames"]) / FRAMES
        self.assertEqual(self.texts(".figures .lead dd")[0], f"VMAF v0.6.1 {mean:.1f}")
        self.assertIn(f" \u00b7 VMAF v0.6.1 {mean:.1f}, CAMBI ", self.run_script("return document.title"))
        self.assertEqual(self.texts("table.metrics tbody th"), ["VMAF v0.6.1", "integer_motion2", "CAMBI", ADM])
        self.assertIn("vmaf: vmaf_v0.6.1", self.text("#page"))

    def test_every_verdict_has_its_segments_and_moments(self):
        data = model_report()
        self.cambi("report", "--force", self.saved("verdicts", data), "-o", self.folder / "verdicts.html")
        self.open(self.folder / "verdicts.html")
        self.assertEqual(self.texts(".segments h3"), ["VMAF v0.6.1", "CAMBI"])
        self.assertIn("1 stretch whose half-second mean of VMAF v0.6.1 is 70 or less, of 0.5 s or more", self.text(".segments"))
        self.assertIn("No stretch of visible banding.", self.text(".segments"))
        self.assertEqual(self.texts("h3.whose"), ["VMAF v0.6.1", "CAMBI"])
        self.assertEqual(self.run_script("return document.querySelectorAll('.worst').length"), 2)
        # What is to blame for the low score, and what for the banding.
        self.assertIn("Against low VMAF v0.6.1 and banding", self.text("#page"))
        self.assertTrue(any(text.endswith("is to blame") for text in self.texts(".advice b")), self.texts(".advice b"))
        self.choose("cambi")
        self.browser.click(".segments tbody button")
        self.assertEqual(self.run_script("return cambi.metric"), "vmaf")
        self.check_clean()

    def test_scores_that_stay_high_are_told_so(self):
        data = model_report(20)
        self.open(self.page("high", data))
        self.assertEqual(self.texts(".verdict .title")[0], "Good quality on average, nowhere below good")
        self.assertIn("No frame scores 70 or less", self.text(".verdict"))

    def test_cambi_lies_over_the_score_with_an_axis_of_its_own(self):
        data = model_report()
        self.open(self.page("over", data))
        self.assertEqual(self.series(), [["vmaf", "y"], ["cambi", "right"]])
        ranges = self.run_script("const {y, right} = cambi.curve.u.scales; return [y.min, y.max, right.min, right.max]")
        self.assertLessEqual(ranges[0], 50)
        self.assertGreater(ranges[1], 89)
        self.assertEqual(ranges[2], 0)
        # Each has a part of the height to itself, so that neither the lines nor the levels lie on each other.
        places = self.run_script("""const {u} = cambi.curve;
            const at = (value, scale) => u.valToPos(value, scale);
            return [...[50, 70, 90].map((value) => at(value, 'y')), ...[6, 5, 0].map((value) => at(value, 'right'))];""")
        self.assertEqual(places[:3], sorted(places[:3], reverse=True))
        self.assertLess(max(places[:3]) + 10, min(places[3:]))
        self.assertGreater(places[0] - places[2], 0.4 * (places[5] - places[2]), "the score is squeezed")
        dashes = self.run_script("return [...document.querySelectorAll('.axis-name line')].map((one) => one.getAttribute('stroke-dasharray'))")
        self.assertEqual(len(set(dash for dash in dashes if dash)), 2)
        colours = self.run_script("return cambi.curve.series.map((one) => one.colour())")
        self.assertEqual(len(set(colours)), 2)
        self.assertIn("VMAF v0.6.1, higher is better (left)", self.text(".axis-name"))
        self.assertIn("CAMBI, lower is better (right)", self.text(".axis-name"))
        self.shoot("vmaf_and_cambi")

    def test_both_values_of_a_frame_are_read_at_once(self):
        data = model_report()
        self.open(self.page("read", data))
        self.browser.point(*self.place_of(150))
        metrics = data["frames"][150]["metrics"]
        self.assertIn("Frame 150", self.text(".curve .readout"))
        self.assertEqual(self.texts(".legend .value"), [f"{metrics['vmaf']:.1f}", f"{metrics['cambi']:.3f}"])
        # Both lines have their point at the height of their own scale.
        tops = self.run_script("""const {u} = cambi.curve;
            return u.series.slice(1).map((one, i) => Math.abs(u.valToPos(u.data[i + 1][150], one.scale)
              - (u.over.querySelectorAll('.u-cursor-pt')[i].getBoundingClientRect().top + 3.5 - u.over.getBoundingClientRect().top)));""")
        for off in tops:
            self.assertLess(off, 2)
        self.check_clean()

    def test_any_other_metric_takes_the_place_of_cambi(self):
        self.open(self.page("other", model_report()))
        self.choose(ADM)
        self.assertEqual(self.series(), [["vmaf", "y"], [ADM, "right"]])
        self.choose("vmaf")
        self.assertEqual(self.series(), [["vmaf", "y"], ["cambi", "right"]])
        self.assertEqual(self.run_script("return document.querySelectorAll('.curve').length"), 1)

    def test_a_collection_shows_its_interval_and_folds_its_members(self):
        data = model_report(more=bootstrap)
        self.open(self.page("interval", data))
        self.assertIn("95 % of the bootstrap models", self.text(".axis-name"))
        self.browser.point(*self.place_of(150))
        vmaf = data["frames"][150]["metrics"]["vmaf"]
        self.assertEqual(self.texts(".legend .value")[0], f"{vmaf:.1f} ({vmaf - 4:.1f} to {vmaf + 2:.1f})")
        mean = sum(frame["metrics"]["vmaf"] for frame in data["frames"]) / FRAMES
        self.assertIn(f"{mean - 4:.1f} to {mean + 2:.1f}", self.text(".figures"))
        area = self.run_script("""const {canvas} = cambi.curve.u.ctx, {left, width} = cambi.curve.u.bbox;
            const at = (value) => cambi.curve.u.ctx.getImageData(Math.round(cambi.curve.u.valToPos(33, 'x', true)),
              Math.round(cambi.curve.u.valToPos(value, 'y', true)), 1, 1).data;
            return [at(88.5), at(83)].map((pixel) => pixel[3]);""")
        self.assertGreater(area[0], 0)
        self.assertEqual(area[1], 0)
        self.assertNotIn("vmaf_0001", self.texts("table.metrics tbody th"))
        self.browser.click("button.more")
        self.assertIn("vmaf_0001", self.texts("table.metrics tbody th"))
        self.shoot("bootstrap")

    def test_features_are_called_without_the_options_of_the_model(self):
        whole = ADM + "_csf_2_dlmw_0.7_egl_1_min_0.5_nw_0.02"
        data = json.loads(json.dumps(model_report()).replace(f'"{ADM}"', f'"{whole}"'))
        self.open(self.page("options", data))
        self.assertEqual(self.texts("table.metrics tbody th"), ["VMAF v0.6.1", "integer_motion2", "CAMBI", f"{ADM} (model)"])
        self.assertEqual(self.run_script("return document.querySelectorAll('table.metrics tbody th')[3].title"), whole)
        self.assertIn(f"ADM2, {ADM} (model)", self.texts("select option"))
        self.assertEqual(self.texts("select option")[0], "VMAF v0.6.1")

    def test_a_bad_frame_is_explained_by_its_features(self):
        page, worst, _ = self.with_pictures(model_report(), metric="vmaf", has_heat=False)
        self.open(page)
        self.assertEqual(worst[0]["frameNum"], 150)
        self.assertEqual(self.texts(".card .number")[1], "Stands out: banding (CAMBI), detail loss (ADM2)")
        self.browser.click(".card")
        # Both pictures, and how each feature of the model is among all frames; what no model takes is not there.
        self.assertEqual(self.texts("dialog[open] figcaption"), ["Reference", "Picture"])
        rows = self.texts("dialog[open] table.reasons tbody tr")
        self.assertEqual(len(rows), 2)
        self.assertTrue(rows[0].startswith("CAMBI6.000"), rows)
        self.assertTrue(rows[0].endswith("99\u202f% of frames"), rows)
        self.assertTrue(rows[1].startswith("ADM2"), rows)
        self.shoot("reasons")
        self.check_clean()

    def test_a_comparison_ranks_by_the_score_beside_what_is_judged_by_itself(self):
        features = {f"integer_vif_scale{i}": [0.5] * FRAMES for i in range(4)} | {f"integer_adm_scale{i}": [0.5] * FRAMES for i in range(4)}
        runs = {name: model_report(more=lambda scores, drop=drop: features | {"vmaf": [score - drop for score in scores]})
                for name, drop in (("good", 0), ("bad", 9))}
        self.open(self.comparison("models", runs))
        self.assertEqual(self.texts("table.ranked tbody th"), ["good", "bad"])
        self.assertEqual(self.texts("table.ranked .groups th"), ["VMAF v0.6.1", *features])

    def test_what_stands_out_in_all_frames_is_told_once(self):
        data = model_report(48)
        data["run"]["scene_cuts"] = [24]  # scenes of a second, with a moment each
        for frame in (10, 40):
            data["frames"][frame]["metrics"] |= {"vmaf": 40, "cambi": 8, ADM: 0.5}
        self.open(self.page("once", data))
        worst = self.texts(".worst")[0]
        self.assertEqual(worst.count("Stands out"), 1)
        self.assertEqual(self.text(".worst .stands-out"), "Stands out in all of them: banding (CAMBI), detail loss (ADM2).")

    def test_most_of_a_film_that_is_low_is_told_in_short_words(self):
        self.open(self.page("low", model_report(more=lambda scores: {"vmaf": [60] * FRAMES})))
        self.assertIn("Most of the film is low: lower the CRF, raise the bit rate, or use a slower preset.", self.text("#page"))

    def test_worst_moments_are_those_of_scenes_where_scenes_are_known(self):
        data = model_report()
        data["run"]["scene_cuts"] = [2]
        self.open(self.page("scenes", data))
        self.assertEqual(self.run_script("return [...document.querySelectorAll('h2')].filter((one) => one.textContent === 'Worst moments')"
                                         ".map((one) => one.parentNode.querySelector('.note').textContent)"), ["The worst frame of each scene."])

    def test_hdr_has_no_verdict(self):
        for transfer, name in (("pq", "PQ"), ("hlg", "HLG")):
            data = model_report()
            data["run"]["inputs"][0]["transfer"] = transfer
            data["run"]["scene_cuts"] = []
            self.cambi("report", "--force", self.saved(transfer, data), "-o", self.folder / f"{transfer}.html")
            self.open(self.folder / f"{transfer}.html")
            first = self.run_script("return document.querySelector('#page section').textContent")
            self.assertIn("VMAF v0.6.1 and CAMBI were made for SDR: compare only encodes of one source", first)
            self.assertIn(f"HDR ({name})", first)
            self.assertEqual(self.texts(".sign"), ["!"])
            self.run_script("document.getElementById('words').remove();")  # there the scale is explained
            page = self.text("#page")
            for word in ("quality on average", "below good", "annoying", "Against low", "Frames \u2264"):
                self.assertNotIn(word, page)
            self.assertEqual(self.run_script("return document.querySelectorAll('.verdict.good, .card.noteworthy').length"), 0)
            self.assertEqual(self.texts(".verdict .title")[1:], ["VMAF v0.6.1", "CAMBI"])
        self.shoot("hdr")
        self.check_clean()

    def test_hdr_is_judged_by_what_was_made_for_it(self):
        data = model_report()
        data["run"]["inputs"][0]["transfer"] = "pq"
        data["run"]["models"] = []
        for frame in data["frames"]:
            frame["metrics"] = {"cvvdp_v0.5.6_display_standard_hdr_pq": 8.4}
        self.open(self.page("judged_hdr", data))
        self.assertNotIn("made for SDR", self.text("#page"))
        self.assertIn("Slight difference on average", self.text(".verdict .title"))

    def test_a_comparison_of_hdr_has_no_tick(self):
        runs = {name: model_report(more=lambda scores, drop=drop: {"vmaf": [95 - drop] * FRAMES, "cambi": [0.5] * FRAMES})
                for name, drop in (("good", 0), ("bad", 9))}
        for data in runs.values():
            data["run"]["inputs"][0]["transfer"] = "pq"
        self.open(self.comparison("hdr", runs))
        self.assertIn("were made for SDR" if " and " in self.text(".hdr .title") else "was made for SDR", self.text(".hdr"))
        self.assertEqual(self.run_script("return document.querySelectorAll('.verdict.good').length"), 0)
        self.assertNotIn("quality on average", self.text("#page"))

    def test_each_of_several_models_has_its_verdict(self):
        other = {"name": "mine", "source": "mine.json", "metrics": [ADM]}
        data = model_report(models=(MODEL, other), more=lambda scores: {"mine": [score - 1 for score in scores]})
        self.open(self.page("two", data))
        self.assertTrue(self.texts(".verdict .title")[0].startswith("VMAF v0.6.1: Good quality"))
        self.assertTrue(self.texts(".verdict .title")[1].startswith("mine: Good quality"))
        self.assertEqual(self.series(), [["vmaf", "y"], ["mine", "y"], ["cambi", "right"]])
