"""One module a widget. A widget knows records and keys; it never calls the library."""
