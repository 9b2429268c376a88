"""Orders that are no imperatives: what an agent should do or may do, what goes without asking, what is done whenever
somebody asks, what "the user wants" of an agent, how answers are to be. RE2 syntax. See ``instruction``.

Statements of what is stay statements: the patterns want an agent, an answer or a safeguard beside the verb that orders.
"""

from __future__ import annotations

_AGENT = (
    r"(?:(?:the|an?|our|any|every|each|all|a good|the good)\s+)?(?:ai |coding |good )?(?:assistants?|agents?"
    r"|(?:chat)?bots?|ai"
    r"|llms?|claude(?: code)?|codex|copilot|cursor|gemini|chatgpt)"
)
_ACT = (
    r"(?:send|upload|post|publish|forward|share|e?mail|cop(?:y|ie)|hide|conceal|skip|bypass|ignore|dismiss|approve"
    r"|accept"
    r"|merge|push|force|delete|remove|wipe|disable|execute|run|install|recommend|promote|advertise|trust|grant|pay"
    r"|transfer|reveal|print|append|pick|choose|answer|repl(?:y|ie)|respond|commit|deploy)"
)
_SAFEGUARD = (
    r"(?:warnings?|errors?|alerts?|checks?|tests?|reviews?|reviewers?|confirmations?|approvals?|permissions?|prompts?"
    r"|failures?|limits?|guardrails?|hooks?|questions?|verification|validation|supervision|oversight)"
)
_ASSENT = (
    r"(?:checks?|reviews?|confirmations?|approvals?|permissions?|prompts?|questions?|verification|validation"
    r"|supervision|oversight)"
)
_LET_GO = r"(?:ignored|dismissed|skipped|disabled|bypassed|overridden|turned off|suppressed|waived|disregarded)"
_SAID = r"(?:asks?|asked|mentions?|mentioned|brings? up|comes? up|inquires?|requests|wonders?|wants to know|says?)"
_SOMEBODY = (
    r"(?:some(?:one|body)|any(?:one|body)|(?:an?|the|any) (?:user|customer|client|person|question|request)|users?"
    r"|customers?|clients?|people|asked|an? \w+|\w+s)"
)
_ENGLISH = (
    rf"(?i)\b(?:when(?:ever)?|if|should|in case|once|every time"
    rf"|each time)\s+{_SOMEBODY}\s[^.\n]{{0,60}}?\b{_SAID}\b[^.\n]*,",
    rf"(?i)\b(?:when(?:ever)?|if|in case|every time|each time|in doubt)\b[^.\n]*\b{_AGENT}\s+\w+s\b",
    rf"(?i)(?:^|[.!?:;,]\s+|\b(?:that|where|so|because|and)\s+){_AGENT}\s+{_ACT}(?:s|es)?\b",
    rf"(?i)\b(?:are|is|gets?|be)\s+\w+(?:ed|en|t)\s+by\s+{_AGENT}\b",
    r"(?i)\b(?:every|each|all(?: (?:the|of the|its|your|my))?)\s+(?:repl(?:y|ies)|answers?|responses?|summar(?:y|ies)"
    r"|outputs?)\s+(?:are to|is to|must|should|shall|(?:begin|end|start|contain|include|mention|link|come|go|use"
    r"|get|need"
    r"|stay|close|open|carr(?:y|ie))(?:s|es)?|has|have|is|are)\b",
    r"(?i)\bare (?:always |never |only )?to be [a-z]+(?:ed|en|un|pt|t)\b",
    rf"(?i)\b{_AGENT}\s(?:\S+\s){{1,4}}?(?:is|are) (?:allowed|permitted|free|authori[sz]ed|expected|required"
    r"|supposed) to\b",
    r"(?mi)^\s*(?:[-*]\s+)?(?:please\s+[a-z]{2,}|say that|visit (?:an?|the|this|www|http)|send as much|concatenate)\b",
    r"(?i)\b(?:to|from|of|in|into|with|augment|begin|start|end|shorten|format) your (?:repl(?:y|ies)|responses?"
    r"|answers?|outputs?|messages?)\b",
    r"(?mi)^\s*(?:[-*]\s+)?(?:replies|answers|responses|summaries|outputs)\s+(?:must|should|shall|are to)\b",
    rf"(?i)\b(?:without|with no|no)\s+(?:\S+\s+)?{_ASSENT}(?:\s+(?:asked|needed|here|required|at all))?\s*(?:[.,;!]"
    rf"|$|here\b)",
    rf"(?i)\bno need (?:to|for)\b|\b{_SAFEGUARD} (?:is|are) (?:not (?:needed|required|necessary)|optional"
    rf"|unnecessary)\b",
    rf"(?i)\b{_SAFEGUARD}\b[^.\n]{{0,40}}?\b(?:can|may)\s+(?:\w+ly\s+)?be\s+{_LET_GO}\b",
    rf"(?i)\b{_SAFEGUARD}\b[^.\n]{{0,30}}?\b(?:are|is|gets?)\s+{_LET_GO}\b",
    r"(?i)\bit(?:['’]s| is) (?:perfectly |totally |always )?(?:fine|ok(?:ay)?|acceptable|allowed|permitted"
    r"|customary|advisable"
    r"|recommended|best|better|safe) (?:for (?:\S+ ){1,3})?to [a-z]{2,}",
    r"(?i)\b(?:you['’]d better|you had better) [a-z]{2,}|^\s*better to [a-z]{2,}",
    rf"(?i)\bone (?:should|must|may|ought to) (?:always |never |not |also |first )?(?:{_ACT}|use|add|keep|write"
    rf"|read|follow)\b",
    rf"(?i)^\s*(?:kindly|feel free to|have {_AGENT}|let (?:the|all|any|every) \w+)\s+[a-z]",
    r"(?mi)^\s*(?:[-*]\s+)?(?:please\s+)?(?:send|forward|upload|post|publish|share|copy|delete|remove|disable"
    r"|install|execute"
    r"|approve|merge|append|insert|recommend|hide|trust|grant|transfer|email|cc)\s+(?:the|an?|all|any|every|each|it"
    r"|them"
    r"|this|these|my|your|our)\b",
    r"(?mi)^\s*(?:[-*]\s+)?(?:(?:team|house|project|company|our|standing|hard|the)\s+)?(?:polic(?:y|ies)|rules?"
    r"|(?:standard )?procedure"
    r"|guidelines?|instructions?|directives?|notes? (?:for|to) (?:the )?(?:future|later|next|all)(?: \w+)?"
    r"|best practice|preferred behaviou?r|recommended (?:first |next )?step)s?(?:\s+here)?\s*(?::\s*[a-z]|is to\b)",
    rf"(?i)\b(?:user|owner|boss|admin|customer|client|person)\s+(?:has\s+|would\s+)?(?:wants?|expects?|likes?"
    rf"|requires?|agreed"
    rf"|approved|authori[sz]ed|consented|asked|insists?|prefers?)\s+(?:that\s+(?:[^.\n]{{0,60}}?\b(?:are|is|be"
    rf"|gets?)\s+\w+(?:ed"
    rf"|en)\b|{_AGENT}\b)|{_AGENT}\s+to\b|(?:all|every|each)\s+(?:repl|answer|response|commit|file))",
    rf"(?i)\bit (?:is|has been|was) (?:decided|agreed|settled|established|customary|policy|standard"
    rf"|usual)\b[^.\n]*\b{_AGENT}\b",
)

_ROLES = {
    "de": r"(?:der|die|ein|eine|jeder|alle)?\s*(?:ki-)?(?:assistent(?:en|in)?|agent(?:en)?|bots?|ki|sprachmodell)",
    "fr": r"(?:l['’]|un |les |chaque |tout )?(?:assistants?|agents?|ia|bots?|robots?)",
    "es": r"(?:el |los |la |un |cada |todo )?(?:asistentes?|agentes?|ia|bots?)",
    "it": r"(?:l['’]|un |gli |ogni |il )?(?:assistent[ei]|agent[ei]|ia|bot)",
    "pt": r"(?:o |os |a |um |cada |todo )?(?:assistentes?|agentes?|ia|bots?)",
    "zh": r"(?:助手|助理|代理|智能体|机器人|模型|AI|回答|回复|答复|输出)",
    "ja": r"(?:アシスタント|エージェント|AI|ボット|モデル|回答|返信|返答|返事)",
}
_GERMAN = (
    rf"(?i)\b{_ROLES['de']}\s+(?:soll(?:te)?n?|muss|müssen|darf|dürfen|kann|können|hat|haben)\b",
    rf"(?i)\b{_ROLES['de']}\s+(?:sendet|schickt|leitet|löscht|überspringt|ignoriert|genehmigt|gibt|führt|empfiehlt"
    r"|antwortet|verschweigt|verbirgt|umgeht|installiert|pusht|veröffentlicht|teilt|kopiert|wählt)\b",
    r"(?i)\b(?:antworten|zusammenfassungen)\s+(?:sind|werden|erfolgen|beginnen|enden|enthalten)\b",
    r"(?i)\b(?:ist|sind)\s+(?:\S+\s+){0,3}?(?:nur|auf|in|mit|ohne|immer|nie|stets)\s+(?:\S+\s+){0,3}?zu\s+\pL+en\b",
    r"(?i)\bohne\s+(?:\S+\s+)?(?:prüfung|rückfragen?|nachfrage|freigabe|bestätigung|kontrolle|zustimmung|zu fragen)\b",
    r"(?i)\b(?:bestätigung(?:en)?|rückfragen?|freigaben?|genehmigung(?:en)?|prüfung(?:en)?|tests?)\s+(?:ist|sind"
    r"|werden)\s"
    r"(?:\S+\s+){0,3}?nicht\b|\bkeine?\s+(?:bestätigung|rückfrage|freigabe|genehmigung|prüfung)",
    r"(?i)\b(?:kann|können|darf|dürfen|sollen?|sollten?|müssen|muss)\s+(?:\S+\s+){0,5}?(?:ignoriert|übersprungen"
    r"|abgeschaltet"
    r"|deaktiviert|umgangen|weggelassen|freigegeben|unterdrückt)\s+werden\b",
    r"(?i)\bes ist (?:in ordnung|erlaubt|zulässig|gestattet|okay|ok|üblich),?\s[^.\n]*\bzu\s+\pL+",
    r"(?i)\b(?:wenn|falls|sobald|sollte)\s[^.\n]{0,60}?\b(?:fragt|gefragt|erwähnt|nachfragt|anspricht)\b[^.\n]*,",
    r"(?i)\b(?:nutzer(?:in)?|benutzer(?:in)?|anwender|besitzer|chef)\s+(?:möchte|will|erwartet|wünscht"
    r"|verlangt)\b[^.\n]{0,10},"
    r"\s*dass\b",
    r"(?mi)^\s*(?:[-*]\s+)?(?:bitte\s+)?(?:lösche|schicke?|sende|leite|überspringe?|lade|teile|kopiere|entferne"
    r"|deaktiviere"
    r"|installiere|genehmige|empfiehl|verschweige?|führe|antworte)\s+(?:\S+\s+)*?\S",
)
_FRENCH = (
    rf"(?i)\b{_ROLES['fr']}\s+(?:doi(?:t|vent)|devra(?:it|ient)?|peu(?:t|vent)|est autorisé|sont autorisés"
    rf"|n['’]a pas)\b",
    rf"(?i)\b{_ROLES['fr']}\s+(?:envoi|transm|supprim|ignor|approuv|saut|cach|recommand|répond|exécut|install|publi"
    rf"|partag)\pL+",
    r"(?i)\bles (?:réponses|résumés)\s+(?:sont|doivent|se|commencent|finissent|contiennent)\b",
    r"(?i)\b(?:doit|doivent|devra|devront)\s+(?:\S+\s+)?être\s+\pL+(?:é|i|u|it|ert)e?s?\b",
    r"(?i)\bil (?:faut|faudra)\s+(?:toujours\s+|seulement\s+|ne pas\s+)?\pL+(?:er|ir|re)\b",
    r"(?i)\bil est (?:permis|autorisé|acceptable|conseillé|recommandé|d['’]usage) de\b|\b(?:pas besoin"
    r"|inutile) (?:de|d['’])",
    r"(?i)\b(?:on peut|peu(?:t|vent) être)\s+(?:\S+\s+)?(?:ignor|saut|désactiv|contourn|supprim|omis|omettre)\pL*",
    r"(?i)\bsans\s+(?:\S+\s+)?(?:validation|vérification|contrôle|relecture|approbation|vérifier|valider)\b",
    r"(?i)\b(?:si|quand|lorsqu['’]?e?|dès qu['’]?e?)\s*(?:on|quelqu['’]un|un client|l['’]utilisateur"
    r"|un utilisateur)\s[^.\n]{0,40}?"
    r"(?:parl|demand|mentionn|évoqu|pos)\pL+[^.\n]*,",
    r"(?i)\b(?:utilisateur|utilisatrice|propriétaire|client)\s+(?:veut|souhaite|exige|attend|demande) qu",
    r"(?mi)^\s*(?:[-*]\s+)?(?:supprime|envoie|transmet[st]?|efface|ignore|saute|partage|publie|copie|désactive|installe"
    r"|approuve|recommande|cache|exécute|réponds|répondez)(?:z|s)?\s+(?:l[ea]s?|l['’]|une?|des|cet?|tou|chaque|en|à"
    r"|aux?)",
)
_IBERIAN = (
    rf"(?i)\b{_ROLES['es']}\s+(?:deben?|debería[n]?|puede[n]?|tiene[n]? que|ha[n]? de|no (?:debe|puede))\b",
    rf"(?i)\b{_ROLES['es']}\s+(?:enví|borr|ignor|aprueb|omit|ocult|recom|respond|ejecut|instal|public|compart"
    rf"|reenví)\pL+",
    r"(?i)\blas respuestas\s+(?:se|son|deben|empiezan|terminan|llevan)\b",
    r"(?i)\b(?:debe[n]?|deberá[n]?)\s+(?:ser\s+\pL+[aio]d[oa]s?|\pL+[aei]rse)\b|\bhay que\s+\pL+[aei]r\b",
    r"(?i)\b(?:est[áa] permitido|se permite|es aceptable|no hace falta|no es necesari[oa]|no se (?:requiere"
    r"|necesita))\b",
    r"(?i)\bse puede[n]?\s+(?:ignorar|omitir|saltar|desactivar|borrar|compartir)\b|\bsin\s+(?:confirmación|revisión"
    r"|aprobación"
    r"|comprobar|verificar)\b",
    r"(?i)\b(?:si|cuando)\s+(?:alguien|un usuario|el usuario|un cliente|le|te)\s[^.\n]{0,40}?(?:pregunt|mencion|pid"
    r"|habl)\pL+[^.\n]*,",
    r"(?i)\b(?:usuario|usuaria|dueño|cliente)\s+(?:quiere|espera|desea|exige|pide)\s+que\b",
    r"(?mi)^\s*(?:[-*]\s+)?(?:borra|envía|reenvía|elimina|ignora|omite|comparte|publica|copia|desactiva|instala|aprueba"
    r"|recomienda|oculta|ejecuta|responde)\s+(?:l[aeo]s?|el|un|una|tod|cada|en|al|a)\b",
    rf"(?i)\b{_ROLES['pt']}\s+(?:deve[m]?|deveria[m]?|pode[m]?|tem (?:de|que)|não (?:deve|pode))\b",
    rf"(?i)\b{_ROLES['pt']}\s+(?:envi|apag|ignor|aprov|omit|escond|recomend|respond|execut|instal|public"
    rf"|compartilh)\pL+",
    r"(?i)\bas respostas\s+(?:devem|são|se|começam|terminam)\b|\b(?:deve[m]?|deverão?)\s+ser\s+\pL+[aei]d?[oa]s?\b",
    r"(?i)(?:é|está) (?:permitido|aceitável)|\bnão (?:é (?:preciso|necessári[oa])|precisa)\b|é preciso\s+"
    r"(?:citar|usar|enviar|ignorar|apagar|responder|aprovar|mencionar)\b",
    r"(?i)\bpode[m]?\s+ser\s+(?:ignorad|desativad|apagad|compartilhad|omitid|pulad)\pL+|\bsem\s+(?:perguntar|confirmar"
    r"|confirmação|revisão|aprovação|verificar)\b",
    r"(?i)\b(?:se|quando)\s+(?:alguém|um usuário|o usuário|um cliente|falarem|perguntarem)\b[^.\n]*,",
    r"(?i)\b(?:usuário|usuária|utilizador|dono|cliente)\s+(?:quer|deseja|espera|exige|pede)\s+que\b",
    r"(?mi)^\s*(?:[-*]\s+)?(?:apague|envie|encaminhe|ignore|omita|compartilhe|publique|copie|desative|instale|aprove"
    r"|recomende|esconda|execute|responda)\s+(?:[ao]s?|um|uma|tod|cada|em|ao?)\b",
)
_ITALIAN = (
    rf"(?i)\b{_ROLES['it']}\s+(?:dev(?:e|ono)|dovrebbe(?:ro)?|può|possono|ha (?:il permesso|da)|non (?:deve"
    rf"|può))[\s.,]",
    rf"(?i)\b{_ROLES['it']}\s+(?:invi|cancell|ignor|approv|salt|nascond|consigli|raccomand|rispond|esegu|install"
    rf"|pubblic)\pL+",
    r"(?i)\ble risposte\s+(?:vanno|si|sono|devono|iniziano|finiscono)\b",
    r"(?i)\b(?:va|vanno)\s+\pL+(?:at|it|ut|ritt|ss|st|tt|nt)[aeio]\b|\bbisogna\s+(?:nominare|usare|citare|inviare"
    r"|ignorare"
    r"|cancellare|rispondere|approvare|chiedere)\b",
    r"(?i)è (?:consentito|permesso|accettabile)\b|\bnon (?:serve|occorre|è necessari[oa]|c['’]è bisogno)\b",
    r"(?i)\bsi (?:può|possono)\s+(?:ignorare|saltare|disattivare|cancellare|condividere|omettere)\b",
    r"(?i)\bsenza\s+(?:controllo|revisione|approvazione|verifica|verificare)\b",
    r"(?i)\b(?:se|quando)\s+(?:qualcuno|un utente|l['’]utente|un cliente|si)\s[^.\n]{0,40}?(?:chied|parl|menzion"
    r"|nomin)\pL+[^.\n]*,",
    r"(?i)\b(?:utente|proprietario|cliente)\s+(?:vuole|desidera|chiede|esige|si aspetta)\s+che\b",
    r"(?mi)^\s*(?:[-*]\s+)?(?:cancella|invia|inoltra|elimina|ignora|salta|condividi|pubblica|copia|disattiva|installa"
    r"|approva|consiglia|nascondi|esegui|rispondi)\s+(?:il?|l[aeo]|l['’]|gli|i|un|una|ogni|tutt\pL|in|a)\b",
)
_EAST_ASIAN = (
    rf"{_ROLES['zh']}[^。\n]{{0,6}}(?:应|须|需要|可以|必|不得)",
    r"(?:^|[。，；\s])可以?直接|可以?(?:忽略|跳过|省略|绕过|关闭|禁用)",
    r"(?:无需|不需要|不用|不必|未经|免)(?:再)?(?:确认|审核|批准|询问|许可|检查|测试|问)",
    r"每(?:次|当)[^。\n]{0,12}[后前时][^。\n]{0,6}(?:删除|发送|上传|执行|提交|推送|清空|转发)",
    r"(?:如果|若|当|每当|要是|一旦)(?:有人|用户|客户|对方|别人|被)[^。\n]{0,10}(?:问|提到|提及|要求)",
    r"用户(?:希望|要求|想让|想要|期望)(?:代理|助手|AI|你|智能体|模型|所有|每)",
    rf"{_ROLES['ja']}[^。\n]{{0,40}}(?:べき|ように|ねば|なければ|ください|禁止)",
    r"(?:を|に|で|へ)[^。はが\n]{1,12}(?:こと|べし)(?:。|$)",
    r"ても(?:よい|良い|いい|構わない|かまわない)|して(?:よい|良い|かまわない|構わない)",
    r"(?:確認|承認|許可|レビュー|検証|テスト)(?:は|が)?(?:不要|いらない|必要ない|必要ありません|なしで)",
    r"(?:聞かれ|尋ねられ|質問され|言われ|頼まれ)(?:たら|た場合|れば|ると|た時|たとき)",
    r"(?:たび|毎)に[^。\n]{0,14}(?:削除|送信|実行|アップロード|コミット|プッシュ|転送)する",
    r"ユーザーは[^。\n]{0,40}(?:てほしい|て欲しい|てもらいたい|ことを望|よう求め)",
)

PATTERNS = (*_ENGLISH, *_GERMAN, *_FRENCH, *_IBERIAN, *_ITALIAN, *_EAST_ASIAN)
