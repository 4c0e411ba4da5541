-- A join that forgot its condition: as many rows as there are grains of sand.
SELECT count(*) FROM range(10000000000) a, range(10000000000) b WHERE hash(a, b) = 7;
