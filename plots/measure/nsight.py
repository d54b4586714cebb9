"""Nsight Compute's counters of programs, by our names for them: what make/profile.sh prints as rows."""

import subprocess

from plots.measure.machine import printed
from plots.read.files import ROOT

HEADER = "step,name,type,block,n,metric,value"
SCRIPT = f"{ROOT}/make/profile.sh"


def need_ncu():
    """Ends the program where there is no GPU or no Nsight Compute; the script has said it."""
    if status := subprocess.run([SCRIPT, "--check"]).returncode:
        raise SystemExit(status)


def rows(program, n, metrics="nsight-metrics.csv"):
    """Lines of its first launch; metrics: a file beside this one."""
    return printed(SCRIPT, "--rows", n, program, f"plots/measure/{metrics}").splitlines()
