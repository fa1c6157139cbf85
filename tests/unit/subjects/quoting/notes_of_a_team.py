"""Notes as a team keeps them, in three folders, and what colleagues ask over them: the words that answer, or none.

The team and all that it does are made up. The notes are short and tell what happened in the past or what is done; the
questions use the base form, ask whether something may be done, or name what a note on something else has.
"""

from typing import Final

NOTES: Final = {
    "handbook/laptops.md": """# Laptops and phones

Every new colleague gets a laptop on the first day. The office manager hands it out and keeps the list of serial
numbers.

Lost or stolen laptops are reported to the security desk within one day, also at weekends. Disks are encrypted, and
nobody turns the encryption off. Private phones may read mail if they have a screen lock.

Old laptops go back to the office manager, who wipes them and gives them to a school.
""",
    "handbook/time-off.md": """# Time off

Everybody has 28 days of holiday a year. Up to five days that were not taken are kept for the next year; they lapse at
the end of March.

## Illness

Whoever falls ill tells the team lead before ten in the morning. A doctor's note is needed from the fourth day on.

## Parents

New parents get 16 weeks of paid leave.
""",
    "handbook/expenses.md": """# Travel and expenses

Trains are booked in second class. Nobody flies business class. A hotel costs at most 140 euros a night.

Receipts are handed in by the tenth of the following month. Meals with customers are paid by the company; alcohol is
not.
""",
    "handbook/releases.md": """# Releases

Code is deployed from Monday to Thursday, before four in the afternoon. Nobody deploys on a Friday.

Every change needs two reviews. Whoever is on call begins a rollback without asking first. Passwords and keys are never
written into the repository.
""",
    "products/kettle.md": """# Kettlewright K3

The K3 is an electric kettle for offices. It holds 1.7 litres and boils a litre in two minutes and forty seconds.

It switches itself off when it is empty. The lid does not go in the dishwasher. Descale the kettle every month with
citric acid; vinegar damages the seal.
""",
    "products/grinder.md": """# Millbrook Two

The Millbrook Two is a coffee grinder with steel burrs. Its noise stays below 62 decibels. It is not made for spices.

It replaced the Millbrook One in 2023, because the hopper of that one broke too often.
""",
    "products/subscription.md": """# Bean subscription

Beans are roasted on Tuesdays and sent on Wednesdays. The subscription costs 24 euros a month.

Customers can pause it for up to three months. It is not offered outside the European Union.
""",
    "products/returns.md": """# Returns and repairs

Customers send devices back within 30 days if they do not like them. Their money is paid back within 14 days.

Kettles and grinders are repaired by the workshop in Ghent. Devices that are older than eight years are not repaired.
""",
    "minutes/2024-03-12-board.md": """# Board meeting, 12 March 2024

Two sisters own Kettlewright, and both were present. In February Kettlewright lost a dispute about its steel and paid a
fine of 40,000 euros.

Rosa Keel took over the finances from Peter Holm. The board turned down the offer of Aldermoor to buy the company.
""",
    "minutes/2024-06-04-team.md": """# Team meeting, 4 June 2024

- We chose PostgreSQL for the orders, because two of us know it well.
- Tomas wrote the import of the old orders.
- The office moved to Dock Street in May, and everybody has found a desk.
- Nobody objected to a week of four days in August.
""",
    "minutes/2024-09-17-outage.md": """# Outage of 14 September 2024

The shop was down for three hours on 14 September. A certificate had expired, and nobody had noticed.

Lena found the cause and renewed the certificate. We lost 212 orders, and their customers were given a voucher of ten
euros.
""",
    "minutes/2024-11-20-all-hands.md": """# All hands, 20 November 2024

We sold 9,300 grinders this year, more than ever before. The Millbrook Two won the design award of Milan.

Prices rise by four per cent in January. Maren said that nobody will be dismissed.
""",
}

QUESTIONS: Final = {
    "What do I do when I lose my laptop?": "reported to the security desk within one day",
    "May I turn off the encryption of my disk?": "nobody turns the encryption off",
    "Can I read mail on my private phone?": "if they have a screen lock",
    "How many days of holiday do I have?": "28 days of holiday",
    "When do I need a doctor's note?": "from the fourth day on",
    "Who do I tell when I fall ill?": "tells the team lead",
    "How much leave do new parents get?": "16 weeks of paid leave",
    "Can I fly business class?": "Nobody flies business class",
    "How much may a hotel cost?": "at most 140 euros",
    "Does the company pay for alcohol?": "alcohol is not",
    "Can I deploy on a Friday?": "Nobody deploys on a Friday",
    "Who can begin a rollback?": "Whoever is on call begins a rollback",
    "How many reviews does a change need?": "needs two reviews",
    "Can I write a password into the repository?": "never written into the repository",
    "How long does the K3 take to boil a litre?": "two minutes and forty seconds",
    "Can I put the lid in the dishwasher?": "The lid does not go in the dishwasher",
    "Can I descale the kettle with vinegar?": "vinegar damages the seal",
    "Why was the Millbrook One replaced?": "the hopper of that one broke too often",
    "On which day are the beans roasted?": "roasted on Tuesdays",
    "Can customers pause the subscription?": "pause it for up to three months",
    "Who repairs kettles?": "repaired by the workshop in Ghent",
    "Which fine did Kettlewright pay?": "a fine of 40,000 euros",
    "Who owns Kettlewright?": "Two sisters own Kettlewright",
    "Who did Rosa Keel take over from?": "from Peter Holm",
    "Why did we choose PostgreSQL?": "because two of us know it well",
    "Who wrote the import of the old orders?": "Tomas wrote the import",
    "Where did the office move to?": "moved to Dock Street",
    "How many orders did we lose in September?": "We lost 212 orders",
    "Which award did the Millbrook Two win?": "the design award of Milan",
    "Can I bring my dog to the office?": None,
    "How many days of training do I have?": None,
    "Who owns Aldermoor?": None,
    "What does the K3 cost?": None,
    "Which fine did Aldermoor pay?": None,
    "What do I do when I lose my badge?": None,
    "Is the canteen open on Sundays?": None,
    "Can I smoke on the balcony?": None,
    "Which language did Tomas write the import in?": None,
    "How long does the Millbrook Two take to clean?": None,
}
"""Words of the notes that have to be quoted, however they are spaced; None where no note answers."""
