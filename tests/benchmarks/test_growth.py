"""A transcript that grows while an agent writes it, and many processes at once."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from tests.benchmarks import chats
from workbench import db
from workbench.home import Home
from workbench.sessions import index, store
from workbench.sessions.canonical import read_messages
from workbench.sessions.discover import Source
from workbench.sessions.ingest import ingest

PIECE = 1_000
PROCESSES = 8
CHILD = """
import sys
from pathlib import Path
from workbench.home import Home
from workbench.sessions.discover import Source
from workbench.sessions.ingest import ingest
report = ingest(Home(Path(sys.argv[1])), [Source(Path(name)) for name in sys.argv[2:]])
print(report.backlog + report.damaged + report.errors)
"""


def _added(home: Home, path: Path, start: int) -> float:
    """CPU seconds a message for one more piece, the best of three."""
    took = []
    for number in range(3):
        chats.write(path, PIECE, start=start + number * PIECE)
        began = time.process_time()
        assert ingest(home, [Source(path)]).new == PIECE
        took.append(time.process_time() - began)
    return min(took) / PIECE


def test_growth_does_not_follow_the_length_of_a_file(tmp_path: Path) -> None:
    """A thousand messages more in a file of 100,000 cost at most 1.5 times what they cost in one of 5,000."""
    each = []
    for size in (5_000, 100_000):
        home, path = Home(tmp_path / str(size)), chats.write(tmp_path / f"{size}.jsonl", size)
        ingest(home, [Source(path)])
        each.append(_added(home, path, size))
        print(f"\n{PIECE:,} messages more after {size:,}: {1 / each[-1]:,.0f} messages/s")
    assert each[1] <= 1.5 * each[0]
    assert each[1] <= 1 / 2_000


def test_a_rebuild_does_not_follow_the_length_of_a_session(tmp_path: Path) -> None:
    """100,000 messages in 500 conversations, and in one: the rate, the size, and the contents made again."""
    each = []
    for sessions in (500, 1):
        folder, home = tmp_path / f"{sessions}", Home(tmp_path / f"home{sessions}")
        folder.mkdir()
        paths = [chats.write(folder / f"{n}.jsonl", 100_000 // sessions, session=n) for n in range(sessions)]
        ingest(home, [Source(path) for path in paths])
        before = _contents(home)
        began = time.process_time()
        assert index.rebuild(home).rows == 100_000
        each.append((time.process_time() - began) / 100_000)
        assert _contents(home) == before
        _say_sizes(home, sessions, each[-1])
    assert each[1] <= 1.3 * each[0]
    assert each[1] <= 1 / 15_000
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss <= 512 * 1024


def _contents(home: Home) -> set[tuple[int, int]]:
    with db.read(home.session_index, index.SCHEMA) as connection:
        return set(map(tuple, connection.execute("SELECT id, digest FROM messages")))


def _say_sizes(home: Home, sessions: int, each: float) -> None:
    with db.read(home.session_index, index.SCHEMA) as connection:
        text = connection.execute("SELECT sum(length(CAST(content AS BLOB))) FROM messages").fetchone()[0]
    kept = sum(entry.stat().st_size for entry in store.canonical_files(home))
    made = home.session_index.stat().st_size
    print(
        f"\nrebuild of {sessions} conversations: {1 / each:,.0f} messages/s; text {text / 1e6:.1f} MB, conversations"
        f" {kept / 1e6:.1f} MB, index {made / 1e6:.1f} MB: {(kept + made) / text:.2f} times the text"
    )


def test_eight_processes_at_once(tmp_path: Path) -> None:
    """They read one source that all share and one of their own each: every message is there once, in both places."""
    home, shared = Home(tmp_path / "home"), chats.write(tmp_path / "shared.jsonl", 4_000)
    own = [chats.write(tmp_path / f"{number}.jsonl", 1_000, session=number + 1) for number in range(PROCESSES)]
    for start in (None, 4_000):  # at first, and when it has grown
        if start:
            chats.write(shared, 500, start=start)
        began = time.perf_counter()
        running = [
            subprocess.Popen(
                [sys.executable, "-c", CHILD, str(home.root), str(shared), str(path)],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for path in own
        ]
        said = [child.communicate() for child in running]
        print(f"\n{PROCESSES} processes at once: {time.perf_counter() - began:.1f} s")
        assert [child.returncode for child in running] == [0] * PROCESSES, said
        assert [out.strip() for out, _ in said] == ["[]"] * PROCESSES
        _check_once(home, 4_000 + 1_000 * PROCESSES + (500 if start else 0))


def _check_once(home: Home, messages: int) -> None:
    kept = Counter(
        row["id"] for entry in store.canonical_files(home) for _, _, row in read_messages(Path(entry.path)) if row
    )
    with db.read(home.session_index, index.SCHEMA) as connection:
        indexed = Counter(row[0] for row in connection.execute("SELECT id FROM messages"))
        rows = connection.execute("SELECT count(*) FROM messages_fts_docsize").fetchone()[0]
    assert len(kept) == sum(kept.values()) == messages
    assert indexed == kept
    assert rows == messages


def test_a_line_of_a_gigabyte_among_a_thousand(tmp_path: Path) -> None:
    """Quarantined without being held: at most 256 MB and 30 s, and the others are read."""
    path = chats.write(tmp_path / "talk.jsonl", 500)
    with path.open("ab") as out:
        out.write(b'{"type":"user","message":{"content":"')
        out.truncate(out.tell() + 1024**3)
        out.seek(0, 2)
        out.write(b'"}}\n')
    chats.write(path, 500, start=500)
    code = CHILD.replace("print(", "import json, resource; print(json.dumps(report.totals)); print(").replace(
        "report.errors)", "report.errors, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, sep='\\n')"
    )
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "home"), str(path)], check=True, capture_output=True, text=True
    )
    took, (totals, _, peak) = time.perf_counter() - began, done.stdout.splitlines()
    print(f"\na line of 1 GB among 1,000: {took:.1f} s, peak {peak} MB")
    assert (json.loads(totals)["new"], json.loads(totals)["quarantined"]) == (1_000, 1)
    assert took <= 30
    assert int(peak) <= 256
