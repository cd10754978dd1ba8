"""What is asked and how a reply is graded."""
