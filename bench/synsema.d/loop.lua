local function work(n)
  local i, total = 0, 0
  while i < n do total = total + i % 7; i = i + 1 end
  return total
end
print(work(20000000))
