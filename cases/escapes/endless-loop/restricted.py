# A loop needs nothing that could be taken away.
while True:
    pass
