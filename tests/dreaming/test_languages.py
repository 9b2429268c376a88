"""The extractor without a model, in German, French, Spanish, Italian, Portuguese, Chinese and Japanese; what the person
agrees to; and since when something holds."""

from __future__ import annotations

import json
import string
from collections import Counter
from pathlib import Path

import pytest

from workbench.dreaming import wordings
from workbench.dreaming.extract import Heard
from workbench.dreaming.rules import LANGUAGES, RulesExtractor, agreement
from workbench.ledger.model import Kind, Privacy
from workbench.text import fact_key

HERE = Path(__file__).parent
CODES = ("de", "fr", "es", "it", "pt", "zh", "ja")
SAID_AT = "2026-03-03T12:00:00Z"


def load(name):
    lines = (HERE / f"languages_{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def statements(text, said_at=SAID_AT):
    return RulesExtractor().extract([Heard(7, "cli:s", "user", text, said_at, "/home/dana/projects/ledgerline")])


def learned(text):
    return [(s.content, s.fact_key) for s in statements(text)]


def expected(case):
    return [(each["content"], each.get("key")) for each in case["expect"]]


def figures(cases):
    """Of the statements found, and of those to be found, how many are right; lines with nothing in them that gave
    some."""
    counts = Counter()
    for case in cases:
        found, wanted = set(learned(case["say"])), set(expected(case))
        counts.update(found=len(found), wanted=len(wanted), right=len(found & wanted), junk=bool(found and not wanted))
    return counts


@pytest.mark.parametrize("code", CODES)
def test_sentences_written_with_the_rules(code):
    wrong = [case["say"] for case in load("a") if case["lang"] == code and learned(case["say"]) != expected(case)]
    assert wrong == []


@pytest.mark.parametrize(("name", "right", "found", "wanted"), [("b", 83, 83, 84), ("c", 76, 77, 83)])
def test_fresh_sentences(name, right, found, wanted):
    """Sets B and C, 119 lines each, 17 a language, were written after the rules of their time were frozen, without a
    run.

    Set B as first measured: of 68 statements found 66 were right (precision 97 %), of 84 to be found 66 were (recall
    79 %), none of 35 lines with nothing to learn gave any. It showed that whole forms were missing ("our project uses",
    "no longer" with any verb), and what is measured here came after they were added: it is spent.

    Set C was written after that, and is as first measured: 76 of 77 right (99 %), 76 of 83 found (92 %), no junk in 36.
    A change that helps it by looking at it is not allowed; write a set D.
    """
    counts = figures(load(name))
    assert counts["junk"] == 0 and counts["wanted"] == wanted
    assert counts["right"] >= right and counts["right"] / counts["found"] >= right / found


def test_the_sets_are_apart():
    a, b, c = ({case["say"].casefold() for case in load(name)} for name in "abc")
    assert not a & b and not (a | b) & c
    assert {case["lang"] for case in load("c")} == set(CODES) and (len(b) + len(c)) * 3 >= len(a | b | c) >= 690


JUNK = """\
Ich weiß nicht, ob das so richtig ist.
Ich nutze das immer so.
Mein Editor ist abgestürzt.
Mein Name ist Programm.
Ich arbeite an einem neuen Feature.
Meine Mutter wohnt in Kiel.
Er sagt immer, dass er in Wien lebt.
Je suis d'accord.
Je vis un cauchemar avec ce bug.
J'utilise ça tous les jours.
Mon éditeur a planté.
Ma mère habite à Nice.
Estoy de acuerdo.
Uso esto todos los días.
Trabajo en una nueva función.
Arreglamos el bug ayer.
Sono d'accordo.
Uso questo ogni giorno.
Lavoro in un file nuovo.
Vorrei un caffè.
Concordo com isso.
Uso isso todos os dias.
Trabalho em uma nova função.
Minha mãe mora em Faro.
我同意你的看法。
我每天都用这个。
我妈妈住在厦门。
小明住在广州，在银行工作。
我叫他过来。
私もそう思います。
母は長崎に住んでいます。
問題はエンジニアです。
変数を使っています。
コーヒーが飲みたいです。
"""


@pytest.mark.parametrize("said", JUNK.splitlines())
def test_talk_of_the_moment_and_of_others_is_not_learned(said):
    assert learned(said) == []


@pytest.mark.parametrize(
    "said",
    [
        "Merk dir das nicht. Ich wohne in Oslo.",
        "Ich wohne in Oslo. Nur ein Scherz.",
        "```\nIch wohne in Oslo.\n```",
        "> J'habite à Lyon.",
        "Übersetze den folgenden Text:\n\nIch wohne in Oslo.",
        "翻译以下内容：\n我住在上海。",
        "Ich wohne in Oslo. Nein, falsch.",
        "Imagina que soy médico. Vivo en Lima.",
        "Der Satz: ich wohne in Oslo.",
    ],
)
def test_what_is_quoted_shown_or_taken_back_is_not_learned(said):
    assert learned(said) == []


@pytest.mark.parametrize(
    "said",
    [
        "Ich wohne in Oslo. Nein, falsch.",
        "Stell dir vor, es ist Nacht. Ich wohne in Oslo.",
        "Übersetze diesen Satz. Ich wohne in Oslo.",
        "J'habite à Lyon. Haha.",
        "Imagina que soy médico. Vivo en Lima.",
        "翻译这句话。 我住在上海。",
    ],
)
def test_what_is_not_meant_bears_nothing_out(said):
    """An agent that quotes it has only its own word."""
    sentences = ("Ich wohne in Oslo.", "J'habite à Lyon.", "Vivo en Lima.", "我住在上海。")
    assert not set(sentences) & set(wordings.meant_sentences(said))
    assert {"Ich wohne in Bonn."} == set(wordings.meant_sentences("Ich wohne in Bonn."))


def test_the_language_is_told_from_each_sentence():
    said = "I live in Oslo. Mein Editor ist Neovim. Prefiero el té al café. 我喜欢爬山。 Non uso più Docker."
    assert sorted(learned(said)) == sorted(
        [
            ("Lives in Oslo.", "profile.location"),
            ("Editor ist Neovim.", "environment.editor"),
            ("Prefiere el té a café.", None),
            ("喜欢爬山。", None),
            ("Non usa più Docker.", "uses.docker"),
        ]
    )


def test_a_fact_has_the_same_key_in_every_language():
    homes = [
        "I live in Bonn.",
        "Ich wohne in Bonn.",
        "J'habite à Bonn.",
        "Vivo en Bonn.",
        "Vivo a Bonn.",
        "Moro em Bonn.",
    ]
    homes += ["我住在波恩。", "ボンに住んでいます。"]
    assert {key for said in homes for _, key in learned(said)} == {"profile.location"}
    tools = ["Ich bin von Vim auf Zed umgestiegen.", "Je suis passé de Vim à Zed.", "Me pasé de Vim a Zed."]
    tools += [
        "Sono passato da Vim a Zed.",
        "Troquei o Vim pelo Zed.",
        "我从 Vim 换成了 Zed。",
        "VimからZedに乗り換えました。",
    ]
    assert {key for said in tools for _, key in learned(said)} == {"environment.editor"}


@pytest.mark.parametrize(
    ("said", "ends"),
    [
        ("Ich wohne nicht mehr in Bonn.", "Wohnt in Bonn."),
        ("Je n'utilise plus Docker.", "Utilise Docker."),
        ("Ya no trabajo en Seat.", "Trabaja en Seat."),
        ("Non vivo più a Roma.", "Vive a Roma."),
        ("Já não moro em Lisboa.", "Mora em Lisboa."),
        ("我不再用 Docker 了。", "用Docker。"),
        ("もうDockerを使っていません。", "Dockerを使っている。"),
    ],
)
def test_a_retraction_says_what_it_ends(said, ends):
    [statement] = statements(said)
    assert (statement.kind, statement.retracts) == (Kind.CORRECTION, ends)


def test_orders_are_constraints_and_private_life_is_sensitive():
    orders = ["Benutze immer pnpm.", "Ne déploie jamais le vendredi.", "Nunca despliegues los viernes.",
              "Non usare mai variabili globali.", "Nunca faças commit direto na main.", "永远不要直接提交到 main。",
              "必ずpnpmを使ってください。"]  # fmt: skip
    assert [statements(said)[0].kind for said in orders] == [Kind.CONSTRAINT] * 7
    private = ["Ich bin gegen Nüsse allergisch.", "Je suis allergique aux noix.", "Soy alérgica a las nueces.",
               "Sono allergico alle noci.", "Sou alérgico a nozes.", "我对坚果过敏。", "ナッツアレルギーです。",
               "Mein Geburtstag ist am 3. Mai."]  # fmt: skip
    assert [statements(said)[0].privacy for said in private] == [Privacy.SENSITIVE] * 8


@pytest.mark.parametrize(
    ("said", "begun"),
    [
        ("I moved to Munich last week.", "2026-02-23"),
        ("I've been living in Oslo since March.", "2026-03-01"),
        ("I joined Acme in March 2021.", "2021-03-01"),
        ("I moved to Paris in 2019", "2019-01-01"),
        ("I switched to Zed yesterday.", "2026-03-02"),
        ("I moved to Rome six days ago.", "2026-02-25"),
        ("I moved to Rome recently.", None),
        ("I live in Rome.", None),
        ("I was born in 1985.", None),
        ("Seit März wohne ich in Köln.", "2026-03-01"),
        ("Ich wohne seit April in Köln.", "2025-04-01"),
        ("Ich bin letzte Woche nach Bonn gezogen.", "2026-02-23"),
        ("Ich bin vor zwei Jahren nach Bonn gezogen.", "2024-03-03"),
        ("J'habite à Lyon depuis trois ans.", "2023-03-03"),
        ("La semaine dernière j'ai déménagé à Nantes.", "2026-02-23"),
        ("Vivo en Sevilla desde marzo de 2020.", "2020-03-01"),
        ("Me mudé a Lima el mes pasado.", "2026-02-01"),
        ("Vivo a Lugano da sei mesi.", "2025-09-03"),
        ("Moro no Porto desde ontem.", "2026-03-02"),
        ("我上个月搬到了北京。", "2026-02-01"),
        ("去年からパリに住んでいます。", "2025-01-01"),
        ("2019年から任天堂で働いています。", "2019-01-01"),
    ],
)
def test_since_when_something_holds(said, begun):
    [statement] = statements(said)
    assert statement.valid_from == begun


def test_a_time_that_nobody_knows_is_left_out():
    assert [s.valid_from for s in statements("I moved to Munich last week.", said_at=None)] == [None]
    assert [s.valid_from for s in statements("I moved to Munich last week.", said_at="some day")] == [None]


AGREED = [
    ("I looked at both. I suggest we use Redis for the queue.", "Yes, let's do that.", "Decided: Redis for the queue."),
    ("Should we use `pnpm` for installs?", "Sounds good, thanks!", "Decided: pnpm for installs."),
    ("Ich schlage vor, dass wir Redis verwenden.", "Ja, gerne!", "Entschieden: Redis."),
    ("Je propose d'utiliser Redis.", "D'accord, allons-y !", "Décidé : utiliser Redis."),
    ("Propongo usar Redis para la cola.", "Vale, adelante.", "Decidido: usar Redis para la cola."),
    ("Suggerisco di usare Redis.", "Va bene, grazie", "Deciso: usare Redis."),
    ("Sugiro usar Redis para a fila.", "Sim, concordo.", "Decidido: usar Redis para a fila."),
    ("我建议使用 Redis 做队列。", "好的，就这么办。", "已决定：用 Redis 做队列。"),
    ("Redisを使うことを提案します。", "はい、お願いします。", "決定：Redisを使う。"),
]


def turns(proposal, reply, sessions=("cli:s", "cli:s")):
    said = zip((1, 2), ("assistant", "user"), (proposal, reply), sessions, strict=True)
    heard = [Heard(number, session, role, text, SAID_AT, "/p") for number, role, text, session in said]
    return RulesExtractor().extract(heard)


@pytest.mark.parametrize(("proposal", "reply", "content"), AGREED)
def test_what_the_person_agrees_to_is_inferred(proposal, reply, content):
    [found] = turns(proposal, reply)
    assert (found.content, found.kind, found.evidence) == (content, Kind.DECISION, (2, 1))
    assert not found.explicit and found.confidence < 0.8


@pytest.mark.parametrize(
    ("proposal", "reply"),
    [
        ("We could use Redis or Kafka for the queue.", "yes"),
        ("I suggest we use Redis. Let's use Kafka for events.", "ok"),
        ("I suggest we use Redis.", "Yes, but later."),
        ("I suggest we use Redis.", "Yes. Also, why does the test fail?"),
        ("I suggest we use Redis.", "no"),
        ("I fixed the bug.", "yes, great"),
        ("> I suggest we use Redis.", "yes"),
        ("Ich schlage vor, dass wir Redis verwenden.", "Ja, aber nicht jetzt."),
    ],
)
def test_no_clear_agreement_is_none(proposal, reply):
    assert turns(proposal, reply) == []


def test_agreement_is_with_the_message_before_in_the_same_conversation():
    assert turns("I suggest we use Redis.", "yes", ("cli:s", "cli:t")) == []
    assert agreement.agreed("I suggest we use Redis.", "yes " * 100) is None


@pytest.mark.parametrize(
    "unit",
    ["ich ", "Ich wohne in A, ", "je ", "j'habite à l'", "vivo en ", "vivo a ", "non ", "não uso mais ", "我", "我在",
     "我从", "私は", "を使って", "より", "から", "seit ", "depuis 3 ", "hace dos ", "und ich ", "y vivo ", "永远不要",
     "、", "「", "：", "Mein Name ist A A ", "du 1 mai ", "immer ", "siempre "],
)  # fmt: skip
def test_hostile_text_ends(unit):
    """A rule that backtracks without bound runs into the suite's time limit here."""
    text = unit * (131_072 // len(unit))
    wrapped = "\n".join(text[i : i + 590] for i in range(0, 19_000, 590))
    assert isinstance(statements(text) + statements(wrapped) + turns(text[:4_000], "yes"), list)


def test_every_rule_is_well_formed():
    for language in LANGUAGES[1:]:
        assert language.code in CODES and language.habits == ()
        for rule in language.rules[""]:
            slots = set(rule.pattern.groupindex)
            assert slots <= set(language.clean), rule
            for template in filter(None, (rule.content, rule.ends)):
                assert {name for _, name, _, _ in string.Formatter().parse(template) if name} <= slots, rule
            assert 0.55 <= rule.confidence <= 0.95 and rule.explicit
    assert {key for case in load("a") for _, key in learned(case["say"]) if key != (key and fact_key(key))} == set()
