"""From the tree of meaning to the data language: what a hand would have written in the library."""
