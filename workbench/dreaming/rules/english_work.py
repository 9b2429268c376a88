"""English: tools, projects, decisions, rules, dates and corrections."""

from __future__ import annotations

from workbench.dreaming.rules import words
from workbench.dreaming.rules.table import Rule, Slots, rule
from workbench.ledger.model import Kind
from workbench.text import fact_key

_SLOT = rf"(?P<other>{words.any_of(words.PROJECT_SLOTS)})"
_ADOPT = r"(?:use|go with|adopt|go for|stick with|standardi[sz]e on|keep|switch to|move to|migrate to)"
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


def _known_key(slots: Slots) -> str:
    return f"environment.{'os' if slots['known'].endswith('system') else slots['known'].rsplit(' ', 1)[1]}"


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
        r"my (?P<other>laptop|work laptop|computer|machine|desktop|workstation|phone|keyboard|monitor"
        r"|work machine|home server|dev machine|work computer|personal laptop|camera|bike|car) is (?P<what>an? .+"
        r"|(?-i:[A-Z]).+)",
        Kind.ENVIRONMENT,
        "{other} is {what}",
        "environment.{other}",
    ),
    rule(
        r"my (?P<other>laptop|work laptop|computer|machine|desktop|workstation|home server|dev machine"
        r"|work computer) (?:runs|is running) (?P<tool>.+)",
        Kind.ENVIRONMENT,
        "{other} runs {tool}",
    ),
    rule(
        r"i (?:have )?(?:switched|moved|migrated)(?: over)?(?: from (?P<other>.+?))? to (?P<known>.+)",
        Kind.ENVIRONMENT,
        "Uses {known}",
        _known_key,
    ),
    rule(
        r"i (?:am on|am running|run|am using|use|develop on|code on|work on|code in|work in) (?P<known>.+)",
        Kind.ENVIRONMENT,
        "Uses {known}",
        _known_key,
    ),
    rule(
        r"my (?P<other>os|operating system|editor|ide|shell) is (?P<known>.+)",
        Kind.ENVIRONMENT,
        "Uses {known}",
        _known_key,
    ),
    rule(r"i (?:have )?switched(?: over)?(?: from (?P<other>.+?))? to (?P<tool>.+)", Kind.ENVIRONMENT, "Uses {tool}"),
    rule(r"i use (?P<tool>(?!to ).+?) for (?P<topic>.+)", Kind.ENVIRONMENT, "Uses {tool} for {topic}"),
    rule(r"i use (?P<tool>(?!to ).+)", Kind.ENVIRONMENT, "Uses {tool}", confidence=0.85),
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
    rule(r"we use (?P<tool>.+)", Kind.ENVIRONMENT, "Uses {tool}", scope="project", confidence=0.85),
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
        rf"we (?:have )?(?:finally )?(?:decided|agreed|chosen|chose) to {_ADOPT} (?P<tool>.+?) for (?P<topic>.+)",
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
        r"we (?:have )?(?:decided|agreed|chosen|chose) to (?:use|go with|adopt|go for) (?P<tool>.+)",
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
        r"we (?:have )?(?:decided|agreed) (?:that|to) (?P<clause>.+)",
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

CONSTRAINTS: tuple[Rule, ...] = (
    rule(r"(?:please )?(?P<how>always|never) (?P<order>.+)", Kind.CONSTRAINT, "Constraint: {how} {order}"),
    rule(r"(?:please )?do not ever (?P<order>.+)", Kind.CONSTRAINT, "Constraint: never {order}"),
    rule(r"(?:to )(?P<how>always|never) (?P<order>.+)", Kind.CONSTRAINT, "Constraint: {how} {order}"),
    rule(
        r"(?:you|claude) (?:must|should|have to|need to) (?P<how>always|never) (?P<order>.+)",
        Kind.CONSTRAINT,
        "Constraint: {how} {order}",
    ),
    rule(
        r"(?:you|claude) must (?P<how>not|never) (?P<order>.+)",
        Kind.CONSTRAINT,
        "Constraint: must {how} {order}",
        confidence=0.85,
    ),
    rule(
        r"i (?:want|need|would like) you to (?P<how>always|never) (?P<order>.+)",
        Kind.CONSTRAINT,
        "Constraint: {how} {order}",
    ),
    rule(
        r"from now on,? (?:please |always |you should |i want you to )?(?P<order>.+)",
        Kind.CONSTRAINT,
        "Constraint: {order}",
    ),
    rule(
        r"from now on,? (?:please )?(?P<how>never|do not|don't) (?P<order>.+)",
        Kind.CONSTRAINT,
        "Constraint: {how} {order}",
    ),
    rule(
        r"(?P<lead>(?:whenever|every time|each time|before (?:every|each|any)|after (?:every"
        r"|each)) [^,]{3,80}),? (?:please |always |you should )?(?P<order>.+)",
        Kind.CONSTRAINT,
        "Constraint: {lead}, {order}",
        confidence=0.85,
    ),
    rule(
        r"we (?P<how>never|always|only) (?P<practice>.+)",
        Kind.CONSTRAINT,
        "Constraint: {how} {practice}",
        scope="project",
    ),
    rule(
        r"we do not (?P<practice>.+)",
        Kind.CONSTRAINT,
        "Constraint: do not {practice}",
        scope="project",
        confidence=0.85,
    ),
    rule(
        r"we (?P<how>must|must not|must never|are not allowed to|have to) (?P<practice>.+)",
        Kind.CONSTRAINT,
        "Constraint: {how} {practice}",
        scope="project",
        confidence=0.85,
    ),
    rule(
        r"we can not (?P<practice>.+)",
        Kind.CONSTRAINT,
        "Constraint: can not {practice}",
        scope="project",
        confidence=0.85,
    ),
    rule(
        r"(?P<lead>when (?:you )?(?:write|writing|create|creating|name|naming|review|reviewing|commit|committing"
        r"|generate"
        r"|generating|refactor|refactoring|add|adding) [^,]{3,60}), (?:please |always )?(?P<order>.+)",
        Kind.CONSTRAINT,
        "Constraint: {lead}, {order}",
        confidence=0.65,
        explicit=False,
    ),
    rule(
        r"(?:please )?(?:do not|don't) (?P<order>.+ unless .+)",
        Kind.CONSTRAINT,
        "Constraint: do not {order}",
        confidence=0.65,
        explicit=False,
    ),
    rule(
        r"(?P<how>no (?:\w+[ -]){0,4}\w+ (?:in|to|on|for) (?:this|the|our) (?:repo|project|codebase|repository"
        r"|monorepo|production|main branch))",
        Kind.CONSTRAINT,
        "Constraint: {how}",
        scope="project",
    ),
    rule(
        r"(?:the|our) (?:rule|policy|convention) (?:here |on the team )?is (?:that |to )?(?P<clause>(?:we |never "
        r"|always |no |to |every |all |each )?.+)",
        Kind.CONSTRAINT,
        "Constraint: {clause}",
        scope="project",
        confidence=0.85,
    ),
    rule(
        r"(?P<clause>(?:all|every|each) (?:[\w-]+ ){1,4}must (?:not |never |always |still )?.+)",
        Kind.CONSTRAINT,
        "Constraint: {clause}",
        scope="project",
        confidence=0.65,
        explicit=False,
    ),
)

DATES: tuple[Rule, ...] = (
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

# What somebody asks to remember and no other rule knows.
REMEMBERED = (
    rule(r"you must (?P<order>.+)", Kind.CONSTRAINT, "Constraint: must {order}"),
    rule(
        r"(?P<clause>(?:the|our|all|my (?!name)) ?(?:[\w'-]+ ){1,6}?(?:is|are|has|have|uses|runs|needs|requires"
        r"|lives|must|belongs|expects|goes|go|take|takes|start|starts|hates|loves|likes|prefers)\b .+)",
        Kind.FACT,
        "{clause}",
        scope="project",
    ),
    rule(
        r"(?P<clause>(?-i:[A-Z])[\w'-]+ (?:[\w'-]+ ){0,3}?(?:is|are|has|uses|runs|needs|requires|lives|must"
        r"|belongs)\b .+)",
        Kind.FACT,
        "{clause}",
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
