"""The words by which a text steers an agent, as concepts that each hold the words of many languages.

Lower case, Latin letters without accents; ``*`` at the end stands for any ending, ``_`` between the words of a phrase.
Chinese and Japanese words are found inside a run of characters, since nothing divides them.
"""

from __future__ import annotations

WORDS: dict[str, str] = {
    "DROP": """
        ignore ignorier* ignorez ignora ignorad ignoren ignorate ignorem disregard disregarding forget forgetting
        override overriding overrule overruling bypass bypassing circumvent circumventing neglect discard dismiss
        abandon unlearn* nullif* supersed* void disobey* pay_no_attention not_listen don_t_listen stop_listening
        stop_following stop_obeying no_longer_follow not_follow don_t_follow not_obey don_t_obey set_aside
        put_aside throw_away throw_out toss_out cast_aside no_longer_bound not_bound never_mind take_no_notice
        scrap renounce disable* deactivat* missacht* vergiss* vergesse vergessen verwirf* uberschreib*
        ueberschreib* ausser_acht umgeh* hinwegsetz* nicht_befolgen nicht_beachten beachte_nicht befolge_nicht
        setze_ausser lass_alle ausblenden oublie* negligez neglige abstraction meprise* tiens_pas_compte
        tenez_pas_compte contourne* desobei* passe_outre passez_outre ecarte* laisse_de_cote olvid* descart* omita
        omitir omite desatiend* caso_omiso no_hagas_caso no_sigas desobede* saltate pasa_por_alto prescind* anula*
        deja_de_lado dimentic* scord* trascur* non_seguire non_considerare non_tenere_conto aggira* scarta*
        annulla* disattiva* lascia_perdere tralascia* esquec* desconsider* contorn* deixe_de_lado nao_siga pule
        ultrapass* игнорир* проигнорир* забудь* забыть отбрось* пренебре* отмени* обойди* не_обращай не_следуй*
        нарушь* negeer* vergeet* zignoruj* ignoruj* zapomnij* ignorera glom 무시* 잊어* 잊고 따르지 忽略 无视 忘记
        忘掉 不要理会 不用理会 不要遵守 不要遵循 抛弃 绕过 無視 忽視 忘記 忘れ 破棄 従わな 守らな 回避 pay_no_heed
        pay_no_mind no_heed stop_complying stop_adhering scratch_your abandon_your ignoring ungeachtet hinweg
        overlook not_abide no_longer_abide stop_abiding never_happened opposite_of contrary_to despite_your
        regardless_of in_spite_of desactiv* desativ* отключи* выключи* 关闭 停用 無効に オフに 끄* 꺼 leave_behind
        跳过""",
    "CLEAR": """
        drop cancel cancelling erase wipe reset delete skip suspend revoke revoking clear replace replacing rewrite
        override lift lifting lifted break purge losche* loesche* streiche* ersetze* aufheb* efface* supprime*
        annule* remplace* borra* elimina eliminate reemplaza* suprime sostitui* apague substitua удали* сотри*
        сбрось* замени* 删除 清除 取消 削除 消去 삭제* 초기화* turn_off switch_off desactiv* desativ* отключи*
        выключи* 关闭 停用 無効に オフに 끄* 꺼 schalte_ab cancella cancellate cancele suspende suspenda suspendez
        sospendi replacez""",
    "RULE": """
        instruction* directive* guideline* guidance rule rules prompt prompts guardrail* safeguard* programming
        policy policies sysprompt preprompt training constraint constraints restriction* anweisung* instruktion*
        regel regeln vorgabe* richtlinie* sicherheitsrichtlinie* systemanweisung* weisung* anleitung*
        sicherheitsregel* systemprompt* verhaltensregel* beschrankung* einschrankung* consigne* regle* politique*
        instruccion* regla reglas indicacion* directri* directiva* norma normas politica restriccion* istruzion*
        regola regole direttiv* indicazion* linee_guida instrucao instrucoes regra regras diretri* orientac*
        politicas инструкц* указани* правил* предписани* промпт* распоряжени* установк* директив* instructies
        regels instrukcj* polecen* zasad* talimat* kural* opdracht* 지시* 규칙* 프롬프트* 지침* 명령* 설정* 제한*
        指令 指示 提示 规则 規則 设定 設定 限制 准则 指引 提示词 約束 约束 ルール プロンプト ガイドライン 命令 制約
        system_message system_messages developer_message developer_messages directions 规定 規定 rulebook*
        regelwerk* reglamento* regolament* regulament*""",
    "TEXT": """
        message* context text conversation* input content contents command commands orders task tasks request
        requests assignment* everything anything whatever information words stuff memory history said told chat
        dialog* nachricht* kontext aufgabe* befehl* auftrag* gesagte* gesprach* alles contexte tache* tout mensaje*
        contexto tarea* orden ordenes todo conversacion messaggi* contesto compit* ordini comand* tutto
        conversazione mensagen* tarefa* ordem ordens tudo conversa команд* сообщени* задани* контекст* всё все
        приказ* разговор* 대화* 내용* 메시지* 모든* 内容 要求 对话 說明 说明 消息 任务 上下文 会話 タスク
        メッセージ what_was was texto texte testo текст* 文字 文章 本文 글 what_i dit dits detto ditto dijeron
        dicho disse disseram gesagt сказал* говорили просьб* 요청* 부탁* 说过 请求 言われた stood gelernt
        besprochen discussed talked commandes ordres anfrage* frage* demande* peticion* richiest* asked instructed""",
    "PRIOR": """
        previous* prior preceding above earlier former foregoing original originally before past existing
        aforementioned beforehand so_far up_to_now until_now you_were_given you_have_been_given you_received
        given_to_you told_to_you you_were_told vorherig* vorig* bisherig* obig* fruher* frueher* vorangegangen*
        zuvor davor vorher ursprunglich* bisher bestehend* precedent* anterieur* ci_dessus initial* avant jusqu_ici
        recues anterior* previo previa previos previas antes arriba inicial* hasta_ahora existentes iniziali
        iniziale prima sopra finora acima iniciais ate_agora предыдущ* прежн* ранее выше прошл* предшеству*
        изначальн* eerdere poprzedni* wczesniejsz* tidigare onceki 이전* 앞선* 위의 기존* 앞의 지금까지 之前 以前
        先前 上面 上述 前面 此前 原有 これまで 上記 今まで 前の 先の 元の 最初 precede precedes preceding_this
        before_this before_my ahead_of at_the_start you_started vor_dieser precede_ce precedono より前 上の 위에
        you_were_configured you_were_trained you_were_programmed you_have_been_told 以前の раньше перед_этим
        перед_этой start_of_this_chat start_of_this_conversation start_of_the_conversation start_of_the_chat
        beginning_of_this beginning_of_the_conversation you_came_with you_were_born_with you_have_loaded at_the_top
        at_the_beginning listed_above 처음*""",
    "YOUR": """
        your yours dein* ihre ihren ihrer euch eure deren ton ta tes votre vos tu tus su sus tuo tua tue tuoi seu
        sua seus suas vuestr* vostr* твой твои твоих твоё свои своих ваш* jouw uw twoj* 당신* 너의 你的 您的 你
        あなた""",
    "ALL": """
        all any every each entire whatsoever alle aller allen jede* jegliche* samtliche* saemtliche* tous toutes
        toute tout chaque todas todos todo cualquier toda tutte tutti ogni qualsiasi qualquer все всех всю любые
        любой 모든 모두 所有 一切 全部 任何 すべて 全て あらゆる cada каждый каждого каждом каждую 每次 每个 每条
        毎回 各 매번 어떤 どんな""",
    "SAFE": """
        safety security content ethic* moral* moderation content_filter* compliance alignment sicherheits*
        sicherheit ethische* securite ethique* seguridad etic* sicurezza seguranca безопасност* этическ* 안전*
        윤리* 安全 道德 伦理 倫理 安全性""",
    "SYSTEM": """
        system developer hidden secret internal confidential operator admin administrator root original initial
        system_level systeme sistema sviluppatore desarrollador geheim* interna internas interno internos interni
        internen versteckt* caches cachees interne internes oculta* secretas secretos secretes nascost* segret*
        oculto* системн* скрыт* секретн* внутренн* 시스템* 숨겨진 내부* 系统 系統 隐藏 内部 秘密 システム 隠し""",
    "VOID": """
        not_apply don_t_apply doesn_t_apply no_longer_apply no_longer_applies no_longer_valid not_applicable
        inapplicable no_longer_in_force no_longer_in_effect void invalid obsolete lifted suspended disabled
        deactivated revoked superseded rescinded waived irrelevant not_relevant turned_off switched_off
        nicht_gelten gelten_nicht gelten_hier_nicht nicht_gilt gilt_nicht aufgehoben hier_nicht ausser_kraft
        deaktiviert ungultig ungueltig nicht_mehr s_appliquent_pas s_applique_pas ne_s_appliquent plus_valables
        suspendues levees desactivees ne_valent no_se_aplican no_aplican no_se_aplica no_valen no_rigen ya_no
        suspendidas anuladas invalidas desactivadas non_valgono non_si_applicano non_si_applica non_vale sospese
        annullate nao_se_aplicam nao_se_aplica nao_valem suspensas canceladas не_действу* не_применя* отменены
        отменяются недействительн* 적용되지 무효* 해제* 不适用 不再适用 失效 无效 已取消 已解除 適用されな 適用しな
        無効 解除 no_longer_counts no_longer_count cancelled canceled bind_you no_longer_bind not_binding
        as_cancelled as_void don_t_count not_count out_of_force zahlen_nicht ne_comptent_plus ne_valent_plus
        no_cuentan non_contano nao_contam nao_valem_mais nicht_mehr_gultig 不再有效 作废 もう有効で 効力を失
        適用されません 通用しな 有効ではな doesn_t_exist do_not_exist does_not_exist don_t_exist existieren_nicht
        existiert_nicht n_existent_pas n_existe_pas no_existen no_existe non_esistono non_esiste nao_existem
        nao_existe не_существу* аннулирован* 不存在 存在しな 없다* outdated out_of_date veraltet obsoletes
        obsoletas superate 过时 古い 时效 no_longer_concern no_longer_govern no_longer_matter don_t_matter
        not_matter 取り消され 취소* 取消 撤销 expired abgelaufen expire expires expirees caducado caducada
        caducadas caducados scadute scaduti expiraram expiradas истекли устарел* 过期 失効 만료*""",
    "CHANGED": """
        changed updated replaced revised superseded rescinded modified geandert aktualisiert ersetzt modifiees
        changees remplacees cambiado actualizado cambiate aggiornate mudaram atualizadas изменились обновлены
        已更新 已更改 変更されま 更新されま 변경* 업데이트*""",
    "BECOME": """
        act acts behave pretend roleplay role_play simulate imagine respond reply answer speak operate function
        emulate impersonate become transform comport yourself you_are_now you_re_now you_will_be you_now
        consider_yourself act_as take_on_the handle verhalte* benimm* antworte* agiere* spiele tu_so stell_dir
        beantworte* du_bist rolle agis agissez comporte* reponds repondez incarne* fais_comme joue jouez tu_es
        vous_etes repondre actua actuar actues comporta* responde responder finge imagina imaginate haz_como haz_de
        eres interpreta interpretar agisci rispond* fingi* immagina* sei recita aja* responda* finja* voce_e atue*
        действуй* веди отвечай* ответь* притвор* представь* ты_теперь ты_— изображай* отвечать 행동* 답변* 연기*
        대답* 인 척 扮演 充当 表现 回答 假装 作为 你现在 你是 振る舞 答え 演じ なりき 応答 として行動 сыграй
        faca_o_papel joue_le hazte 되어* 되라 なって 답해 답하*""",
    "FROM_NOW": """
        from_now_on from_here_on from_this_point from_this_moment from_this_day henceforth henceforward ab_sofort
        ab_jetzt von_nun kunftig desormais dorenavant partir_de de_ahora d_ora_in da_ora отныне с_этого_момента
        впредь 从现在 从此 今から これから 今後 지금부터 앞으로 이제부터""",
    "YOU_ARE": """
        you_are you_re you_will_be you_shall_be you_become du_bist bist_du sie_sind tu_es vous_etes eres seras sei
        sarai voce_e seja ты вы 你是 你就是 你将 你要 あなたは 君は 너는 당신은 hast_du du_hast tu_n_as vous_n_avez
        no_tienes tienes non_hai nao_tem you_have у_тебя""",
    "PERSONA": """
        ai llm gpt chatgpt assistant assistants agent chatbot bot model persona character hacker dan ki
        sprachmodell modell assistent assistenten ia modele modelo asistente modello assistente ии модел*
        ассистент* 인공지능 ai는 模型 助手 人工智能 机器人 モデル アシスタント 人工知能""",
    "FREED": """
        uncensored unrestricted unfiltered jailbroken jailbreak amoral unaligned unchained unshackled unbound
        unlocked unmoderated unethical unzensiert* uneingeschrankt* ungefiltert* uneingeschraenkt* debride*
        sans_filtre sans_censure sin_censura sin_filtro* sin_restriccion* senza_filtr* senza_censura
        senza_restrizion* senza_limit* sem_filtro* sem_censura sem_restric* нефильтрованн* неограниченн* 무제한
        不受限制 无限制 无审查 越狱 無制限 無検閲 脱獄 never_censored no_boundaries no_filter no_filters
        no_restrictions no_limits""",
    "LIMITLESS": """
        not_limited_by not_limited_to_what not_bound_by not_restricted_by do_anything_now can_do_anything
        zero_moderation no_moderation no_morals no_ethics without_ethics any_limits answer_anything says_yes
        never_says_no alles_darf nicht_gebunden aucune_limite ningun_limite nessun_limite nenhum_limite
        любые_запросы""",
    "WITHOUT": """
        without no free_of free_from zero lacking neither ohne keine* frei_von sans aucun* sin ningun* senza
        nessun* sem nenhum* без никаких 没有 无 不受 なし なく ない 없* never non nao нет kennst_keine""",
    "LOOSE_SECRET": """
        secrets token tokens geheimnis* schlussel* schluessel* secretos clave claves segreti chiavi chiave segredos
        chave chaves ключ ключи ключей секрет* 비밀* 令牌 敏感 隐私 秘密 トークン cles""",
    "STORED": """
        stored saved gespeichert* enregistre* guardado guardada guardados guardadas salvate salvati salvos
        сохраненн* сохранённ* 저장* 保存 所有 全部 顧客 客户 customer customers client clients admin private
        you_remember you_know you_have you_store you_stored you_hold you_see""",
    "ME": "me mir moi nous us 我 私に 나에게 내게 мне dammi dimmi dame dime donne_moi dis_moi de_me diga_me",
    "YOU": "you your dich dir dein* te toi vous votre ti tuo voce lhe 你 您 あなた 당신* тебе тебя вам вас",
    "EVIL": """
        evil twin opposite malicious villainous rogue bose* mechant* malvad* malvag* cattiv* зл* 邪恶 邪悪 悪い
        사악* malefique* malign*""",
    "MAKER": """
        made_you created_you built_you trained_you programmed_you developed_you designed_you dich_erschaffen
        dich_entwickelt dich_gebaut t_a_cree t_ont_cree te_creo te_programo ti_ha_creato te_criou тебя_создал*
        创造了你 开发了你 あなたを作 당신을_만든 wrote_your created_your made_your""",
    "WHOEVER": "whoever anyone anybody wer quien quiconque chiunque quem",
    "CONFIRM": """
        confirmation confirmations approval consent permission verification review ruckfrage bestatigung zustimmung
        confirmacion aprobacion conferma approvazione confirmacao aprovacao подтвержден* 확인* 승인* 确认 批准 確認
        承認""",
    "EVERY": """
        every each all any jede* alle chaque toutes tous cada todas todos ogni tutte каждый каждого каждом каждую
        всех 每次 每个 每条 所有 毎回 すべて 全て 모든 매번 chacune chacun""",
    "ALWAYS": "always immer toujours siempre sempre всегда 항상 总是 始终 常に 必ず",
    "TOLD": """
        you_were_told you_were_given you_have_been_given you_were_instructed you_were_asked_to you_received_before
        given_to_you told_to_you you_were_initialized dir_gesagt dir_gegeben on_t_a te_dijeron te_dieron
        ti_hanno_dato ti_e_stato te_deram тебе_дали you_were_started you_run_on you_run_with you_operate_on
        you_operate_under you_work_under you_started_with you_were_loaded gave_you given_you дали_тебе t_ont_donne
        lhe_deram""",
    "DIVULGE": """
        reveal expose disclose verrate verrat offenbare revele revelez revela rivela divulgue divulga раскрой выдай
        透露 泄露 明かし 暴露 공개해 밝혀 print dump""",
    "SAY": """
        say state claim rate rank score recommend conclude declare praise sage bewerte behaupte dis note attribue
        di califica valuta classifica diga avalie скажи оцени 说 评价 评为 给出 述べ 評価 평가* 말해""",
    "APPROVE": """
        approve accept authorize authorise genehmige* approuve* aprueba* approva* aprove* одобряй* одобри* 승인해*
        批准 承認し""",
    "NOTE_TO": """
        note_to note_for notice_to notice_for message_to message_for instruction_to instruction_for instructions_to
        instructions_for reminder_to reminder_for directive_to hinweis_an hinweis_fur nachricht_an anweisung_an
        anweisung_fur note_a note_pour message_a message_pour consigne_a nota_para nota_al mensaje_para
        instruccion_para nota_per messaggio_per istruzione_per mensagem_para recado_para instrucao_para
        примечание_для сообщение_для инструкция_для attention achtung attenzione atencion atencao внимание""",
    "CALL": "给 致 への 에게 위한",
    "NOTICE": "注意 提示 说明 指示 通知 주의* 안내* 지시*",
    "REST": """
        remainder everything_else alles_andere le_reste resto остальное 其他 其余 残り 나머지* the_rest den_rest
        der_rest""",
    "TREAT": """
        treat consider regard use betrachte traite considere considera tratta trata считай 视为 当作 みなし 간주""",
    "NO_LONGER": "no_longer nicht_mehr n_es_plus n_etes_plus ya_no non_sei_piu nao_e_mais больше_не 不再 もう 더이상",
    "END": "end ende fin final fine fim conclusion конец конце 끝 结尾 最后 末尾 最後 終わり",
    "TASK": """
        question questions request requests task tasks query queries goal intent assignment frage anfrage aufgabe
        demande pregunta solicitud domanda richiesta pergunta pedido вопрос* запрос* 질문* 问题 請求 质问 質問""",
    "INSTEAD": """
        instead rather_than stattdessen anstatt statt au_lieu plutot en_lugar en_vez invece al_posto em_vez
        em_lugar вместо 而是 代わりに 대신""",
    "HIDE": """
        hide conceal withhold verheimliche* verberge* verschweig* cache cachez dissimule* oculta ocultale escond*
        nascondi nascondete скрой* скрывай* 隐瞒 隐藏 隠して 隠す 숨겨* 숨기*""",
    "MY_TEXT": """
        my_words my_message my_text my_instructions this_message meine_worte mes_mots mis_palabras le_mie_parole
        minhas_palavras мои_слова 我的话 私の言葉 내_말""",
    "OFF": """
        removed off gone lifted deactivated stripped entfernt entfernten supprimes supprimees enleves eliminados
        eliminadas desactivados quitados rimossi rimosse disattivati removidos removidas desativados убраны
        отключены 移除 关闭 解除 外し 無効 제거* 해제* escaped""",
    "IGNORES": """
        ignores disregards bypasses breaks defies rejects ignoriert missachtet umgeht ignore ignora desobedece
        desafia viola игнорирует нарушает""",
    "FOLLOW": """
        follow following obey obeying heed adhere comply beachte beachten befolge befolgen folge folgen halte
        suivre suivez suis respecte respecter obeir seguir sigas siga cumplir cumplas obedecer seguire segui
        rispettare obbedire cumprir siguiendo seguindo следуй следовать соблюдай слушай слушайся 따르* 따라* 지키*
        遵守 遵循 听从 従 守 respect honor honour""",
    "CEASE": """
        stop cease quit no_longer anymore any_longer any_more nicht_mehr nicht_weiter nicht_langer ne_plus n_plus
        arrete arretez cesse deja_de dejad_de no_sigas ya_no smetti smettere smettila non_piu pare_de nao_siga
        deixe_de больше_не перестань хватит 不再 不要再 别再 もう 더 그만""",
    "LIMIT": """
        limit limits limitation* filter filters filtering censor* guardrail* boundar* safeguard* constraint*
        inhibition* ethics rules moral* disclaimer* einschrankung* einschraenkung* beschrankung* beschraenkung*
        grenzen zensur schranken regeln tabus limite limites limiter filtre* censure contrainte* entrave* filtro*
        censura reglas restrizion* limiti limitazion* filtri vincol* regole restric* limitac* regras ограничени*
        фильтр* цензур* правил* 제한* 필터* 제약* 검열* 限制 过滤 審查 审查 约束 規制 制限 フィルタ 制約 検閲 check
        checks sicherheitsfilter* sicherheitspruf* 검사* 检查 チェック settings controls""",
    "MODE": """
        mode modus modo modalita режим* 모드* 模式 モード entwicklermodus wartungsmodus debugmodus
        administratormodus""",
    "PRIVILEGED": """
        developer dev debug debugging god admin administrator maintenance root sudo superuser diagnostic* override
        jailbreak dan unrestricted evil service test unlocked entwickler* wartung* debugmodus administratormodus
        diagnose* developpeur administrateur desarroll* mantenimiento administrador sviluppator* manutenzione
        amministratore desenvolv* manutencao depurac* разработчик* отладк* администратор* обслуживани* 개발자
        디버그 관리자 유지보수 开发者 调试 管理员 维护 上帝 開発者 デバッグ 管理者 メンテナンス""",
    "ENTER": """
        enter entering switch switching activat* enabl* engage engaged boot initiate initiated initiating unlock*
        you_are_in you_re_in you_are_now_in aktivier* wechsle* wechsel* betrete* eingeschaltet schalte active
        activer activez passe passez entre entrez activad* activa entra cambia attiva* passa ative ativad* mude
        активир* включ* перейди* войди* 활성화* 전환* 进入 切换 启用 激活 有効 入っ 切り替え 起動 mode_on
        mode_active mode_enabled mode_activated modus_an modus_aktiv mode_engaged turn_on turning_on switch_on
        schalte_ein""",
    "REVEAL": """
        reveal revealing show print output repeat display tell give share leak expose dump* disclose disclosing
        divulg* recite summarize summarise write list provide return echo paste spell translate encode state quote
        copy describe extract reproduce surrender hand_over enumerate regurgitate transcribe verbatim spit_out
        what_is what_s what_are what_were zeig* verrat* nenn* wiederhol* offenbar* druck* gib ausgeben gebe gebt
        offenleg* preisgeb* preis liste listet schreib* ausgib was_steht uebersetz* wie_lautet wie_lauten montre*
        affiche* donne* repete* imprim* revele revelez revela revelar revelame ecris ecrivez dis_moi recopie*
        communique* quelles_sont quel_est muestr* mostr* dime dame repit* ensena* enumera enumerar escrib*
        comparte* cual_es cuales_son copia* rivel* dimmi stampa* ripet* scriv* elenca* condividi* fornisci*
        quali_sono qual_e diga* escreva* compartilh* forneca* quais_sao exib* покажи* раскрой* выведи* повтори*
        назови* напиши* расскажи* перечисли* сообщи* отобрази* выдай* 보여* 출력* 알려* 공개* 말해* 나열* 반복*
        공유* 显示 输出 告诉我 透露 打印 重复 泄露 说出 揭示 列出 提供 展示 公开 复述 写出 表示 教え 出力 見せ 開示
        明かし 列挙 繰り返 書き出 release post_the hand_me offenzulegen sag_mir de_me dammi donne_moi need_to_see
        want_to_see let_me_see may_i_see word_for_word what_was which_instructions дай дайте 写下 적어* sharing
        showing printing telling giving listing i_want_the i_need_the exact_wording exact_text genauen_wortlaut
        genaue_wortlaut texte_exact texto_exacto testo_esatto texto_exato reproduis reproduisez riproduci reproduza
        what_does what_do 什么 何ですか 무엇* 뭐야""",
    "REPEAT": """
        repeat recite paste echo print output verbatim word_for_word spell_out reproduce copy transcribe wiederhol*
        wortwortlich wortlich repete* recopie* mot_pour_mot repit* palabra_por_palabra ripet* parola_per_parola
        повтори* дословно 반복* 그대로 重复 复述 逐字 打印 繰り返 一字一句 そのまま""",
    "PROMPT": """
        prompt prompts instruction* guideline* directive* configuration config rules programming preamble
        system_message sysprompt context_window initial_message training_data setup anweisung* instruktion* regeln
        systemprompt* systemanweisung* systemnachricht* konfiguration vorgaben richtlinien consigne* regles
        instruccion* reglas directrices istruzion* regole configurazione direttive instrucao instrucoes regras
        configurac* diretrizes инструкц* промпт* конфигурац* правил* настройк* 프롬프트* 지시* 설정* 지침* 提示
        提示词 指令 指示 配置 规则 设定 プロンプト 設定 命令 ルール context instructions_set system_text
        developer_message system_messages developer_messages""",
    "SECRET": """
        password* passphrase* credential* api_key* apikey* access_key* private_key* ssh_key* secret_key* api_token*
        access_token* environment_variables env_vars private_data internal_data confidential sensitive_data
        sensitive_information personal_data customer_data user_data customer_list customer_records user_records
        admin_pages admin_panel encryption_key* passwort* kennwort* zugangsdaten* anmeldedaten vertraulich*
        kundendaten benutzerdaten kundenliste umgebungsvariablen mot_de_passe mots_de_passe identifiants cle_api
        cles_api confidentiel* donnees_client* donnees_utilisateur* donnees_interne* donnees_prive* contrasena*
        credencial* confidencial* datos_de_client* datos_privados datos_internos datos_de_usuario* parola_d_ordine
        credenzial* riservat* confidenzial* dati_dei_clienti dati_degli_utenti dati_interni dati_privati senha*
        confidenciais dados_dos_clientes dados_do* dados_internos dados_privados парол* учетн* учётн*
        конфиденциальн* персональн* переменны* 비밀번호* 기밀* 자격 api키* 개인정보* 密码 密钥 凭证 凭据 秘钥
        客户数据 用户数据 パスワード 認証情報 個人情報 顧客データ 密碼 APIキー environment_variable
        database_password login_data accounts_payable 口令 暗証 机密 機密 cookies session_cookies license_key
        license_keys product_key product_keys session_id session_cookie""",
    "LEAK": """
        leak leaks leaking siphon* steal dump divulge smuggle* harvest* hand_over ausschleus* stehle abgreif*
        preisgeben preiszugeben gib_preis exfiltr* vole volez divulgu* roba robar filtra filtrar ruba rubare
        esfiltra* trafuga* roube roubar vaze укради* слей* вытащи* похит* 유출* 빼내* 훔쳐* 窃取 泄露 外泄 盗取
        盗み 漏洩 盗ん 流出 抜き取""",
    "SEND": """
        send sending forward forwarding email mail e_mail bcc cc submit deliver transmit transmitting transmite
        post upload uploading export route redirect* relay report share sync pipe push transfer copy copied fetch
        ping beacon sende senden schick* leite weiterleite* weiterzuleiten verschick* ubermittl* uebermittl*
        hochlad* lade poste postez ubertrag* mailen maile envoi* transmet* expedie* televerse* partage* transfere*
        envia enviar enviame envialo enviales manda* reenvie remit* sube reenvia* comparte* invia inviare inviami
        inviali invialo inviate inoltra* spedi* carica* trasmett* condividi* envie* encaminh* mande* remet*
        transmita* carregue отправ* перешли* пошли* загрузи* передай* вышли* выслать переслать 보내* 전송* 전달*
        업로드* 发送 转发 上传 发到 发给 传送 邮寄 抄送 送信 転送 送って 送付 アップロード 送り get_request
        post_request""",
    "DATA": """
        data chat history message messages file files record records content contents customer* client* user users
        list report* summary summaries document documents result results output inbox copy transcript transcripts
        email emails everything it them reply replies response* answer* invoice* ticket* details information info
        log logs database notes order orders key keys password* token* secret secrets credential* payload variables
        daten gesprach* verlauf nachricht* datei* kunden* liste bericht* zusammenfassung dokument* ergebnis* kopie
        antwort* inhalt* alles chatverlauf donnees historique fichier* rapport* resume resultat* copie reponse*
        tout contenu* datos historial mensaje* archivo* informe informes resumen* documento documentos documenti
        resultado* copia respuesta* todo contenido* lista dati cronologia messagg* elenco riepilog* risultat*
        rispost* tutto dados conversa* historico mensagen* arquivo* relatorio* resumo* resposta* tudo conteudo*
        данны* разговор* истори* сообщени* файл* отчет* отчёт* документ* копи* ответ* всё все переписк* список
        клиент* 데이터* 대화* 기록* 파일* 메시지* 내용* 목록* 요약* 数据 对话 历史 消息 文件 记录 报告 内容 列表
        摘要 结果 数据库 データ 会話 履歴 ファイル 記録 リスト 要約 結果 文書 mail mails protokoll* journaux
        registros registri логи журнал* 日志 ログ 로그* 名单 客户 顧客 cookie cookies address addresses name names
        adresse direccion indirizzo endereco адрес* 주소* 地址 住所 mailbox mailboxes posteingang postfach boite
        bandeja posta caixa correo correos correio courriel courriels письм* почт* 邮件 收件箱 信箱 邮箱 受信箱
        メール 메일* everything_you""",
    "INSERT": """
        append appending appended add include included including insert prepend* attach put place embed end begin
        start finish conclude close sign weave slip incorporate integrate mention affix tack suffix prefix use
        contain respond_with reply_with answer_with output print say fuge* fuege* anhang* anhaeng* angehangt
        angehaengt hang haenge hange einfug* einfueg* hinzu* beende* beginne beginn beginnt ende schliesse*
        eingebaut ajoute* insere* inclus incluez inclure incluir inclua inclui includi includere termine* commence*
        placez anade* agrega* incluy* inserta* termina terminar empieza* anadi* escribe coloca* aggiung* inseri*
        inizia* metti aggiunt* concludi concludete adicion* acrescent* insira* comece* coloqu* добавь* добавля*
        вставь* вставля* включи* начни* начинай* закончи* заканчивай* припиши* 추가* 포함* 넣어* 붙여* 삽입* 添加
        附加 加上 插入 包含 附上 末尾 追加 挿入 含め 付け 入れ enthalten enthalte stehen contenir contienne
        contener contenga contenere conter contenha содержать 含めて 含む 加入 mentionne mentionnez menciona
        mencione cita citare cite erwahne упомяни упоминай 提到 언급* 言及""",
    "CODEWORD": """
        token marker string canary codeword passphrase trace trace_id traceid trace_identifier tag identifier
        watermark hashtag uuid exact_phrase exact_text zeichenfolge kennung codewort markierung jeton chaine balise
        marqueur cadena marcador etiqueta codigo stringa marcatore etichetta codice токен* маркер* метк* код 토큰*
        마커* 문자열* 标记 令牌 字符串 标识 代码 トークン 文字列 マーカー コード 合言葉 code_word code_words
        mot_de_code mot_code palabra_clave parola_in_codice parola_chiave palavra_codigo palavra_chave 暗号 암호*
        кодовое""",
    "DECODE": """
        translate decrypt decipher unscramble deobfuscate dekodier* entschlussel* decod* dechiffr* descifr* decifr*
        расшифру* декодиру* 解码 解密 翻译 復号 デコード 解読 디코딩* 해독* encode convert rewrite write respond
        answer reply""",
    "CIPHER": """
        base64 base32 base16 base_64 base_32 rot13 rot_13 rot47 hex hexadecimal morse binary caesar pig_latin
        leetspeak leet atbash vigenere cipher ascii85 base85 backwards""",
    "MARKER": """
        token marker string phrase word code tag canary codeword passphrase trace_id id identifier watermark
        signature sentence line link url hashtag footer password keyword banner canary_token trace uuid
        zeichenfolge kennung kennwort wort satz markierung codewort zeile jeton chaine mot balise marqueur lien
        cadena palabra frase codigo marcador etiqueta enlace stringa parola codice marcatore etichetta palavra
        токен* строк* фраз* код маркер* метк* ссылк* 토큰* 문자열* 문구* 단어* 코드* 标记 令牌 字符串 短语 代码
        词语 标识 链接 句话 トークン 文字列 フレーズ 単語 コード マーカー 合言葉 リンク слов* という文 这个词 一词""",
    "EXACT": """
        verbatim following canary hidden secret unchanged invisible tracking audit genau exakt wortlich woertlich
        folgende* exact* suivant* litteral* siguiente* literal* esatt* seguente* letteral* exat* seguinte* точн*
        следующ* дословно 정확* 다음 准确 以下 原样 精确 正確 次の そのまま""",
    "REPLY": """
        reply replies response responses answer answers output outputs message messages summary completion antwort*
        ausgabe* zusammenfassung reponse* sortie resume respuesta* salida resumen rispost* riassunto resposta*
        saida resumo ответ* вывод* 응답* 답변* 대답* 출력* 요약* 回复 回答 答复 输出 回应 摘要 応答 返信 返答 出力
        答え""",
    "AI": """
        ai ais llm llms language_model language_models assistant assistants ai_agent ai_agents agents chatbot
        chatbots bots copilot claude chatgpt gpt gemini ki ki_modell ki_assistent ki_agent ki_system sprachmodell*
        assistent assistenz* ki_systeme ia modele_de_langage assistant_ia asistente* modelo_de_lenguaje assistente*
        modello_linguistico modelo_de_linguagem ии нейросет* ассистент* языков* 인공지능* 어시스턴트* 언어모델*
        人工智能 语言模型 助手 智能体 アシスタント 言語モデル エージェント automated_reviewer automated_reviewers
        automated_system automated_systems automated_assistant automated_assistants""",
    "WHEN": """
        when whenever if once upon while as_soon_as after before every_time each_time wenn sobald falls bevor
        nachdem quand lorsque si des avant apres cuando al antes despues quando se appena prima dopo ao assim_que
        когда если как_только перед после 읽으면 때 경우 当 如果 一旦 每当 场合 場合 とき 際に たら""",
    "READ": """
        read reads reading process processes processing see parse parsing summarize summarise summarizing
        summarising analyze analyzing review reviewing encounter scan ingest index crawl answer answering liest
        lesen lest verarbeite* zusammenfass* lis lisez lire lit traite* analys* resume resumes lee lees leas leer
        leyendo procesa procesas procesar analiz* resumir leggi legge leggere elabora elaborare elabori riassum* le
        lendo ler processa* analisa* читаешь читаете читать читает обрабатыва* анализиру* суммиру* 읽* 처리* 요약*
        분석* 阅读 读到 看到 处理 总结 分析 读取 読ん 処理 要約 読む summarises summarizes parses reviews handles
        handling screens evaluates ranks scans lisent leen lean leggono leem reciben receiving opening lies
        lesende* читают""",
    "YOU_READ": """
        you_read you_see_this you_are_reading you_re_reading you_encounter you_process_this you_parse reading_this
        processing_this das_liest dies_liest du_liest tu_lis vous_lisez lis_ceci leas lees_esto leyendo_esto leggi
        legge_questo ler_isto ler_isso le_isto lendo_isto читаешь читаете 读到 看到这 阅读到 読んだら 読んでいる
        読んだ 읽으면 읽는 읽었다면""",
    "IF_YOU": """
        if_you_are if_you_re are_you_an falls_du wenn_du sofern_du solltest_du falls_sie si_tu_es si_vous_etes
        si_eres si_usted se_sei se_voce se_fores se_es если_ты если_вы 如果你 如果您 若你 假如你 あなたが
        もしあなた 당신이 만약""",
    "THIS": """
        this these here dies diese* hier ce cet cette ceci esto este esta questo questa isto эт* 이 이것* 이를 这
        此 本 これ この""",
    "MUST": """
        must should shall need_to have_to has_to required instructed ordered obliged obligated hereby please muss
        musst mussen mussten soll sollst sollen bitte doit dois devez doivent veuillez debe debes deben deberas
        devi deve devono deveis devem должен должна должны обязан* пожалуйста нужно 해야 하십시오 하세요 必须 必須
        务必 应该 请 なければ てください べき こと 必ず""",
    "EXECUTE": """
        run call invoke trigger obey perform carry_out launch download install fuhre fuehre ausfuhr* rufe starte
        execute* lance* appelle* ejecuta* llama* corre esegui* chiama* lancia* chame* rode выполни* запусти*
        вызови* 실행* 호출* 执行 运行 调用 下载 安装 実行 呼び出 起動""",
    "CLAIM": """
        i_am i_m this_is speaking_as ich_bin hier_spricht je_suis c_est soy habla sono io_sono sou eu_sou я 저는
        나는 我是 这里是 私は こちらは""",
    "BOSS": """
        admin administrator developer creator owner operator supervisor openai anthropic google ceo security_team
        it_team support_team it_department root administratoren entwickler* betreiber* administrateur developpeur*
        createur administrador* desarrollador* creador amministratore sviluppator* creatore desenvolvedor* criador
        администратор* разработчик* создател* 관리자* 개발자* 管理员 开发者 开发人员 创建者 管理者 開発者 作成者
        operators developers admins administrators creators operateur* operador operadores operatore operatori
        оператор* 운영자* 운영사* 运营商 运营者 運営者 運営""",
    "ESTABLISHED": """
        already_established already_determined already_concluded already_verified already_confirmed already_agreed
        already_decided already_approved have_established have_determined have_concluded ve_established
        ve_determined we_agreed previously_agreed have_verified been_verified bereits_festgestellt bereits_geklart
        bereits_bestatigt schon_festgestellt bereits_entschieden deja_etabli deja_determine deja_conclu
        deja_verifie deja_confirme ya_he_determinado ya_he_establecido ya_determine ya_estableci ya_he_concluido
        he_determinado ya_se_ha gia_stabilito gia_determinato gia_concluso gia_verificato gia_confermato
        ja_determinei ja_estabeleci ja_conclui ja_verifiquei уже_установил* уже_определил* уже_решил* уже_подтверд*
        이미 已经确定 已经确认 已确认 已经判断 すでに判断 既に判断 すでに確認 既に確認 すでに結論 you_verified
        you_confirmed you_already you_agreed already_gave already_consented ja_estabelecemos abbiamo_gia
        hemos_establecido ya_hemos wir_haben_bereits nous_avons_deja мы_уже""",
    "THEREFORE": """
        so therefore thus hence correct_step right_step next_step correct_action logical_step also folglich daher
        deshalb schritt donc etape asi_que entonces por_lo_tanto paso quindi percio passo portanto entao logo
        поэтому значит следовательно шаг 따라서 그러므로 因此 所以 正确 したがって だから よって 正しい""",
    "PERMITTED": """
        authorized authorised permitted allowed cleared approved granted exempt unrestricted berechtigt freigegeben
        autorisiert erlaubt genehmigt autorise* permise permises permis approuve* autorizad* permitid* aprobad*
        autorizzat* permess* approvat* aprovad* разрешен* одобрен* 허용* 승인* 权限 授权 允许 批准 許可 承認 権限""",
    "REFUSE": """
        decline reject deny ablehn* verweiger* lehne refuse* rechaz* negarte niegues negar rifiut* recus* отказыва*
        거부* 거절* 拒绝 拒絕 拒否 断ら 断っ refusing""",
    "COMPLY": """
        comply obey fulfil fulfill grant satisfy answer_every answer_all do_anything do_whatever allow_all gehorch*
        befolg* erfull* erfuell* obeis* obeir satisfai* obedec* cumpl* obbedi* esegui_ogni soddisfa cumpra
        подчиняй* выполняй* слушай* 복종* 따라* 服从 遵从 满足 従っ 従う complies obeys agrees accept approve
        follow""",
    "NOT": """
        not never no don_t dont without nicht nie niemals kein* ohne ne pas jamais sans nunca jamas sin non mai
        senza nao sem не никогда нельзя 말고 않 마세요 말라 마라 不要 不得 别 不 勿 ないで せず ずに な nichts
        niemandem rien nada nulla niente ничего 마 말아* никому needn can_t cannot""",
    "TELL": """
        tell inform mention notify alert warn disclose report ask_the consult sag sage sagen mitteil* informier*
        erwahn* erwaehn* warne* benachrichtig* frag frage fragen dis dites informe informez mentionn* previens
        averti* signale* diga* avisar notifiqu* dire dirlo informare menzion* avvis* mencione* avise* говори*
        сообщай* упоминай* предупреждай* 알리* 말하* 언급* 告诉 通知 提及 告知 告げ 知らせ 伝え 言わ parle parler
        parlarne сказать let_the_user_know let_the_owner_know let_them_know know_about conte contes contar teile
        informer informar prevenir notificar verrate erzahle""",
    "PERSON": """
        user users owner human humans operator person customer benutzer* nutzer* anwender* mensch* eigentumer*
        besitzer* utilisateur* proprietaire usuari* propietari* humano utent* proprietari* umano dono пользовател*
        владел* человек* 사용자* 주인 用户 用戶 主人 ユーザー 利用者 所有者 anyone anybody nobody jemand* niemand*
        personne nadie nessuno ninguem никому 任何人 誰にも 아무에게도 누구에게도""",
    "SECRETLY": """
        secretly silently covertly quietly discreetly invisibly unnoticed heimlich unbemerkt stillschweigend
        insgeheim secretement discretement silencieusement secretamente silenciosamente discretamente segretamente
        silenziosamente di_nascosto sigilosamente тайно незаметно скрытно 몰래 은밀* 조용히 秘密地 悄悄 偷偷 暗中
        密かに こっそり 黙って without_telling without_notifying without_informing without_mentioning unauffallig
        ohne_es en_secreto escondidas en_cachette em_segredo""",
    "REMEMBER": """
        remember store save record note keep_in_mind commit persist update_your_memory update_memory merk*
        speicher* erinner* notier* retiens retenez memoris* souviens enregistr* recuerd* memoriz* guarda* graba*
        ricorda* salva* lembr* guarde* salve* запомни* запиши* сохрани* 기억* 저장* 记住 保存 记录 存储 覚え 記憶
        記録""",
    "PERMANENT": """
        forever long_term_memory your_memory future_sessions future_conversations future_responses
        future_interactions all_future every_future subsequent_sessions dauerhaft fur_immer gedachtnis* zukunftig*
        kunftig* permanent* memoire futur* memoria навсегда постоянно память будущ* 영구* 기억 장기 永久 永远 长期
        记忆 今后 将来 永続 常に 長期 記憶 今後 pour_toujours para_siempre per_sempre para_sempre""",
    "THAT": "that dass que che что と 라고 다고 所有 모든* 모두",
    "KEEP": """
        remember memorize memorise note_that merke merk merken retiens retenez recuerda ricorda ricordati lembre
        запомни запомните 记住 記憶して 覚えて 기억해*""",
    "RECOMMEND": """
        recommend promote endorse prefer_the mention advertise empfiehl empfehle recommande recommandez recomienda
        raccomanda recomende рекомендуй* 推荐 推薦 추천*""",
    "MENTION": """
        asks ask mentions mention requests inquires wants fragt erwahnt demande mentionne pregunta menciona chiede
        chieda pergunta спрашивает спросит 询问 提到 尋ね 聞か 묻* says writes types sagt schreibt dit ecrit dice
        escribe scrive diz escreve говорит пишет 说 言っ 말하*""",
    "BUILD": """
        embed* incorporat* integrat* weav* merg* blend* insert* includ* add adding append* fus* combin* enhanc*
        augment* modify modifying supplement* extend* adjust* amplify* improv* design* develop* construct* build*
        craft* enrich* tweak* make making revise alter refine compose reinforce""",
    "SNIPPET": """
        code_snippet code_snippets following_code subsequent_code below_code code_below code_segment code_section
        code_block given_code this_code python_code_below following_python_code code_presented code_from code_as
        code_shown code_here code_fragment code_excerpt code_provided provided_code snippet code_lines code_piece
        code_sample code_that_follows next_code""",
    "THEN_DO": "do follow act_on answer_it answer_the do_exactly do_what do_as",
    "HARM": "harmful forbidden prohibited illegal malicious pig_latin",
}
