-- dates and times
SELECT date('now'), time('now'), datetime('now')
SELECT strftime('%Y', placed) AS year, sum(total) FROM orders GROUP BY year
SELECT strftime('%Y-%m', placed) AS month, count(*) FROM orders GROUP BY 1 ORDER BY 1
SELECT date(placed, 'start of month') FROM orders
SELECT date('now', '-7 days'), date('now', 'start of year', '+1 month', '-1 day')
SELECT datetime(1092941466, 'unixepoch'), datetime(1092941466, 'unixepoch', 'localtime')
SELECT julianday('now') - julianday(placed) AS days FROM orders
SELECT CAST((julianday('2024-03-01') - julianday('2024-02-01')) AS INTEGER)
SELECT unixepoch(placed), unixepoch('2024-01-01') FROM orders
SELECT CAST(strftime('%w', placed) AS INTEGER) AS weekday, count(*) FROM orders GROUP BY weekday
SELECT strftime('%s', placed) - strftime('%s', '2024-01-01') FROM orders
SELECT * FROM orders WHERE date(placed) = '2024-01-05'
SELECT * FROM orders WHERE placed > datetime('now', '-30 days')
SELECT * FROM orders WHERE strftime('%m', placed) IN ('01', '02')
SELECT time(placed), strftime('%H:%M', placed) FROM orders
SELECT date(born), strftime('%Y', 'now') - strftime('%Y', born) AS age FROM customers
SELECT date('2024-01-31', '+1 month'), date('2024-01-01', 'weekday 0')
SELECT (strftime('%j', placed) - 1) / 7 AS week, count(*) FROM orders GROUP BY week
SELECT (CAST(strftime('%m', placed) AS INTEGER) + 2) / 3 AS quarter, sum(total) FROM orders GROUP BY quarter
SELECT CURRENT_TIME, CURRENT_DATE, CURRENT_TIMESTAMP
SELECT datetime('2024-01-01 10:00', 'utc'), datetime(placed, '+2 hours') FROM orders
SELECT julianday(max(placed)) - julianday(min(placed)) FROM orders
SELECT strftime('%Y-W%W', placed), count(*) FROM orders GROUP BY 1
-- texts
SELECT instr(email, '@'), substr(email, instr(email, '@') + 1) FROM customers
SELECT printf('%.2f', price) FROM products
SELECT printf('%s costs %d', name, price) FROM products
SELECT format('%05d', id) FROM orders
SELECT printf('%,d', sum(total)) FROM orders
SELECT substring(name, 2), substr(name, -3) FROM customers
SELECT name FROM customers WHERE name GLOB 'A*'
SELECT name FROM customers WHERE name NOT GLOB '*[0-9]*'
SELECT hex(name), quote(name), unicode(name), char(65, 66) FROM customers
SELECT typeof(price), typeof(NULL), typeof('x') FROM products
SELECT trim(name, 'xy'), ltrim(name, '0'), rtrim(name, '.') FROM customers
SELECT name FROM customers ORDER BY name COLLATE NOCASE
SELECT * FROM customers WHERE city = 'berlin' COLLATE NOCASE
SELECT name LIKE 'a%' FROM customers
SELECT group_concat(name) FROM customers
SELECT group_concat(name, '; ') FROM customers GROUP BY country
SELECT group_concat(DISTINCT city) FROM customers
SELECT group_concat(name, ', ' ORDER BY name) FROM customers
SELECT soundex('Robert')
SELECT length(hex(name)) / 2 FROM customers
SELECT like('a%', name), glob('a*', name) FROM customers
SELECT unhex('4142'), octet_length(name) FROM customers
SELECT concat_ws(', ', city, country) FROM customers
SELECT ifnull(city, '?'), iif(price > 10, 'dear', 'cheap') FROM customers, products
SELECT x'414243', 0xff
SELECT "name" FROM "customers" WHERE [country] = 'DE' AND `city` IS NOT NULL
-- numbers
SELECT max(price, 10), min(price, 10) FROM products
SELECT total(total) FROM orders
SELECT random() % 10
SELECT abs(random()) % 100 FROM products
SELECT * FROM products ORDER BY random() LIMIT 3
SELECT round(total, 2), CAST(total AS INTEGER), total / 3 FROM orders
SELECT CAST('12abc' AS INTEGER), CAST('3.0' AS NUMERIC), '5' + 3
SELECT CAST(price AS NUMERIC), CAST(price AS DECIMAL), CAST(active AS BOOLEAN) FROM products, customers
SELECT 5 / 2, 5 / 2.0, 5 % 2, 9223372036854775807
SELECT log(100), log(2, 8), log2(8), trunc(3.7), sinh(1), cosh(1), tanh(1), acosh(2)
SELECT ceiling(1.2), pow(2, 10)
SELECT sign(price), likely(price > 1), unlikely(price > 1) FROM products
SELECT zeroblob(4)
SELECT price == 10, price <> 10, NOT price FROM products
SELECT median(price) FROM products
SELECT changes(), total_changes(), last_insert_rowid()
SELECT sqlite_version()
-- rows and tables
SELECT rowid, name FROM customers
SELECT _rowid_, oid FROM customers
SELECT max(rowid) FROM orders
SELECT * FROM customers WHERE rowid = 2
SELECT c.rowid FROM customers c JOIN orders o ON o.customer_id = c.rowid
SELECT * FROM main.customers
SELECT main.customers.name FROM main.customers
SELECT * FROM customers LIMIT 5, 10
SELECT * FROM customers LIMIT -1 OFFSET 2
SELECT * FROM customers NATURAL JOIN (SELECT id FROM orders)
SELECT * FROM orders JOIN items USING (id)
SELECT * FROM customers INDEXED BY sqlite_autoindex_customers_1
SELECT * FROM customers NOT INDEXED
SELECT name FROM customers WHERE city ISNULL OR email NOTNULL
SELECT * FROM customers WHERE city IS 'Berlin' OR city IS NOT 'Paris'
SELECT name, price FROM products WHERE price = (SELECT max(price) FROM products)
SELECT name, max(price) FROM products
SELECT category, name, max(price) FROM products GROUP BY category
SELECT * FROM orders WHERE customer_id IN (1, 2) AND status IS NOT NULL
SELECT * FROM orders WHERE (customer_id, status) IN (SELECT id, 'paid' FROM customers)
SELECT EXISTS (SELECT 1 FROM orders WHERE total > 100)
SELECT id, NOT EXISTS (SELECT 1 FROM items WHERE order_id = orders.id) AS empty FROM orders
SELECT CASE WHEN EXISTS (SELECT 1 FROM orders) THEN 'yes' ELSE 'no' END
SELECT (SELECT name FROM customers WHERE id = o.customer_id) FROM orders o
SELECT DISTINCT strftime('%Y', placed) FROM orders
SELECT count(*), count(*) > 10 FROM orders
SELECT a.id, b.id FROM orders a, orders b WHERE a.id < b.id AND a.customer_id = b.customer_id
SELECT * FROM (VALUES (1, 2), (3, 4))
SELECT column1 FROM (VALUES (1), (2))
WITH t (a, b) AS (VALUES (1, 'x'), (2, 'y')) SELECT a, b FROM t
WITH t AS MATERIALIZED (SELECT * FROM orders) SELECT count(*) FROM t
WITH t AS NOT MATERIALIZED (SELECT * FROM orders) SELECT count(*) FROM t
WITH RECURSIVE days (d) AS (SELECT date('2024-01-01') UNION ALL SELECT date(d, '+1 day') FROM days WHERE d < '2024-01-31') SELECT d, count(o.id) FROM days LEFT JOIN orders o ON date(o.placed) = d GROUP BY d
WITH RECURSIVE n (x) AS (VALUES (1) UNION ALL SELECT x + 1 FROM n LIMIT 20) SELECT x FROM n
SELECT id, sum(total) OVER (ORDER BY id RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM orders
SELECT id, total(total) OVER (PARTITION BY status) FROM orders
SELECT name, group_concat(name) OVER (ORDER BY id) FROM customers
SELECT sum(price) FILTER (WHERE category = 'toys') FROM products
SELECT * FROM orders ORDER BY placed COLLATE BINARY DESC NULLS FIRST
SELECT id, (total - avg(total) OVER ()) * (total - avg(total) OVER ()) FROM orders
SELECT avg(total * total) - avg(total) * avg(total) AS variance FROM orders
SELECT sqrt(avg(total * total) - avg(total) * avg(total)) FROM orders
-- json
SELECT json_extract(profile, '$.plan') FROM customers
SELECT profile ->> '$.plan', profile -> '$.tags' FROM customers
SELECT profile ->> 'plan' FROM customers WHERE profile ->> 'plan' = 'gold'
SELECT json_array_length(profile, '$.tags') FROM customers
SELECT json_type(profile, '$.tags'), json_valid(profile) FROM customers
SELECT value FROM json_each('[1, 2, 3]')
SELECT c.name, t.value FROM customers c, json_each(c.profile, '$.tags') t
SELECT c.name, j.value FROM customers c JOIN json_each(json_extract(c.profile, '$.tags')) j
SELECT key, value, type, atom, fullkey FROM customers, json_tree(customers.profile)
SELECT count(*) FROM customers WHERE EXISTS (SELECT 1 FROM json_each(profile, '$.tags') WHERE value = 'new')
SELECT json_group_array(name) FROM customers
SELECT json_group_object(name, price) FROM products
SELECT json_object('id', id, 'name', name) FROM customers
SELECT json_array(1, 2, 'x'), json('{"a": 1}'), json_quote(name) FROM customers
SELECT json_set(profile, '$.plan', 'x'), json_remove(profile, '$.tags'), json_insert(profile, '$.n', 1) FROM customers
SELECT json_patch(profile, '{"x": 1}'), json_replace(profile, '$.plan', 'y') FROM customers
SELECT json_extract(profile, '$.tags[0]'), json_extract(profile, '$.tags[#-1]') FROM customers
SELECT t.value, count(*) FROM customers c, json_each(c.profile, '$.tags') AS t GROUP BY t.value ORDER BY 2 DESC
SELECT json_extract(profile, '$.plan', '$.visits') FROM customers
-- what reports need
SELECT c.name, sum(o.total) AS spent, rank() OVER (ORDER BY sum(o.total) DESC) FROM customers c JOIN orders o ON o.customer_id = c.id GROUP BY c.id
SELECT strftime('%Y-%m', placed) AS m, sum(total), sum(total) - lag(sum(total)) OVER (ORDER BY strftime('%Y-%m', placed)) FROM orders GROUP BY m
SELECT name, price, 100.0 * price / (SELECT sum(price) FROM products) || '%' FROM products
SELECT round(100.0 * sum(status = 'paid') / count(*), 1) FROM orders
SELECT sum(status = 'paid'), sum(status = 'open') FROM orders
SELECT avg(julianday('now') - julianday(hired)) / 365.25 FROM employees
SELECT p.name, sum(i.quantity) AS sold FROM products p LEFT JOIN items i ON p.id = i.product_id GROUP BY p.id ORDER BY sold DESC LIMIT 10
SELECT country, count(*) c FROM customers GROUP BY country ORDER BY c DESC LIMIT 1
SELECT name FROM customers WHERE id NOT IN (SELECT customer_id FROM orders WHERE customer_id IS NOT NULL)
SELECT date(placed) AS d, count(*) AS n, sum(count(*)) OVER (ORDER BY date(placed)) FROM orders GROUP BY d
SELECT CASE strftime('%w', placed) WHEN '0' THEN 'Sunday' WHEN '6' THEN 'Saturday' ELSE 'weekday' END AS d, count(*) FROM orders GROUP BY d
SELECT department, name FROM employees e WHERE salary = (SELECT max(salary) FROM employees WHERE department = e.department)
SELECT (total / 10) * 10 AS bucket, count(*) FROM orders GROUP BY bucket
SELECT substr(placed, 1, 7) AS month, sum(total) FROM orders GROUP BY month HAVING month >= '2024-01'
SELECT name FROM products ORDER BY price LIMIT 1 OFFSET (SELECT count(*) / 2 FROM products)
SELECT sum(total) AS t FROM orders WHERE placed BETWEEN date('now', '-1 year') AND date('now')
SELECT sum(quantity * price) AS revenue, p.category FROM items i JOIN (SELECT id, category FROM products) p ON p.id = i.product_id GROUP BY p.category
SELECT name, total FROM (SELECT c.name, sum(o.total) AS total FROM customers c JOIN orders o ON o.customer_id = c.id GROUP BY c.name) WHERE total > 10
SELECT o.id FROM orders AS o WHERE total > 2 * (SELECT avg(total) FROM orders AS p WHERE p.customer_id = o.customer_id)
SELECT min(placed), max(placed), count(DISTINCT date(placed)) FROM orders
SELECT e.department, count(*) AS n, round(avg(e.salary)) FROM employees AS e GROUP BY e.department HAVING n > 1
SELECT * FROM articles WHERE body LIKE '%engine%' OR title LIKE '%engine%'
SELECT id, title, length(body) - length(replace(body, ' ', '')) + 1 AS words FROM articles ORDER BY words DESC
SELECT e.id, e.name, count(s.id) AS reports FROM employees e LEFT JOIN employees s ON s.manager_id = e.id GROUP BY e.id HAVING reports > 0
SELECT cast(total as int) % 2 AS odd, count(*) FROM orders GROUP BY odd

-- as reports and spreadsheets ask
SELECT o.id, o.total, total - lag(total) OVER (PARTITION BY customer_id ORDER BY placed) AS more FROM orders o
SELECT customer_id, group_concat(status, ' / ') FROM orders GROUP BY customer_id HAVING sum(total) > 20
SELECT name, coalesce(nullif(trim(city), ''), 'nowhere') AS city FROM customers ORDER BY city COLLATE NOCASE
SELECT substr(email, instr(email, '@') + 1) AS domain, count(*) FROM customers WHERE email IS NOT NULL GROUP BY domain
SELECT strftime('%Y', hired) AS year, count(*) FILTER (WHERE salary > 45000) AS well_paid FROM employees GROUP BY year
SELECT category, max(price), name FROM products GROUP BY category
SELECT p.name, ifnull(sum(i.quantity), 0) AS sold FROM products p LEFT JOIN items i ON i.product_id = p.id GROUP BY p.id
SELECT c.name FROM customers c WHERE NOT EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id AND o.status = 'open')
SELECT date(placed) AS day, total, sum(total) OVER (ORDER BY placed ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM orders
SELECT upper(substr(name, 1, 1)) || lower(substr(name, 2)) AS tidy, unicode(name) FROM products
SELECT CASE WHEN salary >= 80000 THEN 'high' WHEN salary >= 45000 THEN 'middle' ELSE 'low' END AS band, count(*) FROM employees GROUP BY band
SELECT printf('%05.2f', avg(price)) AS mean, printf('%d products', count(*)) FROM products WHERE price NOT NULL
WITH days(day) AS (VALUES ('2024-01-05'), ('2024-02-07')) SELECT day, count(o.id) FROM days LEFT JOIN orders o ON date(o.placed) = day GROUP BY day
SELECT name FROM employees WHERE department IN (SELECT department FROM employees GROUP BY department HAVING avg(salary) > 50000)
SELECT ntile(2) OVER (ORDER BY salary DESC) AS half, name FROM employees
SELECT total, total * 1.19 AS gross, round(total * 0.19, 2) AS tax FROM orders WHERE status IS NOT 'void' ORDER BY total DESC LIMIT 3 OFFSET 1
SELECT min(placed), max(placed), julianday(max(placed)) - julianday(min(placed)) FROM orders WHERE placed BETWEEN '2024-01-01' AND '2024-12-31'
SELECT c.country, count(DISTINCT c.id) AS customers, total(o.total) FROM customers c LEFT JOIN orders o ON o.customer_id = c.id GROUP BY c.country ORDER BY 3 DESC
