"""The board: submissions, leaderboard, picker, methodology, and the evaluation of generated code."""
