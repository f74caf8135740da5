#!/usr/bin/env python3
"""A catalogue on a Slurm cluster of three nodes is scored as by single runs: usage catalogue_test.py CAMBI"""
import json
import sys

import slurm
import titles


def check_ids(output):
    """Of both jobs, the merge's last."""
    words = output.split()
    assert words[0] == "array" and words[2] == "merge" and int(words[1]) < int(words[3]), output


def check_ranking(catalogue):
    summary = json.loads((catalogue.reports / "summary.json").read_text())
    single = json.loads((catalogue.single / "summary.json").read_text())
    assert summary["complete"] and summary["counts"]["failed"] == 0, summary["counts"]

    def means(of):
        return {video["name"]: video["scores"]["metrics"] for video in of["videos"]}

    assert means(summary) == means(single) and len(means(summary)) == len(titles.CATALOGUE)
    assert (catalogue.reports / "index.html").stat().st_size > 10000


def main():
    with slurm.temporary_folder() as folder:
        catalogue = titles.Catalogue(sys.argv[1], folder)
        catalogue.plan()
        # Fewer tasks than shards, so that each has several.
        with slurm.Cluster(folder / "slurm", nodes=3, array_size=4) as cluster:
            result = cluster.run(catalogue.submit_words("--wait", "--progress", "json"), seconds=300)
            check_ids(result.stdout)
            progress = [json.loads(line) for line in result.stderr.splitlines() if line.startswith("{")]
            assert progress[-1]["event"] == "finish" and progress[-1]["done"] == progress[-1]["shards"], result.stderr
            catalogue.expect_equal()
            check_ranking(catalogue)
            shards = len(catalogue.results())
            assert shards == progress[-1]["shards"] > 4, shards
            # Once more: nothing is left but to merge.
            result = cluster.run(catalogue.submit_words("--wait", "--quiet"), seconds=120)
            assert "array" not in result.stdout, result.stdout
            # The script that is printed does the same as the command.
            script = cluster.run(catalogue.submit_words("--dry-run")).stdout
            (folder / "script.sh").write_text(script)
            merge = cluster.run(["sh", folder / "script.sh"]).stdout.split()[-1]
            cluster.wait_for_jobs()
            code = next(folder.rglob(f"merge-{merge}.code")).read_text()
            assert code == "0\n", code
        # Without a cluster.
        (folder / "local").mkdir()
        local = titles.Catalogue(sys.argv[1], folder / "local", made=catalogue.videos)
        local.plan()
        titles.run(*local.submit_words("--engine", "local", "--quiet"))
        local.single = catalogue.single
        local.expect_equal()


slurm.enter_namespaces()
main()
