local words = {}
for i = 0, 299999 do words[#words + 1] = "w" .. i % 5000 end
local seen, distinct = {}, 0
for _, w in ipairs(words) do
  if seen[w] then seen[w] = seen[w] + 1 else seen[w] = 1; distinct = distinct + 1 end
end
local parts = {}
for _, w in ipairs(words) do parts[#parts + 1] = w .. "," end
print(distinct, #table.concat(parts))
