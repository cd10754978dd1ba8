"""Smart plugs and home servers that are read over HTTP: Shelly, Tasmota, Home Assistant.

All of them count energy outside the machine, at the wall. They are slow, their steps may be coarse, and they
may fall silent at any time: every request ends within two seconds whatever the other side does, and what
could not be read is absent with a reason. Passwords come from the environment or from a file that an option
names; they are never part of an address, a `SourceSpec`, a record, a message or a log. A Shelly says who it
is before it gets one; Tasmota and Home Assistant cannot, and get theirs as whoever is at that address.
"""
