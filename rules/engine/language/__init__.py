"""The language of conditions, amounts and filters: text to tree, tree to what runs.

May import `base`. Start reading at `grammar`, then `expressions`.
"""
