"""The package as a whole: its examples, documents, notebook, syntax, version, and how it is found and installed."""
import ast
import doctest
import importlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import zipfile
from contextlib import redirect_stderr, redirect_stdout
from unittest import mock

import videos

import cambi
from cambi import _library, _progress

TOP = pathlib.Path(__file__).resolve().parents[2]
MODULES = sorted((TOP / "python/cambi").glob("*.py"))


def run_notebook(path):
    """Runs the code cells; what each shows last and prints."""
    names, shown = {"__name__": "__main__"}, []
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        tree = ast.parse("".join(cell["source"]))
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile(tree, path.name, "exec"), names)
            value = eval(compile(ast.Expression(last.value), path.name, "eval"), names) if last else None
        shown.append((printed.getvalue(), value))
    return shown


class Documents(unittest.TestCase):
    def setUp(self):
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(TOP)

    def test_examples_of_the_modules(self):
        attempted = 0
        for path in MODULES:
            found = doctest.testmod(importlib.import_module("cambi." + path.stem if path.stem != "__init__" else "cambi"))
            self.assertEqual(found.failed, 0, path.name)
            attempted += found.attempted
        self.assertGreater(attempted, 15)

    def test_examples_of_the_page(self):
        found = doctest.testfile(str(TOP / "docs/python.md"), module_relative=False)
        self.assertEqual(found.failed, 0)
        self.assertGreater(found.attempted, 30)

    def test_notebook(self):
        with mock.patch.dict(os.environ, MPLBACKEND="agg"):
            shown = run_notebook(TOP / "docs/score.ipynb")
        result, comparison = shown[1][1], shown[-1][1]
        self.assertEqual(len(result), 24)
        self.assertIn("<td>vmaf</td>", result._repr_html_())
        self.assertIn("crossed: cambi:max&lt;24", result._repr_html_())
        self.assertIn("banding at worst in frame", shown[2][0])
        self.assertEqual(comparison.best, "4 levels in one")


class Sources(unittest.TestCase):
    def test_syntax_is_that_of_python_3_9(self):
        for path in [*MODULES, TOP / "python/setup.py", *pathlib.Path(__file__).parent.glob("*.py")]:
            ast.parse(path.read_text(encoding="utf-8"), path.name, feature_version=(3, 9))

    def test_version_is_that_of_the_project(self):
        version = re.search(r"project\(cambi VERSION (\S+)", (TOP / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)
        self.assertEqual((cambi.__version__, cambi.library_version()), (version, version))

    def test_every_function_of_the_header_is_declared(self):
        header = (TOP / "include/cambi/cambi.h").read_text(encoding="utf-8")
        functions = set(re.findall(r"^CAMBI_API [\w ]*[ *]cambi_(\w+)\(", header, re.M))
        self.assertEqual(functions - {"error", "version", "close", "run_close"}, set(_library.FUNCTIONS))

    def test_structs_are_those_of_the_header(self):
        structs = {"CambiOptions": _library.Options, "CambiRunOptions": _library.RunOptions, "CambiPicture": _library.Picture,
                   "CambiMetric": _library.Metric, "CambiBackend": _library.Backend}
        places = [f"offsetof({name}, {member[0]})" for name, struct in structs.items() for member in struct._fields_]
        places += [f"sizeof({name})" for name in structs]
        lines = "".join(f'printf("%zu\\n", {place});' for place in places)
        with tempfile.TemporaryDirectory() as folder:
            source, program = os.path.join(folder, "layout.c"), os.path.join(folder, "layout")
            pathlib.Path(source).write_text(f"#include <cambi/cambi.h>\n#include <stdio.h>\nint main(void) {{ {lines} }}\n",
                                            encoding="utf-8")
            subprocess.run(["cc", "-I", TOP / "include", source, "-o", program], check=True)
            expected = [int(word) for word in subprocess.run([program], check=True, stdout=subprocess.PIPE).stdout.split()]
        found = [getattr(struct, member[0]).offset for struct in structs.values() for member in struct._fields_]
        self.assertEqual(found + [_library.ctypes.sizeof(struct) for struct in structs.values()], expected)


class Installed(unittest.TestCase):
    def python(self, code, **environment):
        environment = {**os.environ, "PYTHONPATH": str(TOP / "python"), **environment}
        return subprocess.run([sys.executable, "-B", "-c", code], env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)

    def test_a_library_that_is_missing_is_named(self):
        code = "import cambi\ntry: cambi.Context()\nexcept cambi.Error as error: print(error)"
        for missing in "/missing/libcambi.so.0", "":
            done = self.python(code, CAMBI_LIBRARY=missing)
            if missing or "install" in done.stdout:  # where none is named the system may have one
                self.assertRegex(done.stdout, r"^\S*libcambi\.so\.0 cannot be used \(.*\): install the Debian package libcambi0, "
                                              r"or build cambi with \./run and install this package again, or set "
                                              r"CAMBI_LIBRARY to its libcambi\.so\.0$")

    def test_pandas_is_named_where_it_is_missing(self):
        plane = videos.planes(0, 1)[0]
        result = cambi.score(plane, plane, model=None, features="psnr")
        with mock.patch.dict(sys.modules, pandas=None), self.assertRaisesRegex(cambi.Error, "pip install pandas"):
            result.to_pandas()

    def test_a_device_that_is_missing_is_an_error_of_its_own(self):
        code = ("import cambi\nplane = memoryview(bytes(320 * 240)).cast('B', (240, 320))\n"
                "try: cambi.score(plane, plane, model=None, features='psnr', backend='vulkan')\n"
                "except cambi.DeviceError as error: print(error.status)")
        self.assertEqual(self.python(code, VK_DRIVER_FILES="/missing", VK_ICD_FILENAMES="/missing").stdout, "-3\n")

    def test_runs_that_are_open_at_the_end_do_no_harm(self):
        done = self.python("import cambi\n"
                           "plane = memoryview(bytes(320 * 240)).cast('B', (240, 320))\n"
                           "run = cambi.Run(cambi.Context(threads=2))\nrun.add_feature('motion')\nrun.push(plane, plane)\n"
                           "run.myself = run")
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_pip_installs_it(self):
        with tempfile.TemporaryDirectory() as folder:
            tree = os.path.join(folder, "tree")
            subprocess.run(["cp", "-r", TOP / "python", tree], check=True)
            done = subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-index",
                                   "--no-deps", "--target", os.path.join(folder, "site"), tree],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stdout)
            code = "import cambi; print(cambi.__file__, len(cambi.models()))"
            done = self.python(code, PYTHONPATH=os.path.join(folder, "site"))
            self.assertEqual(done.stdout, f"{folder}/site/cambi/__init__.py {len(cambi.models())}\n")
            self.assertTrue(os.path.exists(os.path.join(folder, "site/cambi/py.typed")))

    def test_pip_installs_what_was_built_beside_it(self):
        with tempfile.TemporaryDirectory() as folder:
            built, site = os.path.join(folder, "build/release"), os.path.join(folder, "site")
            os.makedirs(built)
            os.symlink(os.environ["CAMBI_PROGRAM"], os.path.join(built, "cambi"))
            os.symlink(os.path.realpath(os.environ["CAMBI_LIBRARY"]), os.path.join(built, "libcambi.so.0"))
            subprocess.run(["cp", "-r", TOP / "python", folder], check=True)
            subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-index",
                            "--no-deps", "--target", site, os.path.join(folder, "python")], check=True)
            code = ("import cambi\nclips = 'testdata/clips/colour_1280x720_8b_'\n"
                    "print(cambi.score(clips + 'ref.mp4', clips + 'ref.mp4', model=None, features='psnr').mean('psnr_y'))\n"
                    "plane = memoryview(bytes(320 * 240)).cast('B', (240, 320))\n"
                    "print(cambi.score(plane, plane, model=None, features='psnr').mean('psnr_y'))\n"
                    "print(cambi._files.find_program(), cambi._library.find())")
            done = subprocess.run([sys.executable, "-B", "-c", code], cwd=TOP, check=True, stdout=subprocess.PIPE, text=True,
                                  env={"PYTHONPATH": site, "PATH": folder})
            self.assertEqual(done.stdout, f"60.0\n60.0\n{site}/cambi/bin/cambi {site}/cambi/lib/libcambi.so.0\n")

    def test_a_wheel_says_for_which_system(self):
        licence = "share/doc/cambi/licences/ffmpeg"
        archives = {"any": [], "linux_x86_64": ["bin/cambi"], "win_amd64": ["bin/cambi.exe", "bin/libcambi-0.dll", licence],
                    "manylinux_2_": ["bin/cambi", "lib/libavformat.so.59", "lib/libcambi.so.0", licence]}
        for system, names in archives.items():
            with self.subTest(system), tempfile.TemporaryDirectory() as folder:
                subprocess.run(["cp", "-r", TOP / "python", folder], check=True)
                for name in names:
                    pathlib.Path(folder, "archive", name).parent.mkdir(parents=True, exist_ok=True)
                    pathlib.Path(folder, "archive", name).touch()
                subprocess.run([sys.executable, "-m", "pip", "wheel", "--quiet", "--no-build-isolation", "--no-index", "--no-deps",
                                "--wheel-dir", folder, os.path.join(folder, "python")], check=True,
                               env={**os.environ, "CAMBI_BUILT": os.path.join(folder, "archive") if names else ""})
                wheel = next(pathlib.Path(folder).glob("*.whl"))
                self.assertRegex(wheel.name, rf"^cambi-[\d.]+-py3-none-{system}")
                with zipfile.ZipFile(wheel) as packed:
                    self.assertEqual([name for name in names if "cambi/" + name not in packed.namelist()], [])

    def test_the_source_tree_has_what_was_built_in_it(self):
        with tempfile.TemporaryDirectory() as folder:
            os.makedirs(os.path.join(folder, "build/release"))
            pathlib.Path(folder, "build/release/cambi").touch()
            subprocess.run(["cp", "-r", TOP / "python", folder], check=True)
            done = self.python("from cambi import _library; print(_library.built('cambi'), _library.built('other'))",
                               PYTHONPATH=os.path.join(folder, "python"))
            self.assertEqual(done.stdout, f"{folder}/build/release/cambi None\n")


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Progress(unittest.TestCase):
    def score(self, error):
        pictures = [picture[0] for picture in videos.video(3, 1)]
        with redirect_stderr(error), mock.patch.object(_progress, "SECONDS_BETWEEN", 0):
            cambi.score(pictures, pictures, model=None, features="psnr", progress=True)
        return error.getvalue()

    def test_a_bar_is_for_terminals(self):
        shown = self.score(Terminal())
        self.assertRegex(shown, r"\r\[#{10}\.{20}\] 1 of 3 frames.*\r\[#{30}\] 3 of 3 frames  [\d.]+ fps\x1b\[K\n$")
        self.assertEqual(self.score(io.StringIO()), "")

    def test_a_bar_in_a_notebook_is_updated(self):
        shell = type("ZMQInteractiveShell", (), {})()
        handle = mock.Mock()
        display = mock.Mock(display=mock.Mock(return_value=handle))
        modules = {"IPython": mock.Mock(get_ipython=lambda: shell), "IPython.display": display}
        with mock.patch.dict(sys.modules, modules):
            self.assertEqual(self.score(Terminal()), "")
        self.assertIn("3 of 3 frames", handle.update.call_args[0][0]["text/plain"])


if __name__ == "__main__":
    unittest.main()
