"""Builds the wheel of acesim, as pip asks for it (PEP 517 and PEP 660).

The wheel has the modules in acesim/ and the C library, without its debugging
symbols.  The library is that of the environment variable ACESIM_LIBRARY, or
else the one that `make library` builds in the source tree.  Only the standard
library of Python is used, so an installation needs no network.
"""
import base64
import hashlib
import os
import re
import subprocess
import sysconfig
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", "..", "..", ".."))
LIBRARY = "libacesim.so.0"

# Release without link-time optimisation, which takes half a minute and changes
# no result.
MODE = "demo"


def _version():
    """Returns the version, which stands in the Makefile only."""
    with open(os.path.join(ROOT, "Makefile"), encoding="utf-8") as makefile:
        return re.search(r"^VERSION := (\S+)$", makefile.read(), re.M).group(1)


def _library():
    """Returns the path of the library, which is built if none is given."""
    given = os.environ.get("ACESIM_LIBRARY")
    if given:
        return given
    if not os.path.exists(os.path.join(ROOT, "Makefile")):
        raise SystemExit(
            "acesim: the C library is built from the source tree; install "
            "from there: pip install --no-index ./sim/study/library/python"
        )
    subprocess.run(["make", "-C", ROOT, "-s", "library", f"MODE={MODE}"], check=True)
    return os.path.join(ROOT, "build", MODE, LIBRARY)


def _stripped(path):
    """Returns the bytes of the library without debugging symbols."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, LIBRARY)
        subprocess.run(["strip", "-o", out, path], check=True)
        with open(out, "rb") as library:
            return library.read()


def _tag():
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"py3-none-{platform}"


def _metadata_files(version):
    """Returns the files of the .dist-info folder, without RECORD."""
    return {
        "METADATA": f"Metadata-Version: 2.1\nName: acesim\nVersion: {version}\n"
        "Summary: Simulates a training step on many accelerators\n"
        "Requires-Python: >=3.9\nLicense: MIT\n",
        "WHEEL": "Wheel-Version: 1.0\nGenerator: acesim\n"
        f"Root-Is-Purelib: false\nTag: {_tag()}\n",
    }


def _write_wheel(folder, files):
    """Writes a wheel of files, a dict from name to bytes; returns its name."""
    version = _version()
    info = f"acesim-{version}.dist-info"
    for name, text in _metadata_files(version).items():
        files[f"{info}/{name}"] = text.encode()
    record = ""
    for name, data in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
        record += f"{name},sha256={digest.decode().rstrip('=')},{len(data)}\n"
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    wheel = f"acesim-{version}-{_tag()}.whl"
    with zipfile.ZipFile(
        os.path.join(folder, wheel), "w", zipfile.ZIP_DEFLATED
    ) as out:
        for name, data in files.items():
            # A fixed date: the same sources make the same bytes.
            out.writestr(zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0)), data)
    return wheel


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Writes the .dist-info folder.  Without this function, pip builds a wheel
    to read its metadata, and builds it again to install it."""
    version = _version()
    info = f"acesim-{version}.dist-info"
    os.makedirs(os.path.join(metadata_directory, info))
    for name, text in _metadata_files(version).items():
        path = os.path.join(metadata_directory, info, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    return info


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """Builds the wheel in a folder and returns the name of its file."""
    files = {}
    folder = os.path.join(HERE, "acesim")
    for name in sorted(os.listdir(folder)):
        if name.endswith(".py"):
            with open(os.path.join(folder, name), "rb") as module:
                files[f"acesim/{name}"] = module.read()
    files[f"acesim/{LIBRARY}"] = _stripped(_library())
    return _write_wheel(wheel_directory, files)


def build_editable(
    wheel_directory, config_settings=None, metadata_directory=None
):
    """As build_wheel(), with a link to the modules in place of a copy."""
    library = _library()
    lines = f"{HERE}\nimport os; os.environ.setdefault('ACESIM_LIBRARY', {library!r})\n"
    return _write_wheel(wheel_directory, {"acesim.pth": lines.encode()})
