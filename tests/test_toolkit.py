"""make toolkit, with a pretended driver and a pretended pip: what it refuses, and that nothing half-done
is left. (The wheels themselves were tried by hand: 350 MB.)"""

import fcntl

import pytest

from harness import make, run, said, script


@pytest.fixture
def toolkit(tree, tmp_path):
    """Calls it on a machine with this driver and GPU, whose pip does what pip says."""
    def call(driver="", capability="", pip="exit 1"):
        script(tmp_path / "bin/nvidia-smi", f"case $1 in *driver*) echo {driver} ;; "
               f"*compute*) echo {capability} ;; esac" if driver else "exit 9")
        python = script(tmp_path / "python", f'[ "$1" = -c ] && exit 0\n{pip}', "bash")
        return run(tree / "make/toolkit.sh", python, env={"PATH": f"{tmp_path}/bin:/usr/bin:/bin"})
    return call


@pytest.mark.parametrize("driver, capability, wants", [
    ("575.51.03", "9.0", "driver 580 or newer, here is 575.51.03"),
    ("580.159.04", "7.0", "7.5 and later, this GPU has 7.0"),
    ("580.159.04", "12.0", "pip cannot install"), ("", "", "pip cannot install")])
def test_refused(toolkit, tree, driver, capability, wants):
    done = toolkit(driver, capability)
    assert done.returncode == 2 and done.stderr.splitlines()[-1].startswith("make toolkit: ")
    assert wants in done.stderr
    assert not list((tree / "build").glob("cuda*/")) if (tree / "build").exists() else True


def test_two_at_once(toolkit, tree):
    """The second neither waits nor takes the first one's half-done folder away."""
    (tree / "build").mkdir(exist_ok=True)
    with open(tree / "build/cuda.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = toolkit("580.1", "9.0", f"touch {tree}/called")
    assert (done.returncode, done.stderr, (tree / "called").exists()) == (
        2, "make toolkit: another make toolkit is at work in this folder: wait for it\n", False)


def test_found_by_make(toolkit, tree):
    """make compiles with the installed toolkit where no other nvcc is, and says so."""
    brings = """while [ "$1" != --target ]; do shift; done
mkdir -p "$2/nvidia/cu13/bin"
printf '#!/bin/sh\\necho "Cuda, release 13.5, V13.5.37"; echo end\\n' >"$2/nvidia/cu13/bin/nvcc"
chmod +x "$2/nvidia/cu13/bin/nvcc" """
    assert "release 13.5" in toolkit("580.1", "9.0", brings).stdout
    assert said(toolkit("580.1", "9.0", "exit 1")) == "build/cuda is there already\n"
    done = make("-n", "step03", "BACKEND=cuda", "ARCH=sm_90", cwd=tree, env={"PATH": "/usr/bin:/bin"})
    assert "backend: cuda (as asked for); build/cuda/nvidia/cu13/bin/nvcc 13.5.37, sm_90" in done.stdout
