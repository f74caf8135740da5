#!/usr/bin/env python3
"""Counts how often pairs of videos are refused that may be compared, and how often others are not.

Makes films of generated shots and of testdata/clips with ffmpeg, what encoders and filters make of them (alike pairs), and
other films, later scenes, mirrored, turned and negative copies (unalike ones), and asks the program about each pair. No alike
pair may have a certain fault; of the unalike ones 199 in 200 must have one. docs/pairs.md has the figures.

    docs/pair_study.py build/release/cambi [--work FOLDER] [--half 0|1] [--list] [FOOTAGE...]

Films are dealt to two halves: constants were chosen with half 0, so half 1 tells how well they do elsewhere.
"""
import argparse
import collections
import concurrent.futures
import json
import pathlib
import subprocess
import sys
import tempfile
import threading

CLIPS = pathlib.Path(__file__).resolve().parents[1] / "testdata" / "clips"
SIZE = "320x180"
FPS = 25
SHOT = 100  # frames
FILM = 3 * SHOT
PAIR = 120  # frames that are compared


def morph(seed, pace=1, tone="null"):
    """Clouds of several sizes that turn into others."""
    layers = [(6, 4, 1, 100), (24, 14, 2, 70), (80, 45, 2, 40)]
    graph = ""
    for i, (width, height, rate, strength) in enumerate(layers):
        graph += (f"color=gray:s={width}x{height}:r={rate * pace},noise=alls={strength}:all_seed={seed * 10 + i}:allf=t+u,"
                  f"scale=320:180:flags=bicubic,framerate={FPS}:scene=100[l{i}];")
    return graph + f"[l0][l1]blend=all_mode=average,eq=contrast=2.4[m];[m][l2]blend=all_mode=average,eq=contrast=1.6,{tone}"


def land(seed, tone="null", pan="x='300+2*n':y='120+n'", sky="white:c1=black"):
    """A bright sky above dark ground, over which a camera moves."""
    def still(size, strength, number):
        return (f"color=gray:s={size}:r={FPS},noise=alls={strength}:all_seed={seed * 10 + number}:allf=u,trim=end_frame=1,"
                "scale=960:540:flags=bicubic")
    return (f"{still('14x8', 100, 0)}[a];{still('120x68', 80, 1)}[b];"
            f"gradients=s=960x540:c0={sky}:x0=400:y0=0:x1=440:y1=539:n=2:d=1:r={FPS},format=gray,trim=end_frame=1[g];"
            "[a][b]blend=all_mode=average,eq=contrast=1.5[c];[c][g]blend=all_mode=average,eq=contrast=1.4,"
            f"loop=-1:1,crop=320:180:{pan},{tone}")


def talk(seed, speaker=0):
    """A studio that stands still, and somebody who moves in it."""
    return (land(seed, pan="x=200:y=150") + "[room];"
            f"color=gray:s=90x120:r={FPS},noise=alls=90:all_seed={seed * 7 + speaker}:allf=u,trim=end_frame=1,"
            "scale=18:24,scale=90:120:flags=bicubic,eq=contrast=2,loop=-1:1[who];"
            f"[room][who]overlay=x='110+60*sin(n/{9 + speaker * 4}+{speaker})':y='40+20*cos(n/{7 + speaker * 3})'")


def fractal(x, y, scale=0.3):
    return (f"mandelbrot=s={SIZE}:r={FPS}:start_x={x}:start_y={y}:start_scale={scale}:end_scale={scale / 50}:end_pts=300:"
            "inner=convergence")


def source(name, options=""):
    return f"{name}=s={SIZE}:r={FPS}{options}"


def clip(name, pan="x='n':y='n/2'", tone="null"):
    """A camera that moves over the first frame of a clip."""
    return (f"movie={CLIPS / name},trim=end_frame=1,format=yuv420p,scale=440:248:in_range=auto:out_range=tv,loop=-1:1,"
            f"fps={FPS},setpts=N/{FPS}/TB,crop=320:180:{pan},{tone}")


DARK = "lutyuv=y='16+219*pow(clip((val-16)/219,0,1),3)'"
DIM = "lutyuv=y='16+219*pow(clip((val-16)/219,0,1),2.5)'"
FLAT = "lutyuv=y='110+(val-126)*0.06'"
WIDE = "drawbox=0:0:iw:22:black:fill,drawbox=0:ih-22:iw:22:black:fill"
RISE = "fade=in:0:40"

# name: shots. Every second one is of the other half.
FILMS = {
    "clouds1": [morph(1), morph(2), morph(3)],
    "clouds2": [morph(4), land(5), morph(6, 2)],
    "clouds3": [morph(7, 3), morph(8, 3), morph(9, 3)],
    "clouds4": [morph(10), morph(11, 3), land(12)],
    "land1": [land(13), land(14), land(15)],
    "land2": [land(16), land(17, pan="x='500-3*n':y=200"), morph(18)],
    "land3": [land(19, pan="x='100+5*n':y=100"), land(20), land(21)],
    "land4": [land(22, pan="x=80:y='10+3*n'"), land(23), land(24)],
    "slow1": [land(25, pan="x='200+n/10':y=100"), land(26), land(27)],
    "slow2": [land(28, pan="x='300-n/8':y='100+n/20'"), land(29), morph(30)],
    "still1": [land(31, pan="x=100:y=100")] * 2 + [land(32)],
    "still2": [land(33, pan="x=300:y=150")] * 2 + [morph(34)],
    "talk1": [talk(35), talk(35, 1), talk(35, 2)],
    "talk2": [talk(36), talk(36, 2), land(93)],
    "talk3": [talk(37), talk(37, 2), talk(38, 1)],
    "talk4": [talk(39), land(40), talk(95, 3)],
    "dark1": [morph(41, tone=DARK), morph(42, tone=DARK), morph(43, tone=DARK)],
    "dark2": [land(44, DARK), land(45, DARK), land(46, DARK)],
    "dark3": [land(47, DIM), morph(48, tone=DARK), land(49, DIM)],
    "dark4": [morph(50, tone=DIM), land(51, DARK), land(52, DIM)],
    "flat1": [land(54), morph(53, tone=FLAT), land(55)],
    "flat2": [morph(57), land(56, FLAT), morph(58)],
    "wide1": [land(59, WIDE), morph(60, tone=WIDE), land(61, WIDE)],
    "wide2": [morph(62, tone=WIDE), land(63, WIDE), morph(64, tone=WIDE)],
    "mixed1": [land(65), land(66, WIDE), morph(67)],
    "mixed2": [morph(68), morph(69, tone=WIDE), land(70)],
    "rise1": [land(71, RISE), morph(72), land(73)],
    "rise2": [morph(74, tone=RISE), land(75), morph(76)],
    "fractal1": [fractal(-0.743643887, -0.131825904), fractal(0.2825, 0.01), fractal(-1.25, 0.02)],
    "fractal2": [fractal(-0.1011, 0.9563), fractal(-0.748, 0.1), fractal(0.3, 0.5)],
    "chart1": [source("testsrc2"), source("rgbtestsrc"), source("testsrc2", ":d=9,hue=h=90,hflip")],
    "chart2": [source("smptehdbars"), source("testsrc2"), source("smptebars")],
    "chart3": [fractal(-1.3, 0.1), source("testsrc2", ",negate"), f"mptestsrc=r={FPS},scale=320:180,setsar=1"],
    "chart4": [source("testsrc"), fractal(0.25, 0, 2), source("yuvtestsrc")],
    "life1": [f"life=s=64x36:r={FPS}:seed=1:mold=10:ratio=0.4,scale=320:180"] + [morph(77), land(78)],
    "life2": [f"life=s=32x18:r=12:seed=2:mold=10:ratio=0.5,fps={FPS},scale=320:180"] + [land(79), morph(80)],
    "clip1": [clip("clouds_1280x720_8b_ref.mp4"), clip("sky_640x360_8b_ref.mp4"), clip("colour_640x360_444_ref.mp4")],
    "clip2": [clip("colour_1280x720_8b_ref.mp4"), clip("static_640x360_8b.mp4"), clip("bright_480x270_8b.mkv")],
    "clip3": [clip("bars_pillarbox_640x360_8b.mp4"), clip("sky_1920x1080_8b_av1.mp4"),
              clip("colour_640x360_8b_haze_ref.mkv")],
    "clip4": [clip("static_640x360_8b.mp4"), clip("textured_480x270_12b.mkv"), clip("colour_640x360_444_ref.mp4")],
    "bright1": [land(81, "lutyuv=y='180+(val-126)*0.5'"), land(82), morph(83)],
    "bright2": [morph(84, tone="lutyuv=y='170+(val-126)*0.6'"), morph(85), land(86)],
    "noisy1": [land(87, "noise=alls=20:allf=t"), morph(88, tone="noise=alls=25:allf=t"), land(89)],
    "noisy2": [morph(90, tone="noise=alls=25:allf=t"), land(91, "noise=alls=20:allf=t"), land(92)],
}

# Films that show hardly anything: nothing may be said of their encodes, and nothing can be of other pictures.
HARDLY = "lutyuv=y='16+(val-16)*0.1'"
BLANK_FILMS = {
    "blank1": [morph(101, tone=FLAT), land(102, FLAT), morph(103, tone=FLAT)],
    "blank2": [land(104, FLAT), morph(105, 3, FLAT), land(106, FLAT)],
    "blank3": [morph(107, tone=HARDLY), land(108, HARDLY), morph(109, tone=HARDLY)],
    "blank4": [land(110, HARDLY), morph(111, 2, HARDLY), land(112, HARDLY)],
    "blank5": [source("color", ":c=black"), source("color", ":c=black,noise=alls=6:allf=t"), land(113, HARDLY)],
    "blank6": [source("color", ":c=0x404850"), morph(114, tone=FLAT), source("color", ":c=white")],
}

X264 = "-c:v libx264 -preset veryfast -pix_fmt yuv420p"
AV1 = "-c:v libsvtav1 -preset 11 -pix_fmt yuv420p"
TEXT = "drawtext=fontsize=15:fontcolor=white:borderw=1:x=(w-tw)/2:"

# name: filters, encoder. `{other}` is another film, to be edited in.
ALIKE = {
    "crf23": ("null", f"{X264} -crf 23"),
    "crf35": ("null", f"{X264} -crf 35"),
    "crf45": ("null", f"{X264} -crf 45"),
    "crf51": ("null", f"{X264} -crf 51"),
    "av1_40": ("null", f"{AV1} -crf 40"),
    "av1_63": ("null", f"{AV1} -crf 63"),
    "down8": ("scale=40:22,scale=320:180", f"{X264} -crf 26"),
    "down8_crf48": ("scale=40:22,scale=320:180", f"{X264} -crf 48"),
    "blur": ("gblur=sigma=8", f"{X264} -crf 26"),
    "noise": ("noise=alls=60:allf=t", f"{X264} -crf 20"),
    "grain": ("hqdn3d=8,noise=alls=18:allf=t", f"{X264} -crf 23"),
    "sharp": ("unsharp=9:9:3", f"{X264} -crf 26"),
    "fade": ("fade=in:0:40,fade=out:90:30", f"{X264} -crf 28"),
    "logo": ("drawbox=270:8:42:24:white@0.9:fill", f"{X264} -crf 28"),
    "subtitles": (TEXT + "y=140:text='Where were you last night':enable='gt(mod(n\\,60)\\,15)'," + TEXT +
                  "y=158:text='I was at home all the time':enable='gt(mod(n\\,60)\\,15)'", f"{X264} -crf 28"),
    "edit": ("[0:v][1:v]overlay=enable='between(n,50,75)'", f"{X264} -crf 28"),
    "denoise": ("hqdn3d=12:9:12:9", f"{X264} -crf 28"),
    "deband": ("deband=range=16:1thr=0.06", f"{X264} -crf 28"),
    "hue": ("hue=h=60:s=1.3", f"{X264} -crf 28"),
    "grey": ("hue=s=0", f"{X264} -crf 28"),
    "gamma": ("eq=gamma=1.4", f"{X264} -crf 28"),
    "contrast": ("eq=contrast=1.25:brightness=0.04", f"{X264} -crf 28"),
    "warm": ("colorbalance=rs=0.3:bs=-0.3", f"{X264} -crf 28"),
    "vignette": ("vignette=PI/4", f"{X264} -crf 28"),
    "ten": ("format=yuv420p10le", "-c:v libx264 -preset veryfast -crf 33 -pix_fmt yuv420p10le"),
    "zoom": ("crop=300:168,scale=320:180", f"{X264} -crf 28"),
    "moved": ("crop=316:178:4:2,scale=320:180", f"{X264} -crf 30"),
    "small": ("scale=160:90", f"{X264} -crf 30"),
    "tiny": ("scale=64:36", f"{X264} -crf 36"),
}
OTHERS = {
    "mirrored": ("hflip", f"{X264} -crf 28"),
    "upside_down": ("vflip", f"{X264} -crf 28"),
    "turned": ("hflip,vflip", f"{X264} -crf 35"),
    "negative": ("negate", f"{X264} -crf 28"),
    "negative_crf45": ("negate", f"{X264} -crf 45"),
    "mirrored_crf45": ("hflip", f"{X264} -crf 45"),
    "later": ("later", f"{X264} -crf 28"),
    "other": ("other", f"{X264} -crf 28"),
    "third": ("third", f"{X264} -crf 40"),
}
# The second shot of a film instead of the first, where both show one place.
MOMENTS = {"moment": ("moment", f"{X264} -crf 28")}
OTHER_SHOTS = {"later": 2 * SHOT, "moment": SHOT}  # first frames
LOCKS = collections.defaultdict(threading.Lock)
# Lengths in frames that pairs have in turn.
LENGTHS = [PAIR, 60, 240, PAIR]


def ffmpeg(words):
    done = subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", "-threads", "1"] + words, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit("ffmpeg " + " ".join(words) + "\n" + done.stderr)


def once(path, make):
    with LOCKS[path]:
        if not path.exists():
            part = path.with_name("part_" + path.name)
            make(part)
            part.rename(path)
    return path


def make_film(path, shots):
    shot = path.with_name(path.stem + "_shots")
    shot.mkdir(exist_ok=True)
    names = []
    for i, graph in enumerate(shots):
        name = shot / f"{i}.mkv"
        ffmpeg(["-filter_complex", graph + ",format=yuv420p,setsar=1", "-frames:v", str(SHOT), "-r", str(FPS),
                "-c:v", "ffv1", str(name)])
        names.append(f"file '{name}'\n")
    (shot / "list").write_text("".join(names))
    ffmpeg(["-f", "concat", "-safe", "0", "-i", str(shot / "list"), "-c", "copy", str(path)])


class Study:
    def __init__(self, folder, footage):
        self.folder = folder
        self.films = list(FILMS) + [pathlib.Path(name).stem for name in footage]
        self.shots = FILMS | BLANK_FILMS
        self.footage = {pathlib.Path(name).stem: name for name in footage}

    def film(self, name):
        def make(path):
            if name in self.shots:
                return make_film(path, self.shots[name])
            ffmpeg(["-i", self.footage[name], "-vf", f"scale=320:180,setsar=1,fps={FPS}", "-frames:v", str(FILM), "-pix_fmt", "yuv420p",
                    "-c:v", "ffv1", str(path)])
        return once(self.folder / (name + ".mkv"), make)

    def master(self, name, frames, first=0):
        return once(self.folder / f"{name}_{first}_{frames}.mkv",
                    lambda path: ffmpeg(["-i", str(self.film(name)), "-vf", f"trim=start_frame={first},setpts=PTS-STARTPTS",
                                         "-frames:v", str(frames), "-c:v", "ffv1", str(path)]))

    def neighbour(self, film, by):
        # Of the same kind or another one, and of the same half.
        films = list(BLANK_FILMS) if film in BLANK_FILMS else self.films
        return films[(films.index(film) + 2 * by) % (len(films) // 2 * 2)]

    def pairs(self):
        """(is alike, half, film, change, frames)"""
        for number, film in enumerate(self.films + list(BLANK_FILMS)):
            for is_alike, changes, each in ((True, ALIKE, 10), (False, OTHERS, 7)):
                if film in BLANK_FILMS and not is_alike:
                    continue
                # Each film takes some of the changes in turn; unlike pairs always have another film or scene among them.
                names = list(changes)
                taken = [names[(number // 2 * each + i) % len(names)] for i in range(each)]
                if not is_alike and "later" not in taken and "other" not in taken:
                    taken.append("other")
                for i, change in enumerate(taken):
                    if change == "zoom" and film.startswith("wide"):
                        continue  # bars that become smaller are a fault
                    yield is_alike, number % 2, film, change, LENGTHS[(number // 2 + i) % len(LENGTHS)]
            if number < 16:
                yield True, number % 2, film, "crf45", 1
                yield True, number % 2, film, "blur", 5
                yield False, number % 2, film, "other", 10
            if film in ("talk1", "talk2", "talk3"):
                yield False, number % 2, film, "moment", PAIR

    def make(self, pair):
        """(reference, distorted)"""
        _, _, film, change, frames = pair
        filters, encoder = (ALIKE | OTHERS | MOMENTS)[change]
        first = OTHER_SHOTS.get(filters)
        frames = frames if first is None else min(frames, SHOT)
        reference = master = self.master(film, frames)
        how = []
        if first is not None:
            master = self.master(film, frames, first)
        elif filters in ("other", "third"):
            master = self.master(self.neighbour(film, 1 if filters == "other" else 5), frames)
        elif "[1:v]" in filters:
            how = ["-i", str(self.master(self.neighbour(film, 1), frames)), "-filter_complex", filters]
        else:
            how = ["-vf", filters]
        suffix = "mkv" if "svt" in encoder else "mp4"
        return reference, once(self.folder / f"{film}_{frames}_{change}.{suffix}",
                               lambda path: ffmpeg(["-i", str(master)] + how + encoder.split() + [str(path)]))


def certain_faults(cambi, reference, distorted):
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "r.json"
        done = subprocess.run([cambi, "-r", reference, "-d", distorted, "--feature", "psnr", "--scale-to", "reference",
                               "--compare-anyway", "--extended", "-q", "-o", report], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{distorted}: exit code {done.returncode}\n{done.stderr}")
        faults = json.loads(report.read_text()).get("run", {}).get("pair_faults", [])
    return [fault.get("kind", "?") for fault in faults if fault.get("certain", True)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cambi")
    parser.add_argument("footage", nargs="*", help="videos that are films as well")
    parser.add_argument("--work", type=pathlib.Path, help="keeps what is made here")
    parser.add_argument("--half", type=int, choices=(0, 1))
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--list", action="store_true", help="makes the pairs and lists them, without asking the program")
    arguments = parser.parse_intermixed_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = arguments.work or pathlib.Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        study = Study(folder, arguments.footage)
        pairs = [pair for pair in study.pairs() if arguments.half in (None, pair[1])]
        counts = {}
        is_good = True
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            def judge(pair):
                reference, distorted = study.make(pair)
                return reference, distorted, [] if arguments.list else certain_faults(arguments.cambi, reference, distorted)
            for pair, (reference, distorted, faults) in zip(pairs, pool.map(judge, pairs)):
                is_alike, half, film, change, frames = pair
                if arguments.list:
                    print(int(is_alike), half, change, reference, distorted, flush=True)
                    continue
                count = counts.setdefault((half, is_alike), [0, 0])
                count[0] += 1
                count[1] += bool(faults)
                if bool(faults) == is_alike:
                    print("refused" if is_alike else "not refused", film, change, frames, *faults, flush=True)
        for (half, is_alike), (all_pairs, refused) in sorted(counts.items()):
            print(f"half {half}: {refused} of {all_pairs} {'alike' if is_alike else 'unalike'} pairs refused")
            is_good = is_good and (refused == 0 if is_alike else 200 * (all_pairs - refused) <= all_pairs)
    return 0 if is_good or arguments.list else 1


if __name__ == "__main__":
    sys.exit(main())
