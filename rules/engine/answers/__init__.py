"""From the graph to sentences: the answer, the line worth telling, what differs between two lines.

May import every other room of the engine. Start reading at `answer`.
"""
