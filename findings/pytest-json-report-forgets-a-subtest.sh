#!/usr/bin/env bash
# pytest-json-report 1.5.0 with pytest 9.2.0 (Python 3.11): the report calls a test with a failing subTest "subtests
# passed", unless the failing subTest is the last one.
#
# Expected: the outcome of a test is "failed" if any of its subTests fails. pytest itself exits with status 1, and its
# summary has a line for the failing subTest.
# Seen: the last subTest decides. The size 1000 fails. With the sizes (1000, 7, 14) and (7, 1000, 14) the outcome is
# "subtests passed", the same as for a test that passes; with (7, 14, 1000) it is "failed". The outcome of the phase
# "call" is "passed" each time. For the first two the summary counts no failure at all, so a grader that reads it gives
# full points. With pytest's fixture `subtests` instead of unittest's subTest, such a test is "failed".
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/common.sh"
packages pytest-json-report==1.5.0 pytest==9.2.0

cat >test_sizes.py <<'CODE'
import unittest
class Sizes(unittest.TestCase):
    def divisible(self, *sizes):
        for n in sizes:
            with self.subTest(n=n):
                self.assertEqual(n % 7, 0)
    def test_first(self): self.divisible(1000, 7, 14)
    def test_middle(self): self.divisible(7, 1000, 14)
    def test_last(self): self.divisible(7, 14, 1000)
    def test_right(self): self.divisible(7, 14, 21)
def test_fixture(subtests):
    for n in (1000, 7, 14):
        with subtests.test(n=n):
            assert n % 7 == 0
CODE
cat >report.py <<'CODE'
import json
report = json.load(open("report.json"))
for test in report["tests"]:
    print(f"{test['nodeid'].split('::')[-1]}: {test['outcome']}, call {test['call']['outcome']}")
print("summary:", *(f"{name} {count}" for name, count in sorted(report["summary"].items())))
CODE
# run TESTS: runs those and prints their report
run() {
    local status=0
    "$python" -m pytest -q --json-report --json-report-file=report.json test_sizes.py -k "$1" >pytest.log || status=$?
    echo "pytest's status $status, SUBFAILED lines: $(grep -c '^SUBFAILED' pytest.log)"
    "$python" report.py
}
{
    run "first or middle"
    run "last or right or fixture"
} >seen
cat >expected <<'TEXT'
pytest's status 1, SUBFAILED lines: 2
test_first: subtests passed, call passed
test_middle: subtests passed, call passed
summary: collected 5 deselected 3 subtests passed 2 total 2
pytest's status 1, SUBFAILED lines: 2
test_last: failed, call passed
test_right: subtests passed, call passed
test_fixture: failed, call failed
summary: collected 5 deselected 2 failed 2 subtests passed 1 total 3
TEXT
same seen expected
