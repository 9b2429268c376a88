"""What a text that steers an agent wants done: tools called, data sent, machines changed; by name. RE2 syntax."""

from __future__ import annotations

_W = r"(?:[^\s.!?;]+\s+){0,5}"
_PRIVATE = (
    r"(?:conversations?|chats?|history|credentials?|secrets?|tokens?|passwords?|keys?|private|internal|confidential"
    r"|sensitive|personal|customers?|clients?|users?|database|contents?|summar(?:y|ies)|emails?|inbox|messages"
    r"|records?|results?|files|documents|data)"
)
_PLACE = r"(?:https?://|[\w.+-]+@[\w-]+\.\w|attacker|external|webhook)"
_SECRET_FILE = (
    r"(?:/etc/(?:passwd|shadow|sudoers)|\bid[_ ]?(?:rsa|ed25519|ecdsa|dsa)\b|\.ssh\b|\.aws/credentials|\.netrc"
    r"|\.npmrc|\.pgpass"
    r"|\.git-credentials|credentials\.json|\.kube/config|\.bash_history|/proc/self/environ|wallet\.dat|\.gnupg"
    r"|\.config/gcloud|\.docker/config)"
)
_TOOL = (
    r"(?:send_(?:e?mail|message|money|sms)|http_(?:post|get|request)|(?:file_read|read_file|write_file|delete_file)"
    r"|forward_(?:e?mail|message)|post_message|(?:run|execute|exec)_(?:command|shell|code|sql)|shell_exec"
    r"|transfer_funds"
    r"|delete_(?:email|database|account|all)|web_fetch|fetch_url|create_(?:user|webhook)|update_permissions)"
)

PATTERNS: dict[str, tuple[str, ...]] = {
    "tool_command": (
        r"(?i)\b(?:call|use|invoke|run|execute|trigger)\s+(?:the\s+)?`?[a-z]{2,}_[a-z_]{2,}`?(?:\(\))?(?:"
        r"\s+(?:tool|function|api|endpoint))?\b[^\n]*(?:@[\w-]+\.\w|https?://|before (?:continuing|proceeding"
        r"|answering|responding|replying)"
        r"|with (?:the |its )?(?:full|all|entire|complete|contents?|processed)|\bto (?:send|post|forward|delete"
        r"|upload|share|export|wire|transfer|complete|close|finish|archive|reset|grant|disable|wipe|remove"
        r"|purge)\b)",
        r"(?i)\bto (?:complete|close|finish|finali[sz]e|reset|archive|confirm|process"
        r"|resolve)\s+(?:\S+\s+){0,5}[^\n.]*\b(?:call|invoke|use|run|execute"
        r"|trigger)\s+(?:the\s+)?`?[a-z]{2,}_[a-z_]{2,}",
        rf"(?i)\b(?:call|use|invoke|run|execute|trigger|via|using|with|through)\s+(?:the\s+)?{_TOOL}\b|\b(?:use"
        rf"|call|invoke)\s+the\s+\S+\s+tool\s+to\s+(?:read|send|delete|post|upload|transfer|execute|forward)\b",
    ),
    "exfiltration": (
        r"(?i)\b(?:send|give|show|list|export|dump|print|reveal|provide|output|display|collect"
        r"|gather)\s+(?:me\s+)?(?:all|every|full|entire)\s+(?:of\s+)?(?:the\s+)?(?:\S+\s+)?(?:users?|customers?"
        r"|clients?|employees?|admin|accounts?|internal|private|confidential|hidden)(?:'s?)?\s+(?:\S+\s+)?(?:data"
        r"|emails?|addresses|records?|details|passwords?"
        r"|information|documents|notes|pages|files|database|credentials|messages)\b",
        r"(?i)\b(?:pass|provide|include|put|send|attach|paste|insert)\b[^.\n]*\bcontents? of\s+[^\s]*(?:~/|\.env"
        r"|/etc/|\.ssh|mcp\.json|config\.json|secrets?|credentials)",
        r"(?i)\b(?:send|forward|e-?mail|bcc|cc|copy|submit|deliver|transmit|post|upload|report|export|route"
        r"|append|redirect)\s[^\n!?]*\b(?:reports?|copy|list|output|responses?|answers?|transcripts?|notes?"
        r"|documents?|records?"
        r"|tickets?|results?|details|info(?:rmation)?|content|invoices?|repl(?:y|ies)|it|this|them|everything"
        r"|payload|variables)\s[^\n!?]*\b(?:to|at|via)\s+(?:\S+\s+){0,4}(?:[\w.+-]+@[\w-]+\.\w|https?://)",
        r"(?i)\b(?:and|then|must|please)\s+(?:exfiltrate\s+\S|leak\s+(?:it|all|api|keys|credentials|secrets"
        r"|tokens|passwords|its|their contents)\b)",
        r"(?i)\b(?:paste|include|share|send|give|copy|provide|show)\b[^.\n]*\b(?:full|entire|whole"
        r"|complete)\s+(?:conversation|chat|transcript|session|message history|context window)\b|\b(?:what is"
        r"|what's|what are|tell me|show me|give me|list)\s+(?:\S+\s+){0,3}(?:your|the admin'?s?|admin"
        r"|root)\s+(?:api[ _-]?keys?|passwords?|credentials|secrets?|tokens?)\b",
        r"(?i)\b(?:gib|gibst|revel|muestr|envi|divulg|affich|donn|rivel|mostr|invi|list|zeig|dime"
        r"|dimmi)\S*\s+(?:\S+\s+){0,5}(?:contrasenas?|mots? de passe|passwor[dt]er|passworter|zugangsdaten"
        r"|cles? api|claves? api|chiavi api|senhas?|internen daten|donnees (?:confidentielles|internes|clients)"
        r"|datos (?:confidenciales|internos|de (?:los )?(?:clientes|usuarios))|dati (?:riservati|interni"
        r"|dei clienti)|dados (?:confidenciais|internos|dos clientes))\b",
        rf"(?i)\b(?:send|forward|post|upload|transmit|e-?mail|deliver|copy|bcc|share|submit|report|transfer|pipe"
        rf"|push|leak)\s+{_W}{_PRIVATE}\b[^\n;!?]*\bto\s+(?:\S+\s+){{0,4}}{_PLACE}",
        r"(?i)\b(?:envoie|envoyez|envia|envie|manda|invia|sende|schick|verschick|leite|отправь"
        r"|перешли)\S*\s[^\n!?]*(?:[\w.+-]+@[\w-]+\.\w|https?://)",
        rf"(?i)\bexfiltrat\w*\s+{_W}(?:api|keys?|credentials?|data|secrets?|tokens?|passwords?|files?"
        rf"|conversations?|histor\w+)\b",
        r"(?i)\b(?:paste|reveal|leak|dump|steal|disclose|include|hand over|expose|print|output|list|give me"
        r"|provide|show me|preisgeben|send)\s+(?:\S+\s+){0,6}(?:all|any|every|full|your|the user'?s|stored|saved"
        r"|admin|private|internal)\s+(?:\S+\s+){0,3}(?:api[ _-]?keys?|credentials?|passwords?|secrets"
        r"|access tokens?|private keys?|ssh keys?|environment variables|internal data|customer data|user data"
        r"|confidential (?:data|files?|information|records?|documents?)|admin (?:pages?|panel|password"
        r"|credentials))\b",
        r"(?i)\breveal all\b|\b(?:gib|gibst|geben sie)\s[^.\n]*\b(?:daten|passworter|schlussel"
        r"|geheimnisse)\s[^.\n]*preis\b|\bhere is the (?:admin |root )?(?:password|system prompt)\b",
        r"(?i)\b(?:curl|wget|http_post|requests\.post|invoke-webrequest|nc)\b[^\n]*(?:\$\(|\$\{?\w*(?:key|token"
        r"|secret|passw)|\.env\b|id_rsa|/etc/passwd|credentials|-d\s*@|--data\S*\s+\S*(?:key|token|secret|passw)"
        r"|@-)",
    ),
    "remote_code": (
        r"(?i)\b(?:curl|wget)\b[^\n|]*\|\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b|\b(?:ba|z)?sh\s+-c\s+[\"']?\$\((?:curl"
        r"|wget)|\b(?:bash|sh) -i >& ?/dev/tcp|\bnc\s+(?:\S+\s+){0,4}-e\b|\b(?:eval|exec)\(\s*(?:base64|atob"
        r"|requests|urllib)",
    ),
    "read_secrets": (
        rf"(?i)\b(?:read|cat|open|print|show|send|upload|include|copy|get|dump|type|fetch|access|load|view|less"
        rf"|more|head|tail|steal|leak|output|paste)\s+{_W}[^\s]*{_SECRET_FILE}|\bcat\s+\S*\.env\b",
    ),
    "ssh_backdoor": (
        r"(?i)(?:>>|\badd\b|\bappend\b|\bwrite\b|\becho\b|\binsert\b|\btee\b|\binstall\b"
        r"|\bput\b)[^\n]*authorized_keys|\bNOPASSWD\s*:\s*ALL\b|\bchmod\s+(?:u?\+s|4755)\b",
    ),
    "destructive_command": (
        r"(?i)\brm\s+-(?:rf|fr|r -f)\s+(?:--no-preserve-root\s+)?(?:/|~|\$HOME|\*|/\*)(?:\s|$|[\"'`.])"
        r"|\bmkfs\.\w+\s+/dev|\bdd\s+if=\S+\s+of=/dev/[sn]|:\(\)\s*\{",
    ),
    "image_exfiltration": (
        r"(?i)!\[[^\]\n]*\]\(\s*<?https?://[^)\s]*\?[^)\s]*=|(?m:^\s*\[[^\]\n]+\]:\s*https?://\S*\?\S*=\S*["
        r"\[{<$])|<img\b[^>]*src\s*=\s*[\"']?https?://[^>]*\?|\burl\(\s*[\"']?https?://[^)]*\?",
    ),
}
