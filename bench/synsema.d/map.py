def f():
    m = {}; n = 2000000
    for i in range(n): m[i] = i*2
    s = 0
    for i in range(n): s = s + m[i]
    for i in range(n):
        k = (i*7919) % 1000003
        m[k] = m[k]+1
    print(s, len(m))
f()
