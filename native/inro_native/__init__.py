"""The fast half: arrays, bytes and text go in and out. Knows no files, database, settings or screens."""
