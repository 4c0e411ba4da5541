def f():
    x = 0.0; i = 0
    while i < 10000000:
        x = x*0.5+i; i = i+1
    print(x)
f()
