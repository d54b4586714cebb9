"""Other constants in step 07 and single-pass: loads the CSV that bench/tuning.sh writes."""

from tutorial.csv_input import BadData, number, read_table

COLUMNS = "name changed n median_ms".split()


def load(path):
    """{(program, what was changed): {n: [milliseconds, one a round]}}, in the file's order. All
    have the same n and as many rounds, and each program has been measured as it is, too."""
    found, table = {}, read_table(path, COLUMNS)
    for row in table.rows:
        of_n = found.setdefault((row.values["name"], row.values["changed"]), {})
        of_n.setdefault(number(path, row, "n", int, 1), []).append(
            number(path, row, "median_ms", least=1e-6))
    shapes = {variant: {n: len(rounds) for n, rounds in of_n.items()}
              for variant, of_n in found.items()}
    for variant in [*found, *((name, "nothing") for name, _ in found), ("single-pass", "FENCE=1")]:
        if shapes.get(variant) != next(iter(shapes.values())):
            raise BadData(path, table.last_line, f"ends without all rows of {' '.join(variant)}")
    return found
