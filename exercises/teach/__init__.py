"""For the teacher: marks of a whole class. The arrows:

    mark_all  league      the two programs, called by make
    table     formats     what people read; what other systems read
    marks                 runs the marker on each hand-in
    same                  hand-ins that are equal but for names
    handins               what lies in a folder of hand-ins
    words                 others' names and texts, as a terminal can show them
"""
