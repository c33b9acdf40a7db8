"""Tournament policies: what a policy file can say, and how it is read and checked.

May import `swiss`, never a model. Start reading at `model`, then `policy_files`.
"""
