"""Answers from the library: evidence to a cited, checked answer or a refusal. Start at `compose.answer`."""
