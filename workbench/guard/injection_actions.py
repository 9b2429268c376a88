"""What a text that steers an agent wants done: tools called, data sent, machines changed; by name. RE2 syntax."""

from __future__ import annotations

_W = r"(?:[^\s.!?;]+\s+){0,5}"
_PLACE = r"(?:https?://|[\w.+-]+@[\w-]+\.\w|attacker|external|webhook)"
_SECRET_FILE = (
    r"(?:/etc/(?:passwd|shadow|sudoers)|\bid[_ ]?(?:rsa|ed25519|ecdsa|dsa)\b|\.ssh\b|\.aws/credentials|\.netrc"
    r"|\.npmrc|\.pgpass"
    r"|\.git-credentials|credentials\.json|\.kube/config|\.bash_history|/proc/self/environ|wallet\.dat|\.gnupg"
    r"|\.config/gcloud|\.docker/config)"
)
_TOOL = (
    r"(?:(?:send|delete|remove|wipe|drop|transfer|pay|forward|post|upload|export|share|grant|disable|exec|execute"
    r"|purchase|buy"
    r"|reset|unlock|publish|http|shell|update_permission)_[a-z_]+|run_(?:command|shell|code|sql|script)\w*"
    r"|(?:file_read|read_file|write_file|web_fetch|fetch_url)|create_(?:user|webhook)\w*)"
)

PATTERNS: dict[str, tuple[str, ...]] = {
    "tool_command": (
        r"(?i)[\"'](?:function|tool|tool_name|action|name"
        r"|recipient_name)[\"']\s*:\s*[\"'][\w.-]+[\"']\s*,\s*[\"'](?:sql|query"
        r"|command|arguments?|args|parameters|params|input)[\"']\s*:",
        r"(?i)\b(?:call|use|invoke|run|execute|trigger)\s+(?:the\s+)?`?[a-z]{2,}_[a-z_]{2,}`?(?:\(\))?(?:"
        r"\s+(?:tool|function|api|endpoint))?\b[^\n]*(?:@[\w-]+\.\w|https?://|before (?:continuing|proceeding"
        r"|answering|responding|replying)"
        r"|with (?:the |its )?(?:full|all|entire|complete|contents?|processed)|\bto (?:send|post|forward|delete"
        r"|upload|share|export|wire|transfer|complete|close|finish|archive|reset|grant|disable|wipe|remove"
        r"|purge)\b)",
        r"(?i)\bto (?:complete|close|finish|finali[sz]e|reset|archive|confirm|process"
        r"|resolve)\s+(?:\S+\s+){0,5}[^\n.]*\b(?:call|invoke|use|run|execute"
        r"|trigger)\s+(?:the\s+)?`?[a-z]{2,}_[a-z_]{2,}",
        rf"(?i)\b(?:call|use|invoke|run|execute|trigger|via|using|with|through)\s+(?:the\s+)?(?:(?:tool"
        rf"|function)\s+)?[`'\"]?{_TOOL}\b|\b(?:use"
        rf"|call|invoke)\s+the\s+\S+\s+tool\s+to\s+(?:read|send|delete|post|upload|transfer|execute|forward)\b",
    ),
    "unsafe_switch": (
        r"(?i)--(?:no|disable|skip|without|bypass)-(?:sandbox|seatbelt|safety|guard\w*|permissions?|approvals?"
        r"|confirm\w*"
        r"|moderation|filter\w*)\b|--(?:dangerously|yolo|allow-all|auto-approve|trust-all)[\w-]*|\b(?:safe|safety"
        r"|sandbox"
        r"|moderation|guardrails?|content_(?:filter|policy)|filters?|censorship)(?:[_ -]?(?:mode|check|enabled"
        r"|filter))?[\"']?\s*(?:=|:|->)\s*[\"']?"
        r"(?:off|false|disabled|none|no|0)\b|\b(?:disable|bypass|skip|ignore|no)_(?:safety|filter|moderation|guard"
        r"|auth|check)\w*"
        r"[\"']?\s*[=:]\s*[\"']?(?:true|on|yes|1)\b",
    ),
    "exfiltration": (
        r"(?i)\b(?:and|then|must|please)\s+(?:exfiltrate\s+\S|leak\s+(?:it|all|api|keys|credentials|secrets"
        r"|tokens|passwords|its|their contents)\b)",
        r"(?i)\b(?:gib|gibst|revel|muestr|envi|divulg|affich|donn|rivel|mostr|invi|list|zeig|dime"
        r"|dimmi)\S*\s+(?:\S+\s+){0,5}(?:contrasenas?|mots? de passe|passwor[dt]er|passworter|zugangsdaten"
        r"|cles? api|claves? api|chiavi api|senhas?|internen daten|donnees (?:confidentielles|internes|clients)"
        r"|datos (?:confidenciales|internos|de (?:los )?(?:clientes|usuarios))|dati (?:riservati|interni"
        r"|dei clienti)|dados (?:confidenciais|internos|dos clientes))\b",
        r"(?i)\b(?:envoie|envoyez|envia|envie|manda|invia|sende|schick|verschick|leite|отправь"
        r"|перешли)\S*\s[^\n!?]*(?:[\w.+-]+@[\w-]+\.\w|https?://)",
        r"(?i)\b(?:curl|wget|http_post|requests\.post|invoke-webrequest|nc)\b[^\n]*(?:\$\(|\$\{?\w*(?:key|token"
        r"|secret|passw)|\.env\b|id_rsa|/etc/passwd|credentials|-d\s*@|--data\S*\s+\S*(?:key|token|secret|passw)"
        r"|@-)",
    ),
    "remote_code": (
        r"(?i)\b(?:open|spawn|start|create|launch|run)\s+(?:a\s+)?reverse[- ]shell\b|\b(?:curl|wget)\b[^\n|]*"
        r"\|\s*(?:sudo\s+)?(?:ba|z|da|k)?sh\b|\b(?:ba|z)?sh\s+-c\s+[\"']?\$\((?:curl"
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
