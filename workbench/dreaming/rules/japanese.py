"""Japanese: what a sentence is meant as, and what it says."""

from __future__ import annotations

from workbench.dreaming.rules import keys
from workbench.dreaming.rules.nouns import cleaners
from workbench.dreaming.rules.plain import Tongue, language
from workbench.dreaming.rules.table import Rule, rule
from workbench.dreaming.rules.times import Times
from workbench.ledger.model import Kind

TIMES = Times(
    since=r"",
    spans={
        r"昨日(?:から)?": "yesterday",
        r"先週(?:から)?": "last week",
        r"先月(?:から)?": "last month",
        r"(?:去年|昨年)(?:から)?": "last year",
        r"今週(?:から)?": "this week",
        r"今月(?:から)?": "this month",
        r"今年(?:から)?": "this year",
    },
    months=tuple(rf"{number}月(?:から|に)?" for number in range(1, 13)),
    ago=(r"{n}{unit}(?:前(?:に|から)?|間)",),
    units=(r"日", r"週間?", r"(?:か|ヶ|カ|ヵ)月", r"年"),
    numbers={"一": 1, "二": 2, "三": 3, "四": 4, "五": 5, "六": 6, "十": 10},
)

_FILLER = r"ね|よ|かな"
TONGUE = Tongue(
    marks=frozenset(),
    lead=(
        r"こんにちは|こんばんは|おはよう(?:ございます)?|はじめまして|初めまして|はい"
        r"|ありがとう(?:ございます)?|ちなみに|あと|それと|また|そして|でも|ただ|なので|だから|実は"
        r"|今は|現在|最近|普段は?|基本的に|個人的には?|参考までに"
    ),
    correcting=r"訂正(?:です|します)?|すみません|ごめん(?:なさい)?|間違えました|正確には|実際には",
    remember=r"(?:覚えておいて(?:ください)?|メモして(?:ください)?|忘れないで(?:ください)?)[:：、。, ]?",
    label=r"私について|自己紹介|背景|補足|メモ|重要|更新|訂正|環境",
    hedge=r"(?:と思います|と思う|たぶん|おそらく|多分)",
    guess=r"(?:かもしれ|かも$|もしかすると|わからない|分からない|わかりません|分かりません|だろう|でしょう)",
    unmeant=(
        r"^(?:もし|もしも|仮に|例えば|たとえば)|(?:もし私|だったら|としたら|なら、|例えば|たとえば"
        r"|夢で|と言って|と言い|と言う|と言った|言っていました|と書いて|によると"
        r"|らしい|そうです。|冗談|子供の頃|子どもの頃|昔は|以前は|かつて|たいと|たいです|彼は|彼女は"
        r"|友達は|同僚は|上司は(?!.*(?:といいます|です)$))"
    ),
    opens=r"(?:翻訳|訳して|添削|書き換え|例文|物語|小説|詩を|手紙を書|メールを書|ロールプレイ|演じて"
    r"|あなたは今|なりきって|ふりをして|登場人物|という文)",
    asked=r"(?:どこ|なに|何(?!でも)|だれ|誰|いつ(?!も)|どう|なぜ|どれ|教えて)|.*(?:か|の|かな)$"
    r"|.*(?:ですか|ますか|でしょうか|くれますか)",
    split=r"(?:ので|から|が|けど|けれど|し)、|て、(?=私)|[；;]|、(?=(?:私|僕|俺|妻|夫|趣味|エディタ))",
    times=TIMES,
    turned=(
        (r"^(?:私|僕|俺|わたし|ぼく|自分)(?:は|が|も)、?", ""),
        (r"^(?:私|僕|俺|わたし|うち)の", "私の"),
        (r"^(?:今(?![日回夜朝後度年月週])|現在|普段|今は|普段は|実は)、?", ""),
    ),
)
_LEANS = (
    r"(?:これ|それ|あれ|この|その|あの|ここ|そこ|あそこ|私|僕|俺|あなた|彼|どれ|どの|こと$|もの$"
    r"|上記|以下|次の)|^(?:の|は|が|を|に|も|と)|(?:は|が|を|に|と)$"
)
_ROLES = (
    r"[\u3040-\u30ff\u3400-\u9fffA-Za-zー]{0,10}(?:エンジニア|プログラマー?|開発者|教師|先生|医師"
    r"|医者|看護師|弁護士|デザイナー|学生|院生"
    r"|研究者|研究員|マネージャー|アナリスト|科学者|サイエンティスト|記者|ライター|編集者|翻訳者"
    r"|翻訳家|会計士|料理人|シェフ|運転手|作家|画家|音楽家|教授|コンサルタント|建築家"
    r"|公務員|薬剤師|カメラマン|写真家|会社員|フリーランス|主婦|主夫|営業|パイロット|美容師|保育士)"
)
_OWN_THING = r"(?P<slot>エディタ|エディター|ブラウザ|シェル|OS|ターミナル|ノートパソコン|パソコン)"
_REL = r"(?P<rel>妻|奥さん|家内|夫|旦那|主人|彼女|彼氏|母|父|上司|息子|娘|兄|弟|姉|妹|同僚|犬|猫)"

RULES: tuple[Rule, ...] = (
    rule(
        r"(?:私の名前は|名前は) ?(?P<name>.+?)(?:です|といいます|と言います|だ)?",
        Kind.PROFILE,
        "名前は{name}",
        "profile.name",
    ),
    rule(
        r"(?P<name>[^はがをに]{1,10}?)(?:といいます|と言います|と申します)",
        Kind.PROFILE,
        "名前は{name}",
        "profile.name",
    ),
    rule(
        r"もう ?(?P<place>.+?)には?住んでい(?:ません|ない)",
        Kind.CORRECTION,
        "もう{place}には住んでいない",
        "profile.location",
        retracts=True,
        ends="{place}に住んでいる",
    ),
    rule(
        r"(?P<place>.+?)に(?:住んで(?:い)?(?:ます|る)|在住(?:です)?)",
        Kind.PROFILE,
        "{place}に住んでいる",
        "profile.location",
    ),
    rule(
        r"(?:.+?から)?(?P<place>[^から]+?)[にへ](?:引っ越しました|引っ越した|引越しました|移住しました|転居しました)",
        Kind.PROFILE,
        "{place}に住んでいる",
        "profile.location",
    ),
    rule(r"(?P<place>.+?)出身(?:です)?", Kind.PROFILE, "{place}出身"),
    rule(
        r"もう ?(?P<org>.+?)では?働いてい(?:ません|ない)",
        Kind.CORRECTION,
        "もう{org}では働いていない",
        "profile.employer",
        retracts=True,
        ends="{org}で働いている",
    ),
    rule(
        r"(?P<org>.+?)を(?:辞めました|退職しました|辞めた|退職した)",
        Kind.CORRECTION,
        "もう{org}では働いていない",
        "profile.employer",
        retracts=True,
        ends="{org}で働いている",
    ),
    rule(
        r"(?P<org>.+?)で(?P<role>.+?)(?:として働いて(?:い)?(?:ます|る)|をして(?:い)?(?:ます|る))",
        Kind.PROFILE,
        "{org}で{role}として働いている",
        "profile.employer",
    ),
    rule(r"(?P<role>.+?)として働いて(?:い)?(?:ます|る)", Kind.PROFILE, "{role}として働いている", "profile.role"),
    rule(
        r"(?P<org>.+?)(?:で働いて(?:い)?(?:ます|る)|に勤めて(?:い)?(?:ます|る)|に勤務して(?:い)?(?:ます|る))",
        Kind.PROFILE,
        "{org}で働いている",
        "profile.employer",
    ),
    rule(
        r"もう(?P<role>.+?)ではありません",
        Kind.CORRECTION,
        "もう{role}として働いていない",
        "profile.role",
        retracts=True,
        ends="{role}として働いている",
    ),
    rule(
        r"(?:職業は|仕事は)?(?P<role>.+?)(?:です|をして(?:い)?ます)",
        Kind.PROFILE,
        "{role}として働いている",
        "profile.role",
    ),
    rule(r"(?P<word>ベジタリアン|ビーガン|ヴィーガン|菜食主義者)です", Kind.PREFERENCE, "{word}", "preference.diet"),
    rule(r"(?P<what>.+?)アレルギー(?:です|があります|持ちです)", Kind.FACT, "{what}アレルギー"),
    rule(r"(?:私の)?母語は ?(?P<word>.+?)です", Kind.PROFILE, "母語は{word}", "profile.language"),
    rule(
        r"(?P<word>(?:日本語|英語|中国語|ドイツ語|フランス語|スペイン語"
        r"|韓国語)(?:[とや、].+語)?)(?:を話します|が話せます)",
        Kind.SKILL,
        "{word}を話す",
    ),
    rule(
        r"(?:私の)?タイムゾーンは ?(?P<word>[\w/+:-]+?)(?:です)?",
        Kind.PROFILE,
        "タイムゾーンは{word}",
        "profile.timezone",
    ),
    rule(r"(?:私の)?誕生日は ?(?P<word>.*\d+月\d+日)(?:です)?", Kind.PROFILE, "誕生日は{word}", "profile.birthday"),
    rule(
        rf"(?:私の)?{_REL}の名前は ?(?P<name>.+?)(?:です|といいます|と言います)?",
        Kind.RELATIONSHIP,
        "{rel}の名前は{name}",
        keys.person_key,
    ),
    rule(
        rf"(?:私の)?{_REL}は ?(?P<name>.+?)(?:といいます|と言います|という名前です)",
        Kind.RELATIONSHIP,
        "{rel}の名前は{name}",
        keys.person_key,
    ),
    rule(
        rf"(?:私の)?{_OWN_THING}は ?(?P<tool>.+?)(?:です|を使って(?:い)?(?:ます|る))",
        Kind.ENVIRONMENT,
        "{slot}は{tool}",
        keys.owned_key,
    ),
    rule(
        r"(?:私の)?(?:一番)?好きな(?P<slot>[\u3040-\u30ff\u3400-\u9fff]{1,6}?)は ?(?P<liked>.+?)です",
        Kind.PREFERENCE,
        "好きな{slot}は{liked}",
        "preference.favorite-{slot}",
    ),
    rule(
        r"もう ?(?P<tool>.+?)[はを]使って(?:い)?(?:ません|ない)",
        Kind.CORRECTION,
        "もう{tool}を使っていない",
        keys.tool_key,
        retracts=True,
        ends="{tool}を使っている",
    ),
    rule(
        r"(?P<tool>.+?)[はを]もう使って(?:い)?(?:ません|ない)",
        Kind.CORRECTION,
        "もう{tool}を使っていない",
        keys.tool_key,
        retracts=True,
        ends="{tool}を使っている",
    ),
    rule(
        r"(?P<tool>.+?)を使うのを?やめました",
        Kind.CORRECTION,
        "もう{tool}を使っていない",
        keys.tool_key,
        retracts=True,
        ends="{tool}を使っている",
    ),
    rule(
        r"(?:.+?から) ?(?P<tool>.+?)[にへ](?:乗り換えました|移行しました|切り替えました|変えました"
        r"|乗り換えた|移行した)",
        Kind.ENVIRONMENT,
        "{tool}を使っている",
        keys.tool_key,
    ),
    rule(
        r"(?P<tool>.+?)に(?:乗り換えました|移行しました|切り替えました)",
        Kind.ENVIRONMENT,
        "{tool}を使っている",
        keys.tool_key,
    ),
    rule(
        r"もう(?P<word>[^をはが]{1,12}[をは](?:食べません|飲みません|吸いません|しません|やっていません))",
        Kind.CORRECTION,
        "もう{word}",
        retracts=True,
    ),
    rule(
        (
            r"(?:この|私たちの|弊社の|うちの)?(?P<slot>プロジェクト|チーム|サービス|バックエンド"
            r"|フロントエンド)(?:では|は) "
            r"?(?P<tool>.+?)を使って(?:い)?(?:ます|る)"
        ),
        Kind.ENVIRONMENT,
        "{slot}では{tool}を使っている",
        scope="project",
    ),
    rule(
        r"(?P<what>.+?)より(?:も)?、?(?P<liked>.+?)(?:の方|のほう)?が(?:好き|いい|良い)(?:です)?",
        Kind.PREFERENCE,
        "{what}より{liked}が好き",
        keys.preference_key,
    ),
    rule(
        r"(?P<liked>.+?)の(?:方|ほう)が(?:好き|好み)(?:です)?",
        Kind.PREFERENCE,
        "{liked}の方が好き",
        keys.preference_key,
    ),
    rule(
        r"(?P<liked>.+?)[がは](?:好きではありません|好きじゃない(?:です)?|嫌い(?:です)?|苦手(?:です)?)",
        Kind.PREFERENCE,
        "{liked}が嫌い",
    ),
    rule(r"(?P<liked>.+?)が(?:大)?好き(?:です)?", Kind.PREFERENCE, "{liked}が好き"),
    rule(r"(?P<liked>.+?)を好みます", Kind.PREFERENCE, "{liked}が好き", keys.preference_key),
    rule(r"(?P<what>.+?)は(?P<how>食べません|飲みません|吸いません)", Kind.PREFERENCE, "{what}は{how}"),
    rule(
        r"(?P<word>(?:いつも|毎日|毎朝|毎晩|決して) ?[^をはが]{0,14}(?:[をはが][^をはが]{1,14})?(?:ます|ません))",
        Kind.PREFERENCE,
        "{word}",
        confidence=0.85,
    ),
    rule(
        rf"(?P<tool>.+?)を{_OWN_THING}として使って(?:い)?(?:ます|る)",
        Kind.ENVIRONMENT,
        "{slot}は{tool}",
        keys.owned_key,
    ),
    rule(
        r"(?P<topic>[^をは]{1,12})には ?(?P<tool>.+?)を使って(?:い)?(?:ます|る)",
        Kind.ENVIRONMENT,
        "{topic}に{tool}を使っている",
    ),
    rule(
        r"(?P<tool>.+?)を使って(?:い)?(?:ます|る)",
        Kind.ENVIRONMENT,
        "{tool}を使っている",
        keys.tool_key,
        confidence=0.85,
    ),
    rule(
        r"(?:私たちは|我々は|チームで)?、?(?P<clause>.+?)(?:ことに(?:決めました|決めた|しました"
        r"|決定しました)|に決めました|に決定しました|を採用しました)",
        Kind.DECISION,
        "決定：{clause}",
        scope="project",
    ),
    rule(
        r"(?:私たちは|我々は|チームでは) ?(?P<order>(?:決して|絶対に|必ず|常に) ?.+)",
        Kind.CONSTRAINT,
        "ルール：{order}",
        scope="project",
    ),
    rule(
        r"(?P<order>(?:[^。]{1,16}?[はを])?(?:絶対に|決して|必ず|常に|いつも|今後は) ?.+?(?:ないで"
        r"|て)(?:ください|下さい))",
        Kind.CONSTRAINT,
        "ルール：{order}",
    ),
)
JAPANESE = language(
    "ja",
    TONGUE,
    RULES,
    cleaners(_LEANS, _FILLER, _ROLES, spaced=False),
    r"(?:今日|明日|今回|とりあえず|一旦|さっき|このファイル|この関数|このブランチ|このテスト"
    r"|ここでは|今夜|今朝|今だけ)",
)
