"""One GET over HTTP/1.1, for every meter behind a network: `connection` sends it, `answer` reads it.

It ends in time and within limits whatever the other side does, follows no redirect and asks no proxy. What
comes of it is an `Answer` or an `Unanswered` with a reason code; `words` says those of the network to a user.
"""
