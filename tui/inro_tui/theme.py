"""Two sets of colours, dark and light.

The greys are those of the 256-colour cube, so a terminal without true colour shows the same steps. Nothing
is told by colour alone: the row under the cursor has a sign, marks are underlined or bold.
"""

from __future__ import annotations

from collections.abc import Mapping

from textual.theme import Theme

DARK = "inro-dark"
LIGHT = "inro-light"


def _theme(name: str, *, dark: bool, colours: Mapping[str, str]) -> Theme:
    own = ("ink", "dim", "faint", "mark", "mark-back", "cursor-back", "passage-back", "bar", "current-back")
    return Theme(
        name=name,
        dark=dark,
        primary=colours["lead"],
        secondary=colours["second"],
        accent=colours["lead"],
        warning=colours["warn"],
        error=colours["bad"],
        success=colours["good"],
        foreground=colours["ink"],
        background=colours["back"],
        surface=colours["field"],
        panel=colours["bar"],
        variables={
            **{key: colours[key] for key in own},
            "input-cursor-background": colours["lead"],
            "input-cursor-foreground": colours["back"],
            "input-selection-background": colours["current-back"],
            "scrollbar": colours["bar"],
            "scrollbar-hover": colours["faint"],
            "scrollbar-active": colours["lead"],
            "scrollbar-background": colours["back"],
            "scrollbar-background-hover": colours["back"],
            "scrollbar-background-active": colours["back"],
        },
    )


THEMES = (
    _theme(
        DARK,
        dark=True,
        colours={
            "back": "#121212",
            "field": "#1c1c1c",
            "bar": "#303030",
            "ink": "#dadada",
            "dim": "#949494",
            "faint": "#6c6c6c",
            "lead": "#d7af5f",
            "second": "#87afaf",
            "mark": "#ffd787",
            "mark-back": "#444444",
            "cursor-back": "#262626",
            "passage-back": "#1c1c1c",
            "current-back": "#5f5f00",
            "warn": "#ffaf5f",
            "bad": "#ff8787",
            "good": "#87af87",
        },
    ),
    _theme(
        LIGHT,
        dark=False,
        colours={
            "back": "#ffffff",
            "field": "#eeeeee",
            "bar": "#dadada",
            "ink": "#1c1c1c",
            "dim": "#5f5f5f",
            "faint": "#808080",
            "lead": "#875f00",
            "second": "#005f87",
            "mark": "#5f0000",
            "mark-back": "#ffd7af",
            "cursor-back": "#e4e4e4",
            "passage-back": "#eeeeee",
            "current-back": "#ffd75f",
            "warn": "#af5f00",
            "bad": "#af0000",
            "good": "#005f00",
        },
    ),
)


def preferred(environ: Mapping[str, str]) -> str:
    """The theme for a terminal: `INRO_THEME` (`dark`, `light`), else by the background in `COLORFGBG`."""
    wanted = environ.get("INRO_THEME", "").lower()
    if wanted in ("dark", "light"):
        return DARK if wanted == "dark" else LIGHT
    background = environ.get("COLORFGBG", "").rpartition(";")[2]
    return LIGHT if background in ("7", "15") else DARK


def other(name: str) -> str:
    """The one of the two that is not `name`."""
    return DARK if name == LIGHT else LIGHT
