"""Passwords as they are typed to well-known programs, where only the program's own manual tells them from other words.
RE2 syntax; the group ``v`` is the secret itself. See ``credentials``."""

from __future__ import annotations

_QUOTED_OR_NOT = r"(?:(?P<q>[\"'])(?P<v>[^\"'\n]{4,200})|(?P<w>[^\s\"'`\\;|]{4,}))"
# What stands between a program and an option, within one command.
_ARGUMENTS = r"[^\n|;&]{0,200}?\s"
_REGISTRIES = r"(?:docker|podman|nerdctl|buildah|skopeo|crane|helm|oras|az|cf|oc)\s(?:[^\n|;&]{0,80}\s)?login"

# An option that is joined to its value (``-p`` of MySQL asks for the password where a space follows).
JOINED: tuple[str, ...] = (
    rf"\b(?:mysql\w*|mariadb[\w-]*|mycli|mytop)\b{_ARGUMENTS}-p{_QUOTED_OR_NOT}",
    rf"\b7z[arz]?\b{_ARGUMENTS}-p{_QUOTED_OR_NOT}",
)
# An option, or a place, that takes a password and nothing else.
OPTIONS: tuple[str, ...] = (
    rf"\b(?:{_REGISTRIES}|mongo\w*)\b{_ARGUMENTS}-p[= ]?{_QUOTED_OR_NOT}",
    rf"\b(?:ssh|plink|pscp|psftp|putty|kitty)\b{_ARGUMENTS}-pw\s+{_QUOTED_OR_NOT}",
    rf"\bredis-cli\b{_ARGUMENTS}-a\s*{_QUOTED_OR_NOT}",
    rf"\bldap[a-z]+\b{_ARGUMENTS}-w\s*{_QUOTED_OR_NOT}",
    rf"\b(?:(?:un)?zip|sqlcmd|bcp|isql|tsql)\b{_ARGUMENTS}-P\s*{_QUOTED_OR_NOT}",
    rf"\bopenssl\b{_ARGUMENTS}-k\s+{_QUOTED_OR_NOT}",
    rf"\b(?:smbclient|rpcclient|net|winexe|smbmap)\b{_ARGUMENTS}-U\s*[\"']?[^\s%\"']+%{_QUOTED_OR_NOT}",
    rf"\b(?:sqlplus|expdp|impdp|sqlldr)\b{_ARGUMENTS}[\"']?[\w.]+/(?P<v>[^\s@\"'/]{{4,}})@",
    rf"(?i)\bnet\s+use\b[^\n]{{0,200}}?/user:\S+\s+{_QUOTED_OR_NOT}",
    rf"\bhtpasswd\s+(?:-\w+\s+)*-\w*b\w*\s+(?:\S+\s+){{1,2}}?{_QUOTED_OR_NOT}(?:\s|$)",
    rf"\brclone\s+obscure\s+{_QUOTED_OR_NOT}",
    rf"\b(?:echo|printf)\s+(?:-n\s+)?{_QUOTED_OR_NOT}[\"']?\s*\|\s*sudo\s+(?:-\w+\s+)*-\w*S",
    r"\b(?:echo|printf)\s+(?:-n\s+)?[\"']?[\w.-]+:(?P<v>[^\s\"'|]{4,})[\"']?\s*\|\s*(?:sudo\s+)?chpasswd",
    rf"\b[A-Z][A-Z0-9_]*(?:PASS|PASSWD|PWD|_PW|_AUTH)={_QUOTED_OR_NOT}",
)
