"""What credentials look like, and what only looks like one. RE2 syntax; the group ``v`` is the secret itself."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from workbench.guard import commands, phrases

Groups = dict[str, str | None]

# Credentials known by their own form, the most specific first. Formats: the vendors' documentation.
BARE: tuple[tuple[str, str], ...] = (
    (
        "private key",
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?P<body>(?:[A-Za-z0-9+/=\s\\:,.]|-[A-Za-z0-9])*)"
        r"(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----)?",
    ),
    ("PuTTY private key", r"PuTTY-User-Key-File-[23]:[\sA-Za-z0-9+/=:,.@-]*Private-Lines:[\sA-Za-z0-9+/=:-]+"),
    ("age secret key", r"\bAGE-SECRET-KEY-1[0-9A-Z]{50,}"),
    ("Anthropic key", r"(?:\bsk-ant-|sk-ant-[a-z]{3,5}\d\d-)[A-Za-z0-9_-]{16,}"),
    ("OpenAI key", r"\bsk-(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{16,}"),
    ("API key (sk-)", r"\bsk-(?:[a-z0-9]{2,8}-){0,3}[A-Za-z0-9_]{20,}"),
    ("Google API key", r"\bAIza[0-9A-Za-z_-]{35}"),
    ("Google OAuth secret", r"\b(?:ya29\.[0-9A-Za-z_-]{20,}|GOCSPX-[0-9A-Za-z_-]{20,}|1//0[0-9A-Za-z_-]{30,})"),
    ("GitHub token", r"(?:gh[opusr]_[A-Za-z0-9]{36,}|\bgh[opusr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{22,})"),
    ("GitLab token", r"(?:gl(?:pat|dt|ft|soat|rt|cbt|imt|ptt|agent|oas)-[A-Za-z0-9_.-]{20,}|GR1348941[\w-]{20,})"),
    ("Slack token", r"(?:xox[abceoprs]-|xapp-\d-)[A-Za-z0-9-]{10,}"),
    ("Slack webhook", r"\bhooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9_/-]{20,}"),
    ("Discord webhook", r"\bdiscord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/\d{15,21}/[A-Za-z0-9_-]{30,}"),
    ("Teams webhook", r"\b[a-z0-9-]+\.webhook\.office\.com/webhookb2/[^\s\"'<>]{30,}"),
    ("AWS access key", r"\b(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b"),
    ("AWS secret key", r"(?i)\b(?:aws|s3|minio)[^\n]{0,40}?[\s\"':=](?P<v>[A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)"),
    ("Stripe key", r"\b(?:[sr]k_(?:live|test)_[0-9A-Za-z]{16,}|whsec_[A-Za-z0-9+/=]{24,})"),
    ("npm token", r"\bnpm_[A-Za-z0-9]{30,}"),
    ("PyPI token", r"\bpypi-[A-Za-z0-9_-]{50,}"),
    ("Hugging Face token", r"\b(?:hf_|api_org_)[A-Za-z0-9]{30,}"),
    ("DigitalOcean token", r"\bdo[opr]_v1_[a-f0-9]{64}"),
    ("Shopify token", r"\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    ("Vault token", r"\bhv[sbr]\.[A-Za-z0-9_-]{24,}"),
    ("Atlassian token", r"\bATATT3[A-Za-z0-9_=-]{20,}"),
    ("Mailgun key", r"\bkey-[0-9a-f]{32}\b"),
    ("Workbench token", r"\bmwb_[A-Za-z0-9_-]{16,}"),
    ("Memos token", r"\bmemos_pat_[A-Za-z0-9_-]{8,}"),
    (
        "service token",
        r"\b(?:gsk_|xai-|r8_|pplx-|lin_api_|ntn_|figd_|dckr_pat_|rubygems_|glsa_|sbp_|tskey-auth-|tskey-api-|PMAK-"
        r"|sntrys_|dp\.pt\.|nvapi-|fw_|cio-|phc_|phx_|pat-na1-|EAACEdEose0cBA|AKCp)[A-Za-z0-9_-]{24,}",
    ),
    ("JSON web token", r"\beyJ[A-Za-z0-9_-]{8,}\.(?:eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?|e30\.[A-Za-z0-9_-]{8,})"),
)

_QUOTE = r"\\*[\"'`]"
_IS = rf"(?:{_QUOTE})?\]?\s*(?:=>|:=|={{1,2}}|:)\s*"
_VALUE = rf"(?:(?P<q>{_QUOTE})(?P<v>[^\"'`\\\n]{{4,200}})|(?P<w>[^\s\"'`\\,;]{{4,}}))"
_PASS_WORDS = (
    r"(?:p[a4@][s5$]{2}w[o0]rd|pass(?:wd|phrase|code|wort)|hasło|heslo|wachtwoord|lösenord|şifre|pwd"
    r"|kennwort|contrase[ñn]a|mot de passe|senha|пароль|密码|密碼"
    r"|パスワード|비밀번호|_pass|\bpass|\bpw|\bmdp|parola d['’]ordine|palavra-passe|clave de acceso|口令|合言葉"
    r"|暗証番号|(?:wi-?fi|wlan)[ -]?(?:key|code|schlüssel|psk)"
    r"|(?:code|cl[ée]|clave|chiave)(?: (?:du|del|de la|do))? wi-?fi)"
)
_KEY_WORDS = (
    r"(?:(?:api|access|secret|private|auth|encryption|signing|account|master|session|service|subscription|app)"
    r"[_. -]?(?:key|token|secret)|client[_-]?secret|secret|token|credentials?|\bjwt|webhook[_-]?secret)"
)
_SUFFIX = r"(?:[_-](?:prod(?:uction)?|dev|test|live|staging|base|value|old|new|key|id)|\d{1,2})?"

_OF = r"for|of|to|on|für|von|vom|zum|zur|des|du|de|pour|del|dello|della|dell['’]|di|per|da|do|para"
_NAMES = r"root|admin(?:istrator)?|user|guest|postgres|mysql|sa|oracle|ubuntu|pi|deploy|sysadmin|superuser|jenkins|dba"
_LOGIN = (
    r"\b(?:log-?in|log in|logs in|sign-?in|sign in|credentials?|creds|logins|zugangsdaten|anmeldedaten|identifiants?"
    r"|credenciales|credenziali|credenciais)\b|账号|帐号|凭据|認証情報|ログイン"
)

# Credentials known by their place. The value is checked below.
ASSIGNED: tuple[tuple[str, str], ...] = (
    (
        "authorization header",
        r"(?i)\bauthorization" + _IS + rf"(?:{_QUOTE})?(?:(?:bearer|basic|token|digest|apikey|bot|negotiate)\s+)?"
        r"(?P<v>[^\s\"'`\\,;]{6,})",
    ),
    ("bearer token", r"(?i)\bbearer\s+(?P<v>[A-Za-z0-9._~+/=-]{12,})"),
    (
        "API key header",
        r"(?i)\b(?:x-(?:[a-z]+-)?(?:api-key|auth-token|access-token|auth-key|token|security-token)|api-key"
        rf"|ocp-apim-subscription-key|private-token){_IS}(?:{_QUOTE})?(?P<v>[^\s\"'`\\,;]{{6,}})",
    ),
    ("cookie", rf"(?i)\b(?:set-)?cookie(?:{_QUOTE})?\s*:\s*(?:{_QUOTE})?(?P<v>[^\s=;\"':]{{1,64}}=[^\n\"'`]{{4,}})"),
    ("URL with password", r"(?i)\b[a-z][a-z0-9+.-]*://[^\s:/@?#\"'<>]*:(?P<v>[^\s/@\"'`<>]+)@[^\s@/]"),
    (
        "key in URL",
        r"(?i)[?&](?P<n>(?:api|access|auth|subscription|secret)?[_-]?key|(?:access|auth|id|refresh)?_?token|sig"
        r"|signature"
        r"|(?:client_)?secret|password|passwd|pwd|auth|code|x-amz-signature)=(?P<v>[^\s&\"'`#<>\\]{4,})",
    ),
    ("npm registry token", r"(?i):_auth(?:token)?\s*=\s*(?P<v>[^\s\"']{8,})"),
    ("password on a command line", r"(?i)\s(?:-u|--user)[= ]?[\"']?(?P<v>[^\s\"':$<{]+:[^\s\"']{3,})"),
    ("password on a command line", rf"(?i)\bsshpass\s+-p\s*{_VALUE}"),
    ("password on a command line", rf"(?i)\s--?(?:password|passwd|passphrase|pass)[= ]\s*{_VALUE}"),
    ("key on a command line", rf"(?i)\s--?(?:api-?key|token|secret|client-secret|access-token)[= ]\s*{_VALUE}"),
    ("password", rf"(?i)\blogin\s+\S+\s+password\s+{_VALUE}"),
    ("password", rf"(?i){_PASS_WORDS}{_SUFFIX}(?P<is>{_IS}){_VALUE}"),
    (
        "password",
        rf"(?i){_PASS_WORDS}(?:\s+(?:{_OF})(?:\s+[^\s:=]+){{1,5}}?)?\s*"
        rf"(?:\s(?:is|was|to|ist|lautet|heißt|est|es|è|é)(?:\s*:)?\s|['’]s\s|为|為|是|は|[은는이가]\s|=|:)\s*{_VALUE}",
    ),
    (
        "password in a sentence",
        rf"(?i)\b(?:password|passcode|passwd|passwort|kennwort|contrase[ñn]a|mot de passe|senha)\s+{_VALUE}",
    ),
    ("password after a name", rf"(?i)(?:^|[\s\"'`(=:,;])(?:{_NAMES})(?:\s?/\s?|:){_VALUE}"),
    ("password after a name", rf"(?i)(?:{_LOGIN})[^\n]{{0,30}}?[\s:=「][\w.@+-]{{2,40}}\s?[/:|]\s?{_VALUE}"),
    ("passphrase", phrases.PASSPHRASE),
    ("recovery phrase", phrases.SEED),
    *(("password given to a program", pattern) for pattern in commands.JOINED),
    *(("password on a command line", pattern) for pattern in commands.OPTIONS),
    ("secret", rf"(?i){_KEY_WORDS}{_SUFFIX}{_IS}{_VALUE}"),
    ("secret", rf"(?i){_KEY_WORDS}(?:\s+(?:for|of)(?:\s+[^\s:=]+){{1,4}}?)?\s+(?:is|was|ist|est|es)\s*:?\s*{_VALUE}"),
    # In these languages the word for it has other meanings: the value must look like one.
    (
        "password after a name",
        rf"(?i)\b(?:clave|chiave|parola|haslo|jelszó|salasana|kode)(?:\s+(?:es|è|is|jest|on|:)|:)\s+{_VALUE}",
    ),
    (
        "password in a sentence",
        rf"(?i)(?:{_LOGIN})(?:\s+(?:is|are|was|ist|est|es)|\s*[:=])\s+[\w.@+-]{{2,40}}[/:]{_VALUE}",
    ),
    (
        "TOTP secret",
        r"\b(?i:totp|otp|2fa|mfa|two-factor|authenticator)\b[^\n]{0,30}?[\s:=\"'](?P<v>[A-Z2-7]{16,64})\b",
    ),
    (
        "PIN",
        r"\b(?:PIN|Pin|pin code|pin|OTP|2FA code|one-time code|security code)(?: code)?\s*(?:is|was|:"
        r"|=)\s*(?P<v>\d{4,8})\b",
    ),
)

_PLACEHOLDER = re.compile(
    r"^[<\[({$%&*#@!]*$|^<|^\$|^%[({A-Z_]|^\{|^\[|^\(|^@|\$\{|\{\{|%\(|xxx|\*\*\*|•|\.\.\.|…|_here$|^your"
    r"|[_<-]your|^my[-_](?:api|secret|token|key|pass)"
    r"|example|placeholder|change[-_]?me|redacted|hidden|dummy|insert|replace|^todo|^tbd|not[-_ ]?set|^env\."
    r"|environ"
    r"|\benv\b|getenv|import\.meta|^op://|^vault:|^ref\+|^secret:|secretref|keychain|^file:|^https?://|^arn:"
    r"|omitted|masked",
    re.IGNORECASE,
)
# Words that stand after a label in prose and code; never a credential.
_PROSE = re.compile(
    r"(?:string|str|required|optional|none|null|nil|true|false|undefined|input|text|value|hash|hashed|user"
    r"|self|bcrypt|argon2|argon2id|scrypt|pbkdf2|md5|sha1|sha256|sha512|sha-256|plain|plaintext|encrypted"
    r"|bearer|basic|token|secret|password|passwd|pass|prompt|stored|reset|base64|uuid|uuid4|oauth2"
    r"|boolean|number|integer|int|bytes|varchar|utf-8|missing|empty|wrong|expired|invalid|rotated|again"
    r"|please)",
    re.IGNORECASE,
)
_MEASURE = re.compile(
    r"^\d+-?(?:day|char|digit|bit|byte|min|hour|sec|month|week|length|k$|ms$|s$|文字|桁|位|个字|字符)"
    r"|-(?:encoded|hashed)$",
    re.I,
)
_CODE = re.compile(r"^[A-Za-z_]\w{0,60}(?:\.[A-Za-z_]\w{0,60}){1,8}$|[(\[{]|^/|^~/|^\./|\|$")
_VERSION = re.compile(r"^v?\d{1,4}(?:\.\d{1,6}){0,3}$")
# A digit in the place of a letter; a mark that names of things do not have.
_LEET, _SPECIAL = re.compile(r"[A-Za-z][013457][a-z]"), re.compile(r"[!@#$%^&*+~]")
_COOKIE_ATTRIBUTES = {"samesite", "path", "max-age", "domain", "expires", "secure", "httponly"}


def _bare(groups: Groups, value: str) -> tuple[str, bool]:
    quoted = bool(groups.get("q"))
    return (value, True) if quoted else (value.rstrip(".,:;!?)]}>"), False)


@lru_cache(maxsize=4096)
def _is_stand_in(value: str) -> bool:
    return bool(_PLACEHOLDER.search(value)) or bool(_PROSE.fullmatch(value)) or bool(_MEASURE.search(value))


def _is_code(value: str) -> bool:
    return bool(_CODE.search(value) or _VERSION.match(value))


def _mixed(value: str) -> bool:
    return any(c.isdigit() for c in value) and any(c.isalpha() for c in value)


def _password(groups: Groups, value: str) -> bool:
    """A chosen password: any value that is no stand-in, code or plain word of a sentence."""
    value, quoted = _bare(groups, value)
    if len(value) < 4 or _is_stand_in(value):
        return False
    if quoted:
        return " " not in value or not value.endswith("?")
    if _is_code(value) and not any(c.isdigit() for c in value):
        return False
    if any(not c.isalpha() and c not in "_-./'’" for c in value):
        return not _VERSION.match(value) or len(value) >= 6
    return "=" in (groups.get("is") or "") and value.isalpha() and len(value) >= 5 and value.islower()


def _chosen(groups: Groups, value: str) -> bool:
    """What people make of a word so that it passes for a password (``Passw0rd!``), and nobody writes otherwise."""
    if not value.endswith("!"):
        value, _ = _bare(groups, value)
    if len(value) < 6 or _is_stand_in(value) or _is_code(value) or not _mixed(value) or "/" in value:
        return False
    leet = bool(_LEET.search(value)) and any(c.isupper() for c in value)
    return (leet or bool(_SPECIAL.search(value))) and not _VERSION.match(value[:4])


def _told(groups: Groups, value: str) -> bool:
    """A password behind the bare word: one with letters and digits that is no name of a thing."""
    value, _ = _bare(groups, value)
    return len(value) >= 7 and _mixed(value) and not (_is_stand_in(value) or _is_code(value) or "/" in value)


def _typed(groups: Groups, value: str) -> bool:
    value, _ = _bare(groups, value)
    return len(value) >= 4 and not _PLACEHOLDER.search(value)


def _opaque(groups: Groups, value: str) -> bool:
    """A generated secret: eight or more characters that no person would write as words."""
    value, quoted = _bare(groups, value)
    if len(value) < 8 or " " in value or _is_stand_in(value) or (_is_code(value) and not quoted):
        return False
    long_and_mixed = len(value) >= 16 and any(c.islower() for c in value) and any(c.isupper() for c in value[1:])
    return _mixed(value) or (long_and_mixed and "_" not in value)


def _cookie(_groups: Groups, value: str) -> bool:
    name, _, rest = value.partition("=")
    content = rest.split(";")[0].strip()
    return (
        name.lower() not in _COOKIE_ATTRIBUTES and len(content) >= 4 and not _is_stand_in(content) and _digits(content)
    )


def _digits(value: str) -> bool:
    return any(c.isdigit() for c in value) or len(value) >= 16


def _in_url(groups: Groups, value: str) -> bool:
    if _is_stand_in(value):
        return False
    certain = any(word in (groups["n"] or "").lower() for word in ("key", "secret", "pass"))
    return (certain and _digits(value)) or (len(value) >= 12 and _mixed(value))


def _not_stand_in(_groups: Groups, value: str) -> bool:
    return not _PLACEHOLDER.search(value) and not (value.isalpha() and value.isupper())


def _random(_groups: Groups, value: str) -> bool:
    return sum(c.isdigit() for c in value) >= 2 and (
        any(c.isupper() for c in value) or sum(map(str.isdigit, value)) >= 5
    )


CHECKS: dict[str, Callable[[Groups, str], bool]] = {
    "TOTP secret": lambda _groups, value: _mixed(value),
    "private key": lambda groups, _value: bool(re.search(r"[A-Za-z0-9+/]{16}", groups["body"] or "")),
    "API key (sk-)": _random,
    "AWS access key": lambda _groups, value: not value.endswith("EXAMPLE"),
    "AWS Access Key": lambda _groups, value: not value.endswith("EXAMPLE"),
    "AWS secret key": lambda _groups, value: _mixed(value) and value != value.lower() and not value.startswith("/"),
    "authorization header": lambda _groups, value: not _is_stand_in(value) and _digits(value),
    "bearer token": lambda _groups, value: not _is_stand_in(value) and _mixed(value),
    "API key header": lambda _groups, value: not _is_stand_in(value) and _digits(value),
    "cookie": _cookie,
    "URL with password": _not_stand_in,
    "key in URL": _in_url,
    "npm registry token": lambda _groups, value: not _is_stand_in(value),
    "password on a command line": _password,
    "key on a command line": _opaque,
    "password": _password,
    "password in a sentence": _told,
    "password after a name": _chosen,
    "password given to a program": _typed,
    "passphrase": lambda _groups, value: phrases.is_passphrase(value),
    "recovery phrase": lambda _groups, value: phrases.is_seed(value),
    "secret": _opaque,
}
