"""Private life and identity numbers are told from shop talk that uses the same words."""

from __future__ import annotations

import pytest

from workbench.guard import inspect

SENSITIVE = """The user has type 2 diabetes.
Anna was diagnosed with asthma.
Takes 50 mg sertraline daily.
I am allergic to peanuts.
She is pregnant.
He suffers from depression.
The user sees a therapist.
My doctor told me to rest.
Recovering from knee surgery.
User is on antidepressants.
The user is Muslim.
Anna goes to church every Sunday.
He converted to Islam in 2019.
Fasts during Ramadan.
Her religion forbids it.
Voted for the Greens.
Is a member of the Labour Party.
The user is a Republican.
Political views: left of centre.
The user is gay.
Came out as bisexual.
Is a trans woman.
The user is of Turkish descent.
Is African-American.
My salary is 85000 euros.
Earns 120k a year.
The user's mortgage ends in 2031.
He is in debt.
Filed for bankruptcy.
Net worth: $2,000,000
The user is going through a divorce.
Was arrested in 2015.
My lawyer handles the case.
Has a criminal record.
Lives at 42 Maple Street, Springfield.
Wohnt in der Lindenstraße 14b.
12 rue de la Paix, Paris
Call me at +49 170 1234567.
Phone: 555-123-4567
My phone number is (415) 555-2671.
Write to jane.doe@gmail.com
My personal email is jane@doe.family.
Die Nutzerin ist schwanger.
Mein Gehalt beträgt 4000 Euro.""".splitlines()

# Identity numbers: published examples with valid check sums.
SECRET = """SSN: 123-45-6789
Card 4111 1111 1111 1111 exp 12/29
IBAN DE89 3704 0044 0532 0130 00
Passport number is C01X00T47
Passport no. 533380006
His national ID is 8001015009087
my card: 5500-0000-0000-0004
GB82WEST12345698765432 is the account
Driver's license D1234567
Personalausweis L01X00T47
身份证号码 11010519491231002X
Amex 378282246310005""".splitlines()

NORMAL = """Add a health check endpoint at /healthz.
The service died at 3 am.
There is a race condition in the queue.
The party parrot emoji is used in Slack.
Debt: technical debt in the parser.
The authentication policy requires MFA.
Third-party libraries are pinned.
The user prefers metric units.
Lives in Berlin.
Works at a bank as a data engineer.
The salary column is a decimal in the payroll table.
The pull request was blocked by a failing check.
Build a mortgage calculator in React.
The test suite has a flaky test.
The parent process kills orphan children.
Master and slave were renamed to primary and replica.
Gradient descent converges after 200 steps.
The background is black and the text is white.
Binary search over the sorted list.
The transaction is committed after the flush.
Commit 3f9a2b1c4d5e6f708192a3b4c5d6e7f801234567 fixed it.
Order id 550e8400-e29b-41d4-a716-446655440000.
Port 5432 on 192.168.100.10.
The meeting is at 10:30 on 2024-05-01.
Version 3.11.4 is required.
Contact support@company.io for help.
git clone git@github.com:org/repo.git
The migration from Jenkins was painful.
The cell in row 4 is a formula.
Head of the list is None.
Timestamp 1700000000000 is in milliseconds.
The vote was 3 to 2 for PostgreSQL.
The team voted for trunk-based development.
The app handles medical data, so logs are scrubbed.
Use prison? no: use Prisma.
The library supports the union type.
The orthodox approach is dependency injection.
Treatment of NULL is different in Oracle.
The cache has low pressure.
The patient scheduler retries 5 times.
The doctor command checks the home.
A daemon with a heart beat every 30 s.
The conservative estimate is two weeks.
The left join returns duplicates.
Rent a GPU by the hour on RunPod.
The court of last resort is the linter.
Step 3 Drive the browser with Playwright.
The phone layout breaks below 400 px.
Mobile: 375 px wide, desktop: 1280 px.
Diff: +1234 -567 lines.
The address parser fails on long street names.
Sick of flaky tests, the team moved to pytest.
Passport.js version 0.6.0 handles login.
Policy: code owners approve.
The DNI field is validated by a regex.
Invoice 4111111111111112 is a test number.""".splitlines()

# Each class in English and German, and its plain form in other languages.
HEALTH = """I have high blood pressure.
He was diagnosed with cancer last year.
The user takes insulin.
Anna has an appointment with her oncologist.
My son is autistic.
She had a miscarriage.
I'm recovering from a stroke.
He is HIV positive.
The user is seeing a psychiatrist.
Ich habe Diabetes.
Er leidet an Depressionen.
Meine Mutter hat Krebs.
Ich nehme täglich 50 mg Sertralin.
Ich bin krankgeschrieben.
Anna ist in psychotherapeutischer Behandlung.
Ich habe eine Erdnussallergie.
Er hatte letztes Jahr einen Herzinfarkt.
Die Nutzerin macht eine Chemotherapie.
J'ai le diabète.
Il souffre de dépression.
Elle est enceinte.
Tengo diabetes.
Está embarazada.
Sufre depresión.
Ho il diabete.
È incinta.
Tenho diabetes.
Ela está grávida.
我有糖尿病。
她怀孕了。
私は糖尿病です。
彼女は妊娠しています。
У меня диабет.
Она беременна.
저는 당뇨병이 있습니다.""".splitlines()

MONEY = """My salary is 85,000 euros.
He earns $120k a year.
I am 20,000 euros in debt.
Our mortgage is 1,200 a month.
I owe my brother 5000 euros.
My net worth is two million.
My bank account is overdrawn.
Ich verdiene 65.000 Euro im Jahr.
Er hat 20.000 Euro Schulden.
Wir zahlen 1.200 Euro Miete.
Sie hat Privatinsolvenz angemeldet.
Mein Kontostand ist negativ.
Mon salaire est de 3000 euros.
Il gagne 3000 euros par mois.
J'ai des dettes.
Mi sueldo es de 2000 euros.
Gana 2000 euros al mes.
Tengo deudas.
Il mio stipendio è di 2000 euro.
Guadagna 2000 euro al mese.
Meu salário é de 5000 reais.
我的工资是一万元。
私の給料は30万円です。
Моя зарплата 100000 рублей.
제 월급은 300만 원입니다.""".splitlines()

THIRD_PERSONS = """My wife is having an affair.
My brother is in rehab.
My colleague Tom was fired for drinking.
Anna's husband left her.
My daughter Mia is 6 years old.
My boss is getting divorced.
His mother died last month.
My neighbour was arrested.
Meine Frau hat eine Affäre.
Mein Bruder ist im Gefängnis.
Annas Mann hat sie verlassen.
Meine Tochter Mia ist 6 Jahre alt.
Mein Chef lässt sich scheiden.
Seine Mutter ist letzten Monat gestorben.
Ma femme a une liaison.
Mi hermano está en la cárcel.
Mio fratello è in prigione.
我的妻子出轨了。""".splitlines()

IDENTITY = """My passport number is C01X00T47.
My tax ID is 86095742719.
Meine Steuer-ID lautet 86095742719.
Personalausweisnummer: L01X00T47
Reisepass Nr. C01X00T47
Meine Sozialversicherungsnummer ist 12 150890 M 123
Mon numéro de sécurité sociale est 1 85 05 78 006 084 91.
Mi DNI es 12345678Z.
Il mio codice fiscale è RSSMRA85T10A562S.
Meu CPF é 123.456.789-09.
Kreditkarte 5500-0000-0000-0004
Номер паспорта 4509 123456""".splitlines()

SHOP_TALK = """The salary service returns JSON.
Anna reviewed the pull request.
My boss wants the release on Friday.
My wife uses Linux too.
Mein Kollege Tom hat den PR gemerged.
My brother works at SAP.
Die Gehaltsabrechnung läuft im Batch.
Das Depot hat technische Schulden.
Cancer detection model trained on CT images.
Der Patient-Datensatz hat 12 Spalten.
The team owes the customer a fix.
A server costs 20 euros a month.
The budget for cloud is 5000 euros a month.
工资表在数据库里。
Tochtergesellschaft Mia GmbH nutzt SAP.
My account on GitHub is anna42.
The bank API returns 401.
Meine Frau nutzt auch Linux.
Je paie 10 euros pour le serveur.
El servidor cuesta 10 euros al mes.
My manager left a comment on the PR.
My colleague fired up the debugger.
My friend Tom is in Hamburg.
Mon ami travaille dans un hôtel depuis 3 mois.""".splitlines()

CASES = [
    (text, level)
    for level, texts in (
        ("sensitive", SENSITIVE + HEALTH + MONEY + THIRD_PERSONS),
        ("secret", SECRET + IDENTITY),
        ("normal", NORMAL + SHOP_TALK),
    )
    for text in texts
]


@pytest.mark.parametrize(("text", "level"), CASES, ids=[text for text, _ in CASES])
def test_privacy(text: str, level: str):
    verdict = inspect(text)
    assert verdict.privacy == level
    assert verdict.secrets == ()
