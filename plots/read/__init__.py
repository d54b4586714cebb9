"""Reads the programs and all data files. All that draws, measures or shows reads through it:
nothing else parses a CSV file or a program's header comment. It imports no other room.

To add a column that a program prints: COLUMNS of its module. A figure of the counters: make/figures.csv,
and quantities of plots/picture_explain.py if it is to be drawn. A picture: a function in plots/, named in
PICTURES of plots/draw.py. A table: a function in plots/tables.py, named between two lines of a text. A
slide: slides_of in plots/page/page.py."""
