"""The methodology page: made of the metric definitions, the record's schema and the ladder of trust."""
