"""Everything the app says, in English; `inro_tui.strings_ja` says it in Japanese.

One field a sentence, so that a type checker finds a missing translation. `{braces}` are filled with
`str.format`; a test holds both languages to the same braces. No character here is of ambiguous width.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


def _english_keys() -> dict[str, str]:
    return {
        "app.help": "Help",
        "app.search": "Search",
        "app.chat": "Ask",
        "app.library": "Library",
        "app.palette": "Commands",
        "app.quit": "Quit",
        "app.help_too": "Help (in an empty line too)",
        "composer.down": "Next row",
        "composer.up": "Previous row",
        "composer.page_down": "A page down",
        "composer.page_up": "A page up",
        "composer.leave": "To the list",
        "composer.enter": "Go",
        "rows.down": "Down",
        "rows.up": "Up",
        "rows.page_down": "A page down",
        "rows.page_up": "A page up",
        "rows.first": "To the top",
        "rows.last": "To the end",
        "rows.choose": "Open",
        "results.edit": "Edit the query",
        "search.preview": "Preview",
        "results.editor": "Editor",
        "results.copy_quote": "Copy passage",
        "results.copy_path": "Copy path",
        "results.why": "Why this score",
        "results.ask": "Ask this",
        "viewer.next": "Next mark",
        "viewer.previous": "Previous mark",
        "viewer.find": "Find",
        "viewer.next_heading": "Next heading",
        "viewer.previous_heading": "Previous heading",
        "viewer.editor": "Editor",
        "viewer.copy_quote": "Copy quote",
        "viewer.copy_path": "Copy path",
        "viewer.back": "Back",
        "transcript.edit": "Write",
        "chat.stop": "Stop",
        "transcript.source": "Open source",
        "chat.again": "Ask again",
        "chat.new": "New chat",
        "chat.earlier": "Earlier chats",
        "transcript.copy": "Copy answer",
        "transcript.review": "Answers to review",
        "chats.delete": "Forget this chat",
        "chats.back": "Close",
        "review.accept": "Take it into the notes",
        "review.reject": "Turn it down",
        "review.back": "Close",
        "library.sync": "Sync",
        "library.full": "Read everything again",
        "library.stop": "Stop",
        "library.add": "Add folder",
        "library.filter": "Filter",
        "library.refresh": "Look again",
        "library.next_pane": "Next pane",
        "help.back": "Close",
    }


@dataclass(frozen=True, slots=True)
class Strings:
    """The words of one language."""

    language: str = "en"
    keys: Mapping[str, str] = field(default_factory=_english_keys)
    """What each key does, by its id in `inro_tui.keys`."""

    # Chrome
    tab_search: str = "Search"
    tab_chat: str = "Ask"
    tab_library: str = "Library"
    loading: str = "Reading..."
    do: str = "Do: {mend}"
    page: str = "p. {page}"
    also_in: str = "also in {n} more"

    # Search
    search_placeholder: str = "Type what you remember: words, an ID, a question"
    search_idle: str = "Results come while you type. F1 lists the keys."
    warming: str = "Getting ready; the first results follow in a moment."
    compiling: str = "Preparing this machine for its first search: about half a minute, once."
    search_empty_library: str = "Nothing is indexed yet. Press F4, then a, and name a folder."
    search_nothing: str = "Nothing found for this."
    searching_meaning: str = "looking by meaning"
    ledger: str = "searched {searched} of {total} files"
    ledger_unreadable: str = "{n} unreadable"
    ledger_skipped: str = "{n} skipped"
    ledger_offline: str = "{n} offline"
    ledger_changed: str = "{n} changed since"
    ledger_time: str = "{ms} ms"
    ledger_rank: str = "{rank}/{total}"
    weak: str = "weak"
    pinned: str = "exact ID"
    title_row: str = "document"
    trace_head: str = "score {score} ="
    preview_none: str = "No result selected."

    # Viewer
    marks: str = "mark {n} of {total}"
    no_marks: str = "no marks"
    line_of: str = "line {n} of {total}"
    find_placeholder: str = "Find in this document"
    not_found_here: str = "Not in this document: {text}"
    outcome_partial: str = "partly read: {reason}"
    outcome_unreadable: str = "not readable: {reason}"
    document_empty: str = "There is no text in this document."
    original_absent: str = "The original is not on this machine; what you read is the stored text."
    no_editor: str = "Nothing here can open this file. Set EDITOR to your editor's command."
    editor_failed: str = "The editor could not be run: {why}"
    cannot_suspend: str = "This terminal cannot hand over to an editor."

    # Copying
    copied: str = "Sent {n} characters to the terminal's clipboard. Also in {file}"
    copied_bare: str = "Sent {n} characters to the terminal's clipboard."
    copied_tmux: str = (
        "Sent {n} characters through tmux (it must have set-clipboard on or allow-passthrough on). Also in {file}"
    )
    copied_file: str = "Too long for the terminal's clipboard: {n} characters are in {file}"
    copied_nowhere: str = "Too long for the terminal's clipboard, and no file could be written."
    nothing_to_copy: str = "There is nothing to copy here."

    # Chat
    chat_placeholder: str = "Ask your library"
    chat_idle: str = "Answers come from your own documents, each sentence with its source."
    chat_working: str = "Working"
    chat_draft: str = "Found in the documents, word for word; the model is still writing"
    chat_model_writing: str = "The model writes; not checked yet"
    chat_model: str = "Answer, checked against its sources"
    chat_extractive: str = "Quoted from the documents"
    chat_shelf: str = "From the shelf {shelf}, not from your library"
    chat_on_shelf: str = "on the shelf {shelf}, not in your library"
    chat_refused: str = "Not in your library."
    chat_nearest: str = "Nearest there is"
    chat_sources: str = "Sources"
    chat_steps: str = "{n} steps"
    chat_steps_one: str = "1 step"
    chat_unsupported: str = "{n} of {total} sentences are not supported by their sources"
    chat_not_supported: str = "not supported"
    chat_stopped: str = "Stopped."
    chat_failed: str = "No answer: {what}"
    chat_back: str = "Your question is back in the line below."
    chat_busy: str = "An answer is on its way; Esc stops it."
    chat_no_source: str = "There is no source {n} here."

    # Earlier chats, answers to review
    chats_title: str = "Earlier chats with this library"
    chats_none: str = "None yet: a chat is remembered once a question is answered."
    chats_turns: str = "{n} questions"
    chats_turns_one: str = "1 question"
    chats_forgotten: str = "This chat is forgotten."
    review_title: str = "Answers from shelves, to be taken into the notes or turned down"
    review_none: str = "Nothing waits. Answers from reference shelves come here."
    review_accepted: str = "Written: {file}. The library has it after the next sync."
    review_rejected: str = "Turned down; the same answer does not come back."

    # Library
    library_file: str = "File"
    library_documents: str = "Documents"
    library_chunks: str = "Chunks"
    library_vectors: str = "With vectors"
    library_size: str = "Size"
    library_embedder: str = "Embedder"
    library_analyser: str = "Analyser"
    library_none: str = "none"
    library_sources: str = "Folders"
    library_models: str = "Models"
    library_problems: str = "Files with problems"
    library_filter: dict[str, str] = field(
        default_factory=lambda: {
            "problems": "all problems",
            "unreadable": "unreadable",
            "partial": "partly read",
            "skipped": "skipped",
        }
    )
    library_no_problems: str = "None: every file was read."
    library_no_sources: str = "No folder yet. Press a to add one."
    library_offline: str = "offline"
    library_never: str = "never synced"
    library_synced: str = "synced {when}"
    library_installed: str = "here"
    library_absent: str = "not here"
    library_to_embed: str = "{n} to embed"
    sync_phase: dict[str, str] = field(
        default_factory=lambda: {
            "scan": "Looking for changes",
            "read": "Reading files",
            "embed": "Embedding chunks",
            "commit": "Saving",
            "done": "Done",
        }
    )
    sync_rate: str = "{rate}/s"
    sync_eta: str = "{eta} left"
    sync_report: str = "{added} added, {changed} changed, {removed} removed, {unchanged} unchanged"
    sync_unreadable: str = "{n} unreadable"
    sync_stopping: str = "Stopping after this batch; what is saved stays"
    sync_stopped: str = "Stopped. What was saved stays; s goes on from there."
    sync_failed: str = "Sync failed: {what}"
    sync_running: str = "A sync is running; Esc stops it."
    add_title: str = "Add a folder or a file"
    add_placeholder: str = "Path, such as ~/notes"
    add_missing: str = "There is nothing at {path}"
    library_last_run: str = "Last sync"

    # Help and palette
    help_title: str = "Keys"
    help_areas: dict[str, str] = field(
        default_factory=lambda: {
            "app": "Everywhere",
            "composer": "In the input line",
            "rows": "In any list",
            "search": "Searching",
            "results": "Results",
            "viewer": "Document",
            "chat": "Asking",
            "transcript": "Conversation",
            "chats": "Earlier chats",
            "review": "Answers to review",
            "library": "Library",
            "help": "This page",
        }
    )
    palette_placeholder: str = "Type a command"
    command_search: str = "Search"
    command_search_help: str = "Find passages while you type"
    command_chat: str = "Ask"
    command_chat_help: str = "Ask a question and get an answer with sources"
    command_library: str = "Library"
    command_library_help: str = "Folders, files with problems, models"
    command_sync: str = "Sync"
    command_sync_help: str = "Bring the index up to date"
    command_add: str = "Add folder"
    command_add_help: str = "Index another folder or file"
    command_new: str = "New chat"
    command_new_help: str = "Forget this conversation and begin another"
    command_earlier: str = "Earlier chats"
    command_earlier_help: str = "Go on with a chat, or forget it"
    command_review: str = "Review answers from shelves"
    command_review_help: str = "Take them into the notes or turn them down"
    command_theme: str = "Light or dark"
    command_theme_help: str = "Change between the light and the dark colours"
    command_keys: str = "Keys"
    command_keys_help: str = "Show every key"
    command_quit: str = "Quit"
    command_quit_help: str = "Leave Inro"


ENGLISH = Strings()


def choose(environ: Mapping[str, str], setting: str = "") -> Strings:
    """The words to use: a setting, else `INRO_LANG`, else the locale; English when none says Japanese."""
    from_locale = [environ.get(name, "") for name in ("INRO_LANG", "LC_ALL", "LC_MESSAGES", "LANG")]
    for value in ["" if setting == "auto" else setting, *from_locale]:
        if value:
            return _named(value)
    return ENGLISH


def _named(value: str) -> Strings:
    if value.lower().replace("-", "_").split("_")[0].split(".")[0] not in ("ja", "japanese"):
        return ENGLISH
    from inro_tui.strings_ja import JAPANESE

    return JAPANESE
