"""What Nsight Compute counted: loads rows as bench/nsight.sh prints them, without a header.
A program is named by its key, as in bench_data."""

from tutorial.csv_input import BadData, number, read_lines, read_row

COLUMNS = "step name type block n metric value".split()


def load(path, programs, metrics):
    """{key: {metric: value}}, of a file that has each of these programs at one size, with these
    metrics at least."""
    found = {}
    lines = read_lines(path)
    for line, text in enumerate(lines, 1):
        if text.startswith("#") or text == ",".join(COLUMNS):
            continue
        row = read_row(path, line, text, COLUMNS)
        key = row.values["step"] or row.values["name"]
        found.setdefault(key, {})[row.values["metric"]] = number(path, row, "value")
    for key in programs:
        missing = [metric for metric in metrics if metric not in found.get(key, {})]
        if missing:
            raise BadData(path, len(lines), f"ends without {key}'s {missing[0]}")
    return found
