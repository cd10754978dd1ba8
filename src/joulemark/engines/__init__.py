"""Who answers: engines, the stream client and what it hands on."""
