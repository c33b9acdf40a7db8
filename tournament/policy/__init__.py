"""Tournament policies: what a policy's file may say, and how it is read and checked.

May import `swiss`, never a model. Start reading at `model`, then `policy_files`.
"""
