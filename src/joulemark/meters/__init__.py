"""Where joules come from: sources, their discovery and their qualification."""
