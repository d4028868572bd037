"""The fast half: arrays, bytes and text go in and out. Knows no database, settings, screens, or files
but its own machine code.
"""
