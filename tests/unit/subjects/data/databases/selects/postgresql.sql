-- dates and times
SELECT now(), current_date, localtime, localtimestamp, clock_timestamp(), transaction_timestamp()
SELECT date_trunc('month', placed) AS month, sum(total) FROM orders GROUP BY 1 ORDER BY 1
SELECT extract(year FROM placed), extract(dow FROM placed), extract(epoch FROM placed) FROM orders
SELECT date_part('year', placed), date_part('month', placed)::int FROM orders
SELECT to_char(placed, 'YYYY-MM-DD HH24:MI'), to_char(total, 'FM999,990.00') FROM orders
SELECT age(born), age(now(), placed) FROM customers, orders
SELECT placed + interval '1 day', placed - interval '2 hours 30 minutes' FROM orders
SELECT current_date - 7, current_date - born FROM customers
SELECT placed::date, placed::time FROM orders
SELECT * FROM orders WHERE placed > now() - interval '30 days'
SELECT * FROM orders WHERE placed::date = DATE '2024-01-05'
SELECT placed AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Berlin' FROM orders
SELECT make_date(2024, 1, 31), make_timestamp(2024, 1, 1, 10, 0, 0), make_interval(days => 3)
SELECT make_time(8, 15, 23.5), to_timestamp(1700000000), to_date('05 Dec 2000', 'DD Mon YYYY')
SELECT date_bin('15 minutes', placed, TIMESTAMP '2024-01-01') FROM orders
SELECT (DATE '2024-01-01', DATE '2024-06-01') OVERLAPS (DATE '2024-05-01', DATE '2024-07-01')
SELECT justify_days(interval '35 days'), justify_hours(interval '27 hours'), justify_interval(interval '1 mon -1 hour')
SELECT d::date FROM generate_series('2024-01-01'::date, '2024-01-31'::date, '1 day'::interval) AS d
SELECT d, count(o.id) FROM generate_series(DATE '2024-01-01', DATE '2024-03-01', INTERVAL '1 month') AS g(d) LEFT JOIN orders o ON date_trunc('month', o.placed) = g.d GROUP BY d
SELECT extract(day FROM (now() - placed)) FROM orders
SELECT isfinite(placed), placed IS NULL FROM orders
SELECT to_char(placed, 'Day'), to_char(placed, 'IW'), to_char(placed, 'Q') FROM orders
SELECT timestamptz '2024-01-01 00:00+00', time '10:00', interval '1' month
SELECT extract(isodow FROM placed), extract(week FROM placed), extract(quarter FROM placed) FROM orders
SELECT date_trunc('week', placed)::date AS week, count(*) FROM orders GROUP BY week
-- texts and patterns
SELECT name ~ '^A', name ~* 'son$', name !~ 'x', name !~* 'y' FROM customers
SELECT * FROM customers WHERE name ~* '^(a|b)'
SELECT name ILIKE 'a%', name NOT ILIKE '%z' FROM customers
SELECT name SIMILAR TO '(A|B)%' FROM customers
SELECT regexp_replace(name, '\s+', ' ', 'g'), regexp_match(name, '(\w+) (\w+)') FROM customers
SELECT regexp_matches(name, '[a-z]+', 'g') FROM customers
SELECT (regexp_match(email, '@(.+)$'))[1] AS domain, count(*) FROM customers GROUP BY 1
SELECT regexp_split_to_table('a,b,c', ',')
SELECT regexp_count(name, 'a'), regexp_substr(name, '[A-Z]'), regexp_instr(name, 'o'), regexp_like(name, 'x') FROM customers
SELECT unnest(string_to_array('a,b,c', ','))
SELECT string_to_table('a b c', ' ')
SELECT split_part(email, '@', 2), position('@' IN email), strpos(email, '@') FROM customers
SELECT substring(email FROM '@(.*)'), substring(name FROM 1 FOR 3), substring(name, 2) FROM customers
SELECT overlay(name PLACING 'xx' FROM 2 FOR 1), trim(LEADING '0' FROM name), btrim(name, 'xy') FROM customers
SELECT left(name, 2), right(name, 2), reverse(name), initcap(name) FROM customers
SELECT char_length(name), octet_length(name), bit_length(name) FROM customers
SELECT lpad(id::text, 5, '0'), rpad(name, 10), repeat('*', 3) FROM customers
SELECT ascii(name), chr(65), md5(name), to_hex(255) FROM customers
SELECT concat(name, NULL, city), concat_ws(', ', city, country) FROM customers
SELECT format('%s (%s)', name, city) FROM customers
SELECT translate(name, 'abc', 'xyz'), starts_with(name, 'A') FROM customers
SELECT quote_literal(name), quote_ident(name) FROM customers
SELECT encode(sha256(name::bytea), 'hex') FROM customers
SELECT name COLLATE "C" FROM customers ORDER BY name COLLATE "C"
SELECT E'tab\tend', U&'\0041', $$dollar$$
SELECT string_agg(DISTINCT city, ', ' ORDER BY city) FROM customers
SELECT normalize(name), unaccented FROM (SELECT name, lower(name) AS unaccented FROM customers) t
-- numbers and aggregates
SELECT total::numeric(10, 2), total::int, round(total, 2), trunc(total) FROM orders
SELECT div(7, 2), mod(7, 2), 7 % 2, 2 ^ 10, |/ 25, @ -5, gcd(12, 18), lcm(4, 6)
SELECT random()
SELECT width_bucket(total, 0, 100, 10) AS bucket, count(*) FROM orders GROUP BY bucket
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY salary) FROM employees
SELECT percentile_disc(0.9) WITHIN GROUP (ORDER BY total), mode() WITHIN GROUP (ORDER BY status) FROM orders
SELECT percentile_cont(ARRAY[0.25, 0.5, 0.75]) WITHIN GROUP (ORDER BY salary) FROM employees
SELECT rank(50000) WITHIN GROUP (ORDER BY salary) FROM employees
SELECT stddev(salary), stddev_pop(salary), variance(salary), var_pop(salary) FROM employees
SELECT corr(quantity, price), covar_pop(quantity, price), regr_slope(quantity, price), regr_avgx(quantity, price) FROM items
SELECT bool_and(active), bool_or(active), every(active) FROM customers
SELECT bit_and(id), bit_or(id), bit_xor(id) FROM customers
SELECT array_agg(name ORDER BY name) FROM customers
SELECT array_agg(DISTINCT city) FILTER (WHERE city IS NOT NULL) FROM customers
SELECT country, city, count(*) FROM customers GROUP BY ROLLUP (country, city)
SELECT country, city, count(*), grouping(country) FROM customers GROUP BY CUBE (country, city)
SELECT country, city, count(*) FROM customers GROUP BY GROUPING SETS ((country), (city), ())
SELECT any_value(name), country FROM customers GROUP BY country
SELECT greatest(1, 2, 3), least(1, 2), num_nulls(1, NULL), num_nonnulls(1, NULL)
SELECT cbrt(27), factorial(5), log(2, 8), log(100), exp(1), sinh(1), cot(1), scale(1.230), trim_scale(1.200)
SELECT 5 / 2, 5.0 / 2, 5 / 2::float, 'NaN'::float, 'infinity'::float8
SELECT 1_000_000, 0xFF, 0b101
SELECT total * 100 / sum(total) OVER () FROM orders
SELECT 'abc'::text, '5'::integer, '{1,2}'::int[], 'a'::varchar(3), true::int
SELECT money(12.5), 12.5::money
-- arrays
SELECT ARRAY[1, 2, 3], ARRAY['a', 'b'] || 'c', ARRAY[[1, 2], [3, 4]]
SELECT tags[1], tags[1:2], array_length(tags, 1), cardinality(tags) FROM products
SELECT * FROM products WHERE 'new' = ANY (tags)
SELECT * FROM products WHERE tags @> ARRAY['new'] OR tags && ARRAY['sale', 'old']
SELECT * FROM products WHERE tags <@ ARRAY['new', 'sale']
SELECT name, unnest(tags) FROM products
SELECT p.name, t.tag FROM products p, unnest(p.tags) AS t(tag)
SELECT p.name, t.tag, t.n FROM products p CROSS JOIN LATERAL unnest(p.tags) WITH ORDINALITY AS t(tag, n)
SELECT tag, count(*) FROM products, unnest(tags) AS tag GROUP BY tag ORDER BY 2 DESC
SELECT array_append(tags, 'x'), array_prepend('x', tags), array_cat(tags, tags), array_remove(tags, 'new') FROM products
SELECT array_position(tags, 'new'), array_positions(tags, 'new'), array_replace(tags, 'a', 'b'), array_to_string(tags, ', ') FROM products
SELECT array_upper(tags, 1), array_lower(tags, 1), array_ndims(tags), array_dims(tags) FROM products
SELECT ARRAY(SELECT name FROM customers ORDER BY name)
SELECT array_agg(x ORDER BY x) FROM unnest(ARRAY[3, 1, 2]) AS x
SELECT * FROM unnest(ARRAY[1, 2], ARRAY['a', 'b']) AS t(a, b)
SELECT * FROM orders WHERE id = ANY (ARRAY[1, 2, 3])
SELECT * FROM orders WHERE status <> ALL ('{void,open}')
SELECT generate_subscripts(tags, 1) FROM products
SELECT n FROM generate_series(1, 10) AS n
SELECT generate_series(1, 5), generate_series(10, 0, -2)
SELECT string_to_array('1,2,3', ',')::int[]
-- json
SELECT profile ->> 'plan', profile -> 'tags' FROM customers
SELECT profile -> 'tags' -> 0, profile -> 'tags' ->> 0, profile #> '{address,city}', profile #>> '{address,city}' FROM customers
SELECT * FROM customers WHERE profile @> '{"plan": "gold"}'
SELECT * FROM customers WHERE profile ? 'plan' AND profile ?| array['a', 'b'] AND NOT profile ?& array['a', 'b']
SELECT (profile ->> 'visits')::int + 1 FROM customers
SELECT jsonb_array_elements(profile -> 'tags') FROM customers WHERE jsonb_typeof(profile -> 'tags') = 'array'
SELECT c.name, t FROM customers c, jsonb_array_elements_text(c.profile -> 'tags') AS t
SELECT c.id, e.key, e.value FROM customers c CROSS JOIN LATERAL jsonb_each(c.profile) AS e
SELECT c.id, e.* FROM customers c, jsonb_each_text(c.profile) AS e(k, v)
SELECT DISTINCT jsonb_object_keys(profile) FROM customers
SELECT json_build_object('id', id, 'name', name), jsonb_build_object('a', 1) FROM customers
SELECT json_build_array(1, 'a', NULL), to_json(name), to_jsonb(total) FROM customers, orders
SELECT json_build_object('of', json_build_array(1, to_json(name), jsonb_build_object('deep', jsonb_build_array(to_jsonb(c))))) FROM customers c
SELECT json_agg(name), jsonb_agg(name ORDER BY name) FROM customers
SELECT json_object_agg(name, price), jsonb_object_agg(name, price) FROM products
SELECT row_to_json(c) FROM customers c
SELECT json_agg(json_build_object('n', name)) FROM products GROUP BY category
SELECT jsonb_set(profile, '{plan}', '"x"'), jsonb_strip_nulls(profile), profile - 'plan', profile || '{"n": 1}' FROM customers
SELECT jsonb_pretty(profile), jsonb_array_length(profile -> 'tags') FROM customers WHERE profile ? 'tags'
SELECT jsonb_path_query(profile, '$.tags[*]'), jsonb_path_exists(profile, '$.plan') FROM customers
SELECT jsonb_path_query_array(profile, '$.tags[*]'), jsonb_path_query_first(profile, '$.plan') FROM customers
SELECT * FROM customers WHERE profile @? '$.tags[*] ? (@ == "new")' OR profile @@ '$.visits > 3'
SELECT jsonb_extract_path_text(profile, 'address', 'city'), json_extract_path('{"a": 1}', 'a') FROM customers
SELECT * FROM jsonb_to_recordset('[{"a": 1, "b": "x"}]') AS t(a int, b text)
SELECT * FROM json_to_record('{"a": 1}') AS t(a int)
SELECT profile['plan'] FROM customers
SELECT '{"a": [1, 2]}'::jsonb #- '{a,0}'
SELECT value::text FROM jsonb_array_elements('[1, 2]'::jsonb)
SELECT json_array_length('[1, 2]'), json_typeof('{}')
-- ranges, networks, full text, shapes
SELECT int4range(1, 10) @> 5, numrange(1, 5) && numrange(4, 8), '[1,5]'::int4range
SELECT lower(during), upper(during), isempty(during), lower_inc(during), upper_inf(during) FROM bookings
SELECT * FROM bookings WHERE during @> TIMESTAMP '2024-01-05 12:00' OR during && tsrange('2024-01-01', '2024-01-02')
SELECT daterange('2024-01-01', '2024-02-01', '[]') * daterange('2024-01-15', '2024-03-01'), daterange('2024-01-01', '2024-02-01') -|- daterange('2024-02-01', '2024-03-01')
SELECT a.id, b.id FROM bookings a JOIN bookings b ON a.during && b.during AND a.id < b.id
SELECT range_agg(during), range_merge(int4range(1, 2), int4range(5, 6)) FROM bookings
SELECT title FROM articles WHERE to_tsvector('english', body) @@ to_tsquery('english', 'engine & !car')
SELECT title, ts_rank(to_tsvector(body), plainto_tsquery('engine')) AS rank FROM articles ORDER BY rank DESC LIMIT 3
SELECT ts_headline('english', body, websearch_to_tsquery('english', 'engine')), phraseto_tsquery('steam engine') FROM articles
SELECT setweight(to_tsvector(title), 'A') || to_tsvector(body) FROM articles
SELECT numnode(to_tsquery('a & b')), strip(to_tsvector('a b')), length(to_tsvector(body)) FROM articles
SELECT '192.168.1.5'::inet <<= '192.168.1.0/24'::cidr, host('10.0.0.1'::inet), masklen('10.0.0.0/8'::inet), network('10.1.2.3/8'::inet)
SELECT point(1, 2) <-> point(4, 6), area(box '((0,0),(2,2))')
SELECT B'101' & B'100', bit_count(B'101'), 5 # 3
SELECT gen_random_uuid(), 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid
-- rows and tables
SELECT * FROM customers FETCH FIRST ROW ONLY
SELECT * FROM customers ORDER BY id OFFSET 1 ROW FETCH NEXT 2 ROWS ONLY
SELECT * FROM customers LIMIT ALL
SELECT * FROM customers OFFSET 2
SELECT DISTINCT ON (customer_id) customer_id, id, placed FROM orders ORDER BY customer_id, placed DESC
SELECT c.name, o.* FROM customers c CROSS JOIN LATERAL (SELECT id, total FROM orders WHERE customer_id = c.id ORDER BY total DESC LIMIT 2) o
SELECT c.name, o.total FROM customers c LEFT JOIN LATERAL (SELECT sum(total) AS total FROM orders WHERE customer_id = c.id) o ON true
SELECT * FROM orders NATURAL JOIN items
SELECT * FROM orders o JOIN items i USING (id)
SELECT * FROM ONLY customers
TABLE customers
SELECT * FROM orders TABLESAMPLE BERNOULLI (50)
SELECT * FROM orders TABLESAMPLE SYSTEM (50) REPEATABLE (7)
SELECT ROW(1, 'a'), (c).name FROM customers c
SELECT c FROM customers c
SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS t(n, s)
SELECT * FROM public.customers
SELECT x.a FROM (SELECT 1 AS a) x WHERE x.a IS NOT NULL AND x.a BETWEEN SYMMETRIC 3 AND 0
SELECT count(*) FROM orders WHERE status IS NOT NULL AND (total > 1) IS TRUE AND (total > 1) IS NOT UNKNOWN
WITH t AS MATERIALIZED (SELECT * FROM orders) SELECT count(*) FROM t
WITH RECURSIVE t (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM t WHERE n < 100) SELECT sum(n) FROM t
WITH RECURSIVE tree AS (SELECT id, name, ARRAY[id] AS path FROM employees WHERE manager_id IS NULL UNION ALL SELECT e.id, e.name, t.path || e.id FROM employees e JOIN tree t ON e.manager_id = t.id) SELECT * FROM tree
SELECT name, sum(salary) OVER (PARTITION BY department ORDER BY hired RANGE BETWEEN '1 year' PRECEDING AND CURRENT ROW) FROM employees
SELECT pg_typeof(total), coalesce(NULL, 1) FROM orders
SELECT count(*) FILTER (WHERE placed >= date_trunc('year', now())) AS this_year FROM orders
SELECT date_trunc('month', placed) AS m, count(DISTINCT customer_id), sum(sum(total)) OVER (ORDER BY date_trunc('month', placed)) FROM orders GROUP BY m
SELECT to_char(date_trunc('month', placed), 'Mon YYYY'), sum(total)::money FROM orders GROUP BY date_trunc('month', placed)
SELECT name FROM customers WHERE name = ANY (SELECT name FROM employees)
SELECT id FROM orders WHERE total >= ALL (SELECT total FROM orders)
SELECT xmlelement(name row, name) FROM customers
SELECT nullif(city, ''), city IS NULL, coalesce(city, country, '?') FROM customers
SELECT E'a\nb', E'it\'s', E'C:\\x', |/ 25, ||/ 27
SELECT name FROM customers WHERE name LIKE E'A%' OR name LIKE E'%\\_%'
SELECT $$it's$$, $tag$a\b$tag$
SELECT title, ts_rank(to_tsvector('english', body), q) FROM articles, to_tsquery('english', 'engine') q WHERE to_tsvector('english', body) @@ q
SELECT title FROM articles, websearch_to_tsquery('steam') AS wanted WHERE to_tsvector(body) @@ wanted
