-- choose and filter
SELECT * FROM customers
SELECT name, city FROM customers WHERE country = 'DE'
SELECT DISTINCT country FROM customers ORDER BY country
SELECT c.* FROM customers AS c WHERE c.city IS NOT NULL
SELECT name AS "Full name" FROM customers ORDER BY "Full name"
SELECT id, name FROM products WHERE price BETWEEN 10 AND 50
SELECT * FROM products WHERE category IN ('tools', 'toys') AND NOT price > 100
SELECT * FROM products WHERE category NOT IN ('tools', 'toys')
SELECT * FROM customers WHERE name LIKE 'A%' OR name LIKE '%son'
SELECT * FROM customers WHERE name NOT LIKE '%\_%' ESCAPE '\'
SELECT * FROM customers WHERE email IS NULL
SELECT * FROM customers WHERE city <> 'Berlin' AND city != 'Paris'
SELECT * FROM products WHERE (price > 20 AND category = 'toys') OR (price < 5 AND category = 'books')
SELECT 1 + 1
SELECT 7 / 2, 7 % 3, -7 / 2, 7 * 1.0 / 2
SELECT 'it''s', NULL, TRUE, FALSE
SELECT name, price * 1.19 AS gross FROM products
SELECT name, price - 1, -price FROM products
SELECT * FROM orders WHERE placed >= '2024-01-01' AND placed < '2024-02-01'
SELECT * FROM orders WHERE total > (SELECT avg(total) FROM orders)
SELECT * FROM customers WHERE id = 3 -- the third one
SELECT /* names only */ name FROM customers
SELECT * FROM orders ORDER BY placed DESC LIMIT 5
SELECT * FROM orders ORDER BY total DESC, id ASC LIMIT 10 OFFSET 20
SELECT * FROM products ORDER BY price DESC NULLS LAST
SELECT name FROM products ORDER BY length(name), 1
SELECT name FROM customers ORDER BY CASE WHEN country = 'DE' THEN 0 ELSE 1 END, name
SELECT * FROM customers WHERE (city, country) = ('Berlin', 'DE')
SELECT * FROM orders WHERE status = 'paid' AND total >= 100 ORDER BY 2
SELECT lower(name), upper(city), length(email) FROM customers
SELECT name FROM customers WHERE lower(email) LIKE '%@example.com'
SELECT id, name || ' (' || country || ')' AS label FROM customers
SELECT trim(name), ltrim(name), rtrim(name) FROM customers
SELECT substr(name, 1, 3) FROM customers
SELECT replace(email, '@', ' at ') FROM customers
SELECT round(price, 1), abs(price - 10), round(price) FROM products
SELECT coalesce(city, 'unknown'), nullif(country, '') FROM customers
SELECT CAST(price AS INTEGER), CAST(id AS TEXT), CAST('12.5' AS REAL) FROM products
SELECT name, CASE WHEN price < 10 THEN 'cheap' WHEN price < 100 THEN 'fair' ELSE 'dear' END AS class FROM products
SELECT name, CASE category WHEN 'toys' THEN 1 WHEN 'tools' THEN 2 END FROM products
SELECT current_date, current_timestamp
SELECT date('2024-05-06')
SELECT * FROM (SELECT id, total FROM orders WHERE total > 10) AS big WHERE big.id < 100
SELECT * FROM orders WHERE customer_id IN (SELECT id FROM customers WHERE country = 'FR')
SELECT * FROM customers c WHERE EXISTS (SELECT 1 FROM orders o WHERE o.customer_id = c.id)
SELECT * FROM customers c WHERE NOT EXISTS (SELECT * FROM orders o WHERE o.customer_id = c.id AND o.total > 100)
SELECT name, (SELECT count(*) FROM orders o WHERE o.customer_id = c.id) AS orders FROM customers c
SELECT price > 10 AS dear, name FROM products
SELECT (SELECT max(price) FROM products) - (SELECT min(price) FROM products) AS spread
-- join
SELECT o.id, c.name FROM orders o JOIN customers c ON c.id = o.customer_id
SELECT o.id, c.name FROM orders o, customers c WHERE c.id = o.customer_id
SELECT c.name, o.total FROM customers c LEFT JOIN orders o ON o.customer_id = c.id WHERE o.id IS NULL
SELECT c.name, count(o.id) FROM customers c LEFT OUTER JOIN orders o ON o.customer_id = c.id GROUP BY c.name
SELECT c.name, p.name, i.quantity FROM customers c JOIN orders o ON o.customer_id = c.id JOIN items i ON i.order_id = o.id JOIN products p ON p.id = i.product_id
SELECT a.name, b.name FROM employees a JOIN employees b ON a.manager_id = b.id
SELECT a.name, b.name FROM customers a JOIN customers b ON a.city = b.city AND a.id < b.id
SELECT c.name, p.name FROM customers c CROSS JOIN products p
SELECT c.name, o.id FROM customers c RIGHT JOIN orders o ON o.customer_id = c.id
SELECT c.name, o.id FROM customers c FULL OUTER JOIN orders o ON o.customer_id = c.id
SELECT order_id, product_id FROM items INNER JOIN orders ON orders.id = items.order_id
SELECT e.name, m.name AS manager FROM employees e LEFT JOIN employees m ON m.id = e.manager_id ORDER BY m.name, e.name
SELECT o.id, x.n FROM orders o JOIN (SELECT order_id, count(*) AS n FROM items GROUP BY order_id) x ON x.order_id = o.id
SELECT * FROM orders JOIN items ON items.order_id = orders.id AND items.quantity > 1
SELECT o.id, i.product_id FROM orders o JOIN items i ON (o.id = i.order_id) WHERE o.status IN ('paid', 'sent')
SELECT p.name FROM products p LEFT JOIN items i ON i.product_id = p.id WHERE i.order_id IS NULL
-- group
SELECT count(*) FROM customers
SELECT count(DISTINCT city), count(city) FROM customers
SELECT country, count(*) FROM customers GROUP BY country
SELECT country, count(*) AS n FROM customers GROUP BY country HAVING count(*) > 1 ORDER BY n DESC
SELECT category, min(price), max(price), avg(price), sum(price) FROM products GROUP BY category
SELECT category, round(avg(price), 2) AS mean FROM products GROUP BY category ORDER BY mean DESC LIMIT 3
SELECT country, city, count(*) FROM customers GROUP BY country, city
SELECT country, count(*) FROM customers GROUP BY 1 ORDER BY 2 DESC
SELECT sum(quantity * price) AS revenue FROM items
SELECT customer_id, sum(total) FROM orders WHERE status = 'paid' GROUP BY customer_id HAVING sum(total) > 100
SELECT customer_id, max(placed) AS latest FROM orders GROUP BY customer_id
SELECT sum(CASE WHEN status = 'paid' THEN total ELSE 0 END) AS paid, sum(total) AS total FROM orders
SELECT count(CASE WHEN status = 'open' THEN 1 END) * 100.0 / count(*) AS share FROM orders
SELECT count(*) FILTER (WHERE status = 'paid') AS paid, count(*) FROM orders
SELECT category, sum(price) FILTER (WHERE price > 10) FROM products GROUP BY category
SELECT department, avg(salary) FROM employees GROUP BY department HAVING avg(salary) > (SELECT avg(salary) FROM employees)
SELECT avg(n) FROM (SELECT count(*) AS n FROM orders GROUP BY customer_id) AS t
SELECT max(total) - min(total) AS spread, count(*) AS n FROM orders WHERE status <> 'void'
SELECT status, count(*) * 1.0 / (SELECT count(*) FROM orders) AS share FROM orders GROUP BY status
SELECT c.country, sum(o.total) AS revenue FROM orders o JOIN customers c ON c.id = o.customer_id GROUP BY c.country ORDER BY revenue DESC
SELECT c.name, count(DISTINCT i.product_id) FROM customers c JOIN orders o ON o.customer_id = c.id JOIN items i ON i.order_id = o.id GROUP BY c.id, c.name
SELECT p.category, sum(i.quantity) FROM items i JOIN products p ON p.id = i.product_id GROUP BY p.category HAVING sum(i.quantity) >= 2
-- sets
SELECT city FROM customers UNION SELECT department FROM employees
SELECT city FROM customers UNION ALL SELECT department FROM employees ORDER BY 1
SELECT id FROM customers INTERSECT SELECT customer_id FROM orders
SELECT id FROM customers EXCEPT SELECT customer_id FROM orders
SELECT 'customers' AS what, count(*) AS n FROM customers UNION ALL SELECT 'orders', count(*) FROM orders
SELECT * FROM (SELECT id FROM customers UNION SELECT id FROM products) AS t WHERE id > 2
(SELECT 1 AS n) UNION ALL (SELECT 2)
SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS t
-- with
WITH big AS (SELECT * FROM orders WHERE total > 50) SELECT count(*) FROM big
WITH a AS (SELECT customer_id, sum(total) AS t FROM orders GROUP BY customer_id), b AS (SELECT avg(t) AS m FROM a) SELECT a.customer_id, a.t - b.m FROM a, b
WITH totals (customer, total) AS (SELECT customer_id, sum(total) FROM orders GROUP BY customer_id) SELECT * FROM totals WHERE total > 10
WITH a AS (SELECT 1 AS x) SELECT x FROM a UNION ALL SELECT x + 1 FROM a
WITH ranked AS (SELECT name, category, row_number() OVER (PARTITION BY category ORDER BY price DESC) AS r FROM products) SELECT * FROM ranked WHERE r <= 3
WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10) SELECT i FROM n
WITH RECURSIVE chain AS (SELECT id, name, manager_id, 0 AS depth FROM employees WHERE manager_id IS NULL UNION ALL SELECT e.id, e.name, e.manager_id, c.depth + 1 FROM employees e JOIN chain c ON e.manager_id = c.id) SELECT * FROM chain ORDER BY depth, name
WITH RECURSIVE path (id, way) AS (SELECT id, CAST(name AS TEXT) FROM employees WHERE manager_id IS NULL UNION ALL SELECT e.id, p.way || ' > ' || e.name FROM employees e JOIN path p ON e.manager_id = p.id) SELECT way FROM path
WITH RECURSIVE boss (id) AS (SELECT manager_id FROM employees WHERE id = 3 UNION SELECT e.manager_id FROM employees e JOIN boss b ON e.id = b.id) SELECT count(*) FROM boss
WITH RECURSIVE fib (a, b) AS (SELECT 0, 1 UNION ALL SELECT b, a + b FROM fib WHERE b < 1000) SELECT a FROM fib
-- windows
SELECT name, price, rank() OVER (ORDER BY price DESC) FROM products
SELECT name, dense_rank() OVER (PARTITION BY category ORDER BY price) FROM products
SELECT id, total, sum(total) OVER (ORDER BY id) AS running FROM orders
SELECT id, avg(total) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM orders
SELECT id, sum(total) OVER (ORDER BY placed ROWS UNBOUNDED PRECEDING) FROM orders
SELECT id, total, lag(total) OVER (ORDER BY id) AS before, lead(total, 1, 0) OVER (ORDER BY id) AS next FROM orders
SELECT id, total - lag(total, 1) OVER (PARTITION BY customer_id ORDER BY placed) AS change FROM orders
SELECT name, salary, salary * 100.0 / sum(salary) OVER () AS share FROM employees
SELECT name, ntile(4) OVER (ORDER BY salary) FROM employees
SELECT name, percent_rank() OVER (ORDER BY salary), cume_dist() OVER (ORDER BY salary) FROM employees
SELECT name, first_value(name) OVER (PARTITION BY department ORDER BY salary DESC) FROM employees
SELECT name, last_value(name) OVER (ORDER BY salary RANGE BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) FROM employees
SELECT name, nth_value(name, 2) OVER (ORDER BY salary) FROM employees
SELECT name, row_number() OVER w, sum(salary) OVER w FROM employees WINDOW w AS (PARTITION BY department ORDER BY salary)
SELECT id, count(*) OVER (PARTITION BY customer_id) AS n FROM orders
SELECT id, max(total) OVER (ORDER BY id GROUPS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM orders
SELECT id, sum(total) OVER (ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE CURRENT ROW) FROM orders
SELECT DISTINCT department, max(salary) OVER (PARTITION BY department) FROM employees
SELECT customer_id, count(*) AS n, rank() OVER (ORDER BY count(*) DESC) FROM orders GROUP BY customer_id
SELECT * FROM (SELECT id, row_number() OVER (PARTITION BY customer_id ORDER BY placed DESC) AS rn FROM orders) t WHERE rn = 1
SELECT id, sum(total) FILTER (WHERE status = 'paid') OVER (ORDER BY id) FROM orders
-- numbers and texts
SELECT ceil(price), floor(price), sqrt(price), power(price, 2) FROM products
SELECT exp(1), ln(10), sign(-3), pi()
SELECT sin(1), cos(1), tan(1), asin(0.5), acos(0.5), atan(1), atan2(1, 2), degrees(1), radians(180)
SELECT mod(7, 3), 7 & 3, 7 | 8, ~7, 1 << 4, 256 >> 2
SELECT log10(price) FROM products WHERE price > 0
SELECT name FROM products WHERE round(price) = 10 OR price IS NULL
SELECT 1e3, .5, 10.25, 1000000000000
SELECT CAST('2024-01-31' AS DATE), CAST(5 AS DECIMAL(10, 2)), CAST(price AS NUMERIC) FROM products
SELECT length(trim(name)) - length(replace(name, ' ', '')) FROM customers
SELECT upper(substr(name, 1, 1)) || lower(substr(name, 2)) FROM customers
SELECT concat(name, ' - ', city) FROM customers
SELECT string_agg(name, ', ') FROM products
SELECT category, string_agg(name, '; ' ORDER BY name) FROM products GROUP BY category
SELECT * FROM customers LIMIT 0
SELECT count(*) AS "count", 'x' AS "select" FROM orders
SELECT name FROM customers WHERE id IN (1, 2, 3) AND active ORDER BY name
SELECT * FROM customers WHERE city IS DISTINCT FROM 'Berlin'
SELECT * FROM customers WHERE city IS NOT DISTINCT FROM NULL
