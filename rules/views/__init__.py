"""Pages of rules, disputes, boards, rulings and precedents. Views translate; services decide.

May import services, selectors and everything below them. Start reading at `disputes`, then `board`.
"""
