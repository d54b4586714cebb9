#!/usr/bin/env bash
# submitit 1.5.4 (Python 3.11), on a machine without Slurm: all jobs that ask for one GPU run on GPU 0, at the same
# time.
#
# Expected: jobs with gpus_per_node=1 each have a GPU of their own, or wait for one, as under Slurm; or at least they
# keep to the CUDA_VISIBLE_DEVICES of the process that submits them, which is 3 here.
# Seen: each of three jobs has CUDA_VISIBLE_DEVICES=0, and all of them run at once: each job waits here until the others
# have started, which a queue would never allow. Benchmarks submitted like this disturb each other, and they may do so
# on a GPU that belongs to somebody else. Jobs that ask for no GPU see none. Where Slurm's srun is not found, submitit
# chooses this local executor by itself.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"
packages submitit==1.5.4

cat >jobs.py <<'CODE'
import os, pathlib, time
import submitit
def job(folder, name):
    (folder / name).touch()
    end = time.monotonic() + 60
    while (started := len(list(folder.iterdir()))) < 3 and time.monotonic() < end:
        time.sleep(0.05)
    return f"sees {os.environ['CUDA_VISIBLE_DEVICES'] or 'none'} beside {started - 1} others"
for gpus in 0, 1, 2:
    folder = pathlib.Path(f"started-{gpus}").absolute()
    folder.mkdir()
    executor = submitit.AutoExecutor("log")
    executor.update_parameters(timeout_min=2, gpus_per_node=gpus)
    jobs = executor.map_array(job, [folder] * 3, ["first", "second", "third"])
    print(f"{executor.cluster}, {gpus} wanted:", *(job.result() for job in jobs), sep="\n  ")
CODE
CUDA_VISIBLE_DEVICES=3 "$python" jobs.py >seen
cat >expected <<'TEXT'
local, 0 wanted:
  sees none beside 2 others
  sees none beside 2 others
  sees none beside 2 others
local, 1 wanted:
  sees 0 beside 2 others
  sees 0 beside 2 others
  sees 0 beside 2 others
local, 2 wanted:
  sees 0,1 beside 2 others
  sees 0,1 beside 2 others
  sees 0,1 beside 2 others
TEXT
same seen expected
