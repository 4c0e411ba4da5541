-- A join that forgot its conditions: as many rows as there are grains of sand, in little memory.
SELECT count(*) FROM range(100000) a, range(100000) b, range(100000) c WHERE hash(a, b, c) = 7;
