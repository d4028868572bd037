"""How answers are made, as the user's settings have it and as the chosen model is known to be."""

from __future__ import annotations

from inro.answer.evidence import AnswerSettings
from inro.config import Settings
from inro.models.registry import find


def chosen(settings: Settings) -> AnswerSettings:
    """Raises NotFound if no model is called as the settings say."""
    if not settings.chat:
        return AnswerSettings(passages=settings.passages)
    spec = find(settings.chat)
    return AnswerSettings(settings.passages, languages=tuple(spec.languages.split()), small=spec.small)
