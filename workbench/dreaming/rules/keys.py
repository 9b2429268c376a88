"""Fact keys that depend on what was said."""

from __future__ import annotations

import re

from workbench.dreaming.rules.slots import known
from workbench.dreaming.rules.table import Slots

_PREFERENCE_SLOTS = (
    (
        re.compile(
            r"\btabs?\b(?! (?:groups?|key|bar|open|completion))|\bspaces\b|\b(?:two|four|eight"
            r"|\d)[- ]space\b"
            r"|\bindent"
            r"|\btabul\w+|\bleerzeichen\b|\bespaces\b|\bespacios\b|\bspazi\b|\bespaços\b|缩进|制表符|タブ|インデント",
            re.I,
        ),
        "indentation",
    ),
    (re.compile(r"\b(?:single|double) quotes?\b", re.I), "quote-style"),
    (
        re.compile(
            r"\b(?:dark|light)[- ](?:mode|themes?)\b|\bsolarized\b|\bgruvbox\b|\bdracula theme\b"
            r"|\b(?:dunkle\w*|helle\w*) (?:modus|design|themes?)\b|\b(?:mode|thème) (?:sombre|clair)\b"
            r"|\b(?:modo|tema) (?:osc?uro|escuro|claro|scuro|chiaro)\b|(?:深色|浅色|暗黑|夜间)(?:模式"
            r"|主题)|(?:ダーク"
            r"|ライト)(?:モード|テーマ)",
            re.I,
        ),
        "theme",
    ),
)


def preference_key(slots: Slots) -> str | None:
    """The key of a preference one can have only one of."""
    said = " ".join(slots.values())
    return next((f"preference.{slot}" for pattern, slot in _PREFERENCE_SLOTS if pattern.search(said)), None)


def known_key(slots: Slots) -> str:
    """``environment.editor`` for ``Neovim as editor``, likewise for shell and operating system."""
    label = slots["known"].partition(" as ")[2]
    return f"environment.{'os' if label.startswith('operating') else label.split(' ')[0]}"


_LANGUAGE = re.compile(
    r"python|java|javascript|typescript|rust|golang|go|ruby|php|c\+\+|c#|c|kotlin|swift|scala"
    r"|haskell|elixir|perl|r|sql|bash|lua",
    re.IGNORECASE,
)


def uses_key(slots: Slots) -> str | None:
    """``uses.docker``: one key a thing, so that using it and no longer using it replace one another.

    None for what is used for several things at once (a language for each of them), and for more than three words.
    """
    tool = re.sub(r"^(?:an?|my own) ", "", slots["tool"], flags=re.IGNORECASE)
    plain = len(tool.split()) <= 3 and not re.search(r",|\b(?:and|or|with|in|on|as|at|from|via|for)\b", tool)
    return f"uses.{tool}" if plain and not ("topic" in slots and _LANGUAGE.fullmatch(tool)) else None


# What people call what they have one of, in several languages, and the name of its key.
_OWNED = {
    "editor": "editor",
    "ide": "editor",
    "éditeur": "editor",
    "编辑器": "editor",
    "エディタ": "editor",
    "エディター": "editor",
    "shell": "shell",
    "シェル": "shell",
    "browser": "browser",
    "navigateur": "browser",
    "navegador": "browser",
    "浏览器": "browser",
    "ブラウザ": "browser",
    "betriebssystem": "os",
    "système": "os",
    "système d'exploitation": "os",
    "sistema operativo": "os",
    "sistema operacional": "os",
    "操作系统": "os",
    "terminal": "terminal",
    "terminale": "terminal",
    "终端": "terminal",
    "laptop": "laptop",
    "notebook": "laptop",
    "portátil": "laptop",
    "portatile": "laptop",
    "笔记本电脑": "laptop",
    "笔记本": "laptop",
    "电脑": "computer",
    "ノートパソコン": "laptop",
    "rechner": "computer",
    "computer": "computer",
    "ordinateur": "computer",
    "ordenador": "computer",
    "computador": "computer",
}
# Relations a person has one of, and the English names of their keys (see ``facts.ONE_OF``).
_ONE = {
    "wife": "frau ehefrau femme épouse mujer esposa moglie mulher 妻子 老婆 太太 妻 奥さん 家内",
    "husband": "mann ehemann mari époux marido esposo marito 丈夫 老公 夫 旦那 主人",
    "girlfriend": "freundin copine novia fidanzata ragazza namorada 女朋友 女友 彼女",
    "boyfriend": "freund copain novio fidanzato ragazzo namorado 男朋友 男友 彼氏",
    "mother": "mutter mama mère maman madre mamá mamma mãe 妈妈 母亲 母",
    "father": "vater papa père padre papá papà pai 爸爸 父亲 父",
    "boss": "chef chefin patron patronne cheffe jefe jefa capo responsabile chefe 老板 上司",
    "partner": "partner partnerin compagnon compagne pareja compagno compagna parceiro parceira 伴侣 パートナー",
}
_RELATIONS = {name: relation for relation, names in _ONE.items() for name in names.split()}


def owned_key(slots: Slots) -> str | None:
    """``environment.editor`` where ``slot`` is ``Editor``, ``éditeur`` or ``编辑器``; None for a word it knows not."""
    slot = _OWNED.get(slots["slot"].lower())
    return f"environment.{slot}" if slot else None


def person_key(slots: Slots) -> str | None:
    """``relationship.wife.name`` where ``rel`` is ``Frau``, ``moglie`` or ``妻``; None where one may have several."""
    relation = _RELATIONS.get(slots["rel"].lower())
    return f"relationship.{relation}.name" if relation else None


def tool_key(slots: Slots) -> str | None:
    """As ``known_key`` for an editor, a shell or a system that is known by name, else as ``uses_key``."""
    label = known(slots["tool"])
    return known_key({"known": label}) if label else uses_key(slots)
