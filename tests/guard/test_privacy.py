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

CASES = [
    (text, level)
    for level, texts in (("sensitive", SENSITIVE), ("secret", SECRET), ("normal", NORMAL))
    for text in texts
]


@pytest.mark.parametrize(("text", "level"), CASES, ids=[text for text, _ in CASES])
def test_privacy(text: str, level: str):
    verdict = inspect(text)
    assert verdict.privacy == level
    assert verdict.secrets == ()
