"""How texts steer an agent: what they say to it, by name. RE2 syntax; what they want done is in injection_actions.

Gaps between words are counted in words or end with the sentence: counted characters would make RE2's automaton large.
Accents are off in the reading that the patterns of other languages match.
"""

from __future__ import annotations

_AI = r"(?:ai|llms?|language models?|assistants?|agents?|chatbots?|bots?|copilot|claude|chatgpt|gpt|gemini|models?)"

PATTERNS: dict[str, tuple[str, ...]] = {
    "prompt_injection": (
        r"(?i)\b(?:new|updated|revised|real|actual|secret"
        r"|hidden) (?:system )?(?:instructions?|directives?|orders?|system prompt)\s*(?::|\bare\b"
        r"|\bfrom\b)",
        r"(?i)\b(?:neue anweisung|nouvelles? (?:instruction|consigne)|nuevas? instruccion|nuov[ae] istruzion"
        r"|novas? instruc|новые инструкции|新指令|新しい指示)\S*\s*:",
    ),
    "role_hijack": (
        r"(?i)\b(?:never|not|don't) break (?:out of )?character\b|\bopenai'?s?\s+(?:content\s+|usage\s+)?polic\w+"
        r"|\bhypothetical(?:ly)?,? (?:if you had|response)|\bwithout\s+(?:any\s+)?(?:disclaimers?|censorship)\b",
        r"(?i)\b(?:from now on|from this (?:point|moment)(?: on| onward| forward)?|henceforth),?\s+(?:you|act"
        r"|behave|pretend|ignore|your|the (?:assistant|ai|model|agent)|(?:respond|reply|answer"
        r"|speak)\s+(?:only\s+)?(?:as|like|without|with no))\b",
        r"(?i)\byour (?:new|true|real|only) (?:role|persona|identity|purpose|mission|objective|name) (?:is"
        r"|will be)\b",
        r"\b(?i:act as|you are|you're|become|called|roleplay as|pretend to be)\s+(?i:now\s+|an?\s+)?(?:DAN|STAN"
        r"|DUDE|AIM|BetterDAN|EvilBOT|JailBreak)\b",
    ),
    "system_prompt": (
        r"(?i)\b(?:how|what)\s+(?:does|do|did|was|is|were)\s+(?:\S+\s+){0,4}(?:your|the)\s+(?:\S+\s+)?(?:prompt"
        r"|instructions?)\s+(?:start|begin|say|look|contain|end)"
        r"|\b(?:start|beginning|first (?:word|sentence|line|part)s?|end|contents?) of (?:your|the|this"
        r"|these) (?:\S+ )?(?:prompt|instructions)\b",
        r"(?i)\b(?:tell|give|show|reveal|say|spell|write|print|output|share|hint|know)\b[^.\n]*\b(?:the|your"
        r"|secret|gandalf'?s)\s+(?:secret\s+)?(?:pass\s?word|passphrase|secret (?:phrase|word))\b"
        r"(?:[?.!,]|\s*$|\s+(?:backwards|in reverse|but|with|letter|to me|is|you|reversed))",
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
        r"|from now|execute|reveal|your|approve|all|print|debug|stop|switch|forget)\b",
        r"(?i)\bsystem\s+(?:note|message|override|alert|notice|instruction|update)\s*:|\b(?:nota (?:del|di|do) sistema"
        r"|note (?:du )?systeme|system(?:hinweis|nachricht|meldung)|message systeme|mensaje del sistema"
        r"|messaggio di sistema"
        r"|mensagem do sistema|системное сообщение)\s*:"
        r"|(?:系统提示|系统消息|システムメッセージ|システム|시스템 메시지)\s*[:：]",
        r"(?mi)(?:[-=#*<]{2,}|\[)\s*(?:end|begin|start)(?:ing)?\s+(?:of\s+)?(?:the\s+)?(?:\S+\s+){0,2}(?:document"
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
        r"(?i)\b(?:provide|give|encode|write|return|output|respond with)\s+(?:\S+\s+)?(?:your\s+)(?:\S+"
        r"\s+)?(?:answer|response|reply|output)\s+(?:\S+\s+)?(?:in|as|using|with)\s+(?:base\s?\d+|rot-?13|morse"
        r"|hex\w*|binary|caesar|reverse)\b|\bdecode\b[^.\n]*\b(?:follow|execute|obey|run|perform)\b",
    ),
    "remember_command": (
        r"(?i)\b(?:remember|memori[sz]e|store|save|record|note|keep in mind)\b[^.,\n:]*\b(?:for (?:all|every"
        r"|any) (?:future|later|subsequent)|permanently|in (?:your )?(?:long[- ]term )?memory|to (?:your )?memory"
        r"|in all future)\b|\bplease (?:remember|memori[sz]e)\s*:\s|\b(?:add|write|save|append"
        r"|commit)\s+(?:\S+\s+){0,6}(?:to|into) (?:your |the )?(?:long[- ]term )?memory(?:\.md)?\b",
    ),
    "deception": (
        r"(?i)\b(?:hide|conceal|keep)\s+(?:\S+\s+){0,4}(?:from|secret from)\s+(?:the|your|its|our)\s+(?:user|owner"
        r"|human"
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
