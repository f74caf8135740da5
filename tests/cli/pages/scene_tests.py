"""Scenes and their scores on a page."""
from pages import PageTest, report


def with_scenes(scores, cuts, metrics=("cambi",)):
    data = report(scores, metrics=metrics)
    data["run"]["scene_cuts"] = list(cuts)
    return data


class ScenesOfAPage(PageTest):
    TABLE = ".scenes tbody tr"

    def headings(self):
        return self.texts(".scenes thead th")

    def test_a_scene_has_its_scores_and_leads_to_the_curve(self):
        scores = [2 if i < 120 else 6 if i < 240 else 1 for i in range(360)]
        scores[130] = 9
        self.open(self.page("scenes", with_scenes(scores, [120, 240])))
        self.assertEqual(self.headings(), ["Scene", "From", "To", "Length", "CAMBI, mean", "95th percentile", "Maximum"])
        self.assertEqual(self.rows(self.TABLE), [["1", "0:00:00.00", "0:00:05.00", "5.00 s", "2.000", "2.000", "2.000"],
                                       ["2", "0:00:05.00", "0:00:10.00", "5.00 s", "6.025", "6.000", "9.000"],
                                       ["3", "0:00:10.00", "0:00:15.00", "5.00 s", "1.000", "1.000", "1.000"]])
        self.browser.click(f"{self.TABLE}:nth-child(2) button")
        low, high = self.window()
        self.assertTrue(100 <= low < 120 and 239 < high <= 260, (low, high))
        self.assertIn("Frame 120 \u00b7 0:00:05.00 \u00b7 scene cut", self.text(".curve .readout"))
        self.browser.click(".scenes .chooser label:nth-of-type(2)")  # the worst first
        self.assertEqual([row[0] for row in self.rows(self.TABLE)], ["2", "1", "3"])
        self.shoot("scenes")
        self.check_clean()

    def test_other_metrics_are_told_by_their_means(self):
        self.open(self.page("scenes_of_two", with_scenes([30 if i < 50 else 40 for i in range(100)], [50], ("psnr_y", "float_ssim"))))
        self.assertEqual(self.headings()[4:], ["PSNR, mean", "5th percentile", "Minimum", "SSIM, mean"])
        self.assertEqual([row[4:] for row in self.rows(self.TABLE)], [["30.000", "30.000", "30.000", "15.00000"], ["40.000", "40.000", "40.000", "20.00000"]])

    def test_light_has_the_percentiles_of_all_samples_and_what_is_stored(self):
        data = with_scenes([8] * 40, [20], ("light_max", "light_p99"))
        data["scenes"] = [{"first": first, "aggregate_metrics": {"light_p99": level}} for first, level in ((0, 5), (20, 7.5))]
        data["aggregate_metrics"] = {"maxcll": 8.25, "light_p99": 7.5}
        data["run"]["inputs"][0].update(maxcll=1000, mastering_peak=4000)
        self.open(self.page("light", data))
        self.assertEqual(self.headings()[-1], "light, 99 %")
        self.assertEqual([row[-1] for row in self.rows(self.TABLE)], ["5.0", "7.5"])
        self.assertIn("MaxCLL 1000 cd/m\u00b2, mastering display 4000 cd/m\u00b2", self.text("#page"))
        self.assertIn("maxcll 8.250, light_p99 7.500", self.text("#page"))

    def test_a_single_scene_is_no_table(self):
        self.open(self.page("one_scene", with_scenes([1] * 50, [])))
        self.assertEqual(self.run_script("return document.querySelectorAll('.scenes').length"), 0)

    def test_many_scenes_begin_with_the_worst(self):
        scores = [1 + (i // 20) / 10 for i in range(600)]
        self.open(self.page("many_scenes", with_scenes(scores, range(20, 600, 20))))
        self.assertEqual([row[0] for row in self.rows(self.TABLE)], [str(i) for i in range(30, 20, -1)])
        self.browser.click(".scenes button.more")
        self.assertEqual(len(self.rows(self.TABLE)), 30)
        self.check_clean()

    def test_infinite_means_are_shown(self):
        data = with_scenes([40] * 40, [20], ("ciede2000",))
        for frame in data["frames"][20:]:
            frame["metrics"]["ciede2000"] = None
            frame["infinite"] = ["ciede2000"]
        self.open(self.page("infinite_scene", data))
        self.assertEqual([row[4] for row in self.rows(self.TABLE)], ["40.000", "\u221e"])
