"""Stage 4b - hits: per state of the automaton, the longest match and where it ended.

What is noted at a state holds for all its suffixes too, and these are noted at once, as far
as nothing is known there yet: every state is reached that way once (twice where two rows are
kept), so the climbing is linear in all. Training text passes in order; on a tie the first one
stays, which is the smallest row, field and position.

Reads: `automaton.py`. Read by: `runs.py`.
"""

from collections.abc import Hashable, Sequence

from leakladder.automaton import ROOT, Automaton

Match = tuple[int, int, int]  # state, symbols matched, the longest match so far
NO_MATCH: Match = (ROOT, 0, 0)
NO_ROW = -1
_SEVERAL = -2


class Hits:
    """The longest match at every state, whatever row it came from."""

    def __init__(self, automaton: Automaton) -> None:
        """Start with no match; the automaton must be complete."""
        self.automaton = automaton
        states = len(automaton.length)
        self._size = [0] * states
        self._end = [0] * states
        self._up = list(automaton.link)

    def follow(self, symbols: Sequence[Hashable], end: int, row: int, match: Match) -> Match:
        """Lead symbols of a training row through the automaton.

        Args:
            symbols: At least one, in order.
            end: Position of the first symbol.
            row: Index of the training row.
            match: What this returned for the symbols before, NO_MATCH to begin.

        Returns:
            State, size and longest match after the last symbol.
        """
        state, size, longest = match
        first = self.automaton.straight(state, symbols)
        if first and self._note_straight(first, size, len(symbols), end):
            size += len(symbols)
            return first + len(symbols) - 1, size, max(size, longest)
        following, step, sizes = self.automaton.following, self.automaton.step, self._size
        for position, symbol in enumerate(symbols, end):
            if following[state] == symbol and state:
                state += 1
                size += 1
            else:
                longest = max(size, longest)
                state, size = step(state, size, symbol)
            if size > sizes[state]:
                self._note(state, size, position)
        return state, size, max(size, longest)

    def read(self, states: Sequence[int], row: int) -> tuple[list[int], list[int]]:
        """Read the longest match that ends at each of the states.

        Args:
            states: What `Automaton.extend` returned.
            row: Index of the test row; no matter here.

        Returns:
            Symbols in the match, 0 for none, and the position where it ended.
        """
        sizes = list(map(self._size.__getitem__, states))
        ends = list(map(self._end.__getitem__, states))
        if 0 in sizes:
            for at, state in enumerate(states):
                if not sizes[at]:
                    found = climb(self._up, self._size, state)
                    sizes[at], ends[at] = self._size[found], self._end[found]
        return sizes, ends

    def _note_straight(self, first: int, size: int, count: int, end: int) -> bool:
        """Note matches along states that nothing is known of, if their suffixes need nothing.

        They need nothing where there are none, and along one symbol over and over, where the
        suffix of each state is the one before it.
        """
        stop = first + count
        if any(self._size[first:stop]):
            return False
        links = self.automaton.link[first:stop]
        if any(links) and not self._is_noted(first, size, links):
            return False
        self._size[first:stop] = range(size + 1, size + count + 1)
        self._end[first:stop] = range(end, end + count)
        return True

    def _is_noted(self, first: int, size: int, links: list[int]) -> bool:
        """Tell whether each suffix is the state before, noted in full when it was passed."""
        lengths, head, count = self.automaton.length, links[0], len(links)
        if links[1:] != list(range(first, first + count - 1)):
            return False
        if lengths[first : first + count] != list(range(size + 1, size + count + 1)):
            return False
        return head == ROOT or (head == first - 1 and self._size[head] == lengths[head])

    def _note(self, state: int, size: int, end: int) -> None:
        known = self._size[state]
        self._size[state] = size
        self._end[state] = end
        if known:
            return  # its suffixes were noted with the first match
        sizes, lengths, links = self._size, self.automaton.length, self.automaton.link
        state = links[state]
        while state != ROOT and sizes[state] < lengths[state]:
            known = sizes[state]
            sizes[state] = lengths[state]
            self._end[state] = end
            if known:
                break
            state = links[state]


class OtherRowHits(Hits):
    """The longest match at every state from two different rows, so that one can be left out."""

    def __init__(self, automaton: Automaton) -> None:
        """Start with no match and no owner; the automaton must be complete."""
        super().__init__(automaton)
        states = len(automaton.length)
        self._row = [NO_ROW] * states
        self._second = [0] * states
        self._second_end = [0] * states
        self._second_row = [NO_ROW] * states
        self._owner = [NO_ROW] * states
        self._shared = [0] * states
        self._up_second = list(automaton.link)
        self._up_shared = list(automaton.link)

    def own(self, states: Sequence[int], row: int) -> None:
        """Note that the substrings which end at the states stand in a test row."""
        links, owners = self.automaton.link, self._owner
        for start in states:
            state = start
            while state != ROOT and owners[state] not in (row, _SEVERAL):
                if owners[state] == NO_ROW:
                    owners[state] = row
                else:
                    owners[state] = _SEVERAL
                    self._shared[state] = 1
                state = links[state]

    def follow(self, symbols: Sequence[Hashable], end: int, row: int, match: Match) -> Match:
        """Do as `Hits.follow`, with matches that stand in a test row of another index only."""
        state, size, longest = match
        for position, symbol in enumerate(symbols, end):
            state, size = self.automaton.step(state, size, symbol)
            other, other_size = state, size
            if self._owner[state] == row:
                other = climb(self._up_shared, self._shared, state)
                other_size = self.automaton.length[other]
            longest = max(longest, other_size)
            while other != ROOT and self._insert(other, other_size, position, row):
                other = self.automaton.link[other]
                other_size = self.automaton.length[other]
        return state, size, longest

    def read(self, states: Sequence[int], row: int) -> tuple[list[int], list[int]]:
        """Do as `Hits.read`, with matches in rows of another index only."""
        sizes, ends = super().read(states, row)
        for at, start in enumerate(states):
            state = climb(self._up, self._size, start)
            if self._row[state] != row:
                continue
            state = climb(self._up_second, self._second, state)
            if self._row[state] != row:
                sizes[at], ends[at] = self._size[state], self._end[state]
            else:
                sizes[at], ends[at] = self._second[state], self._second_end[state]
        return sizes, ends

    def _insert(self, state: int, size: int, end: int, row: int) -> bool:
        """Keep the match if it is among the best of two rows; say whether it is."""
        if self._row[state] != row and size > self._size[state]:
            self._second[state] = self._size[state]
            self._second_end[state] = self._end[state]
            self._second_row[state] = self._row[state]
        elif size > self._size[state]:
            pass
        elif self._row[state] == row or size <= self._second[state]:
            return False
        else:
            self._second[state] = size
            self._second_end[state] = end
            self._second_row[state] = row
            return True
        self._size[state] = size
        self._end[state] = end
        self._row[state] = row
        return True


def climb(up: list[int], noted: Sequence[int], state: int) -> int:
    """Return the nearest of a state and its suffixes at which something is noted, or ROOT.

    Args:
        up: Links to suffixes, shortened on the way so that later climbs are fast; what is noted
            must not change between two climbs.
        noted: One number a state, 0 for nothing.
        state: Where to begin.
    """
    path = []
    while state != ROOT and not noted[state]:
        path.append(state)
        state = up[state]
    for passed in path:
        up[passed] = state
    return state
