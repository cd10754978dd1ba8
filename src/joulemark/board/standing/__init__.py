"""The leaderboard: configurations, their aggregates, filters, ranks and exports."""
