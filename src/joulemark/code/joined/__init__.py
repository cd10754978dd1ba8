"""Programs as answers of a benchmark: asked as any task, run once all were asked, joined with the energy."""
