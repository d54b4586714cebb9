"""What Nsight Compute counted: loads rows as common/make/nsight.sh prints them, without a header.
A program is named by its key, as in bench_data."""

from csv_input import number, read_row, read_text

COLUMNS = "step name type block n metric value".split()


def load(path):
    """{key: {metric: value}}, of a file that has each program at one size."""
    found = {}
    for line, text in enumerate(read_text(path).splitlines(), 1):
        if text.startswith("#") or text == ",".join(COLUMNS):
            continue
        row = read_row(path, line, text, COLUMNS)
        key = row.values["step"] or row.values["name"]
        found.setdefault(key, {})[row.values["metric"]] = number(path, row, "value")
    return found
