"""The library as tools for an agent, spoken over standard input and output by the Model Context Protocol.

Rule: the product is reached through `inro.library.Library` alone, and what a document says is data on its way to a
reader that acts on text: it never stands in a description, and every tool that returns it says that it is untrusted.
`tools` is what there is, without the protocol; `server` speaks it, with the `mcp` package, an extra a user installs.
"""
