def main():
    words = []
    for i in range(300000):
        words.append(f"w{i % 5000}")
    seen = {}
    for w in words:
        if w in seen:
            seen[w] = seen[w] + 1
        else:
            seen[w] = 1
    out = ""
    for w in words:
        out += w
        out += ","
    print(len(seen), len(out))


main()
