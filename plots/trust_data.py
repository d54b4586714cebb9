"""Whether one time can be trusted: loads the CSV that common/make/trust.sh writes."""

from csv_input import number, one_of, read_table

COLUMNS = "step name n cache median_ms verified".split()


def load(path):
    """{(key, n, cache): [milliseconds, one a process]}; cache is cold or hot."""
    found = {}
    for row in read_table(path, COLUMNS).rows:
        one_of(path, row, "verified", ["yes"])
        key = (row.values["step"] or row.values["name"], number(path, row, "n", int, 1),
               one_of(path, row, "cache", ["cold", "hot"]))
        found.setdefault(key, []).append(number(path, row, "median_ms", least=1e-6))
    return found
