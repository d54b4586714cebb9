"""How each program of the tutorial's Python begins and ends. It is imported before all else: from
then on Ctrl-C ends the program without a word, also while other modules are imported."""

import errno
import os
import signal
import sys

INTERRUPTED = 130
was_interrupted = False


def interrupt(number, frame):
    """Whoever comes upon it may make another error of it, as modules in C do."""
    global was_interrupted
    was_interrupted = True
    raise KeyboardInterrupt


def uncaught(kind, error, traceback):
    if was_interrupted or issubclass(kind, KeyboardInterrupt):
        os._exit(INTERRUPTED)
    sys.__excepthook__(kind, error, traceback)


def lost(what):
    """An error where none can be raised."""
    if was_interrupted:
        os._exit(INTERRUPTED)
    sys.__unraisablehook__(what)


sys.excepthook, sys.unraisablehook = uncaught, lost
signal.signal(signal.SIGINT, interrupt)

from tutorial.files import BadData


def run(name, main):
    """Ends the program with the status that main() returns: 130 after Ctrl-C; 2, and a line that
    begins with name, after BadData and where the output cannot be written. A pager that was left
    early is no mistake."""
    try:
        if not sys.stdout:  # closed: the next file that is opened would be taken for it
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        try:
            status = main()
        except SystemExit as end:
            status = end.code
        sys.stdout.flush()
    except BrokenPipeError:
        status = 0
    except (BadData, OSError) as error:
        what = error if getattr(error, "filename", True) else (
            f"the output cannot be written: {error.strerror}")
        print(f"{name}: {what}", file=sys.stderr)
        status = 2
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.stdout:  # what is left in its buffer goes nowhere
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(status)
