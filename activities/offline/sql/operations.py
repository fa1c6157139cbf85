"""The words of questions that are no names: what is computed, compared, grouped, ordered, and what tells nothing.

Each phrase has one meaning. A word that could be a name of the schema is a name first.
"""

from typing import Final, Literal, TypeAlias

from elcano.activities.offline.sql.wording import root

Kind: TypeAlias = Literal[
    "ask", "count", "aggregate", "most", "top", "each", "by", "order", "direction", "ratio", "compare", "like", "not",
    "distinct", "and", "or", "with", "which", "of", "place", "verb", "noun", "value", "number", "quoted", "moment",
    "bucket", "end", "comma", "between", "unread", "open", "close", "all", "howlong",
]  # fmt: skip

PHRASES: Final[dict[str, tuple[Kind, str]]] = {
    "how many": ("count", ""), "number of": ("count", ""), "the number": ("count", ""), "count of": ("count", ""),
    "count": ("count", ""), "no . of": ("count", ""), "numbers of": ("count", ""), "quantity of": ("count", ""),
    "total number of": ("count", "total"), "total count of": ("count", "total"), "total numbers of": ("count", "total"),
    "overall number of": ("count", "total"),
    "total": ("aggregate", "sum"), "sum of": ("aggregate", "sum"), "sum": ("aggregate", "sum"),
    "total amount of": ("aggregate", "sum"), "total sum of": ("aggregate", "sum"), "combined": ("aggregate", "sum"),
    "total of": ("aggregate", "sum"), "sum up": ("aggregate", "sum"),
    "average": ("aggregate", "avg"), "mean": ("aggregate", "avg"), "avg": ("aggregate", "avg"),
    "average of": ("aggregate", "avg"), "on average": ("aggregate", "avg"),
    "average value of": ("aggregate", "avg"), "mean value of": ("aggregate", "avg"),
    "maximum": ("most", "max"), "max": ("most", "max"), "highest": ("most", "desc"), "largest": ("most", "desc"),
    "greatest": ("most", "desc"), "biggest": ("most", "desc"), "most": ("most", "desc"), "longest": ("most", "long"),
    "heaviest": ("most", "desc"), "most expensive": ("most", "dear"), "latest": ("most", "late"),
    "most recent": ("most", "late"), "newest": ("most", "late"), "last": ("most", "late"), "priciest": ("most", "dear"),
    "minimum": ("most", "min"), "min": ("most", "min"), "lowest": ("most", "asc"), "smallest": ("most", "asc"),
    "least": ("most", "asc"), "fewest": ("most", "asc"), "shortest": ("most", "short"), "earliest": ("most", "early"),
    "oldest": ("most", "early"), "first": ("most", "early"), "cheapest": ("most", "cheap"),
    "least expensive": ("most", "cheap"),
    "for each": ("each", ""), "in each": ("each", ""), "by each": ("each", ""), "of each": ("each", ""),
    "from each": ("each", ""), "at each": ("each", ""), "per each": ("each", ""), "within each": ("each", ""),
    "on each": ("each", ""), "to each": ("each", ""), "each": ("each", ""), "every": ("each", ""),
    "for every": ("each", ""), "in every": ("each", ""), "per": ("each", ""), "across": ("each", ""),
    "across each": ("each", ""), "across all": ("each", ""), "across different": ("each", ""),
    "for each of": ("each", ""), "each of": ("each", ""), "grouped by": ("each", ""), "group by": ("each", ""),
    "broken down by": ("each", ""), "split by": ("each", ""), "for each unique": ("each", ""), "by": ("by", ""),
    "for each different": ("each", ""), "for each distinct": ("each", ""), "of every": ("each", ""),
    "sorted by": ("order", ""), "ordered by": ("order", ""), "order by": ("order", ""), "sort by": ("order", ""),
    "order the result by": ("order", ""), "sort the result by": ("order", ""), "sorted": ("order", ""),
    "ordered": ("order", ""), "sort": ("order", ""), "order": ("order", ""), "ranked by": ("order", ""),
    "listed by": ("order", ""), "arranged by": ("order", ""), "in order of": ("order", ""),
    "in descending order": ("direction", "desc"), "in descending order of": ("direction", "desc"),
    "in decreasing order": ("direction", "desc"), "descending": ("direction", "desc"), "desc": ("direction", "desc"),
    "from highest to lowest": ("direction", "desc"), "highest to lowest": ("direction", "desc"),
    "from most to least": ("direction", "desc"), "from most to fewest": ("direction", "desc"),
    "from largest to smallest": ("direction", "desc"), "starting from the top": ("direction", "desc"),
    "from newest to oldest": ("direction", "desc"), "latest first": ("direction", "desc"),
    "in ascending order": ("direction", "asc"), "in ascending order of": ("direction", "asc"),
    "in increasing order": ("direction", "asc"), "ascending": ("direction", "asc"), "asc": ("direction", "asc"),
    "from lowest to highest": ("direction", "asc"), "lowest to highest": ("direction", "asc"),
    "from least to most": ("direction", "asc"), "from smallest to largest": ("direction", "asc"),
    "from oldest to newest": ("direction", "asc"), "alphabetically": ("direction", "asc"),
    "in alphabetical order": ("direction", "asc"), "in alphabetical order of": ("direction", "asc"),
    "in lexicographical order": ("direction", "asc"), "chronologically": ("direction", "asc"),
    "top": ("top", ""), "the top": ("top", ""), "how does": ("ask", ""), "how do": ("ask", ""),
    "vary across": ("each", ""), "vary by": ("each", ""), "differ by": ("each", ""), "vary across different": ("each", ""),
    "change over": ("each", ""), "differ across": ("each", ""), "over": ("compare", ">"),
    "in the database": ("comma", ""), "in the dataset": ("comma", ""), "that year": ("comma", ""),
    "in that year": ("comma", ""), "ratio of": ("ratio", ""), "ratio between": ("ratio", ""), "ratio": ("ratio", ""), "proportion of": ("ratio", "share"), "fraction of": ("ratio", "share"),
    "share of": ("ratio", "share"), "percentage of": ("ratio", "percent"), "percent of": ("ratio", "percent"),
    "out of all": ("ratio", "all"), "out of the total": ("ratio", "all"), "out of": ("ratio", "all"),
    "greater than": ("compare", ">"), "more than": ("compare", ">"), "larger than": ("compare", ">"),
    "higher than": ("compare", ">"), "above": ("compare", ">"), "exceeding": ("compare", ">"),
    "bigger than": ("compare", ">"), "longer than": ("compare", ">"), "heavier than": ("compare", ">"),
    "exceeds": ("compare", ">"), "exceed": ("compare", ">"), "older than": ("compare", ">"),
    "less than": ("compare", "<"), "fewer than": ("compare", "<"), "smaller than": ("compare", "<"),
    "lower than": ("compare", "<"), "below": ("compare", "<"), "under": ("compare", "<"),
    "shorter than": ("compare", "<"), "lighter than": ("compare", "<"),
    "younger than": ("compare", "<"), "at least": ("compare", ">="), "no less than": ("compare", ">="),
    "not less than": ("compare", ">="), "greater than or equal to": ("compare", ">="), "or more": ("compare", ">=="),
    "at most": ("compare", "<="), "no more than": ("compare", "<="), "not more than": ("compare", "<="),
    "less than or equal to": ("compare", "<="), "or less": ("compare", "<=="), "or fewer": ("compare", "<=="),
    "equal to": ("compare", "="), "equals": ("compare", "="), "exactly": ("compare", "="), "between": ("between", ""),
    "starts with": ("like", "start"), "start with": ("like", "start"), "starting with": ("like", "start"),
    "begins with": ("like", "start"), "begin with": ("like", "start"), "beginning with": ("like", "start"),
    "start with the letter": ("like", "start"), "starts with the letter": ("like", "start"),
    "starting with the letter": ("like", "start"), "begins with the letter": ("like", "start"),
    "ends with": ("like", "end"), "end with": ("like", "end"), "ending with": ("like", "end"),
    "ends in": ("like", "end"), "ending in": ("like", "end"), "ending with the letter": ("like", "end"),
    "contains": ("like", "in"), "contain": ("like", "in"), "containing": ("like", "in"),
    "contains the word": ("like", "in"), "containing the word": ("like", "in"), "contain the word": ("like", "in"),
    "includes the word": ("like", "in"), "with the substring": ("like", "in"), "contains the string": ("like", "in"),
    "not": ("not", ""), "no": ("not", ""), "never": ("not", ""), "without": ("not", ""), "without any": ("not", ""),
    "not any": ("not", ""), "not have any": ("not", ""), "not made any": ("not", ""), "have no": ("not", ""),
    "has no": ("not", ""), "with no": ("not", ""), "not part of any": ("not", ""), "not have": ("not", ""),
    "don't have": ("not", ""), "haven't": ("not", ""), "doesn't have": ("not", ""), "lack": ("not", ""),
    "lacks": ("not", ""), "not have a": ("not", ""), "not belong to any": ("not", ""), "lacking": ("not", ""),
    "not had any": ("not", ""),
    "distinct": ("distinct", ""), "unique": ("distinct", ""), "distinct list of": ("distinct", ""),
    "unique list of": ("distinct", ""), "different": ("distinct", ""), "list of": ("ask", ""),
    "and": ("and", ""), "as well as": ("and", ""), "along with": ("and", ""), "together with": ("and", ""),
    "or": ("or", ""), "either": ("unread", ""), "both": ("unread", ""), "but": ("and", ""),
    "with": ("with", ""), "have": ("with", ""), "has": ("with", ""), "had": ("with", ""), "having": ("with", ""),
    "who": ("which", ""), "that": ("which", ""), "whose": ("which", "whose"), "where": ("which", "whose"),
    "what": ("ask", ""), "which": ("ask", ""), "list": ("ask", ""), "show": ("ask", ""), "show me": ("ask", ""),
    "return": ("ask", ""), "give": ("ask", ""), "give me": ("ask", ""), "find": ("ask", ""), "display": ("ask", ""),
    "get": ("ask", ""), "calculate": ("ask", ""), "compute": ("ask", ""), "tell me": ("ask", ""), "what's": ("ask", ""),
    "retrieve": ("ask", ""), "provide": ("ask", ""), "identify": ("ask", ""), "report": ("ask", ""),
    "determine": ("ask", ""), "output": ("ask", ""), "select": ("ask", ""),
    "of": ("of", ""), "in": ("place", "in"), "at": ("place", "at"), "from": ("place", "from"), "to": ("place", "to"),
    "on": ("place", "on"), "for": ("place", "for"), "within": ("place", "in"), "into": ("place", "to"),
    "departing from": ("place", "from"), "arriving at": ("place", "to"), "arriving in": ("place", "to"),
    "depart from": ("place", "from"), "arrive at": ("place", "to"), "named": ("place", "named"),
    "called": ("place", "named"), "as": ("place", "as"), "all": ("all", ""),
}  # fmt: skip
"""What a phrase is, by its words in lower case and the singular."""

SILENT: Final = frozenset(
    "a an the is are was were be been being do does did there please me us can could you any these those this he she "
    "they it its his her their them i we database dataset data table available 's available would will so "
    "such record entry row listed respective corresponding associated also relevant combination value various".split()
)
"""Words that tell nothing of what is asked for."""

VERBS: Final = frozenset(
    root(word)
    for word in (
        "have make receive belong offer serve provide own write publish present hold teach attend take give "
        "operate produce manufacture create direct perform contain include involve occur happen locate affiliate "
        "assign work live fly sell employ exist earn enroll appear get go carry require conduct win manage "
        "purchase order issue book register run use release base play place train study lead pay"
    ).split()
)
"""Roots of verbs that only say that two things go together, where the schema says how."""
NOUNS: Final = frozenset("purchase order issue book register run use release base play place train study lead pay".split())
"""Those whose bare form may as well be the name of something: they are verbs only with an ending."""
OCCURRING: Final = frozenset(root(word) for word in "make occur happen take begin start record create".split())
"""Verbs that say of what is listed that it was then, and of nothing else."""

CALENDAR: Final = frozenset("day week month quarter year daily weekly monthly quarterly yearly annual annually".split())
