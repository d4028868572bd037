"""What a tool takes: one table that is its JSON schema and its check.

Rule: an argument that is out of range is refused with the range, so that whoever called can call again rightly. A null
is an argument that was not given, and a number without a fraction is whole, since that is how models write them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from inro.errors import UsageError

Kind: TypeAlias = Literal["text", "whole", "flag", "document"]

LONGEST = 2000
"""Characters of a text argument."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One argument of a tool."""

    name: str
    kind: Kind
    meaning: str
    required: bool = False
    default: str | int | bool | None = None
    """None where nothing stands for an argument that was not given."""
    low: int = 0
    high: int = 2**53 - 1
    """Of a whole number: the least and the greatest."""
    choices: tuple[str, ...] = ()
    """Of a text: what it may be, if not anything."""

    def schema(self) -> dict[str, Any]:
        """As JSON schema."""
        found: dict[str, Any] = {"description": self.meaning}
        match self.kind:
            case "text":
                found |= {"type": "string", "maxLength": LONGEST}
                if self.choices:
                    found = {"description": self.meaning, "type": "string", "enum": list(self.choices)}
            case "whole":
                found |= {"type": "integer", "minimum": self.low, "maximum": self.high}
            case "flag":
                found |= {"type": "boolean"}
            case "document":
                found |= {"type": ["integer", "string"], "maxLength": LONGEST}
        return found if self.default is None else found | {"default": self.default}

    def expects(self) -> str:
        """What it must be, for a sentence."""
        if self.choices:
            return f"one of {', '.join(choice or 'an empty text' for choice in self.choices)}"
        match self.kind:
            case "text":
                return f"a text of at most {LONGEST} characters"
            case "whole":
                return f"a whole number from {self.low} to {self.high}"
            case "flag":
                return "true or false"
            case "document":
                return "a document's number, path or title"

    def checked(self, given: object) -> str | int | bool | None:
        """The argument as the tool takes it.

        Raises:
            UsageError: it is of another kind or out of range.
        """
        if given is None:
            if self.required:
                raise UsageError(f"{self.name} is missing", f"give {self.expects()}")
            return self.default
        value = int(given) if isinstance(given, float) and given.is_integer() else given
        if isinstance(value, str):
            # half a surrogate pair is no text: as the library would hold it
            value = value.encode("utf-8", "replace").decode()
        if self._holds(value):
            return value  # type: ignore[return-value]
        raise UsageError(f"{self.name} is {_shown(given)}", f"give {self.expects()}")

    def _holds(self, value: object) -> bool:
        is_text = isinstance(value, str) and len(value) <= LONGEST
        is_number = isinstance(value, int) and not isinstance(value, bool)
        match self.kind:
            case "text":
                return is_text and (not self.choices or value in self.choices)
            case "whole":
                return is_number and self.low <= value <= self.high  # type: ignore[operator]
            case "flag":
                return isinstance(value, bool)
            case "document":
                return is_number or is_text


def input_schema(parameters: Sequence[Parameter]) -> dict[str, Any]:
    """The JSON schema of a tool's arguments."""
    return {
        "type": "object",
        "properties": {parameter.name: parameter.schema() for parameter in parameters},
        "required": [parameter.name for parameter in parameters if parameter.required],
        "additionalProperties": False,
    }


def checked(parameters: Sequence[Parameter], given: Mapping[str, object]) -> dict[str, str | int | bool | None]:
    """The arguments of a call, with what stands for those that were not given.

    Raises:
        UsageError: one is missing, out of range, of another kind, or unknown.
    """
    names = [parameter.name for parameter in parameters]
    for name in given:
        if name not in names:
            raise UsageError(
                f"there is no argument {name[:80]}", f"give {' and '.join(names)}" if names else "give no arguments"
            )
    return {parameter.name: parameter.checked(given.get(parameter.name)) for parameter in parameters}


def _shown(value: object) -> str:
    """A wrong argument, for a sentence."""
    if isinstance(value, str):
        return f"{len(value)} characters long" if len(value) > LONGEST else repr(value)
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)[:80] if isinstance(value, int | float) else f"of another kind ({type(value).__name__})"
