"""How well conversations are found again, on public questions; `make bench-quality` prints one table."""
