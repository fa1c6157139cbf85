-- dates and times
SELECT current_date, now(), today(), current_timestamp
SELECT date_trunc('month', placed) AS month, sum(total) FROM orders GROUP BY ALL ORDER BY ALL
SELECT year(placed), month(placed), day(placed), quarter(placed), dayofweek(placed), week(placed) FROM orders
SELECT extract(year FROM placed), date_part('dow', placed), extract('epoch' FROM placed) FROM orders
SELECT strftime(placed, '%Y-%m'), strftime('%d.%m.%Y', placed) FROM orders
SELECT strptime('2024-01-05', '%Y-%m-%d'), try_strptime('x', '%Y')
SELECT placed + INTERVAL 1 DAY, placed - INTERVAL '2 hours', placed + to_days(3) FROM orders
SELECT date_diff('day', placed, TIMESTAMP '2024-06-01'), datediff('month', placed, now()::TIMESTAMP), date_sub('day', placed, TIMESTAMP '2024-06-01') FROM orders
SELECT age(placed), age(TIMESTAMP '2024-06-01', placed) FROM orders
SELECT last_day(DATE '2024-02-01'), dayname(placed), monthname(placed), make_date(2024, 1, 31) FROM orders
SELECT time_bucket(INTERVAL '1 week', placed), count(*) FROM orders GROUP BY 1
SELECT epoch(placed), epoch_ms(placed), to_timestamp(1700000000), make_timestamp(2024, 1, 1, 0, 0, 0) FROM orders
SELECT placed::DATE, placed::TIME, DATE '2024-01-01' + 5 FROM orders
SELECT unnest(generate_series(DATE '2024-01-01', DATE '2024-01-10', INTERVAL 1 DAY))
SELECT d.d FROM generate_series(DATE '2024-01-01', DATE '2024-03-01', INTERVAL 1 MONTH) AS d(d)
SELECT * FROM range(DATE '2024-01-01', DATE '2024-01-05', INTERVAL 1 DAY) AS t(day)
SELECT isodow(placed), yearweek(placed), weekofyear(placed), hour(placed), minute(placed) FROM orders
SELECT placed AT TIME ZONE 'Europe/Berlin' FROM orders
SELECT date_add(DATE '2024-01-01', INTERVAL 1 MONTH), datetrunc('day', placed) FROM orders
SELECT INTERVAL '1' YEAR + INTERVAL 3 MONTH, INTERVAL 90 MINUTES
SELECT * FROM orders WHERE placed BETWEEN '2024-01-01' AND '2024-12-31 23:59:59'
-- texts
SELECT regexp_matches(name, '^A'), regexp_extract(email, '@(.+)$', 1), regexp_replace(name, 'a', 'b', 'g') FROM customers
SELECT regexp_full_match(name, 'A.*'), regexp_extract_all(name, '[a-z]+'), regexp_split_to_array(name, ' ') FROM customers
SELECT name ~ 'A.*', name ILIKE 'a%', name SIMILAR TO 'A.*', name GLOB 'A*' FROM customers
SELECT string_split(name, ' '), split_part(email, '@', 2), str_split(name, ' ')[1] FROM customers
SELECT contains(name, 'a'), starts_with(name, 'A'), ends_with(name, 'z'), prefix(name, 'A'), suffix(name, 'z') FROM customers
SELECT name[1], name[1:3], name[-1], left(name, 2), right(name, 2) FROM customers
SELECT lpad(id::VARCHAR, 5, '0'), rpad(name, 10, ' '), repeat('*', 3) FROM customers
SELECT format('{} ({})', name, city), printf('%.2f', 1.5) FROM customers
SELECT md5(name), sha256(name), hash(name), base64(encode(name)) FROM customers
SELECT strip_accents(name), reverse(name), instr(name, 'a'), position('a' IN name), strlen(name) FROM customers
SELECT levenshtein(name, 'Anna'), jaro_winkler_similarity(name, 'Anna'), jaccard(name, 'Anna'), hamming('abc', 'abd'), damerau_levenshtein(name, 'x') FROM customers
SELECT concat_ws(', ', city, country), concat(name, city), name || ' ' || city FROM customers
SELECT string_agg(name, ', ' ORDER BY name), group_concat(name, ';'), listagg(name, ',') FROM customers
SELECT ascii(name), chr(65), unicode(name), ord(name), bit_length(name) FROM customers
SELECT translate(name, 'ab', 'xy'), trim(name, 'x'), lcase(name), ucase(name) FROM customers
SELECT 'a' || 'b', E'tab\t', $$dollar$$
SELECT bar(total, 0, 100, 20) FROM orders
SELECT format_bytes(1000000), to_base(255, 16), bin(5), hex('a')
-- numbers and aggregates
SELECT 7 // 2, 7 / 2, 7 % 2, 2 ** 10, 2 ^ 3, xor(5, 3), gcd(12, 18), lcm(4, 6), factorial(5)
SELECT median(salary), mode(department), quantile_cont(salary, 0.9), quantile_disc(salary, [0.25, 0.75]) FROM employees
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY salary) FROM employees
SELECT approx_count_distinct(city), approx_quantile(id, 0.5) FROM customers
SELECT arg_max(name, salary), arg_min(name, salary), max_by(name, salary), min_by(name, salary) FROM employees
SELECT max(salary, 3), arg_max(name, salary, 2) FROM employees
SELECT stddev(salary), var_samp(salary), skewness(salary), kurtosis(salary), entropy(salary), mad(salary) FROM employees
SELECT corr(quantity, price), covar_samp(quantity, price), regr_slope(quantity, price), regr_r2(quantity, price) FROM items
SELECT first(name), last(name), any_value(name), arbitrary(name) FROM customers
SELECT bool_and(active), bool_or(active), count_if(active), product(id), geomean(id) FROM customers
SELECT histogram(category), bit_and(id), bit_or(id), bit_xor(id) FROM products
SELECT count(), sum(total)::BIGINT, avg(total)::DECIMAL(10, 2) FROM orders
SELECT country, city, count(*) FROM customers GROUP BY ROLLUP (country, city)
SELECT country, city, count(*) FROM customers GROUP BY CUBE (country, city)
SELECT country, city, count(*), grouping_id(country, city) FROM customers GROUP BY GROUPING SETS ((country, city), (country), ())
SELECT round(total), ceil(total), trunc(total), sign(total), even(total), isnan(total::DOUBLE) FROM orders
SELECT greatest(1, 2), least(1, 2), random(), log(100), log2(8), ln(2), cbrt(27), gamma(5), isfinite(1.0::DOUBLE)
SELECT total::INT, CAST(total AS VARCHAR), TRY_CAST('x' AS INTEGER), '5'::TINYINT, 1::HUGEINT FROM orders
SELECT 1_000_000, 0xFF, 1e5
SELECT equi_width_bins(0, 100, 5, true), nextafter(1::DOUBLE, 2::DOUBLE)
SELECT avg(total) FILTER (status = 'paid') FROM orders
SELECT sum(DISTINCT total), count(DISTINCT (country, city)) FROM orders, customers
SELECT fsum(price), kahan_sum(price), favg(price), sem(price) FROM products
SELECT bit_count(5), 5 & 3, 5 | 3, 5 << 2, ~5, @(-5)
-- short forms
FROM customers
FROM customers SELECT name
FROM orders SELECT status, count(*) GROUP BY status
SELECT * EXCLUDE (email) FROM customers
SELECT * EXCLUDE email FROM customers
SELECT * REPLACE (upper(name) AS name) FROM customers
SELECT * RENAME (name AS title) FROM customers
SELECT c.* EXCLUDE (id) FROM customers c
SELECT COLUMNS(*) FROM products
SELECT COLUMNS('^p.*') FROM products
SELECT min(COLUMNS(*)) FROM products
SELECT COLUMNS(c -> c LIKE '%e%') FROM products
SELECT COLUMNS(* EXCLUDE (tags)) FROM products
SELECT sum(COLUMNS(['price', 'quantity'])) FROM items
SELECT * LIKE 'n%' FROM customers
SELECT category, count(*) FROM products GROUP BY ALL
SELECT * FROM products ORDER BY ALL DESC
SELECT name, price * 2 AS double, double + 1 AS more FROM products WHERE double > 10
SELECT name FROM products QUALIFY row_number() OVER (PARTITION BY category ORDER BY price DESC) = 1
SELECT label: name, cost: price FROM products
SELECT * FROM customers LIMIT 50%
SELECT * FROM customers USING SAMPLE 2 ROWS
SELECT * FROM customers USING SAMPLE 50%
SELECT * FROM customers TABLESAMPLE reservoir(2 ROWS)
SELECT DISTINCT ON (customer_id) customer_id, placed FROM orders ORDER BY customer_id, placed DESC
SELECT * FROM customers LIMIT ALL
SELECT * FROM customers FETCH FIRST 3 ROWS ONLY
SELECT rowid, name FROM customers
SELECT * FROM orders ASOF JOIN bookings ON orders.placed >= bookings.starts
SELECT * FROM orders o ASOF LEFT JOIN bookings b ON o.id = b.id AND o.placed >= b.starts
SELECT * FROM customers POSITIONAL JOIN products
SELECT * FROM customers c SEMI JOIN orders o ON o.customer_id = c.id
SELECT * FROM customers c ANTI JOIN orders o ON o.customer_id = c.id
SELECT * FROM customers NATURAL JOIN (SELECT id FROM orders)
SELECT id FROM customers UNION BY NAME SELECT id, total FROM orders
SELECT id FROM customers UNION ALL BY NAME SELECT id, total FROM orders
SELECT id FROM orders EXCEPT ALL SELECT id FROM customers
SELECT c.name, x.total FROM customers c, LATERAL (SELECT sum(total) AS total FROM orders WHERE customer_id = c.id) x
SELECT c.name, o.total FROM customers c LEFT JOIN LATERAL (SELECT max(total) AS total FROM orders WHERE customer_id = c.id) o ON true
TABLE customers
SELECT * FROM main.customers
-- pivot
PIVOT orders ON status USING sum(total)
PIVOT orders ON status USING sum(total) GROUP BY customer_id
PIVOT orders ON status IN ('paid', 'open') USING count(*) GROUP BY customer_id
SELECT * FROM (PIVOT orders ON status USING count(*))
SELECT * FROM orders PIVOT (sum(total) FOR status IN ('paid', 'open') GROUP BY customer_id)
PIVOT (SELECT status, year(placed) AS y, total FROM orders) ON y USING sum(total) GROUP BY status
UNPIVOT items ON quantity, price INTO NAME what VALUE amount
SELECT * FROM items UNPIVOT (amount FOR what IN (quantity, price))
UNPIVOT items ON COLUMNS(* EXCLUDE (order_id, product_id)) INTO NAME what VALUE amount
WITH p AS (PIVOT orders ON status USING sum(total)) SELECT * FROM p
-- lists, structs, maps
SELECT [1, 2, 3], list_value(1, 2), ['a', 'b'] || ['c'], array_value(1, 2)
SELECT tags[1], tags[1:2], tags[-1], len(tags), array_length(tags) FROM products
SELECT list(name ORDER BY name), array_agg(DISTINCT city) FROM customers
SELECT list_contains(tags, 'new'), list_has_any(tags, ['new', 'sale']), array_has(tags, 'new'), list_position(tags, 'new') FROM products
SELECT list_sort(tags), list_distinct(tags), list_reverse(tags), list_unique(tags), array_to_string(tags, ', ') FROM products
SELECT list_transform([1, 2, 3], x -> x + 1), list_filter([1, 2, 3], x -> x > 1), list_reduce([1, 2, 3], (x, y) -> x + y)
SELECT list_transform(tags, lambda t: upper(t)) FROM products
SELECT [x * 2 FOR x IN [1, 2, 3] IF x > 1]
SELECT [upper(t) FOR t IN tags] FROM products
SELECT list_sum([1, 2]), list_avg([1, 2]), list_min([1, 2]), list_max([1, 2]), list_aggregate([1, 2], 'sum'), list_count([1, NULL])
SELECT list_concat([1], [2]), list_append([1], 2), list_prepend(0, [1]), list_slice([1, 2, 3], 1, 2), list_zip([1, 2], ['a', 'b']), flatten([[1], [2]])
SELECT unnest(tags) AS tag, count(*) FROM products GROUP BY tag
SELECT p.name, t.tag FROM products p, unnest(p.tags) AS t(tag)
SELECT p.name, unnest(p.tags) FROM products p
SELECT * FROM unnest([1, 2, 3])
SELECT unnest([{'a': 1, 'b': 2}], recursive := true)
SELECT {'a': 1, 'b': 'x'}, struct_pack(a := 1), row(1, 2)
SELECT address.city, address['city'], struct_extract(address, 'city') FROM bookings
SELECT address.* FROM bookings
SELECT unnest(address) FROM bookings
SELECT struct_insert(address, zip := '1') FROM bookings
SELECT MAP {'a': 1, 'b': 2}, map(['a'], [1])['a'], map_keys(MAP {'a': 1}), map_values(MAP {'a': 1}), cardinality(MAP {'a': 1}), map_entries(MAP {'a': 1})
SELECT map_from_entries([('a', 1)]), element_at(MAP {'a': 1}, 'a')
SELECT list_cosine_similarity([1.0, 2.0], [2.0, 3.0]), array_distance([1.0, 2.0]::FLOAT[2], [2.0, 3.0]::FLOAT[2])
SELECT range(5), generate_series(1, 5), range(1, 10, 2)
SELECT * FROM range(10) AS t(i)
SELECT i, i * i FROM generate_series(1, 10) AS t(i)
SELECT c.name, i.i FROM customers c, range(3) AS i(i)
SELECT ['a', 'b', 'c'][1], [1, 2, 3, 4][2:3], 'hello'[2:]
SELECT 1 IN [1, 2], 'x' NOT IN ['y']
SELECT * FROM customers WHERE id IN (SELECT unnest([1, 2]))
-- json
SELECT profile ->> 'plan', profile -> 'tags' FROM customers
SELECT profile ->> '$.plan', json_extract(profile, '$.tags[0]'), json_extract_string(profile, 'plan') FROM customers
SELECT profile.plan FROM customers
SELECT json_array_length(profile -> 'tags'), json_type(profile), json_keys(profile), json_valid('{}'), json_structure(profile) FROM customers
SELECT json_object('a', 1), json_array(1, 2), to_json({'a': 1}), json_group_array(id) FROM customers
SELECT unnest(from_json(profile -> 'tags', '["VARCHAR"]')) FROM customers
SELECT (profile -> 'tags')::VARCHAR[] FROM customers
SELECT json_contains(profile, '"gold"'), json_exists(profile, '$.plan'), json_merge_patch(profile, '{"a": 1}'), json_quote('x') FROM customers
SELECT je.key, je.value FROM customers, json_each(profile) AS je
SELECT json_transform('{"a": 1}', '{"a": "INTEGER"}')
SELECT json_group_object(name, price) FROM products
-- with, windows, more
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 10) SELECT n FROM t
WITH a AS MATERIALIZED (SELECT * FROM orders) SELECT count(*) FROM a
SELECT sum(total) OVER (PARTITION BY customer_id ORDER BY placed RANGE BETWEEN INTERVAL 30 DAYS PRECEDING AND CURRENT ROW) FROM orders
SELECT lag(total IGNORE NULLS) OVER (ORDER BY id), last_value(total IGNORE NULLS) OVER (ORDER BY id) FROM orders
SELECT median(total) OVER (ORDER BY id ROWS 2 PRECEDING), list(id) OVER (ORDER BY id) FROM orders
SELECT *, row_number() OVER () AS n FROM customers
SELECT if(price > 10, 'dear', 'cheap'), ifnull(category, '?'), CASE WHEN price > 1 THEN 1 END FROM products
SELECT typeof(price), coalesce(NULL, 1), uuid(), gen_random_uuid() FROM products
SELECT * FROM (VALUES (1, 'a'), (2, 'b')) t(n, s)
SELECT count(*) FROM orders WHERE status = ANY (['paid', 'open'])
SELECT a.id FROM orders a WHERE a.total > ALL (SELECT total FROM orders WHERE id < 2)
SELECT date_trunc('month', placed) AS m, sum(total) AS t, t - lag(t) OVER (ORDER BY m) AS change FROM orders GROUP BY m
SELECT strftime(placed, '%B') AS month, count(*)::INT AS n FROM orders GROUP BY month ORDER BY n DESC
SELECT enum_range(NULL::mood)
SUMMARIZE customers
