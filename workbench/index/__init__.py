"""Vectors of texts: the embedder and the file they are kept in. All of it is derived; no text is stored here."""
