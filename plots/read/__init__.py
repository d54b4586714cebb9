"""Reads the programs and all data files. All that draws, measures or shows reads through it:
nothing else parses a CSV file or a program's header comment. It imports no other room.

programs      the steps and detours: their keys, code, and what their header comments say
bench_data    what `make bench` measured: plots/data/h200.csv and the like, and questions about it
side_data     what the smaller benches and Nsight Compute measured
counter_data  what the CPU backend counted (--counters=csv, plots/data/counters.csv), figures of it
trace_data    who touched what (--trace FILE), what a request could have cost, and rounds: what a
              block's warps do at one line, in one turn
step_facts    the figures of a step beside those of the step before: of NOTES.md and of the page
csv_input     how all of these are read: a format is {column: its kind}
entry         how a program begins and ends: interrupts, an output that cannot be written
files         the root, reading and writing whole files, and BadData: one line, what is wrong where
notes         what the course, NOTES.md, says of a step
compare       what differs between two texts
figures       numbers as a reader sees them

To add a column that a program prints: COLUMNS of its module. A figure of the counters: FIGURES of
counter_data, and quantities of plots/picture_explain.py if it is to be drawn. A picture: a function
in plots/, named in PICTURES of plots/draw.py. A table: a function in plots/tables.py, named between
two lines of a text. A slide: for_class of plots/page/page.py."""
