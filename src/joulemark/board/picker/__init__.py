"""The picker's page and its API."""
