"""A right number is not enough: who launched nothing or changed the input is told so, status 1."""

import re

from harness import build, csv_row, once, replay, run, said, simtcc

# Statements of a reduction: the sum on the GPU or on the host, and others
GPUS, HOSTS = "sum<<<1, 1>>>(in, out, n); CHECK(cudaGetLastError());", "sum_on_host(in, out, n);"
REFUSED = "nothing<<<1, 2048>>>();"  # a block of so many threads
CASES = {
    "right": GPUS,
    "element set": GPUS + "set<<<1, 1>>>(data, n == 5000 ? 4321 : n - 1, 1000, 0);",
    "two set": GPUS + "set<<<1, 1>>>(data, 5, 1000, 0); set<<<1, 1>>>(data, n - 1, 1000, 0);",
    "all from 77 on": GPUS + "CHECK(cudaMemset(data + 77, 0xFF, (n - 77) * sizeof *in));",
    "and a wrong sum": GPUS + "set<<<1, 1>>>(data, 5, 1000, 0); set<<<1, 1>>>(out, 0, 1, 1);",
    "each run adds": GPUS + "set<<<1, 1>>>(data, 5, 1, 1);",
    "same value": GPUS + "set<<<1, 1>>>(data, n / 2, 0, 1);",
    "-0.25": GPUS + "set<<<1, 1>>>(data, 9, (elem_t)-0.25, 0);",
    "no sum": GPUS + "set<<<1, 1>>>(out, 0, 0, 0);",
    "nothing written": "nothing<<<1, 1>>>();",
    "result taken for 0": "set<<<1, 1>>>(out, 0, 5, 1);",
    "scratch taken for 0": "sum<<<1, 1>>>(scratch, out, 1);",
    "out of bounds": GPUS + "set<<<1, 1>>>(data, n, 0, 0);",
    "host": HOSTS,
    "host, last element": HOSTS + "set<<<1, 1>>>(data, n - 1, 1, 1);",
    "host, wrong sum": HOSTS + "CHECK(cudaMemset(out, 1, sizeof *out));",
    "host, input set": HOSTS + "CHECK(cudaMemset(data, 0, sizeof *in));",
    **{f"host, not in run {run}": HOSTS + f"if (runs != {run}) nothing<<<1, 1>>>();"
       for run in (1, 3)},
    "host, launch": HOSTS + "nothing<<<1, 1>>>();",
    "host, refused": HOSTS + REFUSED,
    "host, refused, looked at": HOSTS + REFUSED + "(void)cudaGetLastError();"}
SOURCE = """
#include "lab.h"
#include <stdlib.h>
#include <string.h>

__global__ void sum(const elem_t *in, elem_t *out, size_t n)
{
    elem_t total = 0;
    for (size_t i = 0; i < n; i++)
        total += in[i];
    *out = total;
}

__global__ void set(elem_t *data, size_t i, elem_t value, bool is_added)
{
    data[i] = (is_added ? data[i] : 0) + value;
}

__global__ void nothing(void) {}

static void sum_on_host(const elem_t *in, elem_t *out, size_t n)
{
    elem_t *copy = (elem_t *)malloc(n * sizeof *copy), total = 0;
    CHECK(cudaMemcpy(copy, in, n * sizeof *copy, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++)
        total += copy[i];
    CHECK(cudaMemcpy(out, &total, sizeof total, cudaMemcpyHostToDevice));
    free(copy);
}

static void reduce(const elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    static int runs;
    const char *name = getenv("CASE");
    elem_t *data = (elem_t *)in;
    runs++;
    CASES
}

static void reduce_in_place(elem_t *in, elem_t *out, elem_t *scratch, size_t n)
{
    reduce(in, out, scratch, n);
}

int main(int argc, char **argv)
{
    return getenv("IN_PLACE") ? lab_main_in_place(argc, argv, reduce_in_place)
                              : lab_main(argc, argv, reduce);
}
""".replace("CASES", "\n".join(f'if (!strcmp(name, "{name}")) {{ {statements} }}'
                               for name, statements in CASES.items()))


def run_case(name, *options, type="int", in_place=False):
    def compile_in(folder):
        simtcc(SOURCE, folder / "09-x/main.cu", "-Icommon", f"-DTYPE={type}", "-DBLOCK=256",
               *sorted((build(type=type, steps=("03",)) / "common").glob("*.o")))

    program = once(f"honest-{type}", compile_in) / "09-x/main"
    return run(program, *options, env={"CASE": name} | ({"IN_PLACE": "yes"} if in_place else {}))


IDLE = "a reduction launched no kernel: let the GPU reduce, not the host"
CHANGED = r"input changed: (in\[\d+\] was \S+, is \S+); keep it, or lab_main_in_place"


def told(typed):
    """The status, the verdict, and what is wrong: by the harness, which says the same where CSV is
    asked for; a sum that differs; and by the checks."""
    setting, name, options = re.match(r"(?:(float|in place) )?(.*):(.*)", typed).groups()
    options = options.split() if "-n" in options else ["-n", "5000", *options.split()]
    more = {"in_place": True} if setting == "in place" else {"type": setting or "int"}
    done, as_csv = (run_case(name, *options, *form, **more) for form in ([], ["--csv"]))
    result, expected, verdict, behind = re.search(
        r"^  sum (\S+), expected (\S+)   (OK|WRONG)\n((?:.|\n)*?)(?=^counters|^  \S+ ms|\Z)",
        done.stdout, re.M).groups()
    faults = re.findall(r"^step09: (.*)", as_csv.stderr, re.M)
    assert re.findall("^  (?! *error|\\(the)(.*)", behind, re.M) == faults
    assert (done.returncode, verdict == "OK") == (as_csv.returncode,
                                                  csv_row(as_csv)["verified"] == "yes")
    words = ["no launch" if fault == IDLE else re.fullmatch(CHANGED, fault)[1] for fault in faults]
    words += [f"{result} for {expected}"] * (result != expected)
    words += re.findall(r"\(the full sum, \S+, wraps modulo 2\^32\)", behind)
    words += re.findall(r"^simt: (?!\d)(?:note: )?[^,\n]*", done.stderr, re.M)
    return f"[{done.returncode}] {'; '.join([verdict, *words])}\n"


def test_golden_honest():
    """A changed input is told, by whichever run it was; its right twins write nothing, or what was
    there already. Any launch in every reduction will do, also one that failed, but none that was
    refused, whether its error was looked at or not. A NaN differs from itself, its bytes do not."""
    replay("honest.csv", told)


def test_counters_as_csv():
    """stdout has the table alone. A bug behind a right result has its status here, too."""
    right, *others = (run_case(name, "-n", 5000, "--counters=csv") for name in (
        "right", "all from 77 on", "and a wrong sum", "host"))
    assert others[0].stdout == said(right) != ""
    assert [(done.returncode, len(done.stderr.splitlines())) for done in others] == [
        (1, 1), (1, 2), (1, 1)]
    assert others[1].stderr.startswith("step09: the result was WRONG\nstep09: input changed: ")
    for option in "--counters=csv", "--annotate":
        done = run_case("out of bounds", "-n", 5000, option)
        assert done.returncode == 4 and done.stdout and "\nsimt: out of bounds" in done.stderr
