-- A long query that ends.
SELECT CASE WHEN sum(a) = 1999999000000 THEN 'control: ok' END FROM range(2000000) t(a);
