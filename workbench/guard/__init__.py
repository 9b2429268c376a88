"""What may be written at all, and what must wait for the person."""
