"""Conversations: read from agents' transcripts, kept verbatim, indexed, found again."""
