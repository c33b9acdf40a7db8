"""An anchor: machines differ, so rates are told beside what python-chess does on this one, in the same run."""

import time
from functools import cache

import chess

KIWIPETE = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
DEPTH = 3
NODES = 97_862  # of this position at that depth, as everybody counts them


@cache
def rate() -> tuple[str, float]:
    """(name of the peer, nodes per second of the processor) of python-chess's perft."""
    board = chess.Board(KIWIPETE)
    started = time.process_time()
    found = _perft(board, DEPTH)
    assert found == NODES
    return "python-chess", found / (time.process_time() - started)


def _perft(board: chess.Board, depth: int) -> int:
    """Every move is made and taken back, the last ones too: we make every position as well."""
    if not depth:
        return 1
    count = 0
    for move in board.legal_moves:
        board.push(move)
        count += _perft(board, depth - 1)
        board.pop()
    return count
