"""For cells of a notebook: an exercise's points, of the file beside the notebook. nbgrader takes the
last value of a cell for its points, and no value for all of them."""

import json
import os
import shutil
import subprocess
import tempfile

from exercises.teach.handins import EXERCISES, named
from exercises.teach.marks import MARKER


def points(number, most, hint=0):
    """Marks ../exercise-NN.cu, which is the given program at first, and shows what a student reads.
    The points of `most`, all of them only when it is done; an error where it could not be judged."""
    name, = named([number])
    folder, file = os.path.join(EXERCISES, name), os.path.join("..", f"exercise-{number}.cu")
    if not os.path.exists(file):
        shutil.copy(os.path.join(folder, "given.cu"), file)
    with tempfile.TemporaryDirectory() as place:
        result = os.path.join(place, "mark.json")
        done = subprocess.run([MARKER, "--json", result, *(["--hint", str(hint)] if hint else []),
                               "--file", file, folder], capture_output=True, text=True)
        print(done.stdout.replace(f"make mark-{number} HINT=", "hint="), done.stderr, sep="")
        if done.returncode not in (0, 1):
            raise RuntimeError(f"exercise {number} could not be judged: its points are open")
        with open(result, encoding="utf-8") as mark:
            return int(most * json.load(mark)["score"] / 100 + 0.5)
