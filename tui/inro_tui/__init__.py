"""What a person at a terminal meets: the command line and the app. Knows the façade `inro.library` only."""
