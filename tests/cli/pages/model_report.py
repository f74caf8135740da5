"""The report of a made-up run with a model."""
import math

from pages import report

FRAMES = 200
ADM = "integer_adm2"
MODEL = {"name": "vmaf", "source": "vmaf_v0.6.1", "metrics": ["cambi", ADM]}
ENDS = ("vmaf_ci_p95_lo", "vmaf_ci_p95_hi")


def model_report(frames=FRAMES, models=(MODEL,), more=None):
    """Scores that fall to frame 150 and rise again; CAMBI goes the other way, ADM2 has its lowest value there too."""
    dips = [math.exp(-((i - 150) / 12) ** 2) for i in range(frames)]
    columns = {"cambi": [1 + 5 * dip for dip in dips], ADM: [0.95 - 0.2 * dip - 0.0001 * i for i, dip in enumerate(dips)],
               "integer_motion2": [2 + i % 7 for i in range(frames)], "vmaf": [90 - 40 * dip for dip in dips]}
    columns |= more(columns["vmaf"]) if more else {}
    data = report(dips)
    for i, frame in enumerate(data["frames"]):
        frame["metrics"] = {name: values[i] for name, values in columns.items()}
    data["run"]["models"] = list(models)
    return data


def bootstrap(scores):
    members = {f"vmaf_{i:04}": [score + i - 3 for score in scores] for i in range(1, 6)}
    return members | {ENDS[0]: [score - 4 for score in scores], ENDS[1]: [score + 2 for score in scores]}
