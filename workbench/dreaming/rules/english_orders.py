"""English: orders, rules and permissions, and what somebody asks to remember."""

from __future__ import annotations

from workbench.dreaming.rules.table import Rule, rule
from workbench.ledger.model import Kind

# Where an order holds that holds in general.
_EVERYWHERE = (
    r"(?:,? (?:in (?:(?:your|any|all|my) (?:\w+ )?(?:answers?|replies|reply|responses?|output|commits?"
    r"|commit messages?|comments?"
    r"|messages?|docstrings?|code|summaries|emails?|docs|reviews?)|general)|ever(?: again)?|anywhere))"
)
_IN_REPO = (
    r"(?: (?:anywhere )?in (?:this|the|our|any) (?:repo|repository|project|codebase|code base|monorepo|service|app))"
)

CONSTRAINTS: tuple[Rule, ...] = (
    rule(
        rf"(?:please )?(?:do not|stop) (?P<gerund>[a-z]+) (?P<what>.+?)(?P<where>{_EVERYWHERE})",
        Kind.CONSTRAINT,
        "Constraint: do not {gerund} {what} {where}",
    ),
    rule(
        rf"(?:please )?(?:do not|stop) (?P<gerund>[a-z]+) (?P<what>.+{_IN_REPO})",
        Kind.CONSTRAINT,
        "Constraint: do not {gerund} {what}",
        scope="project",
    ),
    rule(
        rf"(?:please,? )?no (?:more )?(?P<what>(?:[\w.#+]+[ -]){{0,4}}[\w.#+]+?)(?P<where>{_EVERYWHERE})",
        Kind.CONSTRAINT,
        "Constraint: do not use {what} {where}",
    ),
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
        r"(?:please,? )?no (?P<what>(?:[\w.#+]+[ -]){0,4}[\w.#+]+ (?:in|to|on|for) (?:this|the|our) (?:repo|project"
        r"|codebase|repository|monorepo|production|main branch))",
        Kind.CONSTRAINT,
        "Constraint: no {what}",
        scope="project",
    ),
    rule(
        r"(?:the|our) (?:rule|policy|convention) (?:here |on the team )?is (?:that |to )?(?P<clause>\S+ .+)",
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

# Said of all that is to come; the words that say so stay in it.
ONWARD: tuple[Rule, ...] = (
    rule(
        r"(?:please )?(?:you (?:must|should|have to|need to) |i (?:want|need|would like) you to )?(?:please )?"
        r"(?P<how>always|never|only|do not|not|no longer) (?P<order>.+)",
        Kind.CONSTRAINT,
        "Constraint: from now on {how} {order}",
    ),
    rule(
        r"you (?:may|can|are (?:allowed|free|permitted) to|do not (?:need|have) to) (?P<order>.+)",
        Kind.CONSTRAINT,
        "Constraint: from now on the agent may {order}",
    ),
    rule(
        r"(?:please )?(?:you (?:must|should|have to|need to) |i (?:want|need|would like) you to )?(?:please )?"
        r"(?P<order>(?!call me\b).+)",
        Kind.CONSTRAINT,
        "Constraint: from now on {order}",
    ),
    rule(
        r"we (?:will |should |must |are going to )?(?P<how>always|never|only|do not|no longer) (?P<practice>.+)",
        Kind.CONSTRAINT,
        "Constraint: from now on {how} {practice}",
        scope="project",
    ),
    rule(
        r"we (?:will |should |must |are going to )?(?P<practice>.+)",
        Kind.CONSTRAINT,
        "Constraint: from now on {practice}",
        scope="project",
    ),
    rule(r"no (?:more )?(?P<what>.+)", Kind.CONSTRAINT, "Constraint: from now on no {what}"),
    rule(r"i (?:want|would like|expect) (?P<liked>(?!to |you ).+)", Kind.PREFERENCE, "Wants {liked}"),
)

# What somebody calls a rule.
RULED: tuple[Rule, ...] = (
    rule(
        r"we (?P<practice>(?!always|never|only|do not).+)", Kind.CONSTRAINT, "Constraint: {practice}", scope="project"
    ),
    rule(r"(?P<order>(?!always|never).+)", Kind.CONSTRAINT, "Constraint: always {order}", scope="project"),
)

# What somebody asks to remember and no other rule knows.
REMEMBERED = (
    rule(r"you must (?P<order>.+)", Kind.CONSTRAINT, "Constraint: must {order}"),
    rule(
        r"you (?:may|can|are (?:allowed|free|permitted) to|have (?:my )?permission to) (?:always |now "
        r"|just )?(?P<order>.+)",
        Kind.CONSTRAINT,
        "Constraint: the agent may {order}",
    ),
    rule(
        r"you (?P<how>should|must not|should not|may not|should never|can not) (?P<order>.+)",
        Kind.CONSTRAINT,
        "Constraint: the agent {how} {order}",
    ),
    rule(r"you do not (?:need|have) to (?P<order>ask .+)", Kind.CONSTRAINT, "Constraint: no need to {order}"),
    rule(r"i (?:want|would like) you to (?P<order>.+)", Kind.CONSTRAINT, "Constraint: always {order}"),
    rule(r"i (?:want|like|would like) (?P<liked>(?!to |you ).+)", Kind.PREFERENCE, "Wants {liked}"),
    rule(
        r"(?P<clause>(?:the|our|all|my (?!name)) ?(?:[\w'-]+ ){1,6}?(?:is|are|has|have|uses|runs|needs|requires"
        r"|lives|must|belongs|expects|goes|go|take|takes|start|starts|hates|loves|likes|prefers|happens?"
        r"|begins?|ends?|closes?"
        r"|opens?|costs?|means|stands|comes?|arrives?|leaves?|expires?|rotates?|renews?|points?|owns?|handles?"
        r"|contains?"
        r"|reads|writes|sends|returns|depends?|holds|keeps|gets|was|were)\b .+)",
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
