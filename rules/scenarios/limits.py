"""Size limits of a scenario."""

MAX_CARDS = 400
MAX_PLAYERS = 8
MAX_MOVES = 200
MAX_TIMES = 10**12  # how often a loop may be repeated
MAX_QUESTIONS = 20
MAX_NAME = 60
MAX_SENTENCE = 300  # characters of a move or a question
