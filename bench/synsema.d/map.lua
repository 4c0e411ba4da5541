local m, n = {}, 2000000
for i = 0, n-1 do m[i] = i*2 end
local s = 0
for i = 0, n-1 do s = s + m[i] end
for i = 0, n-1 do local k = (i*7919) % 1000003; m[k] = m[k]+1 end
print(s)
