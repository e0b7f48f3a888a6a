"""Words, stems, function words, sentences and languages: the one notion of a word that filters, explanations and charts share."""

from sparse_coverage.text.languages import NAMES, function_words, guess_language
from sparse_coverage.text.letters import comparable
from sparse_coverage.text.sentences import clause_ends, cut_text, sentence_ends
from sparse_coverage.text.words import (
    Word,
    content_words,
    folded,
    idf,
    index_terms,
    stem,
    stems,
    stems_of,
    term_places,
    word_forms,
    word_pieces,
    words,
)

__all__ = [
    "NAMES",
    "Word",
    "clause_ends",
    "comparable",
    "content_words",
    "cut_text",
    "folded",
    "function_words",
    "guess_language",
    "idf",
    "index_terms",
    "sentence_ends",
    "stem",
    "stems",
    "stems_of",
    "term_places",
    "word_forms",
    "word_pieces",
    "words",
]
