"""Pages of events. Views translate; selectors and services check and decide.

May import services, selectors and everything below them. Start reading at `play`, then `rounds`.
"""
