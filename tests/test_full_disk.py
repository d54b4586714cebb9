"""A disk that is full, by a small tmpfs (as root), a cp or tar that fails, files and recipes that end halfway."""

import os
import subprocess

import pytest

from harness import PRELUDE, ROOT, make, run, script, simtcc

from plots.read import files


@pytest.fixture
def full(tmp_path):
    """A folder with room for 4 KiB."""
    folder = tmp_path / "full"
    folder.mkdir()
    if os.getuid() or run("mount", "-t", "tmpfs", "-o", "size=16k", "tmpfs", folder).returncode:
        pytest.skip("only root can mount a small disk")
    (folder / "filler").write_bytes(b"x" * 8192)
    yield folder
    subprocess.run(["umount", folder], check=True)


# It has a race
KERNEL = PRELUDE + "__global__ void k(int *p) { p[0]++; }\nint main() { k<<<2, 64>>>(device<int>(1)); }"


def test_simtcc(full, tmp_path):
    """A source is not at fault where its program or temporary files have no room, with or without a message of
    g++; a user's report stays if it cannot be replaced."""
    program = simtcc(KERNEL, tmp_path / "kernel.cu")
    done = run(ROOT / "simt/simtcc", f"{program}.cu", "-o", full / "program")
    assert done.returncode and "program cannot be written" in done.stderr, done
    for room in 0, 4, 8, 11:
        (full / "filler").write_bytes(b"x" * (12288 - room * 1024))
        done = run(ROOT / "simt/simtcc", "-c", f"{program}.cu", "-o", tmp_path / "kernel.o",
                   env={"TMPDIR": str(full)})
        assert done.returncode == 2 and f"simtcc: {full} has no room" in done.stderr, done
        assert os.listdir(full) == ["filler"] and not (tmp_path / "kernel.o").exists()
    (full / "report").write_text("mine\n")
    (full / "filler").write_bytes(b"x" * 12000)
    done = run(program, env={"SIMT_REPORT": str(full / "report")})
    assert done.returncode == 4 and "the report cannot be written" in done.stderr, done
    assert (full / "report").read_text() == "mine\n" and len(os.listdir(full)) == 2


def test_failing_copy(tree, tmp_path):
    """Not "not yet", which is 1, and no empty main.cu that would be taken for begun."""
    for name in "cp", "tar":
        script(tmp_path / "bin" / name, "exit 1")
    for words in ["make/new.sh", "fast", "", "steps/01-neighbored-pairs/main.cu"], [
            "exercises/exercise.sh", "mark", "04"], ["exercises/handout.sh"]:
        done = run(*words, cwd=tree, env={"PATH": f"{tmp_path}/bin:{os.environ['PATH']}"})
        assert done.returncode == 2 and "cannot be written" in done.stderr, done
    assert not [*tree.glob("own/*"), *tree.glob("exercises/*/main.cu"), *tree.glob("build/handout*")]


def test_half_of_a_file(tree, tmp_path):
    """One that cannot take its place leaves nothing beside it. Of a failed recipe the rest of its target is removed;
    and nothing is built while clean removes it."""
    (tmp_path / "folder").mkdir()
    with pytest.raises(files.BadData, match="folder: cannot be written"):
        files.write_text(tmp_path / "folder", "text")
    assert {path.name for path in tmp_path.iterdir()} == {"folder", "tree"}
    told = make("-p", "-n", "clean", "help", cwd=tree).stdout
    assert "\n\n.DELETE_ON_ERROR:" in told and "\n\n.NOTPARALLEL:" in told
    assert "\n\n.NOTPARALLEL:" not in make("-p", "-n", "clean", cwd=tree).stdout
