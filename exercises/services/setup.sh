#!/usr/bin/env bash
# Gradescope: builds the marker in the autograder's image. Its zip has this file and run_autograder
# at its root, beside what make handout packs in a folder, reduction/.
set -euo pipefail
apt-get update -q
DEBIAN_FRONTEND=noninteractive apt-get install -y -q gcc g++ make python3 bubblewrap
make -s -C "${SOURCE:-/autograder/source}/reduction" marker
