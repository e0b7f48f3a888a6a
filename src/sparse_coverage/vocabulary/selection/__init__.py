"""How centers are chosen: exact farthest-first traversal, and the other strategies by name."""
