"""How far times lie apart: loads the CSV that common/make/trust.sh writes."""

from csv_input import number, one_of, read_table

COLUMNS = "step name n cache median_ms verified".split()


def load(path):
    """{(key, n): [milliseconds, one a process]}."""
    found = {}
    for row in read_table(path, COLUMNS).rows:
        one_of(path, row, "verified", ["yes"])
        one_of(path, row, "cache", ["cold"])
        key = row.values["step"] or row.values["name"], number(path, row, "n", int, 1)
        found.setdefault(key, []).append(number(path, row, "median_ms", least=1e-6))
    return found
