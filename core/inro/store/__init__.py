"""The store: one DuckDB file, opened for one operation at a time and held by nobody in between.

Start at `inro.store.connect.Store`; the other modules are functions over an open connection, one table or
one question each. The store knows rows, arrays and bytes: what a segment or a vector block means is the
index's business.
"""
