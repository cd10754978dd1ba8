"""Faults of a mirror text

Description: `text` has 0 to 10**6 characters: letters from a to z and A to Z, digits, blanks and signs, all
ASCII. Only the letters count, and a capital letter is the same as the small one. The first letter of the text
is compared with the last, the second with the last but one, and so on, up to the middle; a letter that would
be compared with itself is left out. Return the number of comparisons in which the letters differ.
"""

import random
from operator import ne

ALGORITHMS = ("two_pointers", "string")
DIFFICULTY = "easy"
ENTRY_POINT = "mirror_faults"
EXAMPLES = (
    (("Never odd, or even!",), 0),
    (("abca",), 1),
    (("12 a-B C? 3",), 1),
    (("",), 0),
)
SHAPES = ("sentence", "almost_mirror", "signs", "one_sided")
SIZES = (2_000, 600_000)
CHECKER = "equal"
EDGE_CASES = (("?",), ("x",), ("xX",), ("xy",), ("a,b,,,,A",), ("0a0",), ("ab ba ab",))
BRUTE_FORCE_SIZE = 15


def mirror_faults(text: str) -> int:
    """Canonical: take the letters out once, and go from both ends to the middle."""
    letters = [sign for sign in text.lower() if "a" <= sign <= "z"]
    return sum(map(ne, letters[: len(letters) // 2], reversed(letters)))


def slow_cut_the_ends(text: str) -> int:
    """Copies the rest of the text whenever a character has been dealt with at either end."""
    faults = 0
    while len(text) > 1:
        if not text[0].isalpha():
            text = text[1:]
        elif not text[-1].isalpha():
            text = text[:-1]
        else:
            faults += text[0].lower() != text[-1].lower()
            text = text[1:-1]
    return faults


def brute_force(text: str) -> int:
    """Numbers the letters and compares those whose numbers make up the same sum."""
    letters = [sign.lower() for sign in text if sign.isalpha()]
    pairs = [(one, other) for one in range(len(letters)) for other in range(one + 1, len(letters))]
    return sum(letters[one] != letters[other] for one, other in pairs if one + other == len(letters) - 1)


def generate(rng: random.Random, size: int, shape: str) -> tuple[str]:
    """A text of `size` characters."""

    def drawn(alphabet: str, count: int) -> str:
        # as many of the 256 bytes for each character; those that are over stand for none
        character_of = alphabet.encode() * (256 // len(alphabet))
        none = bytes(range(len(character_of), 256))
        return rng.randbytes(2 * count + 64).translate(character_of.ljust(256), none)[:count].decode()

    letters = "abcdeABCDE"
    if shape == "one_sided":
        return (drawn(letters, size - size // 2) + drawn("., 0", size // 2),)
    if shape == "almost_mirror":
        half = drawn(letters + " ,", (size + 1) // 2)
        signs = list(half + half[::-1])[:size]
        for place in rng.choices(range(size), k=1 + size // 100):
            signs[place] = rng.choice("aAeE!")
        return ("".join(signs),)
    return (drawn(letters + (" -" if shape == "sentence" else " ,.;0123456789" * 3), size),)
