"""Source that ENAMEL's generators need and do not bring: random parentheses and random primes.

Written from how the generators of the published table call these three: sizes are upper bounds, primes of one
bound lie in its upper half, the first four numbers of level 0 are awkward small ones (of which the third is
the only prime), and cases 4 and 5 are composite at every level.
"""

HELPERS = '''\
import random
import string


def _balanced(pairs, opening, closing):
    """A random word of this many pairs, all words being equally likely (a rotation of a random sequence)."""
    steps = [1] * pairs + [-1] * (pairs + 1)
    random.shuffle(steps)
    height = lowest = start = 0
    for place, step in enumerate(steps):
        height += step
        if height < lowest:
            lowest, start = height, place + 1
    turned = steps[start:] + steps[:start]
    return "".join(opening if step > 0 else closing for step in turned[:-1])


def rand_parens(size, sep="", valid=True, par="()"):
    """Parentheses of about this length: groups that are closed each for itself, with ``sep`` between them.

    Not ``valid``: of this length too, and not balanced.
    """
    opening, closing = par
    left = max(1, (size + 1) // 2)
    groups = []
    while left:
        pairs = random.randint(1, left)
        groups.append(opening + _balanced(pairs - 1, opening, closing) + closing)
        left -= pairs
    random.shuffle(groups)
    if valid:
        return sep.join(groups)
    text = list("".join(groups))
    place = random.randrange(len(text))
    text[place] = closing if text[place] == opening else opening
    return "".join(text)


def _is_prime(number):
    """Whether a number below 3 * 10**24 is prime: strong tests to the first thirteen primes decide that."""
    bases = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)
    if number < 2:
        return False
    for base in bases:
        if number % base == 0:
            return number == base
    twos = ((number - 1) & (1 - number)).bit_length() - 1
    odd = (number - 1) >> twos
    for base in bases:
        power = pow(base, odd, number)
        if power in (1, number - 1):
            continue
        for _ in range(twos - 1):
            power = power * power % number
            if power == number - 1:
                break
        else:
            return False
    return True


def rand_probably_prime(low, high=None):
    """A random prime from ``low`` to ``high``; with one bound, a prime of the upper half below it."""
    if high is None:
        low, high = (low + 1) // 2, low
    low, high = max(2, low), max(2, high)
    start = random.randint(min(low, high), high)
    for number in range(start, high + 1):
        if _is_prime(number):
            return number
    for number in range(start - 1, 1, -1):
        if _is_prime(number):
            return number
    return 2


def rand_primality(size, lid, cid):
    """A number of about this size that is hard to tell from a prime, or is one."""
    if lid == 0 and cid < 4:
        return (1729, 3 * 3 * 3 * 3, 2, 101 * 103)[cid]
    if cid % 4 > 1:
        return rand_probably_prime(max(size, 3))
    root = max(3, int(max(size, 4) ** 0.5) + 1)
    factor = rand_probably_prime(root)
    return factor * (factor if cid % 4 else rand_probably_prime(root))
'''
