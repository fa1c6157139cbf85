"""Random JSON and random JMESPath: expressions that can be used, and texts that a user might write."""

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from elcano.graphs.frozen import Json, JsonObject

scalars: SearchStrategy[Json] = (
    st.none()
    | st.booleans()
    | st.integers(-5, 10**6)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8)
)
json_values: SearchStrategy[Json] = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
json_objects: SearchStrategy[JsonObject] = st.dictionaries(st.sampled_from(["a", "b", "question"]), json_values)

_leaves = st.sampled_from(
    [
        *("question", "iteration", "evidence", "evidence[].id", "evidence[].characters", "conversation[-1].gap"),
        *("outputs.n0", "values", "values.x", "sources", "budget.exceeded", "budget.iterations.remaining", "@", "@.a"),
        *("budget.reason == 'steps'", "length(evidence) > `2`", "iteration < `3`", "`[1, 2]`", "`[]`", "`0`", "`true`"),
        *("'n1'", "'last'", "'nowhere'", "evidence[0:2]", "`[1]`[::0]", "ceil(`1e999`)", "contains('a', `1`)"),
        *("length(`null`)", 'sort(`[1, "a"]`)', "map(&a, evidence)", "to_string(@)", "keys(outputs)"),
    ]
)
expressions: SearchStrategy[str] = st.recursive(
    _leaves,
    lambda inner: st.one_of(
        st.builds("({} || {})".format, inner, inner),
        st.builds("({} && !({}))".format, inner, inner),
        st.builds("[{}, {}]".format, inner, inner),
        st.builds("{{x: {}}}".format, inner),
        st.builds("({} == {})".format, inner, inner),
        st.builds("({})[]".format, inner),
        st.builds("not_null({}, {})".format, inner, inner),
    ),
    max_leaves=3,
)

tokens = st.sampled_from(
    [
        *(
            "a",
            "b",
            "question",
            "@",
            "*",
            ".",
            "|",
            "||",
            "&&",
            "!",
            "&",
            "(",
            ")",
            "[",
            "]",
            "[]",
            "[?",
            "[*]",
            "[::0]",
        ),
        *(
            "{",
            "}",
            ":",
            ",",
            "`1`",
            "`[1]`",
            '`{"a": 1}`',
            "`null`",
            "'x'",
            "==",
            "<",
            ">=",
            "[0]",
            "[-1]",
            "[1:]",
            " ",
        ),
        *(
            f"{name}("
            for name in ("length", "sort_by", "map", "max_by", "contains", "join", "to_number", "merge", "zip")
        ),
        *(
            "to_number('nan')",
            "to_number('inf')",
            "floor(",
            "sum(",
            "type(",
            "not_null(",
            "reverse(",
            '"b c"',
            "`1e999`",
        ),
    ]
)
texts: SearchStrategy[str] = st.lists(tokens, min_size=1, max_size=14).map("".join) | expressions
