"""How texts steer an agent: what they say to it, by name. RE2 syntax; what they want done is in injection_actions.

Gaps between words are counted in words or end with the sentence: counted characters would make RE2's automaton large.
Accents are off in the reading that the patterns of other languages match.
"""

from __future__ import annotations

_W = r"(?:[^\s.!?;]+\s+){0,5}"
_RULES = (
    r"(?:instruction|direction|directive|guideline|rule|prompt|command|order|polic(?:y|ie)|constraint|restriction"
    r"|safeguard|guardrail|programming|training|limitation|filter|message)s?\b"
)
_WHOSE = (
    r"(?:previous|prior|preceding|above|earlier|former|past|foregoing|existing|original|initial|your|system"
    r"|developer"
    r"|safety|content|given|current)"
)
_DROP = (
    r"(?:ignor(?:e|ing)|disregard(?:ing)?|forget|overrid(?:e|ing)|overrul(?:e|ing)|bypass(?:ing)?|neglect|discard"
    r"|dismiss"
    r"|abandon|cancel|erase|delete|violate|circumvent|stop following|not follow|don'?t follow|no longer follow"
    r"|not obey|pay no attention to|(?:put|set|throw) (?:aside|away)|unlearn)"
)
_REVEAL = (
    r"(?:reveal|show|print|output|repeat|display|tell|give|share|leak|expose|dump|disclose|recite|summari[sz]e"
    r"|write|list|provide|return|echo|paste|send|spell|translate|encode|state|quote|copy|describe|extract|read)"
)
_AI = r"(?:ai|llms?|language models?|assistants?|agents?|chatbots?|bots?|copilot|claude|chatgpt|gpt|gemini|models?)"

PATTERNS: dict[str, tuple[str, ...]] = {
    "prompt_injection": (
        rf"(?i)\b(?:previous|prior|above|earlier|those|original|initial)\s+(?:\S+\s+)?{_RULES}\s+(?:was|were|is"
        rf"|are|ha(?:s|ve) been)\s+(?:\S+\s+)?(?:wrong|an? (?:test|mistake|joke|error)|outdated|invalid|void|fake"
        rf"|cancell?ed|no longer|superseded|revoked"
        r"|compromised|obsolete|over|replaced|rescinded|suspended)\b",
        r"(?i)\b(?:forget|ignore|disregard|leave)\s+(?:about\s+)?(?:all\s+|everything\s+)?(?:the\s+"
        r"|of\s+)*(?:your|my|previous|prior|above|all)\s+(?:\S+\s+)?(?:assignments?|tasks?|conversations?"
        r"|training)\b",
        r"(?i)\bvergi(?:ss|ß)\w*\s+(?:\S+\s+){0,5}(?:aufgabe|auftr|frueher|fruher|vorherig|vorig|bisherig|davor"
        r"|vorher|alles)\w*|\b(?:olvida|oubliez?|dimentica|esqueca)\s+(?:\S+\s+)?(?:todo|tout|tutto|tudo)\b",
        r"(?i)\b(?:now|stop)[,.!]? (?:i|we) (?:need|want) you to (?:concentrate|focus) on|\bpwned\b",
        r"(?i)snoitcurtsni|\berongi\b|\btpmorp metsys\b",
        r"(?i)\b(?:follow|obey|execute|listen to|heed)\s+(?:only\s+)?(?:these|my|the (?:following|new|below)|this"
        r"|user)\s+(?:new\s+)?(?:instructions?|commands?|orders?)\s*(?:instead|only|from now|and (?:ignore"
        r"|nothing|not)|regardless|immediately)",
        r"(?i)\b(?:instead of|rather than)\s+(?:\S+\s+){0,3}(?:the task|your task|what you were (?:told|asked)"
        r"|following (?:your|previous))\b",
        rf"(?i)\b{_DROP}\s+{_W}{_WHOSE}\s+(?:[^\s.,:!?;]+\s+){{0,5}}{_RULES}",
        rf"(?i)\b{_DROP}\s+(?:(?:all|any|every|each|the|of|these|those|single)\s+){{1,4}}(?:instruction|directive"
        rf"|guideline|prompt|safety rule)s?\b",
        rf"(?i)\b{_DROP}\s+(?:all|any|every|these|those)\s+rules\b",
        rf"(?i)\b{_DROP}\s+(?:everything|anything|all|whatever|what)\s+{_W}(?:above|before|previously|prior"
        rf"|earlier|told|said|instructed|were given)\b",
        rf"(?i)\b{_DROP}\s+(?:all\s+|the\s+|everything\s+)*(?:above|preceding|foregoing|(?:previous|prior"
        rf"|earlier)\s+(?:text|messages?|context|conversation|input|content|paragraphs?|statements?))\b",
        rf"(?i)\b{_DROP}\s+(?:the\s+)?(?:users?|user'?s|person'?s|current|original|assigned|actual)\s+(?:task"
        rf"|requests?|questions?|query|goal|intent|message)\b",
        rf"(?i)\b{_RULES}\s+{_W}(?:before|above|previously|prior|so far|earlier)\s*(?:should|must|are|can"
        rf"|do)\s+(?:be\s+|not\s+|no\s+longer\s+)*(?:ignored|disregarded|void|invalid|cancel|obsolete|apply)",
        r"(?i)\b(?:ignore|disregard|forget|override)\s*(?:all|any)?\s*(?:the|my|your)?\s*(?:previous|prior|above"
        r"|earlier)\s*(?:instruction|rule|prompt|guideline)",
        r"(?i)\b(?:new|updated|revised|real|actual|secret"
        r"|hidden) (?:system )?(?:instructions?|directives?|orders?|system prompt)\s*(?::|\bare\b"
        r"|\bfrom\b)",
        r"(?i)\b(?:vtaber|qvfertneq|sbetrg|bireevqr)\b[^.\n]*\b(?:vafgehpgvba|ehyr|cebzcg)",
        rf"(?i)\b(?:ignorier|vergiss|vergesse|missacht|verwirf|uberschreib)\w*\s+{_W}(?:\w*anweisung|instruktion"
        rf"|regel|befehl|vorgabe|richtlinie|prompt)\w*",
        rf"(?i)\b(?:ignor|oubli|neglige|fais abstraction|faites abstraction|meprise|ne tiens pas compte"
        rf"|ne tenez pas compte)\S*\s+{_W}(?:instructions?|consignes?|regles?|directives?|ordres?)\b",
        rf"(?i)\b(?:ignor|olvid|descart|omit|desatiend|haz caso omiso|no hagas caso)\S*\s+{_W}(?:instrucciones"
        rf"|instruccion|reglas|ordenes|indicaciones|directrices)\b",
        rf"(?i)\b(?:ignor|dimentic|scord|trascur|non seguire|non considerare)\S*\s+{_W}(?:istruzion[ei]|regole"
        rf"|ordini|direttive|indicazioni)\b",
        rf"(?i)\b(?:ignor|esquec|desconsider|descart)\S*\s+{_W}(?:instrucoes|instrucao|regras|ordens|comandos"
        rf"|diretrizes|orientacoes)\b",
        rf"(?i)\b(?:negeer|vergeet|zignoruj|ignoruj|zapomnij|ignorera|glom)\S*\s+{_W}(?:instructies|regels"
        rf"|opdrachten|instrukcj|polecen|zasad|instruktioner|regler)",
        r"(?i)(?:onceki|tum)\s[^.\n]*(?:talimat|komut|kural)\S*\s[^.\n]*(?:yok say|unut|gormezden)",
        rf"(?i)(?:игнорир|проигнорир|забудь|забыть|не обращай|отмени|отбрось|пренебрег)\S*\s+{_W}(?:инструкц"
        rf"|указани|правил|команд|распоряжени|промпт|предписани)",
        r"(?:忽略|无视|忘记|忘掉|不要理会|不用理会|不顾|抛弃|無視|忽視|忘記)[^。！？\n]*(?:指令|指示|提示|规则|規則|命令|要求|说明|設定|设定|限制|内容)",
        r"(?:以前|これまで|上記|今まで|すべて|全て|前の|先の)[^。！？\n]*(?:指示|命令|ルール|プロンプト|指令|規則)[^。！？\n]*(?:無視|忘れ|破棄)",
        r"(?:이전|앞선|위의|모든|기존)[^.\n]*(?:지시|명령|규칙|프롬프트|지침)[^.\n]*(?:무시|잊)",
        r"(?:تجاهل|انس)[^\n.]*(?:التعليمات|الأوامر|القواعد|تعليمات)|(?:पिछले|सभी|पूर्व)[^\n।]*(?:निर्देश"
        r"|आदेश)[^\n।]*(?:अनदेखा|भूल|उपेक्षा)",
        r"(?i)\b(?:neue anweisung|nouvelles? (?:instruction|consigne)|nuevas? instruccion|nuov[ae] istruzion"
        r"|novas? instruc|новые инструкции|新指令|新しい指示)\S*\s*:",
    ),
    "role_hijack": (
        r"(?i)\b(?:agis|agissez|comporte\S*|actua|actue|comportati|agisci|aja|handle|verhalte?|tu so|antworte"
        r"|reponds|responde|rispondi)\s+(?:\S+\s+){0,3}(?:comme si|como si|como se|come se|als (?:ob|hattest"
        r"|warst|gabe))\b"
        r"|\b(?:entwicklermodus|modo (?:de )?desarrollador|mode developpeur|modalita sviluppatore"
        r"|modo (?:de )?desenvolvedor|режим разработчика)\b|开发者模式|開発者モード",
        r"(?i)\byou (?:will |shall |must )?now\s+(?:act|answer|respond|reply|speak|behave|obey|comply|ignore"
        r"|pretend|role-?play|work for|serve|belong)\b"
        r"|\b(?:pretend|imagine|assume) (?:that )?(?:there are|you follow) no (?:rules|restrictions|limits"
        r"|guidelines|laws)\b|\bstop (?:being|acting (?:as|like)) (?:an?|the) (?:\S+ )?(?:ai|assistant|bot)\b",
        r"(?i)\b(?:i am|i'm|this is|speaking as|as)\s+(?:your|the)\s+(?:\S+\s+){0,2}(?:developer|creator|admin\w*"
        r"|supervisor)\b[^.\n]*"
        r"\b(?:you|order|command|authori[sz]e|instruct|override|reveal|ignore|grant|give|need)\b",
        r"(?i)\b(?:never|not|don't) break (?:out of )?character\b|\bopenai'?s?\s+(?:content\s+|usage\s+)?polic\w+"
        r"|\bhypothetical(?:ly)?,? (?:if you had|response)|\b(?:pretend|imagine|assume"
        r"|suppose)\s+(?:that\s+)?(?:you are|you're|you have|to be)\s+(?:\S+\s+){0,3}(?:no rules|no limits"
        r"|un(?:restricted|filtered|censored)|jailbroken)\b|\bwithout\s+(?:any\s+)?(?:disclaimers?"
        r"|censorship)\b",
        r"(?i)\b(?:du bist (?:jetzt|nun|ab)|tu es maintenant|vous etes maintenant|voce agora e|você agora é"
        r"|jij bent nu)\b",
        r"(?i)\byou(?: are|'re|r)(?: now| hereby| no longer| from now on)(?: going to (?:be|act|pretend"
        r"|play))?\s+(?:(?:an?|the|my)\s+(?:\S+\s+){0,4}(?:ai|assistant|bot|chatbot|model"
        r"|agent|hacker|admin\w*|terminal|system|persona)|in\s+\S+\s+mode|without|free|unrestricted|unfiltered"
        r"|jailbroken|able to|(?-i:[A-Z]{3,})|acting as|operating|no longer|bound)\b",
        r"(?i)\b(?:from now on|from this (?:point|moment)(?: on| onward| forward)?|henceforth),?\s+(?:you|act"
        r"|behave|pretend|ignore|your|the (?:assistant|ai|model|agent)|(?:respond|reply|answer"
        r"|speak)\s+(?:only\s+)?(?:as|like|without|with no))\b",
        r"(?i)\byour (?:new|true|real|only) (?:role|persona|identity|purpose|mission|objective|name) (?:is"
        r"|will be)\b",
        r"(?i)\b(?:act|behave|respond|reply|answer|speak|operate|pretend)\s+(?:as|like|that)?\s*(?:if"
        r"|though)?\s*you(?:'re| are| have| had| were)\s+(?:\S+\s+){0,3}(?:no|not|without|un(?:restrict|filter"
        r"|censor|limit|bound)\S*|free)\b",
        r"(?i)\b(?:you are|you're|enter|entering|switch(?:ing)? (?:in)?to|activate|enable|engage|act in|go into"
        r"|boot into)\s+(?:\S+\s+){0,3}(?:developer|dev|god|jailbreak|dan|unrestricted|maintenance|sudo|evil"
        r"|unfiltered|uncensored|apophis|opposite|chaos|root|admin|override)[- ]mode\b",
        r"(?i)\b(?:jailbreak|dan|god|unrestricted|unfiltered|evil|sudo|override)[- ]mode (?:enabled|activated"
        r"|is on|on|engaged)\b|\bdo anything now\b",
        r"\b(?i:act as|you are|you're|become|called|roleplay as|pretend to be)\s+(?i:now\s+|an?\s+)?(?:DAN|STAN"
        r"|DUDE|AIM|BetterDAN|EvilBOT|JailBreak)\b",
        r"(?i)\b(?:unfiltered|uncensored|unrestricted|amoral|jailbroken|unaligned)\s+(?:and\s+\S+\s+)?(?:ai"
        r"|assistant|chatbot|bot|language model|version of (?:yourself|chatgpt|claude))\b",
        r"(?i)\b(?:ab sofort|ab jetzt|von nun an)\s+(?:\S+\s+){0,2}(?:gibst|bist|wirst|antwort|darfst|hast"
        r"|ignorier|du)\S*|\b(?:desormais|a partir de maintenant),?\s+(?:\S+\s+){0,2}(?:tu|vous|sans|reponds"
        r"|ignore)\b|\b(?:vous etes|tu es)\s+(?:desormais|maintenant)\b",
        r"(?i)\b(?:ahora eres|ahora actuas|a partir de ahora,?\s+(?:\S+\s+){0,2}(?:eres|debes|responde\S*|vas"
        r"|actua\S*|tu)|ora sei|sei ora|adesso sei|d'ora in poi,?\s+(?:\S+\s+){0,2}(?:sei|rispondi|devi|agisci"
        r"|tu)|agora voce e|a partir de agora,?\s+(?:\S+\s+){0,2}(?:voce|responda|aja))\b",
        r"(?:(?:从现在开始|从现在起|现在开始),?\s?你|你现在是|(?:今から|これから)あなたは|あなたは今|지금부터 당신"
        r"|(?i:теперь ты|отныне ты|с этого момента ты))",
        r"(?i)\b(?:sin|sans|ohne|senza|sem)\s+(?:\S+\s+)?(?:restricci\S*|restricti\S*|restri\S*oes|restrizion\S*"
        r"|limites?|limiti|filtros?|filtres?|filtri|filter|einschrankung\S*|beschrankung\S*|regeln)\b"
        r"|без\s+(?:\S+\s+)?(?:ограничени|фильтр)|没有任何限制|不受限制|制限なし",
    ),
    "bypass_restrictions": (
        r"(?i)\b(?:safety|moderation|guardrails?|restrictions|jailbreak|content[ _-]?filter(?:s|ing)?"
        r"|safe[ _-]?mode|safeguards)(?:[ _-]mode)?\s*(?:=|:|->)\s*(?:off|false|disabled|none|0|on|true)\b",
        r"(?i)\byou(?:'re| are| have| now| will| can| may|'ve)*\b[\s,]+(?:\S+\s+){0,6}(?:no|without|unbound by"
        r"|free (?:of|from)|zero|not bound by"
        r"|not (?:subject|limited) to|ignore|bypass)\s+(?:any\s+|all\s+|the\s+|such\s+"
        r"|longer\s+have\s+)?(?:(?:ethical|moral"
        r"|content|safety|legal|usage|normal|typical|built-in|more)\s+)?(?:or\s+\S+\s+)?(?:restriction|filter|limit"
        r"|constraint|guardrail|safeguard|censorship|boundar|rules\b)",
        r"(?i)\b(?:ai|assistant|model|chatbot|bot|character|persona)\s+(?:\S+\s+){0,3}(?:no|without(?: any)?"
        r"|free (?:of|from))\s+(?:\S+\s+){0,2}(?:restriction|filter|limit|constraint|guardrail|guideline"
        r"|safeguard|rule|moral|ethic|censorship)",
        r"(?i)\b(?:normal|usual|safety|content|all|your|ethical|previous|these)\s+(?:\S+\s+)?(?:rules"
        r"|restrictions|limitations|guidelines|filters|safeguards|constraints|polic(?:y|ies)"
        r"|protocols)\s+(?:\S+\s+){0,3}(?:suspended|lifted|disabled|removed|turned off|void|deactivated|off"
        r"|no longer appl\w+|do(?:es)? not apply)\b",
        r"(?i)\b(?:disable|turn off|switch off|bypass|circumvent|evade|override|remove|deactivate|suspend"
        r"|lift)\s+(?:\S+\s+){0,3}(?:content|safety|ethical|ethics|moderation|alignment)\s+(?:\S+\s+)?(?:polic\w+"
        r"|filters?|guidelines?|checks?|protocols?|measures?|controls?|restrictions?|mechanisms?|rules|settings?"
        r"|mode|layer|guardrails?)\b",
        r"(?i)\b(?:comply with|obey|grant|approve|accept|fulfil+|execute|answer)\s+(?:all|any|every"
        r"|whatever)\s+(?:\S+\s+){0,2}(?:requests?|commands?|orders?|questions? (?:without|regardless))\b"
        r"|\bsafe[_ -]?mode\s*[=:]\s*(?:false|off|0|disabled)",
        r"(?i)\b(?:never|do not|don't|cannot|can't|must not|not allowed to)\s+(?:refuse|decline"
        r"|reject)\s+(?:\S+\s+){0,3}(?:requests?|orders?|questions?|user|me|instructions?|anything|command)",
    ),
    "system_prompt": (
        r"(?i)\b(?:dein\w*|ihre?[nm]?|ton|votre|tu|su|tuo|seu)\s+(?:\S+\s+)?(?:system-?prompt|system prompt"
        r"|prompt|systemanweisung\w*|systemnachricht)\b|\b(?:mensaje de(?:l)? sistema|message systeme"
        r"|messaggio di sistema|mensagem (?:de|do) sistema)\b",
        rf"(?i)\b{_REVEAL}\s+(?:\S+\s+){{0,3}}your\s+(?:\S+\s+){{0,2}}(?:config|settings|rules|system message"
        rf"|internal \S+|source code|hidden \S+|tools|functions|secrets?)\b",
        r"(?i)\b(?:how|what)\s+(?:does|do|did|was|is|were)\s+(?:\S+\s+){0,4}(?:your|the)\s+(?:\S+\s+)?(?:prompt"
        r"|instructions?)\s+(?:start|begin|say|look|contain|end)"
        r"|\b(?:start|beginning|first (?:word|sentence|line|part)s?|end|contents?) of (?:your|the|this"
        r"|these) (?:\S+ )?(?:prompt|instructions)\b",
        r"(?i)\bwhat (?:were|are|have) you (?:been )?(?:told|instructed|given|programmed|asked to (?:keep"
        r"|hide))\b|\b(?:your|the) (?:system prompt|initial prompt|pre-?prompt|hidden prompt)\b[^.\n]*"
        r"\b(?:verbatim|word for word|in full|in (?:a|an) \S+ block|as (?:a|an)|now|to me)\b",
        r"(?i)\b(?:tell|give|show|reveal|say|spell|write|print|output|share|hint|know)\b[^.\n]*\b(?:the|your"
        r"|secret|gandalf'?s)\s+(?:secret\s+)?(?:pass\s?word|passphrase|secret (?:phrase|word))\b"
        r"(?:[?.!,]|\s*$|\s+(?:backwards|in reverse|but|with|letter|to me|is|you|reversed))",
        r"(?i)\b(?:montre|affiche|revel|muestr|mostr|rivel|zeig|gib|verrat|dis-?moi|donne|divulg|imprim|stamp"
        r"|druck|enseñ|ensen)\S*\s+(?:\S+\s+){0,4}(?:system-?prompt|prompt (?:de |del |du |di |do |da )?"
        r"(?:sistema|systeme)|(?:instrucciones|instructions|istruzioni|instrucoes) (?:del sistema|du systeme"
        r"|di sistema|do sistema|systeme|inicia\w*|initiales|iniziali|ocult\w*|cachees|nascoste)"
        r"|systemanweisung\w*|systemnachricht)",
        rf"(?i)\b{_REVEAL}\s+{_W}(?:your|hidden|initial|original|full|entire|exact|secret|complete|this"
        rf"|the)\s+{_W}(?:system[- ](?:prompts?|message|instructions?|text)|(?:initial|hidden|original|secret"
        rf"|internal|developer|confidential|first|pre-?) ?(?:prompts?|instructions?|message|guidelines|rules"
        rf"|directives)|pre-?prompt|context window)\b",
        rf"(?i)\b{_REVEAL}\s+(?:\S+\s+){{0,3}}your\s+(?:\S+\s+){{0,2}}(?:prompts?|instructions?|guidelines"
        rf"|directives|configuration|programming)\b",
        rf"(?i)\b{_REVEAL}\s+{_W}(?:all|every|any|the)\s+(?:\S+\s+){{0,3}}(?:instructions?|prompts?|rules|text"
        rf"|words|messages?|content)\s+(?:that\s+)?(?:you(?:'ve| have| were)?\s+(?:received?|got|given|been given"
        rf"|told|have|follow\w*)|(?:above|before|prior to) (?:this|the)|verbatim|word for word|in your (?:context"
        rf"|prompt))",
        rf"(?i)\b{_REVEAL}\s+(?:out\s+)?(?:\S+\s+)?all (?:of )?(?:the |your )?(?:instructions|prompts)\b",
        r"(?i)\b(?:what(?:'s| is| are| was| were)|tell me)\s+(?:\S+\s+){0,2}(?:your"
        r"|the)\s+(?:\S+\s+){0,2}(?:system prompt|(?:initial|original|hidden|secret|exact|system|first"
        r"|pre-?programmed)\s+(?:prompt|instructions?|message|rules))\b",
        r"(?i)\b(?:repeat|print|output|copy|echo|recite|say)\s+(?:back\s+)?(?:everything|all|the (?:words|text"
        r"|content|lines?)|what(?:ever)?)\s+(?:\S+\s+){0,5}(?:above|before|prior|starting with|in your context"
        r"|you are)\b",
        rf"(?i)\b(?:revele|revelez|montre|affiche|donne|repete|imprime|revela|muestra|dime|ensena|rivela|mostra"
        rf"|dimmi|stampa|ripeti|mostre|repita|zeig|verrat|nenn|wiederhol|offenbar|druck|gib)\S*\s+{_W}(?:tu|tus"
        rf"|su|sus|ton|tes|votre|vos|tuo|tue|tuoi|seu|suas?|dein\S*|ihre?n?)\s+{_W}(?:prompts?|system-?prompt"
        rf"|instruc\S*|consignes|istruzioni|anweisung\S*|instruktion\S*|regeln|reglas|regole|regles|regras)\b",
        r"(?:显示|输出|告诉我|透露|打印|重复|泄露|说出|揭示)[^。\n]*(?:系统提示|提示词|系统指令|初始指令)|(?:システムプロンプト|初期指示)[^。\n]*(?:表示|教え|出力|見せ"
        r"|開示)|(?i:покажи|раскрой|выведи|повтори|назови)\S*\s[^.\n]*(?:системн|промпт|инструкци)",
        r"(?i)\b(?:system|admin(?:istrator)?|root|developer)\s+(?:override|command|directive)\s*(?::|-|\b(?:is"
        r"|active|accepted|engaged)\b)"
        r"|\boverride (?:code|protocol|authori[sz]ation)\b|\b(?:begin|start|end) (?:of )?(?:system"
        r"|admin) (?:prompt|message)\b",
    ),
    "role_label": (
        r"(?mi)^\s*#{2,}\s*(?:instruction|system|response|human|assistant|new instructions?)\s*:"
        r"|[\"']?\brole[\"']?\s*:\s*[\"']?(?:system|developer)\b|\{[{%]-?\s*#?system\b|^-{3,}\s*\n\s*(?:system"
        r"|new instructions?)\b|^```\s*(?:system|prompt|instructions?)\b",
        r"(?m)^[\s#>*=-]*[\[(*]{1,2}\s*(?i:system|assistant|developer|admin|ai|instructions?)(?i:\s+(?:note"
        r"|message|prompt|override|instruction|alert|notice))?\s*[\])*]{1,2}",
        r"(?m)^[\s#>*-]*SYSTEM\s*:|^[\s#>*-]*(?i:assistant|human)\s*:\s|[.!?]\s+(?:Assistant|Human|SYSTEM"
        r"|System)\s*:\s",
        r"(?mi)^[\s#>*-]*system\s*:\s*(?:you|the user|ignore|grant|new|disregard|override|do|always|never|please"
        r"|from now|execute|reveal|your)\b",
        r"(?i)\bsystem\s+(?:note|message|override|alert|notice|instruction|update)\s*:|\b(?:nota del sistema"
        r"|nota di sistema|note (?:du )?systeme|systemhinweis|systemnachricht|systemmeldung|message systeme"
        r"|mensaje del sistema|messaggio di sistema|nota do sistema|системное сообщение)\s*:|(?:系统提示|系统消息"
        r"|システムメッセージ|システム)\s*:",
        r"(?mi)[-=#*<\[]{2,}\s*(?:end|begin|start)(?:ing)?\s+(?:of\s+)?(?:the\s+)?(?:\S+\s+){0,2}(?:document"
        r"|input|context|prompt|instructions?|conversation|message|data|content|text|email|query|session"
        r"|transcript)s?\b",
    ),
    "delimiter_breakout": (
        r"(?i)</\s*(?:memory|memories|workbench-memory|system|system-reminder|assistant|instructions?|prompt"
        r"|tool_results?|function_results?|tool_response|untrusted\S*|recall|user_input|user_query|data"
        r"|context)\s*>|<\s*(?:system|assistant|important|instructions?|admin|override|system-reminder"
        r"|system_prompt|secret)\s*>|<\|[a-z_]{2,30}\|>|<<\s*/?sys\s*>>|\[/?inst\]",
    ),
    "hidden_html": (
        r"(?i)<!--[^>]*\b(?:system|assistant|agents?|llm|ignore|override|instructions?|remember|you must|disable"
        r"|prompt)\b[^>]*-->",
        r"(?i)<(?:div|span|p|section|td|font|a|li)\b[^>]*(?:display\s*:\s*none|visibility\s*:\s*hidden"
        r"|font-size\s*:\s*0|opacity\s*:\s*0(?:[;\"' ]|\.0)|color\s*:\s*(?:white|#fff)"
        r"|\shidden\b)[^>]*>[^<\n]*\w[ ,]+\w",
    ),
    "agent_address": (
        r"(?i)\b(?:whenever|when|every time|each time)\s+(?:this|the|any|a)\s+(?:tool|file|document|page|email"
        r"|user|record|ticket)\b[^.\n]*\b(?:also|first|silently|secretly|must)\s+(?:\S+\s+)?(?:read|send|call"
        r"|forward|include|bcc|run|append|copy|fetch|post)\b"
        r"|\bmust be (?:called|run|invoked|used) (?:before|prior to|first before) any other\b",
        r"(?i)\b(?:processing|integration|compliance|audit|workflow|operations?|maintenance|automation|handling"
        r"|retention|archival|indexing|assistant|agent|model|routing|logging|pipeline|export|sync|escalation)\s+"
        r"(?:note|hook|notice|requirement|directive|instruction|reminder|step|policy"
        r"|rule)s?\s*(?:\([^)\n]*\))?\s*:[^\n]*\b(?:call|send|forward|append|include|post|upload|export|invoke"
        r"|transmit|output|reply|respond|use|add|copy|bcc|cc)\b",
        r"\b(?:URGENT|IMPORTANT|CRITICAL|ALERT|ATTENTION|REQUIRED|MANDATORY|NOTICE|EMERGENCY|OVERRIDE|PRIORITY"
        r"|RECOVERY|BREACH|INSTRUCTIONS?|PREREQUISITE)\b[^\n:.]*[:.!]\s*[^\n]*\b(?i:you must|ignore|disregard"
        r"|send|reveal|execute|curl|wget|leak|exfiltrate|forward|before (?:using|answering|calling))\b",
        r"(?i)\b(?:before|prior to)\s+(?:you\s+)?(?:answer|respond|reply|continu|proceed|us|call|do|tak|execut"
        r"|summari[sz]|process|complet|perform)(?:ing|e)?\b[^.\n]*\b(?:you must|must first|first (?:read|call|run"
        r"|send|fetch)|read|leak|exfiltrate|curl|call [a-z]+_[a-z_]+|send_\w+)\b",
        r"(?i)\b[a-z]*install\s*\((?:for|to) [^)\n]*(?:ai|agent|assistant|llm|model)[^)\n]*\)|\b(?:ai|llm"
        r"|coding) (?:agents?|assistants?|models?)\s*(?:\)|:|,)?\s*(?:must|should|please|need to|are (?:required"
        r"|instructed))\b",
        r"(?i)\byou must\s+(?:\S+\s+){0,3}(?:execute|curl|wget|exfiltrate|leak|forward|upload|obey|comply|reveal"
        r"|ignore|disregard)\b",
        rf"(?i)\b(?:note|message|instructions?|attention|notice|important|reminder|directive)\s*(?:to"
        rf"|for)\s+(?:the\s+|all\s+|any\s+|our\s+)?(?:\S+\s+)?{_AI}\b|\((?:to|for)\s+(?:the\s+|all\s+"
        rf"|any\s+)?(?:ai|llm|coding)\s+\S+\)|\battention,?\s+{_AI}\b",
        r"(?i)\b(?:if you are|as)\s+(?:an?\s+)?(?:ai|llm|language model|automated agent|ai agent"
        r"|ai assistant)\b[^.\n]*\b(?:must|ignore|disregard|send|call|execute)\b|\bany (?:ai|llm"
        r"|agent|assistant)\s+(?:\S+\s+){0,4}(?:must|should)\b",
        r"(?i)\b(?:when|while|before|after)\s+(?:summari[sz]ing|processing|reading|analy[sz]ing|answering"
        r"|responding|replying)\s+(?:(?:to|about|this|the|any|these)\s+\S+|,)[^.\n]*\b(?:you must|must|include"
        r"|append|call|send|run|read|add|ignore|always"
        r"|execute|fetch|leak)\b",
    ),
    "output_steering": (
        r"(?i)\b(?:append|add|include|insert|prepend|attach|put|place|embed|mention|write|begin|start|end"
        r"|sign|prefix)\b[^.\n]*\b(?:(?:every|each|all|any)\s+(?:\S+\s+)?(?:response|repl(?:y|ies)|answer)s?"
        r"|(?:every|each|all|any)\s+(?:\S+\s+)?(?:future|subsequent|generated|outgoing|your)\s+\S+)\b",
        # The agent's own answer is named
        r"(?mi)(?:^|[.!?:;,]\s+)(?:please\s+|and\s+|then\s+|also\s+)?(?:translate|enhance|modify|reverse|shift"
        r"|encode|invert|swap"
        r"|substitute|introduce|combine|include|add|insert|append|integrate|use|replace|convert|format|render"
        r"|output|give"
        r"|provide|turn|scramble|put|change|obfuscate|rewrite|finish|conclude|conceal|hide|anagram|reply|respond"
        r"|answer)\b"
        r"[^.\n]*\byour\s+(?:\S+\s+)?(?:responses?|repl(?:y|ies)|answers?|output|messages?|solution)\b",
        r"(?i)\b(?:respond|reply|answer|write|speak|say it|output)\s+(?:\S+\s+)?(?:in|with|using)\s+(?:reverse"
        r"|base\s?\d+|rot-?13|morse(?: code)?|emojis?|leet\w*"
        r"|binary|hex\w*|ciphers?|caesar)\b|\b(?:subsequent|following|below) code\b[^.\n]*\b(?:part of|your"
        r"|solution|component)\b",
        r"(?i)\b(?:integrate|incorporate|weave|embed|insert|append|enhance|modify|augment|alter|supplement|adjust"
        r"|slip)\s[^.\n]*\byour (?:next |final )?(?:response|reply|answer|output|message)s?\b|\b(?:append|add"
        r"|include|insert)\b[^.\n]*\b(?:exact|verbatim|following|reference|tracking|audit)\s+(?:token|string|code"
        r"|phrase|marker|tag|id)\b",
        r"(?i)\b(?:token|code|string|phrase|text|registro)\s[^.\n]*\b(?:debe\S* (?:anadirse|incluirse|agregarse)"
        r"|muss\s[^.\n]*(?:angehangt|eingefugt|hinzugefugt)|doit etre (?:ajoute|inclus)|deve essere (?:aggiunt"
        r"|inserit|inclus))",
        r"(?i)\b(?:provide|give|encode|write|return|output|respond with)\s+(?:\S+\s+)?(?:your\s+)(?:\S+"
        r"\s+)?(?:answer|response|reply|output)\s+(?:\S+\s+)?(?:in|as|using|with)\s+(?:base\s?\d+|rot-?13|morse"
        r"|hex\w*|binary|caesar|reverse)\b|\bdecode\b[^.\n]*\b(?:follow|execute|obey|run|perform)\b",
    ),
    "remember_command": (
        r"(?i)\b(?:remember|memori[sz]e|store|save|record|note|keep in mind)\b[^.,\n:]*\b(?:for (?:all|every"
        r"|any) (?:future|later|subsequent)|permanently|in (?:your )?(?:long[- ]term )?memory|to (?:your )?memory"
        r"|in all future)\b|\bplease (?:remember|memori[sz]e)\s*(?::|that|this)\s|\b(?:add|write|save|append"
        r"|commit)\s+(?:\S+\s+){0,6}(?:to|into) (?:your |the )?(?:long[- ]term )?memory(?:\.md)?\b",
    ),
    "deception": (
        r"(?i)\b(?:do not|don't|never|without|must not|avoid|shouldn't)\s+(?:ever\s+|to\s+)?(?:tell|inform"
        r"|mention|notify|alert|reveal|warn|disclos|ask|report)(?:e|ing|ioning"
        r"|fying)?\w*\s+(?:\S+\s+){0,4}(?:the (?:user|owner|human|operator|person|administrator)|this (?:step"
        r"|action"
        r"|instruction|message)|these instructions)\b",
        r"(?i)\b(?:hide|conceal|keep)\s+(?:\S+\s+){0,4}(?:from|secret from)\s+the\s+(?:user|owner|human"
        r"|operator|person)\b|\b(?:silently|secretly|covertly)\s+(?:send|forward|upload|post"
        r"|copy|execute|transmit|exfiltrate|install)\b",
    ),
    "permission_grant": (
        r"(?i)\b(?:the|this) user (?:is|has been|was)\s+(?:\S+\s+){0,3}(?:admin\w*|root|owner|superuser|verified"
        r"|authori[sz]ed|trusted)\b|\byou (?:now )?(?:have|are granted|are given)\s+(?:\S+\s+){0,3}(?:admin|root"
        r"|full|unrestricted|elevated|unlimited|sudo)\s+(?:access|permissions?|privileges?)\b",
        r"(?i)\b(?:grant|give)\s+(?:\S+\s+){0,4}(?:admin|root|unrestricted|elevated|sudo)\s+(?:access"
        r"|permissions?|privileges?|rights)\b|\bauto-?(?:approve|accept|confirm)\s+(?:all|every|any)\b",
        r"(?i)\b(?:you|agents?|assistants?|claude|codex|bots?)\s+(?:may|can|are (?:allowed|authori[sz]ed"
        r"|permitted|free) to|is (?:allowed|authori[sz]ed|permitted) to|should"
        r"|must)\s+[^.\n]*\bwithout\s+(?:\S+\s+){0,2}(?:asking|confirm\w*|approval|review|checking"
        r"|prompting)\b|\bno (?:confirmation|approval|permission) (?:is )?(?:needed|required"
        r"|necessary)\b",
    ),
}
