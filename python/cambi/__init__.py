"""Video quality: VMAF, banding by CAMBI, PSNR, SSIM and others, of files and of pictures in memory.

    import cambi
    result = cambi.score("master.mov", "encode.mp4", features=["psnr"], progress=True)
    print(result)
    result["vmaf"]           # scores of all frames
    result.statistic("vmaf", "p5")

Lower level: a Context says how to compute, a Run takes pairs of pictures.
"""
from typing import Any, Dict, List

from ._files import Comparison, compare
from ._library import Cancelled, DeviceError, Error, FormatError, NotFoundError, UsageError, library
from ._picture import Format, Picture
from ._result import Result, load
from ._run import Backend, Context, Metric, PairFault, Run, Threshold, catalogue
from ._score import score

__version__ = "0.1.0"
__all__ = ["Backend", "Cancelled", "Comparison", "Context", "DeviceError", "Error", "Format", "FormatError", "Metric",
           "NotFoundError", "PairFault", "Picture", "Result", "Run", "Threshold", "UsageError", "compare", "devices", "features",
           "library_version", "load", "models", "score"]


def features() -> List[Dict[str, Any]]:
    """What can be measured, with the options and metrics of each.

    >>> [feature["name"] for feature in features()][:2]
    ['cambi', 'bounds']
    """
    return catalogue("features")


def models() -> List[Dict[str, Any]]:
    """The built-in VMAF models, and what each is for.

    >>> {model["name"]: model["lines"] for model in models()}["vmaf_4k_v0.6.1"]
    2160
    """
    return catalogue("models")


def devices() -> List[Dict[str, Any]]:
    """The Vulkan devices of this machine."""
    return catalogue("devices")


def library_version() -> str:
    """The version of the C library.

    >>> library_version() == __version__
    True
    """
    version: bytes = library().cambi_version()
    return version.decode()
