"""From a query to ranked hits: lanes give candidates, fusion ranks them, pins go first, the floor is marked.

Knows the indexes and the store; knows no screen and loads no model itself: a query vector is handed in.
"""
