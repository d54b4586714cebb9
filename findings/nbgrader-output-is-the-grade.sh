#!/usr/bin/env bash
# nbgrader 0.9.6: what an autograded test cell earns depends on what it prints where, not on whether
# what it ran succeeded.
#
# Expected: a shell command that fails earns nothing; a warning costs nothing; False earns nothing.
# Seen, in cells of 4 points: `!false` and subprocess.run(['false']) earn 4; a line on standard error
# (a warning, too) earns 0, whatever else happens; a last expression that is a number is the number
# of points (an exit status of 0 earns none, 1 earns one), but False, None and -1 earn 4.
# So a cell that calls a marker must end in the points as a number and keep standard error empty.
. "$(dirname "$0")/common.sh"
packages nbgrader==0.9.6 ipykernel==7.1.0 nbformat==5.10.4
PATH=$work/venv/bin:$PATH

cat >make.py <<'CODE'
import os
import nbformat.v4 as v4, nbformat
CELLS = {
    "shell_fails": "!false",
    "subprocess_fails": "import subprocess\nsubprocess.run(['false'])",
    "status_of_success": "import subprocess\nsubprocess.run(['true']).returncode",
    "status_of_failure": "import subprocess\nsubprocess.run(['false']).returncode",
    "cell_magic_fails": "%%bash\nexit 1",
    "warns_and_earns_all": "import warnings\nwarnings.warn('slow')\n4",
    "half": "2.0",
    "false": "False",
    "negative": "-1",
    "raises": "assert False",
}
def cell(name, source):
    c = v4.new_code_cell(source)
    c.metadata["nbgrader"] = dict(schema_version=3, grade=True, solution=False, locked=True,
                                  grade_id=name, points=4, cell_type="code", task=False)
    return c
os.makedirs("source/lab")
kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
nbformat.write(v4.new_notebook(cells=[cell(*c) for c in CELLS.items()], metadata=kernel),
               "source/lab/lab.ipynb")
CODE
echo 'get_config().CourseDirectory.course_id = "course"' >nbgrader_config.py
"$python" make.py
nbgrader generate_assignment lab >log 2>&1
mkdir -p submitted/ann/lab
cp release/lab/lab.ipynb submitted/ann/lab/
nbgrader autograde lab >>log 2>&1
"$python" - >seen 2>>log <<'CODE'
from nbgrader.api import Gradebook
with Gradebook("sqlite:///gradebook.db") as book:
    for notebook in book.find_submission("lab", "ann").notebooks:
        for grade in notebook.grades:
            print(f"{grade.cell.name}: {grade.auto_score:g} of {grade.max_score:g}")
CODE
cat >expected <<'TEXT'
shell_fails: 4 of 4
subprocess_fails: 4 of 4
status_of_success: 0 of 4
status_of_failure: 1 of 4
cell_magic_fails: 0 of 4
warns_and_earns_all: 0 of 4
half: 2 of 4
false: 4 of 4
negative: 4 of 4
raises: 0 of 4
TEXT
same seen expected
