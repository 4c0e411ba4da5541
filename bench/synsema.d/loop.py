def work(n):
    i = total = 0
    while i < n:
        total = total + i % 7
        i = i + 1
    return total
print(work(20000000))
