"""Where the noun phrases of a text are: words, a tagger, a grammar, filters; or spaCy."""
