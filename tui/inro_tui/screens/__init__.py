"""One module a screen. Screens own state and workers; widgets own drawing."""
