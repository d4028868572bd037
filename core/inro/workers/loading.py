"""A child with an ONNX model loaded: what the embedder's and the reranker's clients start alike.

It does not know what the child is asked afterwards.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from inro.errors import ModelDamaged, ModelError, ModelMissing, WorkerCrashed
from inro.workers.process import Child


def start_loaded(
    module: str, name: str, *, model: str, tokenizer: str, threads: int, safe: bool, timeout: float | None, **load: Any
) -> Child:
    """Start a child and have it load a model.

    Args:
        module: what the child runs.
        name: of the model, for messages.
        model, tokenizer: paths of the files.
        threads: of the runtime; one with safe settings.
        load: the other settings of its `load` operation.

    Raises ModelMissing, ModelDamaged; WorkerCrashed when the process died over it.
    """
    for file in (model, tokenizer):
        if not Path(file).is_file():
            raise ModelMissing(f"{name} is not installed: {file}", f"inro models fetch {name}")
    threads = 1 if safe else threads
    # the tokenizer's own pool is pinned as the runtime's is, or it takes every processor
    pinned = {"RAYON_NUM_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)}
    child = Child(module, env=pinned, timeout=timeout)
    try:
        child.request("load", model=model, tokenizer=tokenizer, threads=threads, safe=safe, **load)
    except WorkerCrashed:
        child.close()
        raise
    except ModelError as e:
        child.close()
        raise ModelDamaged(e.message, f"inro models verify {name}") from e
    return child
