"""English: tools, projects, decisions, rules, dates and corrections."""

from __future__ import annotations

from workbench.dreaming.rules import words
from workbench.dreaming.rules.keys import known_key, uses_key
from workbench.dreaming.rules.table import Rule, Slots, rule
from workbench.ledger.model import Kind
from workbench.text import fact_key

_SLOT = rf"(?P<other>{words.any_of(words.PROJECT_SLOTS)})"
_ADOPT = r"(?:use|go with|adopt|go for|stick with|standardi[sz]e on|keep|switch to|move to|migrate to)"
# "decided in standup to …", "agreed yesterday that …"
_MEETING = r"(?: (?:in|at|during|after) (?:(?:the|our|this) )?[\w' -]{3,30}?| yesterday| last \w+| on \w+day)?"
_STATE = (
    r"(?:(?:not|very|so|too|still|now|really|up|out|in|down|under|broken|slow|huge|big|small|empty|full|fine|ok"
    r"|okay|good|bad|great"
    r"|old|new|ready|done|gone|green|red|flaky|stuck|dead|messy|complex|simple|live|missing|wrong|right|different"
    r"|large|tiny"
    r"|stable|unstable|a mess|a bit|\w+ing|\w+ed)\b)"
)
_EVENT = (
    r"(?P<other>deadline|release date|due date|launch date|launch|release|code freeze|feature freeze|go-live"
    r"|wedding|exam|move-in date|flight)"
)
_THING = r"(?P<other>(?:[\w-]+ ){0,3}[\w-]+)"


def decision_key(slots: Slots) -> str | None:
    """``decision.<topic>`` for a topic of at most three words."""
    topic = slots.get("topic", "")
    for article in ("the ", "our ", "a ", "an ", "all ", "their "):
        topic = topic.removeprefix(article)
    return f"decision.{topic}" if topic and len(topic.split()) <= 3 else None


def _port_key(slots: Slots) -> str | None:
    return f"environment.{slots['other']}.port"


def _corrected_key(slots: Slots) -> str | None:
    said = slots["clause"].lower().removeprefix("the ").removeprefix("our ").removeprefix("my ")
    thing = said.split(" is ")[0]
    if " port " in said and len(thing.split()) <= 4:
        return (
            f"environment.{thing}.port"
            if not thing.endswith(" port")
            else f"environment.{thing.removesuffix(' port')}.port"
        )
    return f"environment.{fact_key(thing)}" if thing in words.PROJECT_SLOTS else None


TOOLS: tuple[Rule, ...] = (
    rule(
        r"i (?:use|am using|run|work with|work in|code in|code with) (?P<tool>.+?) (?:as|for) (?:my |an "
        r"|a )?(?:main |primary |default |daily )?(?P<word>editor|ide|code editor|text editor|shell|login shell"
        r"|terminal|browser|window manager|desktop|os|operating system|keyboard layout|password manager"
        r"|mail client|email client|task manager|note-taking app|calendar)",
        Kind.ENVIRONMENT,
        "Uses {tool} as {word}",
        "environment.{word}",
    ),
    rule(
        r"my (?:main |primary |default |daily |preferred |favou?rite )?(?P<word>editor|ide|code editor"
        r"|text editor|shell|login shell|terminal|browser|window manager|desktop environment|os|operating system"
        r"|keyboard layout|password manager|mail client|email client) is (?P<tool>.+)",
        Kind.ENVIRONMENT,
        "Uses {tool} as {word}",
        "environment.{word}",
    ),
    rule(
        r"my (?P<other>(?:(?:work|home|dev|test|build|main|gaming|personal|private|office|backup) )?(?:laptop|computer"
        r"|machine|desktop|workstation|phone|tablet|keyboard|monitor|server|notebook|nas|router|camera|bike"
        r"|car)) is (?P<what>an? .+"
        r"|(?-i:[A-Z]).+)",
        Kind.ENVIRONMENT,
        "{other} is {what}",
        "environment.{other}",
    ),
    rule(
        r"my (?P<other>(?:(?:work|home|dev|test|build|main|gaming|personal|private|office|backup) )?(?:laptop|computer"
        r"|machine|desktop|workstation|phone|tablet|server|notebook|nas)) (?:runs|is running) (?P<tool>.+)",
        Kind.ENVIRONMENT,
        "{other} runs {tool}",
    ),
    rule(
        r"i (?:have )?(?:switched|moved|migrated)(?: over)?(?: from (?P<other>.+?))? to (?P<known>.+)",
        Kind.ENVIRONMENT,
        "Uses {known}",
        known_key,
    ),
    rule(
        r"i (?:am on|am running|run|am using|use|develop on|code on|work on|code in|work in) (?P<known>.+)",
        Kind.ENVIRONMENT,
        "Uses {known}",
        known_key,
    ),
    rule(
        r"my (?P<other>os|operating system|editor|ide|shell) is (?P<known>.+)",
        Kind.ENVIRONMENT,
        "Uses {known}",
        known_key,
    ),
    rule(
        r"i (?:have )?switched(?: over)?(?: from (?P<other>.+?))? to (?P<tool>.+)",
        Kind.ENVIRONMENT,
        "Uses {tool}",
        uses_key,
    ),
    rule(r"i use (?P<tool>(?!to ).+?) for (?P<topic>.+)", Kind.ENVIRONMENT, "Uses {tool} for {topic}", uses_key),
    rule(r"i use (?P<tool>(?!to ).+)", Kind.ENVIRONMENT, "Uses {tool}", uses_key, confidence=0.85),
)

PROJECT: tuple[Rule, ...] = (
    rule(
        r"(?:the|this|our|my) (?:project|repo|app|product|codebase|repository)(?:'s name is| is (?:called"
        r"|named)) (?P<name>.+)",
        Kind.PROJECT,
        "Project is called {name}",
        "project.name",
        scope="project",
    ),
    rule(
        r"(?:i|we) (?:have )?renamed (?:the|this|our|my) (?:project|repo|app|product|codebase|repository)"
        r"(?: from .{1,40}?)? to (?P<name>.+)",
        Kind.PROJECT,
        "Project is called {name}",
        "project.name",
        scope="project",
    ),
    rule(r"my (?:side|pet|hobby) project is (?P<what>.+)", Kind.PROJECT, "Side project is {what}"),
    rule(
        r"i am (?:building|developing|writing|making|working on) (?P<what>an? .+ (?:called|named) .+)",
        Kind.PROJECT,
        "Is building {what}",
    ),
    rule(
        rf"our {_SLOT} (?P<word>is written in|runs on|is hosted on|lives on|is deployed on|is deployed to"
        rf"|is built with|uses) (?P<tool>.+)",
        Kind.ENVIRONMENT,
        "{other} {word} {tool}",
        "environment.{other}",
        scope="project",
    ),
    rule(
        rf"our {_SLOT} is (?:called|named) (?P<tool>.+)",
        Kind.ENVIRONMENT,
        "{other} is called {tool}",
        "environment.{other}",
        scope="project",
    ),
    rule(
        r"(?:the|our) (?P<other>(?:[\w-]+ ){0,2}(?:url|host|hostname|domain|endpoint)) is (?P<word>https?://\S+"
        r"|[\w-]+(?:\.[\w-]+)+\S*)",
        Kind.ENVIRONMENT,
        "{other} is {word}",
        "environment.{other}",
        scope="project",
    ),
    rule(
        rf"our {_SLOT} is (?P<tool>(?!{_STATE}).+)",
        Kind.ENVIRONMENT,
        "{other} is {tool}",
        "environment.{other}",
        scope="project",
    ),
    rule(
        rf"(?:the|our) {_THING} (?P<word>is|runs|listens|lives) on port (?P<topic>\d{{2,5}})",
        Kind.ENVIRONMENT,
        "{other} {word} on port {topic}",
        _port_key,
        scope="project",
    ),
    rule(
        r"(?:this|our|the) (?P<other>project|repo|codebase|service|app|monorepo) (?P<word>uses|targets"
        r"|is written in|runs on|requires|supports|is deployed on|is hosted on) (?P<tool>.+)",
        Kind.ENVIRONMENT,
        "{other} {word} {tool}",
        scope="project",
    ),
    rule(
        r"we (?:use|are using|run|deploy on|deploy to|host on|build with) (?P<tool>.+?) for (?P<topic>.+)",
        Kind.ENVIRONMENT,
        "Uses {tool} for {topic}",
        scope="project",
    ),
    rule(
        r"we are on (?P<tool>(?-i:[A-Z])[\w.#+-]*(?: [\w.]+)?(?: and (?-i:[A-Z])[\w.#+-]*(?: [\w.]+)?)?)",
        Kind.ENVIRONMENT,
        "Uses {tool}",
        scope="project",
        confidence=0.85,
    ),
    rule(r"we use (?P<tool>.+)", Kind.ENVIRONMENT, "Uses {tool}", uses_key, scope="project", confidence=0.85),
    rule(
        r"we (?P<verb2>deploy|host|run) (?P<word>(?:\w+ ){0,3}(?:on|to|in|via|with|through) (?-i:[A-Z]).+)",
        Kind.ENVIRONMENT,
        "{verb2} {word}",
        scope="project",
        confidence=0.85,
    ),
)

DECISIONS: tuple[Rule, ...] = (
    rule(
        rf"we (?:have )?(?:finally )?(?:decided|agreed|chosen"
        rf"|chose){_MEETING} to {_ADOPT} (?P<tool>.+?) for (?P<topic>.+)",
        Kind.DECISION,
        "Decided: {tool} for {topic}",
        decision_key,
        scope="project",
    ),
    rule(
        r"we (?:have )?(?:decided on|settled on|chosen|chose|picked|are going with|went with"
        r"|landed on) (?P<tool>.+?) for (?P<topic>.+)",
        Kind.DECISION,
        "Decided: {tool} for {topic}",
        decision_key,
        scope="project",
    ),
    rule(
        rf"we (?:have )?(?:decided|agreed|chosen|chose){_MEETING} to (?:use|go with|adopt|go for) (?P<tool>.+)",
        Kind.DECISION,
        "Decided: {tool}",
        scope="project",
    ),
    rule(
        r"we (?:have )?(?:decided on|settled on|chosen|chose|picked|are going with|went with|landed on) (?P<tool>.+)",
        Kind.DECISION,
        "Decided: {tool}",
        scope="project",
        confidence=0.85,
    ),
    rule(r"we (?:have )?decided (?P<clause>against .+)", Kind.DECISION, "Decided: {clause}", scope="project"),
    rule(
        rf"we (?:have )?(?:decided|agreed){_MEETING} (?:that|to) (?P<clause>.+)",
        Kind.DECISION,
        "Decided: {clause}",
        scope="project",
    ),
    rule(
        r"(?:the |our |final )?decision(?: is|:) (?:to |that )?(?:(?:we )?(?:use|go with) )?(?P<clause>.+)",
        Kind.DECISION,
        "Decided: {clause}",
        scope="project",
    ),
    rule(
        r"(?:ok |then |so )*let's (?:go with|settle on|standardi[sz]e on|stick with) (?P<tool>(?!option|plan|version"
        rf"|variant|{words.any_of(words.DAYS | words.MONTHS)}\b)(?-i:[A-Z]).*?) for (?P<topic>.+)",
        Kind.DECISION,
        "Decided: {tool} for {topic}",
        decision_key,
        scope="project",
        confidence=0.85,
    ),
    rule(
        rf"i (?:have )?decided (?:to {_ADOPT}|on) (?P<tool>.+?) for (?P<topic>.+)",
        Kind.DECISION,
        "Decided: {tool} for {topic}",
        decision_key,
    ),
    rule(
        r"i (?:have )?decided to (?P<clause>(?:stop|quit|drop|switch|stick|standardi[sz]e) .+)",
        Kind.DECISION,
        "Decided: {clause}",
        confidence=0.85,
    ),
)

_MOVED = (
    r"(?:(?:has been |was |got |is |has )?(?:moved|shifted|pushed|postponed|changed|rescheduled|slipped"
    r"|extended|delayed)"
    r"(?: back| forward| out)?(?: from .{3,30}?)? (?:to|until|till)|is now) (?:on )?"
)

DATES: tuple[Rule, ...] = (
    rule(
        rf"(?:the|our|my) {_EVENT} {_MOVED}(?P<date>.+)",
        Kind.TEMPORAL,
        "{other} is {date}",
        "temporal.{other}",
        scope="project",
    ),
    rule(
        rf"we (?:have )?(?:moved|shifted|pushed|postponed|rescheduled|extended|delayed) (?:the|our) {_EVENT}"
        r"(?: back| forward| out)?(?: from .{3,30}?)? (?:to|until|till) (?P<date>.+)",
        Kind.TEMPORAL,
        "{other} is {date}",
        "temporal.{other}",
        scope="project",
    ),
    rule(
        rf"(?:(?:the|our|my|new|project) )*{_EVENT}: (?P<date>.+)",
        Kind.TEMPORAL,
        "{other} is {date}",
        "temporal.{other}",
        scope="project",
    ),
    rule(
        rf"(?:the|our) {_EVENT} for (?P<topic>.+?) is (?:on |scheduled for |set for )?(?P<date>.+)",
        Kind.TEMPORAL,
        "{other} for {topic} is {date}",
        "temporal.{other}.{topic}",
        scope="project",
    ),
    rule(
        rf"(?:the|our) (?P<topic>[\w. -]{{2,30}}?) {_EVENT} is (?:on |scheduled for |set for )?(?P<date>.+)",
        Kind.TEMPORAL,
        "{other} for {topic} is {date}",
        "temporal.{other}.{topic}",
        scope="project",
    ),
    rule(
        rf"(?:the|our|my) {_EVENT} is (?:on |scheduled for |set for )?(?P<date>.+)",
        Kind.TEMPORAL,
        "{other} is {date}",
        "temporal.{other}",
        scope="project",
    ),
)

CORRECTIONS: tuple[Rule, ...] = (
    rule(
        r"(?P<clause>(?:the|our|my) (?:[\w-]+ ){1,5}?(?:is|are|runs|lives|listens|goes|uses) .+, not .+)",
        Kind.CORRECTION,
        "Correction: {clause}",
        _corrected_key,
        scope="project",
    ),
)

# What somebody marks as a correction and no other rule knows.
CORRECTED = (
    rule(
        r"(?P<clause>(?:we|the|our) .+, not .+)",
        Kind.CORRECTION,
        "Correction: {clause}",
        _corrected_key,
        scope="project",
    ),
)
