"""Readers: from the bytes of one file to its text, its blocks and what it declares about itself.

One file a format; `registry` knows which is for what, `decode` turns bytes into text. A reader is a pure
function of bytes and a name: it opens no file, starts no process and never touches the network. Start at
`inro.readers.registry.read`.
"""
