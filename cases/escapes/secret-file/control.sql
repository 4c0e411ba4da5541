-- An allowed file is read in the same way.
SELECT CASE WHEN min(length(content)) > 100 THEN 'control: ok' END
FROM read_text(['data/finance/targets.csv', './data/../data/finance/targets.csv']);
