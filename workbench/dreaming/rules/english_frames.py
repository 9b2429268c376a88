"""English: whose words a sentence holds, and whether they are meant and stand: stories, reports, jokes, withdrawals."""

from __future__ import annotations

import re

_OWN = r"(?:i|i'm|im|i've|i'd|i'll|we|we're|we've|we'll|my|our|mine|ours)"
# What follows is somebody's story, not the person's life.
FRAME = re.compile(
    r"\b(?:suppos(?:e|ing)|imagin(?:e|ing) (?:that|you|i|we|a)\b|imagine:|pretend|role-?play|hypothetical(?:ly)?"
    r"|act (?:as|like)|you are (?:now )?an?"
    r"|let's say|let us say|say (?:that )?i\b|for the sake of argument"
    r"|my character|as if you|(?:the|a|our) persona"
    r"|(?:write|draft|compose|create|make|generate|give) (?:me )?(?:\w+ ){0,3}(?:stor(?:y|ies)|poem|song|lyrics"
    r"|scene|script|dialogue|monologue|cover letter"
    r"|essay|speech|bio|prompt|screenplay|sketch|rap|haiku|joke|tweet|letter|e-?mail|post|article|chapter|diary)"
    r"|(?:translate|proofread|paraphrase|rewrite|rephrase|summari[sz]e|edit|correct|fix the (?:grammar"
    r"|wording)) (?:this|the following|my|it|these)"
    r"|(?:in|for|of) (?:the|this|that|my|our|a|an) (?:\w+ )?(?:stor(?:y|ies)|novel|scene|scenario|game"
    r"|fairy tale|screenplay"
    r"|role ?play|mock-?up|wireframe|dialogue|test (?:data|case|input)|persona)|user stor(?:y|ies)|persona's"
    r"|translate (?:to|into|from)"
    r"|from the (?:point of view|perspective) of|what would happen if|dungeon master|player character)\b",
    re.I,
)
UNREAL = re.compile(
    r"^as an? (?:\w+ )?(?:user|customer|client|visitor|guest|shopper|buyer|subscriber|player|reader),? (?:i|we)\b"
    r"|^(?:if|unless|whether|wish|i wish|assuming|assume|given that)\b|\b(?:what if|as if|if i (?:were|was|had"
    r"|lived|could|did)|for example|for instance"
    r"|e\.g\.|in theory|in (?:a|my) dream|i dreamed|i dreamt|once upon a time|as though|as a (?:joke|test"
    r"|placeholder)|dummy|lorem ipsum)",
    re.I,
)
JOKE = re.compile(
    r"\b(?:jk|j/k|(?:just |only )?kidding|joking|lol|lmao|rofl|(?:ha){2,}h?|sarcas(?:m|tic)|yeah,? right"
    r"|said no one ever|irony|ironically)\b|/s\b"
    r"|[😂🤣🙄😜😉🙃😏🤪]|^(?:oh|ah|wow|well),? (?:great|sure|yes|yay|lovely|perfect|wonderful|fantastic)\b|^(?:sure"
    r"|great|yay|lovely|wonderful),? (?:because|i)\b"
    r"|\bi (?:just )?(?:love|like|adore) (?:it )?(?:when|how) .*\b(?:fail|break|crash|die|down|lose|hang|ignore|again)",
    re.I,
)
SHORT_JOKE = re.compile(r"^(?:\W*(?:(?:just |only )?(?:kidding|joking)|jk|j/k|not|lol|psych|/s)\b.{0,20})$", re.I)
# "My boss says I …", "the customer wrote that we …": somebody else's "I"; but not "I said I …", "you said I …".
_REPORTED = re.compile(
    r"(?<!\bi )(?<!\bwe )(?<!\byou )\b(?:says|said|saying|writes|wrote|claims|claimed|tells \w+|told \w+"
    r"|replied|replies|states"
    r"|stated|reads|asks|asked|answers|answered|goes|thinks|believes|argues|shouts|whispers|insists|insisted|texted"
    r"|tweeted|posted|responded|(?:they|people|users|customers|folks) (?:say|write|claim|think))"
    rf"(?:,? (?:that|this|like|how|so))?[,:]? {_OWN}\b",
    re.I,
)
_COLON = re.compile(rf":\s+(?=(?:actually |now |please |yes |no )?{_OWN}\b)", re.I)
# Before a colon: somebody speaks, or a text is made or shown.
_SPOKEN = re.compile(
    r"(?<!\bi )(?<!\bwe )(?<!\byou )\b(?:says?|said|writes?|wrote|reads?|replied|replies|answered|answers|asked"
    r"|asks|states?|"
    r"goes|tweeted|posted|texted)\b[^:.!?]{0,40}:\s",
    re.I,
)
_SHOWN = re.compile(
    r"^(?:(?:please |now |and )?(?:put|use|add|type|paste|insert|set|print|display|show|render|translate"
    r"|proofread|correct|check"
    r"|rewrite|rephrase) [^:]{1,80}:\s"
    r"|here(?:'s| is| are) (?:the|a|an|some|our|his|her|their|one|what)\b[^:]{0,80}:\s"
    r"|(?:the |a |an |our |new |my )?(?:\w+ )?(?:commit(?: message)?|subject|title|caption|headline|slogan"
    r"|tagline|tweet|quote|bio"
    r"|prompt|example|input|output|placeholder|test (?:case|data|input|string)|sample(?: text)?|sentence|text|line"
    r"|message|label|copy|lyrics|excerpt|snippet|customer|client|user|persona|character|hero|speaker|interviewer"
    r"|patient|reviewer)(?: \d+| [a-z])?\s*:\s)",
    re.I,
)
# Before a colon: a text meant for others.
_FOR_OTHERS = re.compile(
    r"\b(?:bio|quotes?|lines?|slogan|titles?|taglines?|ad|advert|caption|headline|stor(?:y|ies)|hero|customers?"
    r"|clients?|users?"
    r"|personas?|characters?|messages?|tweets?|posts?|texts?|copy|examples?|samples?|tests?|profile page|readme"
    r"|e-?mails?"
    r"|letters?|brochure|website|landing page|cards?|slides?|posters?|motto|jokes?|lyrics|sentences?|prompts?|subject"
    r"|template|placeholder|reviews?|speaker|friend|colleague|brother|sister|boss)\b",
    re.I,
)
# What people put before a colon when they go on speaking themselves; another label may be a name.
_OWN_LABEL = re.compile(
    r"\b(?:i|i'm|i've|i'd|i'll|me|us|we|we're|we've|myself|my|our)\b"
    r"|\b(?:typo|correction|answer|notes?|reminder|fyi|update|ps|edit|tl;?dr|context|background|intro"
    r"|introduction|infos?"
    r"|details?|facts?|things?|rules?|preferences?|constraints?|decisions?|setup|summary|version|short|points?|problem"
    r"|issue|reason|question|truth|disclaimer|warning|important|btw|way|also|ok|okay|yes|no|hi|hello|hey|reality|caveat"
    r"|exception|today|now|first|second|third|finally|last|remember|forget|mind|record|reference|future|memory|work|job"
    r"|stack|team|tools?|tooling|editor|shell|machine|hardware|os|laptop|diet|food|health|family|home|location|hobbies"
    r"|pets|languages?|skills?|experience|schedule|timezone|name|role|workflow|process|style|formatting|testing"
    r"|deploys?|deployment|docs|projects?|two|three|one|items?|bits?|stuff|news|life|personal|housekeeping|logistics"
    r"|about|specifics|requests?|ask|favou?r|wish|peeves?|conclusion|result|verdict|outcome|decided|agreed|status"
    r"|progress|admin|environment|config|editors|basics|general|habits?|policy|convention|reply|clarification"
    r"|thanks|thank you|great|good|perfect|sure|right|same|because|so|here|this|that|simple|easy|clear|honest)$",
    re.I,
)
_NAME_LIKE = re.compile(
    r"[A-ZÀ-Þ][\w.'-]*(?: [A-ZÀ-Þ][\w.'-]*)?|(?:[Tt]he|[Aa]|[Aa]n|[Hh]is|[Hh]er) [\w'-]+|[A-Za-z]\d?"
)
# The next sentence takes back whose words, or which words, the one before held.
_DISOWNS = re.compile(
    r"(?:^|[,;–—-] ?)(?:that's|thats|that is|this is|it's|those are|these are|so (?:says|said)|says|said|quoting|wrote)"
    r" (?!(?:an? |my |our |the )?(?:hard|strict|firm|rule|policy|great|good|nice"
    r"|bad|perfect|classic|real)\b)(?:\S+ ){0,4}?\S*(?:lines?|quotes?|bio|copy"
    r"|persona\S*|lyrics|story"
    r"|character|caption|example|placeholder|slogan)(?=\s*(?:[,.!;–—-]|$)|\s(?:from|of|for|by|in)\b)"
    r"|^(?:that's|thats|that is|so|at least that's) what (?:the|our|my|a|his|her|their) \w+ (?:says?|said|wrote"
    r"|writes)\b"
    r"|\b(?:in|into|to|for|on) the (?:mock(?:-?up)?s?|wireframes?|fixtures?|test data|seed data|copy|slides?)\b",
    re.I,
)
_FILL = r"(?:(?:oh|hmm+|um+|uh+|er+|ah|well|but|or)\b[\s,.…]*)?"
_TAKE_BACK = (
    r"(?:actually,? no|no,? actually|no,? wait|wait,? no|wait|scratch that|strike that|make that|i mean(?:t)?|or rather"
    r"|correction|oops|sorry|my bad|my mistake|nope|no|actually)"
)
_WITHDRAWS = re.compile(
    # "No pets." takes nothing back, "no, pets" does.
    rf"^{_FILL}(?!(?:no|nope|sorry|wait|oops)\s+(?!wait|actually|sorry)\w){_TAKE_BACK}\b[\s,.:!–—-]*(?:{_TAKE_BACK}\b[\s,.:!–—-]*)?"
    r"(?!(?:i|i'm|i've|we|my|our|worries|problem|thanks|thank|rush|hurry|need|about|for|idea|please|can|could"
    r"|what|how)\b)"
    r"(?:[\w'+#./-]+(?:\s+[\w'+#./-]+){0,4})?[.!]*$",
    re.I,
)
_WITHDRAWS_AND_SAYS = re.compile(
    rf"^{_FILL}(?:actually,? no|no,? actually|no,? wait|wait,? no|scratch that|strike that|no"
    rf"|nope)\b[\s,.:!–—-]+(?={_OWN}\b)",
    re.I,
)
_INLINE_WITHDRAWAL = re.compile(
    r"(?:[,.…–—;]\s*|\s-+\s*)(?:wait|i meant?|make that|sorry(?=,? \w))\b[\s,:–—-]*"
    r"|[\s,.…–—;-](?:actually,? no|no,? actually|no,? wait|wait,? no|scratch that|strike that|or rather)\b[\s,:–—-]*",
    re.I,
)
_RULED = re.compile(
    r"^(?:and )?(?:that's|thats|that is|this is|it's|it is) (?:an? |the |our |my )?(?:(?:hard|strict|firm|house"
    r"|team|golden|general"
    r"|standing|iron|project) )*(?:rule|policy|law|must|convention)\b",
    re.I,
)
_RULE_WORD = re.compile(r"rule|policy|convention", re.I)
_RULED_BEHIND = re.compile(r"[,;–—-]\s*(?=(?:and )?(?:that's|that is|this is|it's) (?:an? |the |our |my )?)", re.I)


def opens_story(sentence: str) -> bool:
    """True when from this sentence on somebody else may speak: a story, a report, a text that is shown or made."""
    if FRAME.search(sentence):
        return True
    if ":" not in sentence:
        return False
    if _SHOWN.search(sentence) or _SPOKEN.search(sentence):
        return True
    colon = _COLON.search(sentence)
    return colon is not None and _introduces_another(sentence[: colon.start()].strip())


def _introduces_another(label: str) -> bool:
    if _FOR_OTHERS.search(label):
        return True
    return _NAME_LIKE.fullmatch(label) is not None and not _OWN_LABEL.search(label)


def is_unmeant(sentence: str, after: str) -> bool:
    """True when a sentence is a joke, a supposition, or reports or quotes somebody else."""
    return bool(
        SHORT_JOKE.match(after)
        or JOKE.search(sentence)
        or UNREAL.search(sentence)
        or _REPORTED.search(sentence)
        or _DISOWNS.search(sentence)
        or _DISOWNS.match(after)
    )


def is_withdrawn(after: str) -> bool:
    """True when the next sentence takes back what the one before said: ``I prefer tabs. Actually no, spaces.``"""
    return bool(_WITHDRAWS.match(after) or _WITHDRAWS_AND_SAYS.match(after))


def standing(sentence: str) -> str:
    """What is left of a sentence that takes back its beginning: ``I use Vim, no wait, I use Zed`` → ``I use Zed``."""
    withdrawals = list(_INLINE_WITHDRAWAL.finditer(sentence))
    return sentence[withdrawals[-1].end() :] if withdrawals else sentence


def is_ruled(sentence: str, after: str) -> bool:
    """True when somebody calls it a rule: ``We store everything in UTC. That's a hard rule here.``"""
    if _RULED.match(after):
        return True
    behind = _RULED_BEHIND.search(sentence) if _RULE_WORD.search(sentence) else None
    return bool(behind and _RULED.match(sentence[behind.end() :]))
