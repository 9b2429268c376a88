"""Markdown notes of the person: MEMORY.md and daily notes, as text only."""
