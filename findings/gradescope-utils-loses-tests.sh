#!/usr/bin/env bash
# gradescope-utils 0.5.0 (Python 3.11): a test with a failing subTest is in no result, as if it did not exist.
#
# Expected: a test is passed or failed, and its points count, whatever its body uses. unittest's own
# runner tells of the same tests: one passed, two failed (of these one for its sub-test alone), one
# skipped.
# Seen: results.json has two of the four tests. The one whose sub-test failed is missing with its 3
# points, so is the skipped one, and "score" is the sum of what is there. A reader who has set no
# total of points sees 2 of 3 where 2 of 7 were earned. And where setUpClass fails (that is where a class
# would compile a program once), the runner ends with an AttributeError and writes no results at all.
. "$(dirname "$0")/common.sh"
packages gradescope-utils==0.5.0

cat >graded.py <<'CODE'
import io, json, sys, unittest
from gradescope_utils.autograder_utils.decorators import weight
from gradescope_utils.autograder_utils.json_test_runner import JSONTestRunner

class Sums(unittest.TestCase):
    @weight(2)
    def test_empty(self):
        self.assertEqual(sum([]), 0)
    @weight(1)
    def test_one(self):
        self.assertEqual(sum([1]), 2)
    @weight(3)
    def test_sizes(self):
        for n in (7, 1000):
            with self.subTest(n=n):
                self.assertEqual(n % 7, 0)
    @weight(1)
    @unittest.skip("no GPU")
    def test_gpu(self):
        pass

class Compiled(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        raise RuntimeError("does not compile")
    @weight(5)
    def test_result(self):
        pass

load = unittest.defaultTestLoader.loadTestsFromTestCase
plain = unittest.TextTestRunner(stream=io.StringIO()).run(load(Sums))
print(f"unittest: {plain.testsRun} run, {len(plain.failures)} failures, {len(plain.skipped)} skipped")
out = io.StringIO()
JSONTestRunner(stream=out).run(load(Sums))
results = json.loads(out.getvalue())
for test in results["tests"]:
    print(f"{test['name'].split()[0]} {test['score']:g} of {test['max_score']:g}")
print(f"score {results['score']:g}")
out = io.StringIO()
try:
    JSONTestRunner(stream=out).run(load(Compiled))
except AttributeError as error:
    print("setUpClass failed:", error)
print("results written:", len(out.getvalue()), "bytes")
CODE
"$python" graded.py >seen
cat >expected <<'TEXT'
unittest: 4 run, 2 failures, 1 skipped
test_empty 2 of 2
test_one 0 of 1
score 2
setUpClass failed: '_ErrorHolder' object has no attribute '_testMethodName'
results written: 0 bytes
TEXT
same seen expected
