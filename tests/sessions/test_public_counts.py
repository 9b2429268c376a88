"""Every public sample: what is read of it, or why it is no conversation."""

# ruff: noqa: E501 - names of files

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.errors import WorkbenchError
from workbench.home import Home
from workbench.sessions.discover import Source
from workbench.sessions.ingest import ingest

# (format, sessions, messages, rows that can't be used)
COUNTS = {
    "agentsview/internal__parser__testdata__claude__valid_session.jsonl": ("claude-code", 1, 4, 0),
    "agentsview/internal__parser__testdata__codex__fc_args_1.jsonl": ("codex", 1, 2, 0),
    "agentsview/internal__parser__testdata__codex__fc_args_2.jsonl": ("codex", 1, 2, 0),
    "agentsview/internal__parser__testdata__codex__fc_stdin.jsonl": ("codex", 1, 2, 0),
    "agentsview/internal__parser__testdata__codex__function_calls.jsonl": ("codex", 1, 3, 0),
    "agentsview/internal__parser__testdata__codex__standard_session.jsonl": ("codex", 1, 2, 0),
    "agentsview/internal__parser__testdata__gemini__standard_session.json": ("gemini-cli", 1, 4, 0),
    "agentsview/internal__parser__testdata__gemini__system_messages.json": ("gemini-cli", 1, 3, 0),
    "agentsview/internal__parser__testdata__gemini__thinking_only.json": ("gemini-cli", 1, 2, 0),
    "agentsview/internal__parser__testdata__gemini__tool_calls.json": ("gemini-cli", 1, 2, 0),
    "chatgpt-export-parser/tests__example-conversation.json": ("chatgpt", 1, 5, 0),
    "codex-transcripts/brucehart_session_current.jsonl": ("codex", 1, 4, 0),
    "codex-transcripts/prateek_sample_rollout.jsonl": ("codex", 1, 6, 0),
    "codex-transcripts/prateek_sample_rollout_known_event_types.jsonl": ("codex", 1, 2, 0),
    "codex-transcripts/prateek_sample_rollout_unknown_event.jsonl": ("codex", 1, 2, 0),
    "codex-transcripts/prateek_sample_rollout_unknown_response_item.jsonl": ("codex", 1, 1, 0),
    "daaain_claude-code-log/test_test_data_edge_cases.jsonl": ("claude-code", 2, 12, 4),
    "daaain_claude-code-log/test_test_data_representative_messages.jsonl": ("claude-code", 1, 11, 0),
    "daaain_claude-code-log/test_test_data_session_b.jsonl": ("claude-code", 1, 3, 0),
    "daaain_claude-code-log/test_test_data_todowrite_examples.jsonl": ("claude-code", 1, 11, 0),
    "daaain_newer/codex_malformed_rollout-66666666.jsonl": ("codex", 1, 1, 1),
    "daaain_newer/dag_compact_after_rewind.jsonl": ("claude-code", 1, 12, 0),
    "daaain_newer/session_id_steering_order.jsonl": ("claude-code", 1, 5, 0),
    "polylogue/polylogue__schemas__providers__chatgpt__representatives__sample-00.json": ("chatgpt", 1, 3, 0),
    "polylogue/polylogue__schemas__providers__chatgpt__representatives__sample-01.json": ("chatgpt", 1, 4, 0),
    "polylogue/polylogue__schemas__providers__claude-ai__representatives__sample-00.json": ("claude-ai", 1, 3, 0),
    "polylogue/polylogue__schemas__providers__claude-ai__representatives__sample-01.json": ("claude-ai", 1, 6, 0),
    "polylogue/tests__data__codex_event_stream__functions_exec_multiple.jsonl": ("codex", 1, 2, 0),
    "polylogue/tests__data__codex_event_stream__functions_exec_single.jsonl": ("codex", 1, 2, 0),
    "polylogue/tests__data__codex_event_stream__interleaved_stream.jsonl": ("codex", 1, 9, 0),
    "polylogue/tests__data__codex_event_stream__text_only_stream.jsonl": ("codex", 1, 2, 0),
    "polylogue/tests__data__codex_event_stream__tool_call_stream.jsonl": ("codex", 1, 4, 0),
    "polylogue/tests__data__gemini_chunked_prompt__branching_session.json": ("ai-studio", 1, 4, 0),
    "polylogue/tests__data__gemini_chunked_prompt__code_execution_prompt.json": ("ai-studio", 1, 5, 0),
    "polylogue/tests__data__gemini_chunked_prompt__code_execution_session.json": ("ai-studio", 1, 5, 0),
    "polylogue/tests__data__gemini_chunked_prompt__multi_turn_prompt.json": ("ai-studio", 1, 5, 0),
    "polylogue/tests__data__gemini_chunked_prompt__multimodal_session.json": ("ai-studio", 1, 4, 0),
    "polylogue/tests__data__gemini_chunked_prompt__text_only_prompt.json": ("ai-studio", 1, 4, 0),
    "polylogue/tests__data__gemini_chunked_prompt__text_only_session.json": ("ai-studio", 1, 2, 0),
    "polylogue/tests__fixtures__chatgpt__native-conversation-v1.json": ("chatgpt", 1, 8, 0),
    "polylogue/tests__fixtures__claude-code__claude-normalization-main.jsonl": ("claude-code", 2, 12, 0),
    "polylogue/tests__fixtures__claude-code__normalization-agent.jsonl": ("claude-code", 1, 2, 0),
    "polylogue/tests__fixtures__claude-code__normalization-lineage-acompact.jsonl": ("claude-code", 1, 3, 0),
    "polylogue/tests__fixtures__claude-code__normalization-lineage-parent.jsonl": ("claude-code", 1, 2, 0),
    "polylogue/tests__fixtures__claude-code__normalization-lineage-subagent-acompact.jsonl": ("claude-code", 1, 3, 0),
    "polylogue/tests__fixtures__hermes__archival_export__v1__example-session.json": ("hermes", 1, 6, 0),
    "polylogue/tests__fixtures__hermes__atif__nemo_relay_atif_v1.7_real_redacted.json": ("hermes", 1, 5, 5),
    "polylogue/tests__fixtures__origin-capability__aistudio-drive-hinted.json": ("ai-studio", 1, 2, 0),
    "polylogue/tests__fixtures__origin-capability__aistudio-drive.json": ("ai-studio", 1, 2, 0),
    "polylogue/tests__fixtures__origin-capability__chatgpt-export.json": ("chatgpt", 1, 1, 0),
    "polylogue/tests__fixtures__origin-capability__claude-ai-export.json": ("claude-ai", 1, 1, 0),
    "polylogue/tests__fixtures__origin-capability__claude-code-session.jsonl": ("claude-code", 1, 2, 0),
    "polylogue/tests__fixtures__origin-capability__claude-design-session.json": ("generic", 1, 1, 0),
    "polylogue/tests__fixtures__origin-capability__codex-session.jsonl": ("codex", 1, 2, 0),
    "polylogue/tests__fixtures__origin-capability__gemini-cli-session.json": ("gemini-cli", 1, 2, 0),
}
# Loud: each of these is an error that names the file.
NOT_READ = {
    "codex-transcripts/prateek_sample_rollout_unknown.jsonl": "rows of no known kind",
    "convoviz/chatgpt_content_parts_from_tests.json": "lines and parts collected from tests, each with the place it came from",
    "convoviz/chatgpt_conversations_from_tests.json": "lines and parts collected from tests, each with the place it came from",
    "flowly/session_lines_from_tests.json": "lines and parts collected from tests, each with the place it came from",
    "nanobot/session_lines_from_tests.json": "lines and parts collected from tests, each with the place it came from",
    "polylogue/polylogue__schemas__providers__chatgpt__catalog.json": "describes a format",
    "polylogue/polylogue__schemas__providers__chatgpt__representatives__corpus-manifest.json": "describes a format",
    "polylogue/polylogue__schemas__providers__claude-ai__representatives__corpus-manifest.json": "describes a format",
    "polylogue/polylogue__schemas__providers__claude-code__pins.json": "describes a format",
    "polylogue/polylogue__schemas__providers__hermes__state_db_v16.contract.json": "describes a format",
    "polylogue/tests__data__resume-ranking-eval-v1.json": "a case of somebody's test",
    "polylogue/tests__fixtures__chatgpt__native-browser-capture-v1.json": "what a browser extension saw",
    "polylogue/tests__fixtures__hermes__atof__nemo_relay_atof_v0.1_real_redacted.jsonl": "requests to a model, each with all that was said before",
    "polylogue/tests__fixtures__origin-capability__antigravity-session.json": "an agent or a tracker that is not read",
    "polylogue/tests__fixtures__origin-capability__beads-issue.jsonl": "an agent or a tracker that is not read",
    "polylogue/tests__fixtures__origin-capability__grok-export.json": "an agent or a tracker that is not read",
    "polylogue/tests__fixtures__origin-capability__hermes-session.jsonl": "requests to a model, each with all that was said before",
    "polylogue/tests__fixtures__source_freshness__excluded-growing.json": "a case of somebody's test",
    "polylogue/tests__fixtures__source_freshness__healthy-quiet.json": "a case of somebody's test",
}
# Cases of a test of how cards are drawn; their fields are of no agent.
CARDS = "polylogue/tests__data__semantic_cards__cases__"


def transcripts(shared_data: Path) -> dict[str, Path]:
    folder = shared_data / "transcripts"
    paths = (path for path in folder.rglob("*") if path.is_file() and path.name != "LICENSE")
    return {path.relative_to(folder).as_posix(): path for path in paths}


def test_every_file_is_accounted_for(shared_data: Path) -> None:
    names = {name for name in transcripts(shared_data) if not name.startswith(CARDS)}
    assert names == COUNTS.keys() | NOT_READ.keys()


@pytest.mark.parametrize("name", COUNTS)
def test_a_sample_is_read(name: str, home: Home, shared_data: Path) -> None:
    (row,) = ingest(home, [Source(transcripts(shared_data)[name])]).sources
    assert (row["format"], row["sessions"], row["messages"], row["quarantined"]) == COUNTS[name]


def test_what_is_no_conversation_is_refused_by_name(home: Home, shared_data: Path) -> None:
    found = transcripts(shared_data)
    cards = [name for name in found if name.startswith(CARDS)]
    assert len(cards) == 23
    for name in (*NOT_READ, *cards):
        with pytest.raises(WorkbenchError, match=found[name].name):
            ingest(home, [Source(found[name])])


def test_all_together_are_read_once(home: Home, shared_data: Path) -> None:
    sources = [Source(path) for path in transcripts(shared_data).values()]
    report = ingest(home, sources)
    assert len(report.errors) == len(sources) - len(COUNTS)
    assert ingest(home, sources).new == 0
