"""Atomic replacement: whole or not at all, and never over somebody's edit."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench import files
from workbench.errors import WorkbenchError


def test_replace_is_private_and_leaves_nothing_beside(tmp_path: Path) -> None:
    path = tmp_path / "new" / "MEMORY.md"
    files.replace(path, b"text")
    assert path.read_bytes() == b"text"
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert [entry.name for entry in path.parent.iterdir()] == ["MEMORY.md"]


def test_a_link_is_refused(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_bytes(b"precious")
    link = tmp_path / "MEMORY.md"
    link.symlink_to(target)
    with pytest.raises(WorkbenchError, match="link"):
        files.rewrite(link, lambda old: old + b"!")
    assert target.read_bytes() == b"precious"


def edit_in_place(path: Path) -> None:
    with path.open("ab") as handle:
        handle.write(b"theirs\n")


def edit_by_rename(path: Path) -> None:
    other = path.with_name("editor-temp")
    other.write_bytes(path.read_bytes() + b"theirs\n")
    other.replace(path)


@pytest.mark.parametrize("edit", [edit_in_place, edit_by_rename])
def test_an_edit_made_meanwhile_survives(tmp_path: Path, edit: object) -> None:
    path = tmp_path / "MEMORY.md"
    path.write_bytes(b"old\n")
    edits = [edit]

    def once() -> None:
        if edits:
            edits.pop()(path)  # type: ignore[operator]

    def add_header(old: bytes) -> bytes:
        return old if old.startswith(b"header\n") else b"header\n" + old

    assert files.rewrite(path, add_header, before_replace=once)
    assert path.read_bytes() == b"header\nold\ntheirs\n"


def test_a_failed_write_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "MEMORY.md"
    path.write_bytes(b"old")

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(files.os, "write", full)
    with pytest.raises(WorkbenchError, match="disk full"):
        files.replace(path, b"new")
    monkeypatch.undo()
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["MEMORY.md"]


def test_an_existing_folder_keeps_its_mode(tmp_path: Path) -> None:
    folder = tmp_path / "open"
    folder.mkdir(mode=0o755)
    folder.chmod(0o755)
    files.private_dir(folder)
    assert folder.stat().st_mode & 0o777 == 0o755
