"""Dreaming: reading what is new in conversations and proposing what to remember."""
