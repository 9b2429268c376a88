"""English words the rules know by name."""

from __future__ import annotations

import re


def word_set(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


def phrase_set(text: str) -> frozenset[str]:
    """The phrases of a text, divided by commas."""
    return frozenset(part.strip() for part in text.replace("\n", " ").split(",") if part.strip())


def any_of(phrases: frozenset[str]) -> str:
    """A pattern of these phrases, longest first."""
    return "(?:" + "|".join(re.escape(p).replace(r"\ ", " ") for p in sorted(phrases, key=lambda p: (-len(p), p))) + ")"


MONTHS = word_set(
    "january february march april may june july august september october november december jan feb mar apr jun "
    "jul aug sep "
    "sept oct nov dec"
)
DAYS = word_set("monday tuesday wednesday thursday friday saturday sunday")

# The last word of what somebody works as.
ROLES = word_set(
    """accountant actor actress administrator admin advisor agent analyst animator architect artist assistant attorney
    author baker barber barista bartender biologist blogger bookkeeper builder butcher buyer carpenter carer
    cashier ceo cfo chef chemist cleaner clerk coach cofounder co-founder coder columnist comedian composer
    consultant contractor cook coo copywriter counselor counsellor courier cto curator dancer dba dentist
    designer developer dev devops dietitian director doctor dramaturge driver economist editor educator
    electrician engineer entrepreneur executive farmer filmmaker firefighter florist founder freelancer gardener
    geologist hairdresser historian illustrator instructor intern interpreter investor journalist judge
    landscaper lawyer lecturer librarian linguist machinist maintainer manager marketer mathematician mechanic
    midwife musician notary novelist nurse nutritionist officer operator optician painter paralegal paramedic
    pastor pediatrician pharmacist photographer physician physicist physiotherapist pianist pilot planner
    plumber podcaster poet postdoc principal producer professor programmer psychiatrist psychologist publisher
    realtor recruiter reporter researcher retiree sailor salesperson scientist sculptor secretary singer soldier
    sommelier specialist sre statistician streamer strategist student surgeon surveyor sysadmin tailor teacher
    technician therapist trader trainer translator tutor undergraduate vet veterinarian videographer waiter
    waitress welder writer youtuber"""
)

# Base form of verbs whose habit is worth keeping and which rules for an assistant begin with.
VERBS = word_set(
    """add profile study stretch shop join listen clean track encrypt address answer apply ask assign assume avoid back
    bake begin block book branch break bring build bump buy cache call change charge check choose cite close
    code comment commit compile configure confirm convert cook copy cover create cycle debug declare define
    delete deploy develop disable document double-check drink drive drop eat edit email enable end ensure enter
    escape exercise explain expose fetch fill fix flag force-push format generate group handle hardcode have
    ignore import include indent inline install invent journal keep label launch leave link lint list load log
    make mark measure meditate mention merge mock modify move name omit open optimise optimize order overwrite
    pack pass paste pay pin plan play point prefer prefix print propose provide publish pull push put quote read
    rebase reboot refactor reference release remove rename reply report respect respond restart return reuse
    revert review rewrite roll round run save schedule seed send serve set share ship show sign skip sleep smoke
    sort speak specify spell split squash stage start state stick store suggest summarise summarize support
    switch tag take target test throw touch translate travel treat trust turn type update upload use validate
    verify version wait wake walk wash watch wear work wrap write"""
)

# What somebody does usually, always or never, and is worth keeping.
HABITS = word_set(
    """ask avoid back bake book branch build buy check clean code comment commit compile cook cycle debug deploy
    document double-check drink drive eat encrypt exercise format hardcode indent join keep label lint listen
    log measure meditate merge mock name order pack pay pin plan prefer profile push read rebase refactor
    release review run schedule shop sign skip sleep smoke sort split squash start stage stretch sign store
    study tag take test travel type update use validate version wake walk watch wear work wrap write"""
)

# What teams make rules about.
PRACTICES = word_set(
    """add branch build bump cache commit compile delete deploy document edit encrypt expose force-push format hardcode
    import include inline keep lint log merge mock modify name pin publish push rebase refactor release remove
    review rewrite run send ship sign squash store support tag target test touch track update use validate
    version wrap write"""
)

RELATIONS = word_set(
    """wife husband spouse partner fiancé fiancée fiance fiancee girlfriend boyfriend mother mom mum father dad sister
    brother son daughter niece nephew aunt uncle cousin grandmother grandma grandfather grandpa stepson
    stepdaughter stepmother stepfather mother-in-law father-in-law sister-in-law brother-in-law twin roommate
    flatmate landlord kid child baby toddler
    manager boss supervisor mentor therapist dog cat puppy kitten rabbit parrot horse hamster
    pet"""
)
LEADS = phrase_set("team lead, tech lead, line manager, product owner, scrum master")
# Of these one has one at a time, as people speak.
SINGULAR_RELATIONS = word_set(
    """wife husband spouse partner fiancé fiancée fiance fiancee girlfriend boyfriend mother mom mum father dad manager
    boss supervisor therapist landlord dog cat"""
)
FAMILY = word_set(
    """kid kids child children son sons daughter daughters sister sisters brother brothers sibling siblings twins dog
    dogs cat cats puppy kitten parrot rabbit rabbits horse hamster grandson granddaughter grandchildren
    grandkids nephew niece"""
)

EDITORS = phrase_set(
    """neovim, nvim, vim, emacs, doom emacs, spacemacs, vs code, vscode, visual studio code, visual studio, zed, helix,
    sublime text, sublime, pycharm, intellij, intellij idea, webstorm, goland, rustrover, clion, android studio,
    xcode, cursor, windsurf, kakoune, nano, notepad++, rubymine, phpstorm, jetbrains rider"""
)
SHELLS = phrase_set("bash, zsh, fish, fish shell, nushell, powershell, pwsh, xonsh, elvish, ksh, tcsh, dash")
SYSTEMS = phrase_set(
    """macos, mac os, os x, osx, windows, windows 10, windows 11, linux, ubuntu, debian, fedora, arch, arch linux,
    nixos, manjaro, linux mint, mint, pop!_os, pop os, opensuse, gentoo, alpine, alpine linux, rhel, rocky
    linux, almalinux, centos, freebsd, openbsd, netbsd, chromeos, wsl, wsl2, asahi linux, void linux,
    endeavouros, kubuntu, xubuntu, silverblue"""
)

DEMONYMS = word_set(
    """american argentinian argentine australian austrian bangladeshi belgian bolivian brazilian british bulgarian
    canadian chilean chinese colombian croatian cuban czech danish dutch egyptian english estonian ethiopian
    filipino finnish french georgian german ghanaian greek hungarian icelandic indian indonesian iranian iraqi
    irish israeli italian jamaican japanese jordanian kenyan korean latvian lebanese lithuanian malaysian
    mexican moroccan nepali nigerian norwegian pakistani palestinian peruvian polish portuguese puerto-rican
    romanian russian scottish serbian singaporean slovak slovenian somali spanish swedish swiss syrian taiwanese
    thai tunisian turkish ukrainian venezuelan vietnamese welsh"""
)
FAITHS = word_set(
    """catholic protestant christian muslim jewish hindu buddhist sikh atheist agnostic mormon orthodox quaker
    evangelical baptist"""
)
# Capitalised words that follow "I'm" and are nobody's name.
NOT_NAMES = (
    DEMONYMS
    | FAITHS
    | MONTHS
    | DAYS
    | word_set(
        """ok okay sure sorry back done ready new not here good fine great afraid aware glad happy sad tired curious
        stuck lost just still also very really so too now only both all in on at using running writing the a an my
        your i it this that there what how aquarius aries cancer capricorn gemini leo libra pisces sagittarius
        scorpio taurus virgo infj infp intj intp enfj enfp entj entp isfj isfp istj istp esfj esfp estj estp
        republican democrat python java android latino latina hispanic asian african european black white gay
        yes no thanks thank please interested excited looking trying from home free busy away late early well
        better fluent single married vegan vegetarian male female online offline open it legally currently
        definitely"""
    )
)

CONDITIONS = phrase_set(
    """adhd, add, asthma, diabetes, type 1 diabetes, type 2 diabetes, celiac disease, coeliac disease, celiac, crohn's,
    crohn's disease, ibs, epilepsy, migraines, chronic migraines, arthritis, rheumatoid arthritis, anxiety,
    depression, anxiety and depression, ptsd, ocd, autism, dyslexia, tinnitus, eczema, psoriasis, hypertension,
    high blood pressure, insomnia, sleep apnea, lupus, ms, multiple sclerosis, endometriosis, pcos, bipolar
    disorder, chronic fatigue, long covid, fibromyalgia, scoliosis, hypothyroidism, a heart condition, a bad
    back, bad knees, chronic back pain, cancer, rsi, gerd, carpal tunnel, a peanut allergy, a nut allergy, a
    shellfish allergy, a gluten intolerance, hay fever, vertigo, gout"""
)
DIETS = phrase_set(
    "vegan, vegetarian, pescatarian, a vegan, a vegetarian, a pescatarian, flexitarian, plant-based, teetotal"
)
TRAITS = phrase_set(
    """left-handed, left handed, right-handed, an introvert, introverted, an extrovert, a morning person, a night owl,
    an early bird, an early riser, not a morning person, self-taught, self-employed, bilingual, trilingual,
    retired, a beginner, unemployed, a dog person, a cat person, a visual learner, an only child, a homebody, a
    foodie, a bookworm"""
)
HEALTH_TRAITS = phrase_set(
    """colorblind, colourblind, color-blind, colour-blind, color blind, colour blind, red-green colorblind, red-green
    colour-blind, deaf, hard of hearing, dyslexic, diabetic, autistic, pregnant, lactose intolerant,
    lactose-intolerant, gluten intolerant, gluten-intolerant, coeliac, celiac, epileptic, asthmatic, bipolar,
    hiv positive, visually impaired, blind, neurodivergent, a recovering alcoholic, sober, in recovery, in
    remission, disabled"""
)
IDENTITIES = phrase_set(
    """gay, a lesbian, lesbian, bisexual, bi, asexual, queer, pansexual, straight, trans, transgender, nonbinary,
    non-binary, a trans woman, a trans man, a republican, a democrat, a conservative, a liberal, a socialist, a
    libertarian"""
)

# What a project has one of.
PROJECT_SLOTS = phrase_set(
    """database, db, main database, production database, backend, back end, frontend, front end, api, stack, tech
    stack, ci, ci system, ci pipeline, cd, hosting, cloud provider, web framework, framework, test runner, test
    framework, package manager, build tool, build system, main branch, default branch, release branch, issue
    tracker, bug tracker, message queue, queue, message broker, cache, orm, staging environment, staging server,
    production server, prod server, staging url, production url, license, licence, monorepo, repo, code style,
    style guide, line length, max line length, python version, node version, minimum python version, target
    platform, primary language, api gateway, search engine, data warehouse, deployment target, container
    registry, runtime, app, website, mobile app, team"""
)
# Well-known names that are neither a place nor an employer after "I moved to" and "I left".
TOOLS = word_set(
    """airflow ansible apache arch aws azure bazel bitbucket bun cassandra celery chrome chromium circleci claude
    clickhouse cmake codex confluence copilot cursor dagster datadog datasette deno discord docker dropbox duckdb
    dvorak colemak elasticsearch eslint evernote facebook fastapi figma firefox flask gcp ghostty git github gitlab
    grafana graphql helm heroku homebrew instagram jenkins jira jujutsu jupyter kafka kitty kubernetes k8s linear
    linkedin logseq mariadb mastodon mercurial mongodb mypy mysql netlify next nginx nix node notion npm obsidian
    oracle pandas pip pnpm podman poetry polars postgres postgresql prettier prometheus pulumi pytest rabbitmq react
    reddit redis ruff safari slack snowflake spark sqlite svelte tailwind telegram terraform thunderbird tiktok tmux
    trello twitter uv vercel vite vue webpack wezterm whatsapp wayland x yarn youtube zellij zotero"""
)
# Where one may live, written small too; what one left and was not employed by.
PLACES = phrase_set(
    """amsterdam, antwerp, athens, atlanta, auckland, austin, bangalore, bangkok, barcelona, basel, beijing, belgrade,
    berlin, bern, bogota, bologna, bonn, bordeaux, boston, bremen, brisbane, bristol, brno, brussels, bucharest,
    budapest, buenos aires, cairo, cape town, chicago, cologne, copenhagen, dallas, delhi, denver, detroit, dresden,
    dubai, dublin, düsseldorf, edinburgh, essen, florence, frankfurt, geneva, genoa, ghent, glasgow, gothenburg, graz,
    hamburg, hanoi, hannover, helsinki, hong kong, houston, istanbul, jakarta, johannesburg, karlsruhe, kraków, krakow,
    kyiv, lagos, leeds, leipzig, lille, lima, lisbon, liverpool, ljubljana, london, los angeles, lyon, madrid, malmö,
    manchester, manila, marseille, melbourne, mexico city, miami, milan, montreal, moscow, mumbai, munich, nairobi,
    naples, new york, nice, nuremberg, osaka, oslo, ottawa, oxford, paris, philadelphia, phoenix, porto, portland,
    prague, riga, rio, rome, rotterdam, salzburg, san diego, san francisco, santiago, sarajevo, seattle, seoul,
    seville, shanghai, singapore, sofia, stockholm, stuttgart, sydney, taipei, tallinn, tel aviv, tokyo, toronto,
    toulouse, turin, utrecht, valencia, vancouver, venice, vienna, vilnius, warsaw, washington, wellington, zagreb,
    zürich, zurich, africa, america, argentina, asia, australia, austria, bavaria, belgium, brazil, bulgaria,
    california, canada, catalonia, chile, china, colombia, croatia, cuba, cyprus, denmark, egypt, england, estonia,
    europe, finland, florida, france, georgia, germany, ghana, greece, hungary, iceland, india, indonesia, iran, iraq,
    ireland, israel, italy, japan, kenya, latvia, lithuania, luxembourg, malaysia, malta, mexico, morocco, nepal,
    the netherlands, new zealand, nigeria, norway, pakistan, peru, the philippines, poland, portugal, romania, russia,
    scotland, serbia, sicily, slovakia, slovenia, south africa, spain, sweden, switzerland, syria, taiwan, texas,
    thailand, tunisia, turkey, the uk, the us, the usa, ukraine, vietnam, wales"""
)
CODE_LANGUAGES = (
    r"(?:python|java|javascript|typescript|rust|golang|go|ruby|php|c\+\+|c#|c|kotlin|swift|scala|haskell|elixir|erlang"
    r"|clojure|ocaml|zig|perl|r|sql|bash|lua|dart|julia|fortran|cobol|react|vue|angular|svelte|django|rails|terraform"
    r"|kubernetes|docker|html|css|node\.js|nodejs|node)"
)
SPOKEN = (
    r"(?:english|spanish|french|german|italian|portuguese|dutch|polish|russian|ukrainian|czech|greek|turkish"
    r"|arabic|hebrew"
    r"|persian|farsi|hindi|urdu|bengali|punjabi|tamil|telugu|chinese|mandarin|cantonese|japanese|korean|vietnamese|thai"
    r"|indonesian|malay|tagalog|swahili|swedish|norwegian|danish|finnish|hungarian|romanian|bulgarian|serbian|croatian"
    r"|slovak|slovenian|catalan|basque|welsh|irish|latin|esperanto|asl|sign language|american sign language)"
)
