"""What makes a library searchable: lexical segments, vectors, and the pipeline that writes both."""
