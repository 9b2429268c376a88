"""The knowledge graph: who and what is known, how they stand to each other, and when."""
