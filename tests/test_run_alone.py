"""The room of the backend that runs kernels needs nobody who watches: a program linked with its
objects alone."""

from harness import ROOT, run, said

FILE = ROOT / "simt/tests/twins/hangs.cu"


def test_run_alone(tmp_path):
    """It runs, and says why it ends."""
    objects = [ROOT / f"build/simt/run/{source.name}.o"
               for source in sorted((ROOT / "simt/run").glob("*.[cS]"))]
    assert len(objects) > 10
    for guard in ROOT.glob("build/simt/guard_*.o"):
        (tmp_path / guard.name).symlink_to(guard)
    assert run("ar", "rcs", tmp_path / "libsimt.a", *objects).returncode == 0
    said(run(ROOT / "simt/simtcc", FILE, "-o", tmp_path / "hangs", "-Wno-misleading-indentation",
             env={"SIMT_LIBRARY": str(tmp_path / "libsimt.a"), "SIMTCC_HOOKS": "off",
                  "SIMTCC_TOOLS_READY": "1"}))
    for right in "own_masks", "lock_freed", "backwards":
        assert said(run(tmp_path / "hangs", right)).startswith("begin\n")
    done = run(tmp_path / "hangs", "masks")
    assert (done.returncode, done.stdout) == (4, "begin\n")
    line = FILE.read_text().partition("CASE(masks")[0].count("\n") + 1
    assert done.stderr.startswith("simt: kernel masks, launched at ")
    assert done.stderr.endswith(f"hangs.cu:{line}, cannot go on\n")
    assert done.stderr.count("\n") == 1
