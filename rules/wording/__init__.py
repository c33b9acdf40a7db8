"""Card text: English to the data language, and back. Names no game; knows no framework; standard library only.

A text is cut into abilities (`lexing`), each is read by a grammar of English (`english/*.grammar`, `grammar`,
`chart`) in which a system's words stand (`lexicon`), and what was read becomes what a hand would have written in the
library (`meaning`). `reading` is the door in, `writing` the way back. docs/wording.md teaches it.

Start reading at `reading`.
"""
