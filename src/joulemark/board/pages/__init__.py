"""Server-rendered pages: one environment of templates, one style."""
