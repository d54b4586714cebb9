"""Numbers as a reader sees them."""

NONE = "–"  # not measured, or without a meaning


def ratio(a, b):
    """How many times as much a is as b; None where one was not measured, or b is 0."""
    return a / b if a is not None and b else None


def power(n):
    """2^24 where n is a power of two, else 1,234."""
    return f"2^{n.bit_length() - 1}" if n > 0 and n & (n - 1) == 0 else f"{n:,}"


def digits(x, count=3):
    """So many digits at most, no exponent: 23, 0.031, 4584."""
    if x == 0:
        return "0"
    text = f"{x:.{count}g}"
    return f"{x:.0f}" if "e+" in text else text


def milliseconds(x, count=3):
    """So many digits, a last 0 among them: 544, 8.52, 0.0220."""
    return NONE if x is None else f"{x:#.{count}g}".rstrip(".")


def factor(x):
    """How many times as fast, with three digits."""
    if x is None:
        return NONE
    return f"{x:.{0 if x >= 100 else 1 if x >= 10 else 2}f}" if x >= 0.1 else f"{x:.2g}"


def change(before, after):
    """How many times less or more it is after; nothing of what stayed, to half a percent."""
    if not before or not after or abs(after / before - 1) < 0.005:
        return ""
    return f"÷ {digits(before / after)}" if after < before else f"× {digits(after / before)}"


def count(x):
    """A count in at most seven characters, or a ratio with one decimal."""
    if x is None:
        return NONE
    if isinstance(x, float):
        return f"{x:.1f}"
    return f"{x}" if x < 10**6 else f"{x / 10**6:.2f}M"


def fixed(x, decimals, unit=""):
    return NONE if x is None else f"{x:.{decimals}f}{unit}"


def plural(number, noun):
    return f"{number} {noun}" + ("" if number == 1 else "s")
