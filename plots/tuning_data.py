"""Other constants in step 07 and single-pass: loads the CSV that common/make/tuning.sh writes."""

from csv_input import number, read_table

COLUMNS = "name changed n median_ms".split()


def load(path):
    """{(program, what was changed): {n: [milliseconds, one a round]}}, in the file's order."""
    found = {}
    for row in read_table(path, COLUMNS).rows:
        of_n = found.setdefault((row.values["name"], row.values["changed"]), {})
        of_n.setdefault(number(path, row, "n", int, 1), []).append(
            number(path, row, "median_ms", least=1e-6))
    return found
