"""Problems of other sets, one module an origin: each turns rows of a file into `Problem`s; nothing is run."""
