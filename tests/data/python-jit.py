import time

def inner(n):
    s = 0
    for i in range(n):
        s += i * i % 7
    return s

def helper(x, n):
    return x + inner(n)

def middle(n):
    return sorted([3, 1, 2], key=lambda x: helper(x, n))[0]

end = time.time() + 0.5
while time.time() < end:
    middle(2000)
