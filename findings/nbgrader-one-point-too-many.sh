#!/usr/bin/env bash
# nbgrader 0.9.6: a cell that reports more points than its maximum ends the grading of that student.
#
# Expected: the points are cut to the cell's maximum, or the teacher gets a warning and the other
# cells count (0.9.6 lets a negative number pass with "This is strange").
# Seen: autograde stops at that submission with a traceback and status 1, says "Removing failed
# assignment", and no autograded copy is left. In the gradebook the cells before it keep their
# points, those behind it have none: 2 of 6 here, where all 6 were earned.
# So whoever writes the cell limits a marker's points.
. "$(dirname "$0")/common.sh"
packages nbgrader==0.9.6 ipykernel==7.1.0 nbformat==5.10.4
PATH=$work/venv/bin:$PATH

cat >make.py <<'CODE'
import os
import nbformat.v4 as v4, nbformat
def cell(name, source, points):
    c = v4.new_code_cell(source)
    c.metadata["nbgrader"] = dict(schema_version=3, grade=True, solution=False, locked=True,
                                  grade_id=name, points=points, cell_type="code", task=False)
    return c
os.makedirs("source/lab")
kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
cells = [cell("first", "2", 2), cell("bonus", "4", 3), cell("last", "1", 1)]
nbformat.write(v4.new_notebook(cells=cells, metadata=kernel), "source/lab/lab.ipynb")
CODE
echo 'get_config().CourseDirectory.course_id = "course"' >nbgrader_config.py
"$python" make.py
nbgrader generate_assignment lab >log 2>&1
mkdir -p submitted/ann/lab
cp release/lab/lab.ipynb submitted/ann/lab/
status=0
nbgrader autograde lab >log 2>&1 || status=$?
{
    echo "status $status"
    grep -o 'Removing failed assignment' log | sort -u
    [ -e autograded/ann/lab/lab.ipynb ] || echo "no autograded notebook"
    "$python" - 2>>log <<'CODE'
from nbgrader.api import Gradebook
with Gradebook("sqlite:///gradebook.db") as book:
    for submission in book.assignment_submissions("lab"):
        print(f"score {submission.score:g} of {submission.max_score:g}")
CODE
} >seen
cat >expected <<'TEXT'
status 1
Removing failed assignment
no autograded notebook
score 2 of 6
TEXT
same seen expected
