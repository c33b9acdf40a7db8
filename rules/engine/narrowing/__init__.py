"""What can happen in this scene at all, and procedures rewritten for it (partial evaluation).

May import every room from `account` down. Start reading at `partial_evaluation`.
"""
