"""What a text consists of: terms, identifiers, sentences, tokens. Knows strings, not documents."""
