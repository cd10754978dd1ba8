"""What stands before every program of EffiBench: the names that its solutions use without importing them."""

PRELUDE = """\
from typing import *
from bisect import *
from collections import *
from copy import *
from datetime import *
from heapq import *
from math import *
from re import *
from string import *
from random import *
from itertools import *
from functools import *
from operator import *
from builtins import *
import bisect
import collections
import copy
import datetime
import functools
import heapq
import itertools
import math
import operator
import random
import re
import string
import sys
import time


class ListNode:
    def __init__(self, val=0, next=None):
        self.val = val
        self.next = next


class TreeNode:
    def __init__(self, val=0, left=None, right=None, next=None):
        self.val = val
        self.left = left
        self.right = right
        self.next = next
"""
"""The modules and the order are those of its executor. Built-in names come last, so that ``pow`` and ``sum``
are Python's own: there they are those of `math` and `operator`, which take other arguments."""

SAME = '''\
def _plain(value):
    """Lists and trees of nodes as what they hold, so that two of them can be compared."""
    kind = type(value).__name__
    if kind in ("Linked", "Tree"):
        return (kind, [_plain(one) for one in value.values])
    if kind == "ListNode":
        values = []
        while value is not None and len(values) < 200_000:
            values.append(_plain(value.val))
            value = value.next
        return ("Linked", values)
    if kind == "TreeNode":
        values, level = [], [value]
        while level and len(values) < 200_000:
            below = []
            for one in level:
                values.append(None if one is None else _plain(one.val))
                if one is not None:
                    below += (one.left, one.right)
            level = below
        while values and values[-1] is None:
            values.pop()
        return ("Tree", values)
    if kind in ("list", "tuple"):
        return type(value)(_plain(one) for one in value)
    return value


def _same(left, right):
    return _plain(left) == _plain(right)


class _Solution:
    def __init__(self, candidate):
        self.{method} = candidate
'''
