"""From the name of an installed model to a worker that runs it.

Rule: an embedder's fingerprint is made of what its vectors come from (the published weights' sha256 and the recipe by
which they were converted), not of the converted file, whose bytes may differ with the version of a converter: an index
made on one machine must be at home on another.
It starts no process; a worker does that with its first request.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from inro.errors import UsageError
from inro.models import files
from inro.models.registry import ModelSpec, Role, find

if TYPE_CHECKING:
    from inro.workers.chat import ChatWorker
    from inro.workers.embed import EmbedWorker
    from inro.workers.rerank import RerankWorker

CONTEXT = 4096
"""Tokens of prompt and answer that are asked of a chat model: what six passages and an answer need."""


def open_embedder(name: str, threads: int = 2) -> EmbedWorker:
    """A worker for an installed embedding model.

    Raises ModelMissing; NotFound for a name that is not listed, UsageError for a model of another role.
    """
    from inro.workers.embed import EmbedModel, EmbedWorker

    spec = _find(name, "embed")
    paths = files.require(name)
    model = EmbedModel(
        name=spec.name,
        fingerprint=fingerprint(spec),
        model=str(paths["model-int8.onnx"]),
        tokenizer=str(paths["tokenizer.json"]),
        dimension=spec.dimension,
        pooling=spec.pooling,
        max_tokens=spec.max_tokens,
        query_prefix=spec.query_prefix,
        passage_prefix=spec.passage_prefix,
    )
    return EmbedWorker(model, threads=threads)


def open_chat(name: str, threads: int = 2) -> ChatWorker:
    """A worker for an installed chat model. Raises as `open_embedder`."""
    from inro.workers.chat import ChatWorker

    spec = _find(name, "chat")
    (model,) = files.require(name).values()
    return ChatWorker(model, context=min(spec.context, CONTEXT), threads=threads)


def open_reranker(name: str, threads: int = 2) -> RerankWorker:
    """A worker for an installed cross-encoder. Raises as `open_embedder`."""
    from inro.workers.rerank import RerankModel, RerankWorker

    spec = _find(name, "rerank")
    paths = files.require(name)
    model = next(path for file, path in paths.items() if file.endswith(".onnx"))
    return RerankWorker(
        RerankModel(spec.name, str(model), str(paths["tokenizer.json"]), spec.max_tokens), threads=threads
    )


def embedder_fingerprint(name: str) -> str:
    """The fingerprint of a listed embedder, here or not. Raises NotFound, UsageError as `open_embedder`."""
    return fingerprint(_find(name, "embed"))


def fingerprint(spec: ModelSpec) -> str:
    """What the vectors of two embedders must share to be compared; 32 hex digits."""
    weights = [member.sha256 for source in spec.sources[:1] for member in source.members]
    parts = [
        weights,
        files.recipe(spec),
        spec.pooling,
        spec.query_prefix,
        spec.passage_prefix,
        spec.dimension,
        spec.max_tokens,
    ]
    return hashlib.sha256(json.dumps(parts, ensure_ascii=True).encode("ascii")).hexdigest()[:32]


def _find(name: str, role: Role) -> ModelSpec:
    spec = find(name)
    if spec.role != role:
        raise UsageError(f"the model {name} is for {spec.role}, not for {role}", "inro models list")
    return spec
