"""A round's life: draft, publication, results, clock, and the stages and cuts that rounds add up to.

May import selectors and other services. Start reading at `rounds`.
"""
