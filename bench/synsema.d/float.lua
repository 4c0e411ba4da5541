local x, i = 0.0, 0
while i < 10000000 do x = x*0.5+i; i = i+1 end
print(x)
