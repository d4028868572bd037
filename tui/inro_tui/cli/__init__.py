"""The `inro` command line. stdout is data, stderr is narration, exit codes are `inro.errors`' own.

Start-up imports click and nothing heavy: every command imports what it needs when it runs.
"""
