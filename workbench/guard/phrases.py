"""Secrets made of words: passphrases, and the words that bring a wallet back. RE2 syntax; the group ``v`` is the secret
itself. See ``credentials``."""

from __future__ import annotations

from workbench.fts import STOPWORDS

_PASSPHRASE = (
    r"(?:pass[ -]?phrase|phrase de passe|frase (?:de contrase[ñn]a|de acceso|segreta|di accesso|secreta)|frase-senha)"
)
_IS = r"\s*(?:is|was|ist|lautet|est|es|è|é|:|=)\s*"
_WORD = r"[a-zà-ÿ]{2,14}"
# Four words and more.
PASSPHRASE = (
    rf"(?i)\b{_PASSPHRASE}(?:\s+(?:for|of|to|für|von|de|del|du)(?:\s+[^\s:=]+){{1,4}}?)?{_IS}:?\s*"
    rf"(?P<v>(?:{_WORD}[ _.-]){{3,11}}{_WORD})"
)

_CUES = "|".join(
    (
        r"\b(?:seed|recovery|backup|mnemonic|wallet|secret)(?:[ -](?:recovery|seed))?[ -]?phrases?\b",
        r"\b(?:seed|recovery|mnemonic|wallet)[ -]words\b",
        r"\bmnemonics?\b",
        r"\bbip-?39\b",
        r"\b(?:12|15|18|21|24|twelve|eighteen|twenty-four)(?: secret)? words(?: are|:)",
        r"\bseed-?phrase",
        r"wiederherstellungs(?:phrase|wörter|sätze|satz)",
        r"phrase (?:de récupération|secrète|mnémonique|de secours)",
        r"(?:frase|palabras?|parole|palavras?) (?:semilla|semente|seme|mnem[óo]nicas?|segrete|secretas?)",
        r"(?:frase|palabras?|parole|palavras?) d[ei] (?:recuperaci[óo]n|recupero|recupera[çc][ãa]o)",
        r"助记[词詞]|助記詞|注记词|恢复短语|リカバリーフレーズ|シードフレーズ|ニーモニック|復元フレーズ",
        r"복구 ?구문|시드 ?구문",
    )
)
_SEED_WORD = r"(?:[a-zà-ÿ]{3,10}|\p{Han}|[\p{Hiragana}]{2,8}|[\p{Hangul}]{1,5})"
_NUMBERED = rf"(?:\d{{1,2}}[.):]?\s*)?{_SEED_WORD}"
# Twelve words and more, with or without numbers before them.
SEED = rf"(?i)(?:{_CUES})[\s\S]{{0,60}}?(?:[^\w]|[是はは为為])(?P<v>(?:{_NUMBERED}[\s,;、]+){{11,23}}{_NUMBERED})"

# What sentences about a passphrase say; no passphrase begins so.
_SAID = """
always anything ask asked encrypted generated keep kept long may might must need needed needs never please protected
required requires safe saved secure see short somebody something store stored use used using
"""
_ABOUT = STOPWORDS.union(_SAID.split())


def is_passphrase(value: str) -> bool:
    """Whether words are a passphrase: at least four, none of which is of a sentence about one."""
    words = _words(value)
    return len(words) >= 4 and _ABOUT.isdisjoint(words[:4])


def is_seed(value: str) -> bool:
    """Whether words are those of a wallet: a sentence has more of the common ones."""
    return sum(word in STOPWORDS for word in _words(value)[:12]) <= 2


def _words(value: str) -> list[str]:
    return "".join(c if c.isalpha() else " " for c in value.casefold()).split()
