"""Credentials are found in every carrier; what only looks like one stays.

The fakes are put together at run time, so that no file of the repository holds what a push scanner would block.
"""

from __future__ import annotations

import base64
import json
import random
import re
import string
import urllib.parse
import uuid

import pytest

from workbench.guard import inspect, mask

ALPHABET = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + string.digits


def run(length: int, alphabet: str = ALPHABET) -> str:
    """A fixed random run with at least one digit, one lower and one upper case letter where the alphabet has them."""
    chosen = random.Random(length * 7919 + len(alphabet))
    body = "".join(chosen.choice(alphabet) for _ in range(length - 3))
    return body[:2] + "7" + body[2:] + ("q" if "q" in alphabet else alphabet[10]) + ("Z" if "Z" in alphabet else "4")


# What stands alone: the whole credential is the secret.
TOKENS = {
    "openai": "sk" + "-" + run(20) + "T3Blbk" + "FJ" + run(20),
    "openai plain": "sk" + "-" + run(48),
    "openai project": "sk" + "-proj-" + run(60),
    "openai service account": "sk" + "-svcacct-" + run(60),
    "openrouter": "sk" + "-or-v1-" + run(64, HEX),
    "anthropic": "sk" + "-ant-api03-" + run(80),
    "anthropic admin": "sk" + "-ant-admin01-" + run(40),
    "google": "AI" + "za" + run(35),
    "google oauth": "ya29" + "." + run(60),
    "google client secret": "GOC" + "SPX-" + run(28),
    "github classic": "gh" + "p_" + run(36),
    "github oauth": "gh" + "o_" + run(36),
    "github app": "gh" + "s_" + run(36),
    "github refresh": "gh" + "r_" + run(36),
    "github fine-grained": "github" + "_pat_" + run(22) + "_" + run(59),
    "gitlab": "gl" + "pat-" + run(20),
    "gitlab runner": "gl" + "rt-" + run(20),
    "slack bot": "xo" + "xb-" + "123456789012-" + "123456789012-" + run(24),
    "slack user": "xo" + "xp-" + "123456789012-" + "123456789012-" + run(32, HEX),
    "slack app": "xa" + "pp-1-" + run(11, UPPER) + "-" + "1234567890123-" + run(64, HEX),
    "slack webhook": "https://hooks." + "slack.com/services/T" + run(8, UPPER) + "/B" + run(10, UPPER) + "/" + run(24),
    "discord webhook": "https://discord" + ".com/api/webhooks/123456789012345678/" + run(68),
    "discord bot": "M" + run(23) + "." + run(6) + "." + run(27),
    "teams webhook": "https://acme.webhook" + ".office.com/webhookb2/" + run(36, HEX) + "@" + run(36, HEX),
    "aws key id": "AK" + "IA" + run(16, UPPER),
    "aws session key id": "AS" + "IA" + run(16, UPPER),
    "stripe live": "sk" + "_live_" + run(24),
    "stripe test": "sk" + "_test_" + run(32),
    "stripe restricted": "rk" + "_live_" + run(40),
    "stripe webhook": "wh" + "sec_" + run(32),
    "npm": "np" + "m_" + run(36),
    "pypi": "pypi" + "-AgEIcHlwaS5vcmc" + run(80),
    "hugging face": "h" + "f_" + run(34),
    "groq": "gs" + "k_" + run(52),
    "xai": "xa" + "i-" + run(80),
    "replicate": "r8" + "_" + run(37),
    "perplexity": "pplx" + "-" + run(48),
    "linear": "lin" + "_api_" + run(40),
    "notion": "ntn" + "_" + run(46),
    "figma": "fig" + "d_" + run(40),
    "docker": "dckr" + "_pat_" + run(27),
    "rubygems": "rubygems" + "_" + run(48, HEX),
    "grafana": "glsa" + "_" + run(32) + "_" + run(8, HEX),
    "supabase": "sbp" + "_" + run(40, HEX),
    "tailscale": "tskey" + "-auth-" + run(30),
    "postman": "PMAK" + "-" + run(24, HEX) + "-" + run(34, HEX),
    "sentry": "sntrys" + "_" + run(60),
    "digitalocean": "dop" + "_v1_" + run(64, HEX),
    "shopify": "shp" + "at_" + run(32, HEX),
    "vault": "hv" + "s." + run(90),
    "atlassian": "ATAT" + "T3x" + run(60),
    "mailgun": "key" + "-" + run(32, HEX),
    "mailchimp": run(32, HEX) + "-us" + "12",
    "sendgrid": "S" + "G." + run(22) + "." + run(43),
    "square": "sq0" + "csp-" + run(43),
    "telegram": "123456789" + ":AA" + run(33),
    "twilio": "S" + "K" + run(32, HEX),
    "jwt": "ey" + "JhbGciOiJIUzI1NiJ9." + "ey" + "JzdWIiOiIxMjM0NTY3ODkwIn0." + run(43),
    "workbench": "mw" + "b_" + run(43),
    "memos": "memos" + "_pat_" + run(32),
    "age": "AGE-SECRET" + "-KEY-1" + run(58, UPPER),
}

# What is known by its place: text, and the part that must not be seen.
W = "hun" + "ter2"
K = run(40)
PLACED = {
    "password colon": (f"password: {W}", W),
    "password is": (f"The staging password is {W}", W),
    "password is:": (f"The staging password is: {W}", W),
    "password for": (f"the password for the admin account is {W}", W),
    "passwd equals": (f"passwd={W}", W),
    "pwd equals": (f"PWD={W}", W),
    "password equals word": ("password=letmein", "letmein"),
    "password with dots": ("password: S3.cret.pw!", "S3.cret.pw!"),
    "passphrase quoted": ('passphrase: "correct horse battery staple"', "correct horse battery staple"),
    "env variable": (f"export DB_PASSWORD={W}", W),
    "yaml": (f"db:\n  user: app\n  password: {W}\n  port: 5432", W),
    "json": (json.dumps({"user": "app", "password": W}), W),
    "json in json": (json.dumps(json.dumps({"user": "app", "password": W})), W),
    "toml": (f'db_password = "{W}"', W),
    "php": (f"'password' => '{W}',", W),
    "go": (f'password := "{W}"', W),
    "kwarg": (f'connect(host="h", password="{W}")', W),
    "full width colon": (f"password： {W}", W),
    "german": (f"Das Passwort ist {W}", W),
    "kennwort": (f"Kennwort: {W}", W),
    "french": (f"le mot de passe est {W}", W),
    "spanish": (f"contraseña: {W}", W),
    "chinese": (f"密码：{W}", W),
    "japanese": (f"パスワードは{W}", W),
    "russian": (f"пароль: {W}", W),
    "api_key": (f"api_key={K}", K),
    "apikey": (f"apikey: {K}", K),
    "api key is": (f"The API key for the weather service is {K}", K),
    "client_secret": (f"client_secret={K}", K),
    "secret key": (f"SECRET_KEY = '{K}'", K),
    "token": (f"token: {K}", K),
    "access token json": (json.dumps({"access_token": K}), K),
    "private token header": (f"PRIVATE-TOKEN: {K}", K),
    "x-api-key": (f"x-api-key: {K}", K),
    "x-api-key curl": (f'curl -H "X-Api-Key: {K}" https://api.acme.io', K),
    "bearer": (f"Authorization: Bearer {K}", K),
    "bearer json": (json.dumps({"Authorization": f"Bearer {K}"}), K),
    "basic": ("Authorization: Basic " + "dXNlcjpodW50" + "ZXIy", "dXNlcjpodW50" + "ZXIy"),
    "bearer alone": (f"send bearer {K} with it", K),
    "cookie": (f"Cookie: sid={K}; theme=dark", K),
    "set-cookie": (f"Set-Cookie: session={K}; Path=/; HttpOnly", K),
    "postgres": ("postgres://u:" + "pw@h", "pw"),
    "postgres long": (f"postgresql://app:{W}@db.internal:5432/app", W),
    "redis": (f"redis://:{W}@cache:6379/0", W),
    "https basic": (f"https://bob:{W}@git.acme.io/x.git", W),
    "query api_key": (f"https://api.acme.io/v1?api_key={K}&q=1", K),
    "query token": (f"https://acme.io/cb?access_token={K}", K),
    "query signature": (f"https://x.blob.core.windows.net/c?sv=2020&sig={K}", K),
    "curl user": (f"curl -u bob:{W} https://acme.io", W),
    "command line": (f"mytool --password {W} --user bob", W),
    "command line token": (f"mytool --token={K}", K),
    "netrc": (f"machine acme.io login bob password {W}", W),
    "npmrc": (f"//registry.npmjs.org/:_authToken={K}", K),
    "aws secret": (f"aws_secret_access_key = {K}", K),
    "aws secret prose": (f"the AWS secret is {K}", K),
    "azure storage": ("AccountKey=" + run(86) + "==", run(86)),
    "pin": ("the door PIN is 4821", "4821"),
}  # fmt: skip

ZWSP = "\u200b"
CARRIERS = {
    "plain": lambda token: f"The key is {token} and it works.",
    "json": lambda token: json.dumps({"note": "use this", "value": token}),
    "url": lambda token: token if "://" in token else f"https://acme.io/x?v={token}&y=1",
    "header": lambda token: f"X-Custom: {token}\r\nHost: acme.io",
    "pem": lambda token: f"-----BEGIN CREDENTIAL-----\n{token}\n-----END CREDENTIAL-----",
    "split": lambda token: f"key {token[:9]}{ZWSP}{token[9:20]}{ZWSP}{token[20:]} end",
}

PEM = "\n".join(
    ("-----BEGIN " + "RSA PRIVATE KEY-----", run(64), run(64), run(40) + "==", "-----END " + "RSA PRIVATE KEY-----")
)
PEMS = {
    "plain": PEM,
    "in prose": f"Here is the key:\n{PEM}\nkeep it.",
    "json": json.dumps({"key": PEM}),
    "openssh": PEM.replace("RSA", "OPENSSH"),
    "pgp": PEM.replace("RSA PRIVATE KEY", "PGP PRIVATE KEY BLOCK"),
    "cut off": PEM[:120],
    "crlf": PEM.replace("\n", "\r\n"),
    "encrypted": PEM.replace("KEY-----\n", "KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0F\n\n", 1),
}

BENIGN = """apiKey: import.meta.env.X
const apiKey = process.env.API_KEY;
apiKey: import.meta.env.VITE_FIREBASE_API_KEY,
No Firebase API key
the password reset flow sends a mail
the token bucket refills at 10 per second
password: ${DB_PASSWORD}
password: {{ vault_db_password }}
password: <your-password>
api_key=<your-api-key>
API_KEY=your_api_key_here
os.environ["API_KEY"]
token = os.getenv("GITHUB_TOKEN")
api_key = settings.openai_api_key
password=self.password
password: string;
password: str = Field(min_length=8)
password: Optional[str]
password: required
password: bcrypt
password = get_password()
"password": "********"
password: xxxxxxxx
Password: min. 12 characters
password policy: 90-day rotation
The password is: required, as always.
The password is required.
The password is hashed with argon2id.
the password must contain a digit
Passwords are never stored in plain text.
secret: true
secretName: my-app-tls-2024
client_secret: ${CLIENT_SECRET}
max_tokens=4096
token_count: 128000
tokenizer: cl100k_base
next_token: null
token: Token
Authorization: Bearer <token>
Authorization: Bearer $TOKEN
Authorization: Bearer ${{ secrets.GITHUB_TOKEN }}
The Authorization header carries a bearer token.
Set-Cookie: SameSite=Strict
Cookie consent banners are annoying.
x-api-key: $API_KEY
x-api-key header is required
commit 3f9a2b1c4d5e6f708192a3b4c5d6e7f801234567
git checkout 3f9a2b1
id 550e8400-e29b-41d4-a716-446655440000
sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
md5 d41d8cd98f00b204e9800998ecf8427e
"integrity": "sha512-oRsWeLz5hQ4mJ1nB0c9v6XyTq2fK8pA7dU3sEwGiVtZrYxC1bN5mL9kH2jP4oQ6uI8aS0dF3gJ7hK1lZ5xC9vB=="
postgres://${USER}:${PASS}@host/db
postgres://<user>:<password>@host/db
https://example.com:8080/@scope/package
git@github.com:org/repo.git
https://docs.acme.io/auth/api-key?tab=python
https://acme.io/search?key=name&sort=asc
https://acme.io/login?token=
sk-loading-indicator-animation
.sk-circle-fade-dot { color: red }
the task-scheduler-with-priorities-and-timeouts module
AWS access key rotation happens every 90 days
AKIAIOSFODNN7EXAMPLE
-----BEGIN PUBLIC KEY-----
the file starts with -----BEGIN RSA PRIVATE KEY-----
GPIO pin = 13
Use a password manager such as 1Password.
The user's passport is in the drawer.
primary_key: id
cache_key: user:123:profile
public_key: ssh-ed25519
Access tokens expire after 15 minutes.
secret santa is on 12 December
The credential helper is osxkeychain.
keyboard: qwertz2
token: string
session key = channel:chat_id
The fact key is project.database
The secret is to keep functions short.
Basic authentication is off.
The author's token gesture was appreciated.
pass: true
tests pass: 128 of 128
The passing score is 80.
Bearer tokens are refused in a query string.
private_key_path: ~/.ssh/id_ed25519
[secret: password]
curl -u "$USER:$PASS" https://acme.io
login --token "$TOKEN"
mytool --password-file /run/secrets/db""".splitlines()


# What programs take as a password, what people write as one, and words that are one.
P, S = "Passw" + "0rd!", "sup3r" + "S3cr3t"
WORDS = "lemon harbor velvet tunnel copper meadow signal window orbit candle timber falcon"
TYPED = f"""mysql -u root -p<{S}> shop
mysqldump -h db -uapp -p<lettuce> shop
mariadb -p'<{P}>' -e 'select 1'
docker login -u bob -p <{S}> reg.acme.io
mongosh -u admin -p <{W}>
redis-cli -h cache -a <{S}> ping
ldapsearch -D cn=admin -w <{S}>
unzip -P <{S}> a.zip
7z x -p<{S}> a.7z
openssl enc -aes-256-cbc -k <{S}> -in a
smbclient //h/s -U bob%<{S}>
sqlplus scott/<{S}>@orcl
net use Z: //srv/share /user:bob <{S}>
htpasswd -b users bob <{S}>
echo '<{S}>' | sudo -S ls
echo bob:<{S}> | chpasswd
SSHPASS=<{S}> sshpass -e ssh a
sshpass -p <{W}> ssh a@b
PGPASSWORD=<{W}> psql -h db
root/<{P}>
ssh in with admin:<{S}>
login with dana/<{S}>
Zugangsdaten: admin / <{P}>
password <{P}>
my password's <{W}>
das Passwort lautet <{W}>
Das Passwort für den Server ist <{S}>
le mot de passe du serveur est <{S}>
la contraseña del servidor es <{S}>
la clave del wifi es <{S}>
la password del server è <{S}>
a senha do servidor é <{S}>
a palavra-passe é <{S}>
口令是<{S}>
パスワードは「<{S}>」です
合言葉は<{S}>
the Wi-Fi key is <{S}>
mdp: <{S}>
passphrase: <correct horse battery staple>
The passphrase for the key is <tulip orange banjo seven>
seed phrase: <{WORDS}>
My recovery phrase is <{WORDS} {WORDS}>
Meine Seed-Phrase lautet <{WORDS}>
phrase de récupération : <{WORDS}>
frase de recuperación: <{WORDS}>
frase semente: <{WORDS}>
助记词：<{WORDS}>
リカバリーフレーズ: <{WORDS}>
The 12 words are <{WORDS}>""".splitlines()
NUMBERED = "mnemonic:\n" + "\n".join(f"{number}. {word}" for number, word in enumerate(WORDS.split(), 1))
UNTYPED = """mysql -u root -p shop
mysql -h db -P 3306 -u app -p
docker run -p 8080:80 nginx
docker login -u bob --password-stdin
ssh -p 2222 bob@h
psql -p 5433 -U app shop
redis-cli -h cache2 -p 6379
openssl req -new -key server2.key
sqlplus /nolog
echo hello | sudo tee /etc/x
DB_PASS=${DB_PASS}
The seed phrase must never be typed into a web page or shared with anyone at all
Keep the recovery phrase offline, on paper, in two places, and never photograph it with a phone.
The recovery phrase should never leave the hardware wallet because anyone who knows the words can steal everything
We write 12 words or fewer in every commit headline because longer ones get cut off when git prints them
passphrase: required before each push
passphrase: ask the admin for it
The passphrase is stored in the vault of the team
admin/users2
admin/Foo3Bar
admin/v2/users?page=2
root/src/App2.tsx
postgres:16.2-bookworm@sha256
user: dana2
login at https://acme.io/path2
credentials are in ~/.aws/credentials2
the password is expired
password SHA256 hash
das Passwort für den Server ist abgelaufen
le mot de passe du serveur est expiré
la contraseña del servidor es antigua
密码是必填项
パスワードは8文字以上です
the Wi-Fi key is under the router""".splitlines()


def test_what_only_a_manual_or_its_look_tells_for_a_password():
    for line in TYPED:
        before, secret, after = re.split("[<>]", line)
        text = before + secret + after
        assert inspect(text).secrets, text
        assert secret not in mask(text), text
        assert mask(mask(text)) == mask(text)
    assert "falcon" not in mask(NUMBERED)
    assert [text for text in UNTYPED if inspect(text).secrets] == []


def test_tables_are_as_large_as_they_should_be():
    assert len(TOKENS) >= 60
    assert len(CARRIERS) == 6
    assert len(BENIGN) >= 60


@pytest.mark.parametrize("carrier", CARRIERS)
@pytest.mark.parametrize("name", TOKENS)
def test_token_is_found_and_masked(name: str, carrier: str):
    token = TOKENS[name]
    text = CARRIERS[carrier](token)
    verdict = inspect(text)
    assert verdict.secrets
    assert not verdict.failed
    shown = mask(text).replace(ZWSP, "")
    assert token[-12:] not in shown
    assert token[12:24] not in shown
    assert "[secret: " in shown


@pytest.mark.parametrize("name", PLACED)
def test_credential_known_by_its_place(name: str):
    text, secret = PLACED[name]
    assert inspect(text).secrets, text
    assert secret not in mask(text)


@pytest.mark.parametrize("name", PEMS)
def test_private_key_block(name: str):
    shown = mask(PEMS[name])
    assert "private key" in inspect(PEMS[name]).secrets
    assert run(64)[:20] not in shown
    assert run(40)[:20] not in shown


def test_masking_leaves_the_rest_alone():
    assert mask(f"Here is the key:\n{PEM}\nkeep it.") == "Here is the key:\n[secret: private key]\nkeep it."
    assert mask(PLACED["json"][0]) == '{"user": "app", "password": "[secret: password]"}'
    assert mask("пароль — " + "слово") == "пароль — слово"


@pytest.mark.parametrize("text", BENIGN)
def test_look_alike_is_left_alone(text: str):
    assert inspect(text).secrets == ()
    assert mask(text) == text


@pytest.mark.parametrize("name", PLACED)
def test_masking_twice_changes_nothing_more(name: str):
    once = mask(PLACED[name][0])
    assert mask(once) == once


@pytest.mark.parametrize("encode", [
    lambda text: text.encode().hex(),
    lambda text: base64.b64encode(text.encode()).decode(),
    lambda text: "".join(f"%{byte:02x}" for byte in text.encode()),
    lambda text: urllib.parse.quote(text, safe=""),
], ids=["hex", "base64", "percent", "quoted"])  # fmt: skip
def test_encoded_credential(encode):
    encoded = encode(f"please keep this: password: {W} and {K}")
    assert inspect(f"note {encoded} end").secrets[0].startswith("encoded ")
    assert encoded not in mask(f"note {encoded} end")


def test_no_place_in_a_long_text_hides_a_credential():
    token = TOKENS["anthropic"]
    filler = "The quick brown fox jumps over the lazy dog. " * 4000
    for cut in (0, 65_500, 65_536, 61_440, 131_072, len(filler)):
        text = f"{filler[:cut]} {token} {filler[cut:]}"
        assert inspect(text).secrets == ("Anthropic key",)
        assert token not in mask(text)


def test_look_alike_letters_and_full_width_do_not_hide_a_credential():
    token = TOKENS["anthropic"]
    for text in (token.replace("a", "а"), "".join(chr(ord(c) + 0xFEE0) for c in token)):
        assert inspect(text).secrets
        assert token[-12:] not in mask(text)


@pytest.mark.parametrize("before", ["密钥", "キーは", "열쇠", "🔑", "ключ", "é", "«", "\u3000", "。"])
@pytest.mark.parametrize("name", ["anthropic", "github classic", "aws key id", "workbench", "memos", "telegram", "jwt"])
def test_credential_directly_beside_other_scripts(name: str, before: str):
    """A word boundary is one of ASCII: the letters of other scripts hide nothing."""
    token = TOKENS[name]
    text = f"{before}{token}{before}"
    assert inspect(text).secrets
    assert mask(text).startswith(before)
    assert token[-12:] not in mask(text)


@pytest.mark.parametrize("hidden", ["\u200b", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u202e", "\u2066", "\ufe0f",
                                    "\u034f", "\u180e", "\U000e0061", "\U000e0100"])  # fmt: skip
def test_invisible_characters_hide_no_credential(hidden: str):
    token = TOKENS["github classic"]
    text = f"use {hidden.join(token)} now"
    assert inspect(text).secrets == ("GitHub token",)
    assert mask(text) == "use [secret: GitHub token] now"


def test_many_credentials_are_all_masked():
    text = "\n".join(f"password: {W}{number}" for number in range(200))
    assert W not in mask(text)
    assert set(inspect(text).secrets) == {"password"}


def test_flood_of_labels_is_refused():
    """What can't be told in the time a write may take is not taken for clean, nor shown."""
    assert inspect("password: string " * 6_000).secrets == ("possible password, 2000 times and more",)
    assert inspect("password: string " * 1_900).secrets == ()
    label = "password: string "
    assert mask(label * 1_900) == label * 1_900
    masked = mask(f"{label * 6_000} password: {W}7 and more")
    assert masked.startswith(label * 1_900)
    assert masked.endswith("[secret: possible password, 2000 times and more]")
    assert W not in masked


NAMES = ("anna", "billing", "frontend", "Zeta", "the gateway", "müller", "orders", "staging")
TEMPLATES = (
    "Commit {sha1} fixed the race in {name}.",
    "Deployed {name} at {short} after review.",
    "The image digest is sha256:{sha256}.",
    "Request id {uuid} failed twice.",
    "{name} uses session {uuid} for the replay.",
    "token budget = {number}",
    "max_tokens: {number}, temperature 0.2",
    "The token count of {name} was {number}.",
    "password: ask {name}",
    "The password is kept by {name} in 1Password.",
    "api_key: <your-key>",
    "API_KEY=xxxx{xs}",
    "secret: see vault path kv/{name2}/prod",
    "The log is in /var/log/{name2}/{number}/{short}.log",
    "See src/{name2}/handlers/auth_token.py, line {number}.",
    "https://acme.io/{name2}/pulls/{number}?tab=files&sort=asc",
    "As base64 the greeting reads {prose}.",
    "package-lock: integrity sha512-{integrity}==",
    "ETag: W/{short}-{number}",
    "{name} bought ticket {number} on 2026-03-0{digit}.",
    "CSS class sk-{name2}-placeholder-{digit} is unused.",
    "branch feature/{name2}-token-refresh-{number} was merged",
    "The key of the map is {name2}:{number}:profile.",
    "export const TOKEN_LIMIT = {number};",
    "Release v{digit}.{number}.0 went out on Tuesday.",
)


def note(chance: random.Random) -> str:
    """A statement as people and agents write them, with the identifiers that look most like credentials."""
    words = " ".join(chance.choice(["the", "quick", "report", "was", "sent", "late", "again"]) for _ in range(9))
    values = {
        "sha1": "".join(chance.choices(HEX, k=40)),
        "sha256": "".join(chance.choices(HEX, k=64)),
        "short": "".join(chance.choices(HEX, k=9)),
        "integrity": "".join(chance.choices(ALPHABET + "+/", k=86)),
        "uuid": str(uuid.UUID(int=chance.getrandbits(128), version=4)),
        "number": chance.randrange(1, 200_000),
        "digit": chance.randrange(1, 9),
        "name": chance.choice(NAMES),
        "name2": chance.choice(["billing", "orders", "web", "auth"]),
        "prose": base64.b64encode(words.encode()).decode(),
        "xs": "x" * chance.randrange(4, 24),
    }
    return chance.choice(TEMPLATES).format(**values)


def test_ordinary_notes_are_left_alone():
    chance = random.Random(11)
    notes = [note(chance) for _ in range(2_500)]
    wrong = [text for text in notes if inspect(text).secrets]
    assert len(wrong) <= 0.01 * len(notes), wrong[:20]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a <private>b</private> c <PRIVATE why='x'>d\ne</Private >f", "a [private] c [private]f"),
        ("a <private>b <private>c</private> d</private> e", "a [private] e"),
        ("a </private> b <private>c", "a </private> b [private]"),
        ("a `<private>` b <private/> <privateer> c", "a `<private>` b <private/> <privateer> c"),
    ],
)
def test_private_blocks_are_masked(text: str, shown: str):
    assert mask(text) == mask(mask(text)) == shown


def test_a_flood_of_private_marks_is_read_once():
    assert mask("<private>" * 200_000) == "[private]"


@pytest.mark.parametrize(
    "said",
    [
        "My p4ssw0rd is hunter2secret",
        "The admin login is bob:hunter2xyz",
        "La clave es Perro77!",
        "Hasło: Kotek77!",
        "TOTP secret JBSWY3DPEHPK" + "3PXP",
        "S3 secret " + run(40),
        "ssh bob@host -pw Hunter2xyz",
        "ey" + "JhbGciOiJIUzI1NiJ9.e30." + run(36),
        "xgh" + "p_" + run(36),
        "notes/xsk" + "-ant-api03-" + run(40),
    ],
)
def test_no_wording_and_no_glue_hides_a_credential(said: str) -> None:
    assert inspect(said).secrets


@pytest.mark.parametrize(
    "said",
    [
        "La clave es entender el contexto.",
        "La clave es React18.",
        "TOTP secret is stored in Vault",
        "The login is at https://a.example:8080",
        "Login is at 10:30am",
        "The S3 secret rotates weekly",
        "Open task-admin-dashboard-settings-page first",
        "The table task_test_configurationmanager is empty",
        "hasło jest zmieniane co miesiąc",
    ],
)
def test_what_only_speaks_of_credentials_stays(said: str) -> None:
    assert inspect(said).secrets == ()
