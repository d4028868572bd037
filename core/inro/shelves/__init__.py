"""Reference shelves: files of others that answer when the library is silent, and what becomes of such answers."""
