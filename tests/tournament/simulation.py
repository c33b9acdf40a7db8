"""Events played on plain values, results drawn from a seed: for tests and measurements."""

from tournament.swiss import Pairing, PairingPolicy, Player, Snapshot, draw, pair


def simulated(
    players: int, rounds: int, seed: int, policy: PairingPolicy | None = None
) -> tuple[Snapshot, Pairing]:
    """The last round of an event whose results are drawn; some players drop on the way."""
    policy = policy or PairingPolicy()
    score = dict.fromkeys(range(players), 0)
    opponents: dict[int, list[int]] = {id: [] for id in score}
    byes = dict.fromkeys(score, 0)
    floated = dict.fromkeys(score, 0)
    for number in range(1, rounds + 1):
        snapshot = Snapshot(
            number,
            tuple(
                Player(id, score[id], tuple(opponents[id]), byes[id], floated[id], f"club {id % 9}")
                for id in score
                if id % 17 != 16 or number < 3
            ),
        )
        pairing = pair(snapshot, policy, seed + number)
        floated = dict.fromkeys(score, 0)
        for one in pairing.pairs:
            if one.second is None:
                byes[one.first] += 1
                score[one.first] += 5
                continue
            opponents[one.first].append(one.second)
            opponents[one.second].append(one.first)
            gap = (one.second_score or 0) - one.first_score
            floated[one.first], floated[one.second] = (gap > 0) - (gap < 0), (gap < 0) - (gap > 0)
            lot = draw.number(seed, "result", number, one.first, bits=8)
            won, lost = ((5, 0) if lot < 110 else (0, 5) if lot < 220 else (4, 1)) if lot < 246 else (2, 2)
            score[one.first] += won
            score[one.second] += lost
    return snapshot, pairing
