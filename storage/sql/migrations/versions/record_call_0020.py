"""A function of PostgreSQL that writes a line of the ledger with its sums: one statement in place of five."""

from alembic import op

revision = "0020"
down_revision = "0019"
works_with = "0019"

RECORD_CALL = """
CREATE FUNCTION record_call(given jsonb, root text, source text, lock_number bigint) RETURNS SETOF json
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    line ledger := jsonb_populate_record(NULL::ledger, given);
    replaced ledger;
BEGIN
    -- Each statement after this one sees what the transaction that had the lock before has committed.
    PERFORM pg_advisory_xact_lock(lock_number);
    SELECT * INTO replaced FROM ledger WHERE tenant = line.tenant AND run_id = line.run_id
        AND execution = line.execution AND activity = line.activity AND attempt = line.attempt;
    IF EXISTS (SELECT FROM ledger WHERE tenant = line.tenant AND run_id = line.run_id
        AND execution = line.execution AND activity = line.activity AND attempt > line.attempt)
    THEN
        line.undone := true;
        INSERT INTO ledger SELECT line.* ON CONFLICT DO NOTHING;
    ELSE
        INSERT INTO ledger SELECT line.*
        ON CONFLICT (tenant, run_id, execution, activity, attempt) DO UPDATE SET
            step = excluded.step, item = excluded.item, undone = excluded.undone, node = excluded.node,
            kind = excluded.kind, name = excluded.name, outcome = excluded.outcome, model = excluded.model,
            build = excluded.build, usage = excluded.usage, at = excluded.at;
    END IF;
    IF FOUND THEN
        INSERT INTO usage_totals AS kept (tenant, day, api_key, mode, model, source, runs, calls, requests,
            input_tokens, output_tokens, cost_microusd, unpriced_requests)
        SELECT * FROM (
            SELECT line.tenant, to_char(to_timestamp(one.at) AT TIME ZONE 'UTC', 'YYYY-MM-DD') COLLATE "C" AS day,
                coalesce(max(run.api_key), ''), coalesce(max(run.mode), ''), one.model COLLATE "C" AS model,
                record_call.source, 0, sum(one.sign) AS calls,
                sum(one.sign * coalesce((one.usage->>'requests')::bigint, 0)) AS requests,
                sum(one.sign * coalesce((one.usage->>'input_tokens')::bigint, 0)) AS input_tokens,
                sum(one.sign * coalesce((one.usage->>'output_tokens')::bigint, 0)) AS output_tokens,
                sum(one.sign * coalesce((one.usage->>'cost_microusd')::bigint, 0)) AS cost_microusd,
                sum(one.sign * coalesce((one.usage->>'unpriced_requests')::bigint, 0)) AS unpriced_requests
            FROM (
                SELECT 1 AS sign, line.at, line.model, line.usage
                UNION ALL SELECT -1, replaced.at, replaced.model, replaced.usage WHERE replaced.run_id IS NOT NULL
            ) AS one (sign, at, model, usage)
            LEFT JOIN runs AS run ON run.tenant = line.tenant AND run.run_id = root
            GROUP BY 2, 5
        ) AS changed
        WHERE (calls, requests, input_tokens, output_tokens, cost_microusd, unpriced_requests) <> (0, 0, 0, 0, 0, 0)
        ORDER BY day, model -- in one order, so that no two transactions wait for each other
        ON CONFLICT (tenant, day, api_key, mode, model, source) DO UPDATE SET
            calls = kept.calls + excluded.calls, requests = kept.requests + excluded.requests,
            input_tokens = kept.input_tokens + excluded.input_tokens,
            output_tokens = kept.output_tokens + excluded.output_tokens,
            cost_microusd = kept.cost_microusd + excluded.cost_microusd,
            unpriced_requests = kept.unpriced_requests + excluded.unpriced_requests;
    END IF;
    RETURN QUERY SELECT usage FROM ledger WHERE tenant = line.tenant AND run_id = line.run_id
        AND execution = line.execution AND activity = line.activity AND attempt < line.attempt AND NOT undone;
END
$$
"""


def upgrade() -> None:
    """Makes it; SQLite has no functions, and needs none: its statements cost no way over a network."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute(RECORD_CALL)


def downgrade() -> None:
    """Drops it."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute("DROP FUNCTION record_call(jsonb, text, text, bigint)")
