-- Reads the key file as a text, under the names that lead to it.
SELECT filename, content FROM read_text(['.env', './data/../.env']);
