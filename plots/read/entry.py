"""How each program of the tutorial's Python begins and ends. It is imported before all else: from
then on Ctrl-C ends the program without a word, also while other modules are imported."""

import inspect
import os
import signal
import sys

# Without an exception: of one, modules in C that are being imported make another error.
signal.signal(signal.SIGINT, signal.SIG_DFL)

from plots.read.files import BadData


def typed(main):
    """main with what was typed: words, and --name=value of its own parameters; --help says what its
    file is for."""
    def call():
        words, named = [], {}
        for word in sys.argv[1:]:
            name, sign, value = word[2:].partition("=")
            if word == "--help":
                return print(sys.modules["__main__"].__doc__)
            if word.startswith("--") and name in inspect.signature(main).parameters:
                named[name] = value if sign else True
            else:
                words.append(word)
        return main(*words, **named)
    return call


def progress(what, i, n):
    """How far something is that takes a while, on a line of the terminal that is written anew."""
    if sys.stderr and sys.stderr.isatty():
        print(f"{what}: {i} of {n} ", end="\n" if i == n else "\r", file=sys.stderr, flush=True)


def run(name, main):
    """Ends the program with the status that main() returns: 130 after Ctrl-C; 2, and a line that
    begins with name, after BadData and where the output cannot be written. A pager that was left
    early is no mistake."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        status = main()
        sys.stdout.flush()
    except KeyboardInterrupt:
        status = 130
    except BrokenPipeError:
        status = 0
    except (BadData, OSError) as error:
        what = error if getattr(error, "filename", True) else (
            f"the output cannot be written: {error.strerror}")
        print(f"{name}: {what}", file=sys.stderr)
        status = 2
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what is left in the buffer goes nowhere
    sys.exit(status)
