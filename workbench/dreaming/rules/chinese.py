"""Chinese: what a sentence is meant as, and what it says."""

from __future__ import annotations

from workbench.dreaming.rules import keys
from workbench.dreaming.rules.nouns import cleaners
from workbench.dreaming.rules.plain import Tongue, language
from workbench.dreaming.rules.table import Rule, rule
from workbench.dreaming.rules.times import Times
from workbench.ledger.model import Kind

_DIGITS = ("一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二")
TIMES = Times(
    since=r"(?:从|從|自从|自|在)?",
    spans={
        r"昨天": "yesterday",
        r"上(?:个|個)?(?:星期|周|週|礼拜)": "last week",
        r"上(?:个|個)?月": "last month",
        r"去年": "last year",
        r"(?:这|這)(?:个|個)?(?:星期|周|週)": "this week",
        r"(?:这|這)(?:个|個)?月": "this month",
        r"今年": "this year",
    },
    months=tuple(rf"(?:{number}|{digits})月(?:份)?(?:开始|以来|起)?" for number, digits in enumerate(_DIGITS, 1)),
    ago=(r"{n} ?(?:个|個)?{unit}(?:以?前)",),
    units=(r"天", r"(?:星期|周|週)", r"月", r"年"),
    numbers={"一": 1, "两": 2, "兩": 2, "三": 3, "四": 4, "五": 5, "六": 6, "十": 10},
)

_FILLER = r"了|吧|啊|哦|呢|的|谢谢|謝謝"
TONGUE = Tongue(
    marks=frozenset(),
    lead=(
        r"你好|您好|大家好|嗨|哈喽|好的?|嗯|对了|對了|顺便(?:说一下|一提)|另外|还有|還有|而且|但是|但"
        r"|不过|因为|所以|其实呢|目前|现在|現在|最近|一般来说|对我来说"
        r"|说到这个|背景(?:是)?|补充一下|请|請|麻烦你?"
    ),
    correcting=r"更正(?:一下)?|纠正一下|抱歉|不好意思|说错了|其实|實際上|实际上|准确地说",
    remember=r"(?:请|請)?(?:记住|記住|记得|記得|别忘了|別忘了|请注意|记一下|帮我记)[:：，, ]?",
    label=r"关于我|關於我|背景|补充|备注|重要|更新|更正|说明|我的(?:配置|情况)",
    hedge=r"(?:我(?:觉得|覺得|想|猜)，?(?=我)|应该是|大概)",
    guess=r"(?:也许|也許|可能|或许|或許|说不定|不确定|不確定|不知道|好像)",
    unmeant=(
        r"^(?:他|她|它|他们|她们|如果|假如|要是|假设|假設|比如|例如|想象|想像)|(?:如果我|要是我"
        r"|假如我|比如说?|例如|梦见|他说|她说|他們說|他说过|老板说|同事说|客户说"
        r"|妈妈说|爸爸说|朋友说|医生说|别人说|据说|说我|開玩笑|开玩笑|小时候|小時候|以前我|我以前|曾经|曾經)"
    ),
    opens=r"(?:翻译|翻譯|润色|改写|造句|写(?:一)?(?:个|篇|首|封|段)|寫(?:一)?(?:個|篇|首|封|段)|扮演"
    r"|你现在是|你現在是|假装|假裝|角色|小说|小說|故事里|这句话|這句話|例句)",
    asked=r"(?:你能|能不能|可以|可不可以|是不是|怎么|怎麼|什么|什麼|哪里|哪裡|哪儿|谁|誰|为什么|為什麼"
    r"|多少|请问)|.*(?:吗|嗎|呢|什么|什麼|怎么|怎麼|哪里|哪个|谁|几)$",
    split=r"[，,；;、]\s*(?=(?:我|请|請|不过|但|而且|另外|所以|因为|现在|平时|永远|总是|从|在|也|喜欢"
    r"|住|用))|[—–]+|，",
    times=TIMES,
    subject="我",
    turned=(
        (
            r"^我(?:现在|現在|目前|平时|平時|一般|个人|個人|其实|其實|本人|一直都?(?=喜欢|住|在|用)|还是"
            r"|真的|很|非常|特别|比较)+",
            "我",
        ),
        (r"^我(?:是|就)?(住|在)", r"我\1"),
    ),
)
_LEANS = (
    r"[我你您它他她]|这[个里样些]|這[個裡樣些]|那[个里样些]|那[個裡樣些]|自己的?$|^(?:是|不|没|沒"
    r"|什么|的|了)|(?:这|那|它|他|她|什么|吗|呢)$|上面|下面|以下|以上"
)
_ROLES = (
    r"(?:(?:一)?(?:名|个|個|位))?[\u3400-\u9fffA-Za-z ]{0,8}(?:工程师|工程師|程序员|程式設計師"
    r"|老师|老師|教师|医生|醫生|护士|護士|律师"
    r"|律師|设计师|設計師|学生|學生|研究生|博士生|经理|經理|分析师|分析師|科学家|科學家|研究员"
    r"|記者|记者|编辑|編輯|翻译|会计|會計|厨师|廚師|司机|司機|作家|画家|音乐家"
    r"|教授|顾问|顧問|产品经理|运维|架构师|開發者|开发者|创始人|自由职业者|公务员|药剂师"
    r"|心理咨询师|摄影师|攝影師|销售|退休人员)"
)
_OWN_THING = r"(?P<slot>编辑器|編輯器|浏览器|瀏覽器|操作系统|终端|終端|笔记本电脑|笔记本|电脑|shell|IDE)"
_REL = (
    r"(?P<rel>妻子|老婆|太太|丈夫|老公|女朋友|女友|男朋友|男友|妈妈|母亲|爸爸|父亲|老板|上司|儿子"
    r"|女儿|哥哥|弟弟|姐姐|妹妹|同事|狗|猫|宠物)"
)

RULES: tuple[Rule, ...] = (
    rule(r"(?:我叫|我的名字(?:是|叫)|我名叫) ?(?P<name>.+)", Kind.PROFILE, "名字是{name}", "profile.name"),
    rule(
        r"我(?:已经)?(?:不再|不)住在 ?(?P<place>.+?)了?",
        Kind.CORRECTION,
        "不再住在{place}",
        "profile.location",
        retracts=True,
        ends="住在{place}",
    ),
    rule(r"我(?:住在|居住在|定居在|生活在) ?(?P<place>.+)", Kind.PROFILE, "住在{place}", "profile.location"),
    rule(r"我在 ?(?P<place>.+?)住了?(?:.{0,6}年)?了?", Kind.PROFILE, "住在{place}", "profile.location"),
    rule(
        r"我(?:已经)?(?:从.+?)?(?:搬到|搬去|搬家到|搬到了|搬去了)了? ?(?P<place>.+?)(?:住|生活)?了?",
        Kind.PROFILE,
        "住在{place}",
        "profile.location",
    ),
    rule(r"我(?:来自|來自) ?(?P<place>.+)", Kind.PROFILE, "来自{place}"),
    rule(
        r"我(?:已经)?(?:不再|不)在 ?(?P<org>.+?) ?(?:工作|上班|任职)了?",
        Kind.CORRECTION,
        "不再在{org}工作",
        "profile.employer",
        retracts=True,
        ends="在{org}工作",
    ),
    rule(
        r"我(?:已经)?从 ?(?P<org>.+?) ?(?:离职|辞职|離職)了?",
        Kind.CORRECTION,
        "不再在{org}工作",
        "profile.employer",
        retracts=True,
        ends="在{org}工作",
    ),
    rule(r"我在 ?(?P<org>.+?) ?(?:当|做|担任|任) ?(?P<role>.+)", Kind.PROFILE, "在{org}担任{role}", "profile.employer"),
    rule(r"我在 ?(?P<org>.+?) ?(?:工作|上班|任职)", Kind.PROFILE, "在{org}工作", "profile.employer"),
    rule(r"我(?:的职业)?是(?:一(?:名|个|位))? ?(?P<role>.+)", Kind.PROFILE, "职业是{role}", "profile.role"),
    rule(
        r"我(?:不再|不)是 ?(?P<role>.+?)了",
        Kind.CORRECTION,
        "职业不再是{role}",
        "profile.role",
        retracts=True,
        ends="职业是{role}",
    ),
    rule(r"我(?:是|吃) ?(?P<word>素食(?:主义)?者|素|纯素)", Kind.PREFERENCE, "饮食：{word}", "preference.diet"),
    rule(r"我对 ?(?P<what>.+?) ?过敏", Kind.FACT, "对{what}过敏"),
    rule(r"我的母语是 ?(?P<word>.+)", Kind.PROFILE, "母语是{word}", "profile.language"),
    rule(
        r"我会(?:说|讲) ?(?P<word>(?:中文|英语|英文|日语|日文|德语|法语|西班牙语|粤语|普通话|韩语"
        r"|俄语)(?:[、和，及].+)?)",
        Kind.SKILL,
        "会说{word}",
    ),
    rule(r"我的时区是 ?(?P<word>[\w/+:-]+)", Kind.PROFILE, "时区是{word}", "profile.timezone"),
    rule(r"我的?生日是 ?(?P<word>.*\d+月\d+[日号])", Kind.PROFILE, "生日是{word}", "profile.birthday"),
    rule(
        rf"我(?:的|家)?{_REL}(?:的名字)?(?:叫|是叫|名叫) ?(?P<name>.+)",
        Kind.RELATIONSHIP,
        "{rel}叫{name}",
        keys.person_key,
    ),
    rule(rf"我的?{_OWN_THING}是 ?(?P<tool>.+)", Kind.ENVIRONMENT, "{slot}是{tool}", keys.owned_key),
    rule(
        r"我最喜欢的(?P<slot>[\u3400-\u9fff]{1,6})是 ?(?P<liked>.+)",
        Kind.PREFERENCE,
        "最喜欢的{slot}是{liked}",
        "preference.favorite-{slot}",
    ),
    rule(
        r"我(?:已经)?(?:不再(?:使)?用|不(?:使)?用) ?(?P<tool>.+?) ?了?",
        Kind.CORRECTION,
        "不再用{tool}",
        keys.tool_key,
        retracts=True,
        ends="用{tool}",
    ),
    rule(
        r"我们(?:已经)?(?:不再(?:使)?用|不(?:使)?用) ?(?P<tool>.+?) ?了?",
        Kind.CORRECTION,
        "不再用{tool}",
        keys.uses_key,
        scope="project",
        retracts=True,
        ends="用{tool}",
    ),
    rule(
        r"我(?:已经)?(?:从 ?.+?)?(?:换成|换到|改用|切换到|转到|迁移到)了? ?(?P<tool>.+?) ?了?",
        Kind.ENVIRONMENT,
        "用{tool}",
        keys.tool_key,
    ),
    rule(
        r"我们(?:已经)?(?:从 ?.+?)?(?:换成|换到|改用|切换到|转到|迁移到)了? ?(?P<tool>.+?) ?了?",
        Kind.ENVIRONMENT,
        "用{tool}",
        keys.uses_key,
        scope="project",
    ),
    rule(
        r"我(?:已经)?(?:不再|不|戒)(?P<how>抽|吸|喝|吃|喜欢) ?(?P<what>.+?)了",
        Kind.CORRECTION,
        "不再{how}{what}",
        retracts=True,
        ends="{how}{what}",
    ),
    rule(
        r"(?:比起|相比) ?(?P<what>.+?)[，,]?我?更?(?:喜欢|偏好|倾向于) ?(?P<liked>.+)",
        Kind.PREFERENCE,
        "比起{what}更喜欢{liked}",
        keys.preference_key,
    ),
    rule(
        r"我(?:更喜欢|偏好|更偏好|更倾向于|倾向于) ?(?P<liked>.+?)(?:而不是|胜过|多于) ?(?P<what>.+)",
        Kind.PREFERENCE,
        "比起{what}更喜欢{liked}",
        keys.preference_key,
    ),
    rule(
        r"我喜欢 ?(?P<liked>.+?)(?:而不是|胜过|多于) ?(?P<what>.+)",
        Kind.PREFERENCE,
        "比起{what}更喜欢{liked}",
        keys.preference_key,
    ),
    rule(
        r"我(?P<how>更喜欢|偏好|更偏好|更倾向于|倾向于) ?(?P<liked>.+)",
        Kind.PREFERENCE,
        "更喜欢{liked}",
        keys.preference_key,
    ),
    rule(r"我(?P<how>不喜欢|讨厌|討厭) ?(?P<liked>.+)", Kind.PREFERENCE, "{how}{liked}"),
    rule(r"我(?P<how>喜欢|喜歡|爱|热爱) ?(?P<liked>.+)", Kind.PREFERENCE, "{how}{liked}"),
    rule(r"我(?P<how>从来不|从不|总是|每天都?|通常|一直) ?(?P<what>.+)", Kind.PREFERENCE, "{how}{what}"),
    rule(r"我不(?P<how>吃|喝|抽) ?(?P<what>.+)", Kind.PREFERENCE, "不{how}{what}"),
    rule(
        rf"我(?:使)?用 ?(?P<tool>.+?) ?(?:作为|当|做) ?(?:我的)?{_OWN_THING}",
        Kind.ENVIRONMENT,
        "用{tool}作为{slot}",
        keys.owned_key,
    ),
    rule(
        r"我(?:使)?用 ?(?P<tool>[A-Za-z][\w .+#-]*?) ?(?P<how>来|写|做|处理|管理) ?(?P<topic>.+)",
        Kind.ENVIRONMENT,
        "用{tool}{how}{topic}",
    ),
    rule(r"我(?:使)?用(?:的是)? ?(?P<tool>.+)", Kind.ENVIRONMENT, "用{tool}", keys.tool_key, confidence=0.85),
    rule(
        r"(?P<order>我们(?:从不|从来不|永远不|绝不|总是|一律|只) ?.+)",
        Kind.CONSTRAINT,
        "规则：{order}",
        scope="project",
    ),
    rule(
        r"(?:我们的?|这个)(?P<slot>项目|团队|服务|代码库|后端|前端)(?:使)?用(?:的是)? ?(?P<tool>.+)",
        Kind.ENVIRONMENT,
        "{slot}用{tool}",
        scope="project",
    ),
    rule(
        r"我们(?:团队|项目)?(?:决定|商定|约定|一致同意|选择)了? ?(?P<clause>.+)",
        Kind.DECISION,
        "已决定：{clause}",
        scope="project",
    ),
    rule(
        r"我们(?:使)?用(?:的是)? ?(?P<tool>.+)",
        Kind.ENVIRONMENT,
        "用{tool}",
        keys.uses_key,
        scope="project",
        confidence=0.85,
    ),
    rule(
        r"(?P<order>(?:永远不要|永远别|绝对?不要|千万不要|千万别|一律|务必|始终|总是|必须始终|永远) ?.+)",
        Kind.CONSTRAINT,
        "规则：{order}",
    ),
    rule(r"(?P<order>以后(?:都|请|不要|别|一律)?.+)", Kind.CONSTRAINT, "规则：{order}", confidence=0.85),
)
CHINESE = language(
    "zh",
    TONGUE,
    RULES,
    cleaners(_LEANS, _FILLER, _ROLES, spaced=False),
    r"(?:今天|明天|这次|這次|暂时|暫時|刚才|现在先|这个(?:文件|函数|分支|测试|例子)|这里|這裡"
    r"|今晚|今早|等一下|一会儿)",
)
