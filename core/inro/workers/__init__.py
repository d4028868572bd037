"""Child processes that run models, so that a native crash, a cancel or an unload never takes the screen down.

`protocol` is what travels, `process` the parent's side of one child, `serve` the child's side,
`supervise` what happens after a crash, `machine` what is remembered of it. `chat`, `embed` and `rerank` are the
clients; `loading` is how the latter two start.
"""
