"""English: the words that say how a sentence is meant: asked, hedged, corrected, to be remembered."""

from __future__ import annotations

import re

from workbench.dreaming.rules import words

_ASKING = (
    r"(?:can|could|would|will|do|does|did|is|are|was|were|am|what|what's|how|how's|why|which|where|who|when|any"
    r"|should|shall|may"
    r"|might|have|has|had|got|isn't|aren't|don't|doesn't|won't|wouldn't|right|ok|okay|correct|yes|no|or)"
)
QUESTION_PART = re.compile(
    rf"(?:\s*[,;–—]|\s+-|\s(?=(?:and|so|but)\s{_ASKING}\b))\s*(?:(?:and|so|but|then)\s)?(?={_ASKING}\b)", re.I
)
TAG_QUESTION = re.compile(r",?\s(?:right|ok|okay|correct|yes|no|(?:is|are|do|does)n't \w+|remember)\s*\?+$", re.I)
# An emoji or a dingbat in front of a sentence says nothing.
MARKS_IN_FRONT = re.compile("[\\s\u2190-\u2bff\ufe0e\ufe0f\u200d\U0001f000-\U0001faff]+")
LEAD = re.compile(
    r"(?:(?:hi|hey|hello|hiya|yo|greetings|good (?:morning|afternoon|evening)|morning)(?: (?:there|again|all"
    r"|everyone|folks|claude|team|guys))?"
    r"|well|so|ok|okay|oh|ah|aha|yes|yeah|yep|yup|nope|no|sure|right|great|perfect|nice|cool|awesome"
    r"|thanks(?: (?:so much|a lot|again|for that))?"
    r"|thank you(?: so much)?|btw|by the way|fyi|oh and|also|and|but|plus|anyway|anyways|besides|hmm+|um+|uh+"
    r"|just so you know|just fyi"
    r"|for (?:context|the record|reference|what it's worth|clarity|background)|some context|context|background"
    r"|about me|fwiw|imo|imho|to be (?:clear|honest|fair)|tbh|honestly|frankly|personally"
    r"|as (?:i (?:said|mentioned)(?: before| earlier)?|a reminder|you (?:may )?know|a heads[- ]up|always|for me"
    r"|background)|in general|generally speaking|overall|in case it (?:helps|matters)|you (?:see|know)|look"
    r"|listen|again"
    r"|first(?:ly| of all)?|second(?:ly)?|third(?:ly)?|finally|lastly|note|one (?:more )?thing|another thing"
    r"|two things|quick (?:note|intro|context)|heads[- ]up|reminder|then|now|ps|p\.s\.|and also|too|since|because"
    r"|as|although|though|while|whereas|turns out(?: that)?|it turns out(?: that)?|guess what"
    r"|in my (?:opinion|experience|case)|at work|at home|nowadays|these days|currently|update|small update|news"
    r"|as of (?:now|\w+ \d{4})|unfortunately|luckily|fortunately|sadly|obviously|basically|ultimately"
    r"|let me introduce myself"
    r"|(?:just )?(?:a )?bit (?:of background|about me)|let's see|see|meanwhile|however|instead|apparently not"
    r"|glad to hear it|nice to meet you|long story short|short version|tl;?dr|confession|intro(?:duction)?|anyhow"
    r"|since (?:(?:early |late |mid-?|last |this )?(?:\d{4}|spring|summer|autumn|fall|winter|week|month|year|"
    + words.any_of(words.MONTHS)
    + r")(?: \d{4})?))(?:\s*[,:.!–—-]+\s*|\s+(?=(?:i|i'm|im|i've|i'd|my|we|we're|we've|our|the"
    r"|please|remember|always|never|actually)\b))",
    re.I,
)
# Nothing to strip: most clauses begin so, and a look at this is cheaper than at all the leads.
NO_LEAD = re.compile(r"(?:i (?!was wrong|misspoke|meant)|i'm |my (?!bad|mistake)|we |our |the )", re.I)
CORRECTING = re.compile(
    r"(?:actually|correction|sorry|scratch that|wait|no wait|my bad|my mistake|i was wrong|i misspoke"
    r"|i meant(?: to say)?|that's (?:wrong|not right|outdated|old)|not anymore|in fact"
    r"|typo|oops|small correction|one correction|to correct myself|update)(?:\s*[,:.!–—-]+\s*|\s+(?=(?:i|i'm|im"
    r"|i've|my|we"
    r"|we're|we've|our|the|it's)\b))",
    re.I,
)
# Said of all that is to come: the order that follows is a standing one.
_ONWARD = (
    r"(?:from (?:now|here|this point|today) on(?:wards?)?|from this (?:point|moment) forward|(?:going|moving) forward"
    r"|henceforth|in (?:the )?future|starting (?:now|today)|for all future (?:sessions|tasks|conversations|answers))"
)
ONWARD = re.compile(rf"{_ONWARD}(?:\s*[,:–—-]\s*|\s+)(?=\w)", re.I)
ONWARD_BEHIND = re.compile(rf"^(?!i\b|i'm\b|my\b)(.+?),?\s{_ONWARD}[\s.!]*$", re.I)
REMEMBER = re.compile(
    r"(?:(?:can|could|would|will) you )?(?:please |pls |just )?(?:(?:remember|don't forget|do not forget"
    r"|keep in mind|bear in mind|memori[sz]e|make (?:a )?note|take note|(?:store|save|add) (?:it |this )?(?:in"
    r"|to) (?:your |long-term )?memory)"
    r"(?: this| for (?:the future|next time|later|future sessions))?(?:\s*:\s*|\s+that\s+|\s+(?=(?:i|i'm|i've|my"
    r"|we|our|the|you|never|always|to (?:always|never))\b))"
    r"|for (?:future reference|next time|the future|all future sessions)(?:\s*[:,]\s*|\s+))",
    re.I,
)
IN_PROJECT = re.compile(
    r"(?:in|for|on|across|throughout) (?:this|the|our) (?:repo|repository|project|codebase|code base|service"
    r"|monorepo|team),? (?=\w)",
    re.I,
)
SOFT_NOTE = re.compile(
    r"(?:please )?(?:note|be aware|know|you should know|i should (?:mention|say|add)|i (?:want|wanted) to mention"
    r"|it's worth (?:noting|mentioning)|let me (?:add|mention)|did i mention|i forgot to (?:say|mention)) that ",
    re.I,
)
HEDGE = re.compile(
    r"(?:i (?:think|guess|believe|suppose|reckon|feel like|suspect|figure)|i'd say|i would say|probably"
    r"|most likely|if i remember (?:right|correctly)|iirc|as far as i know|afaik|i'm (?:pretty|fairly) sure"
    r"|more or less),? (?:that |like )?",
    re.I,
)
GUESS = re.compile(
    r"^(?:maybe|perhaps|possibly|i'm not sure|im not sure|not sure|i might|i may|we might|we may|we could|i could"
    r"|who knows)\b",
    re.I,
)
ADVERB = re.compile(
    r"^(i am|i have|we are|we have|i|we) (usually|generally|mostly|typically|normally|often|tend to|probably"
    r"|kind of|kinda|sort of|sorta|sometimes|might|may|occasionally|rarely) ",
    re.I,
)
FILLER = re.compile(
    r"^(i am|i have|we are|we have|i|we) (?:really|absolutely|strongly|definitely|just|also|still|currently"
    r"|personally|actually|now|both|particularly|especially|honestly|truly|much|simply|very much|totally|recently"
    r"|finally|myself|obviously|already|officially|happily|originally|basically|primarily|strictly"
    r"|do(?= (?:prefer|like|love|use|live|work|hate|enjoy|have|speak|want)\b)) (?!not\b)",
    re.I,
)
TRAILING = re.compile(
    r"(?:[\s,]+(?:btw|by the way|fyi|tbh|to be honest|though|just so you know|as well|please|thanks|thank you|thx"
    r"|(?<!for )(?<!right )(?<!by )(?<!until )now)|\s+[:;]-?[)DP]|[\s.!?,;:])+$",
    re.I,
)
TRAILING_WORDS = words.word_set(
    "btw way fyi tbh honest though know well please thanks you thx now ) ;) :) :-) ;-) :D :P"
)
# What has ended, in one form: "I stopped using X", "I don't use X any more" → "I no longer use X".
_NO_MORE = r"(?: any ?more| any longer)"
NOT_ANY_MORE = re.compile(rf"^(i|we) (am |are )?(?:do )?not (?:really )?(.+?){_NO_MORE}(?: at all)?$", re.I)
IS_NOT_ANY_MORE = re.compile(rf"^((?:my |our )?[\w' -]{{1,40}}?) (?:is not|isn't) (my .+?|[^ ].*?){_NO_MORE}$", re.I)
STOPPED = re.compile(
    r"^(i|we) (?:have )?(?:stopped|quit|given up|gave up) (using|drinking|eating|smoking|driving|wearing|working"
    r"|playing|learning|living)(?= |$)",
    re.I,
)
BASE = {
    "using": "use",
    "drinking": "drink",
    "eating": "eat",
    "smoking": "smoke",
    "driving": "drive",
    "wearing": "wear",
    "working": "work",
    "playing": "play",
    "learning": "learn",
    "living": "live",
}
PLEASE = re.compile(r"^(?:pls|please),? (?=don't |dont |do not )", re.I)
ELSEWHERE = re.compile(r"(?:there|at work|at home) ", re.I)
CONTRACTED = re.compile(
    r"(?:i'm|im|i've|ive|i'd|i'll|we're|we've|we'll|my name's|(?:(?:i|we|you) )?(?:don't|dont|can't|cant|cannot)) ",
    re.I,
)
FULL = {
    "i'm": "I am",
    "im": "I am",
    "i've": "I have",
    "ive": "I have",
    "i'd": "I would",
    "i'll": "I will",
    "we're": "we are",
    "we've": "we have",
    "we'll": "we will",
    "my name's": "my name is",
    "don't": "do not",
    "dont": "do not",
    "can't": "can not",
    "cant": "can not",
    "cannot": "can not",
}
# Without one of these words a sentence states nothing that is kept.
MARKS = words.word_set(
    """i i'm im i've ive i'd i'll my our we we're we've we'll call never always must remember memory forget mind note
    keep bear don't dont now decision port every each when whenever before after no rule policy project repo codebase
    future forward henceforth stop let's url
    service app monorepo repository product deadline release launch due freeze exam flight wedding date go-live"""
)
MARKS_OFF = str.maketrans(dict.fromkeys(",.:;!?()*_-–—", " "))
_SUBJECT = (
    r"(?:i|i'm|im|i've|i'd|i'll|we|we're|we've|we'll|my|our|it|it's|that|that's|this|he|she|they|there|you|your"
    r"|these|those|what|please|let's)"
)
# The look ahead spares all else at most characters.
SPLIT = re.compile(
    r"(?=[\s,;:–—])(?:(?:,?\s(?:as|while)\s(?=(?:i|i'm|we|it|it's|he|she|they|that's|you)\b)|(?:,?\s(?:and|but|so|plus|yet|then"
    r"|or)|[,;:]|\s[–—-]{1,2})\s(?=(?:then |also |now |so |yes |no |actually |maybe |usually |please |there "
    r"|at work |at home )?" + _SUBJECT + r"\b))"
    r"|,?\s(?:and|but|so)\s(?=(?:please |just |you can )?call me\b)"
    r"|,?\s(?:and|but)\s(?=(?:the|all) (?:[\w-]+ ){1,4}?(?:is|are|was|has|runs|uses|must|looks|goes|works|needs"
    r"|does|doesn't|will)\b)"
    r"|[;–—]\s*|\s--?\s"
    r"|,?\s(?='?\b(?:because|but|although|though|even though|whereas|however|instead(?! of\b)|otherwise|which|so that"
    r"|'?cause|cuz|as well as|since (?!\d|" + words.any_of(words.MONTHS) + r"))\b)"
    r"|,\s(?=(?:so|thanks|thank|please|any|especially|particularly|mainly|mostly|preferably|right|just|then|don't"
    r"|in case|go|the|they|everybody|everyone|not sure|to be)\b)"
    r"|\s(?=in case (?:it|you|that)\b|so (?!much\b|many\b|far\b|on\b|that\b|-)))",
    re.I,
)
AND_VERB = re.compile(
    r",? and (?:(?:also|then|now|currently|mostly|usually) )?(?=(?:live|work|use|prefer|speak|own|hate|love|like"
    r"|moved|switched|joined|left|am|'m|have (?:a|an|two|three|been)) )",
    re.I,
)
# "I use fish as my shell and Zed for everything": two things used, each with what it is for.
AND_TOOL = re.compile(
    r"^(i|we) use (.{1,40}? (?:as|for) .{1,40}?),? and ([\w.+#-]+(?: [\w.+#-]+){0,2} (?:as|for) .+)$", re.I
)
# Here a second verb belongs to something other than the subject: "those who accept and love me".
NOT_SHARED = re.compile(
    r"\b(?:(?:to|can|will|would|not) \w+|who|that|which|those)\b|^(?:i|we) (?:love|like|hate|enjoy) the\b", re.I
)
NAME_THEN = re.compile(
    r"^((?:[Ii] am|[Mm]y name is) [A-Z][\w'-]+(?: [A-Z][\w'-]+)?),? (?:and )?(?:i am )?(an? .+|based .+|from .+"
    r"|living .+)$"
)
ROLE_THEN = re.compile(r"^(I am an? [^,]{3,60}?),? (?:and )?(?:currently )?((?:based|living) in .+)$")
