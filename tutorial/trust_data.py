"""Whether one time can be trusted: loads the CSV that bench/trust.sh writes."""

from tutorial.bench_data import RIVALS
from tutorial.csv_input import BadData, number, one_of, read_table

COLUMNS = "step name n cache median_ms verified".split()
PROCESSES, SMALL = 5, 2**20  # so many at least of each rival, for n up to this


def load(path):
    """{(key, n, cache): [milliseconds, one a process]}; cache is cold or hot."""
    found, table = {}, read_table(path, COLUMNS)
    for row in table.rows:
        one_of(path, row, "verified", ["yes"])
        key = (row.values["step"] or row.values["name"], number(path, row, "n", int, 1),
               one_of(path, row, "cache", ["cold", "hot"]))
        found.setdefault(key, []).append(number(path, row, "median_ms", least=1e-6))
    sizes = {n for _, n, _ in found if n <= SMALL}
    missing = [f"{key} at n = {n}" for n in sorted(sizes) for key in RIVALS
               if len(found.get((key, n, "cold"), [])) < PROCESSES]
    if missing or not sizes:
        raise BadData(path, table.last_line,
                      f"ends without {PROCESSES} processes of {', '.join(missing) or 'any program'}")
    return found
