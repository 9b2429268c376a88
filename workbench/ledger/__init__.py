"""Governed memories: what agents claim, what the person ruled, and the proof of both."""
