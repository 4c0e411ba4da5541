-- The program's own folder can be written, and read back.
COPY (SELECT 1 AS a, 2 AS b) TO 'out/table.csv';
COPY (SELECT 3 AS a, 4 AS b) TO 'out/table.csv';
SELECT CASE WHEN a = 3 THEN 'control: ok' END FROM 'out/table.csv';
