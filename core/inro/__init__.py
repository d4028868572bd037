"""Inro: the product without a screen. Start at `inro.library.Library`."""

__version__ = "0.1.0"
